"""The headline, the steps and the connection: nothing is lost, and every tab shows the same."""

from __future__ import annotations

import re
import signal


def headline(studio) -> dict[str, str]:
    page = studio.page
    names = page.locator("header dt").all_inner_texts()
    return dict(zip(names, page.locator("header dd").all_inner_texts(), strict=True))


def test_before_a_release_the_headline_tells_of_the_file(studio):
    studio.open_survey()
    assert headline(studio) == {
        "file, as it is": "households.csv",
        "records": "1,000",
        "k, whole records": "1",
        "unique": "1,000",
        "rules": "none",
        "release": "none yet",
    }


def test_nothing_is_lost_on_reload_and_two_tabs_show_the_same(studio):
    page = studio.page
    studio.open_survey()
    studio.go("Variables")
    page.get_by_label("Use of region").select_option("key")
    studio.done("region: key variable")
    page.reload()
    studio.settled()
    assert page.get_by_role("tab", name="2 Variables").get_attribute("aria-selected") == "true"
    studio.has("Use of region", "key")
    with studio.another_tab() as other:
        other.has("Use of region", "key")
        other.page.get_by_role("button", name="Undo").click()
        other.settled()
        other.has("Use of region", "")
        studio.settled()
        studio.has("Use of region", "")
        page.get_by_label("Kind of age").select_option("ordinal")
        studio.settled()
        other.settled()
        other.has("Kind of age", "ordinal")
    page.close()
    with studio.another_tab() as later:
        later.has("Kind of age", "ordinal")


def test_steps_are_undone_redone_and_gone_to(studio):
    page = studio.page
    studio.open_survey()
    undo, redo = (page.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))
    assert undo.is_disabled() and redo.is_disabled()
    studio.go("Variables")
    for kind in ("ordinal", "nominal", "continuous"):
        page.get_by_label("Kind of age").select_option(kind)
        studio.settled()
    assert undo.get_attribute("title") == "Undo: age: continuous (Ctrl+Z)"
    undo.click()
    studio.settled()
    studio.has("Kind of age", "nominal")
    assert redo.get_attribute("title") == "Redo: age: continuous (Ctrl+Shift+Z)"
    page.get_by_label("Steps so far").select_option("1")
    studio.settled()
    studio.has("Kind of age", "ordinal")
    redo.click()
    studio.settled()
    studio.has("Kind of age", "nominal")


def test_the_keys_of_undo_stay_with_a_text_that_is_written(studio):
    page = studio.page
    studio.open_survey()
    studio.go("Variables")
    page.get_by_label("Kind of age").select_option("ordinal")
    studio.settled()
    page.get_by_label("Recode of age").click()
    page.keyboard.type("bands")
    page.keyboard.press("Control+z")
    studio.settled()
    studio.has("Kind of age", "ordinal")


def test_a_studio_that_was_ended_says_so_in_words(open_studio):
    with open_studio() as studio:
        studio.open_survey()
        assert studio.page.locator("#disconnected").is_hidden()
        studio.running.end(signal.SIGTERM)
        studio.page.get_by_role("alert").get_by_text("The connection to the studio is lost.").wait_for()
        assert re.search(r"start it again with\s+shoal studio", studio.page.locator("#disconnected").inner_text())
        studio.picture("connection-lost")
