"""Nothing is lost: not by loading the page again, not by closing the tab, not overnight; steps are taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from studio.browser.visitor import Visitor
from studio.running import REAL, RunningStudio, running_studio, wait_until


def decide_some(visitor: Visitor, survey: Path) -> list[str]:
    """Decide about the survey in four steps of the flow; return what the list of steps then says."""
    visitor.upload(survey)
    visitor.open_step("Variables")
    visitor.use("interviewed", "identifier")
    visitor.use("weight", "weight")
    visitor.open_step("Keys")
    visitor.band("age", 10)
    visitor.open_step("Rules")
    visitor.add_rule("tax <= wage")
    visitor.open_step("Protect")
    visitor.set_missing("keep")
    visitor.write("protect-setting_seed", "3")
    visitor.set_k(4)
    return visitor.decided


def what_is_decided(visitor: Visitor) -> tuple[object, ...]:
    """Return what the pages show of the decisions, as far as `decide_some` changes it."""
    visitor.open_step("Variables")
    expect(visitor.find("variables-table").locator("table")).to_be_visible()
    visitor.settled()
    shown = [
        visitor.find(f"variables-{field}_{visitor.row(column)}").input_value()
        for field, column in (("role", "interviewed"), ("role", "weight"), ("recode", "age"))
    ]
    visitor.open_step("Rules")
    visitor.settled()
    rules = visitor.page.locator("#rules-in_use tbody code").all_text_contents()
    visitor.open_step("Protect")
    expect(visitor.find("protect-k_field")).to_be_visible()
    visitor.settled()
    fields = [visitor.find(f"protect-{name}").input_value() for name in ("k_field", "setting_seed", "setting_missing")]
    return (*shown, *rules, *fields)


def test_loading_again_and_closing_the_tab_lose_nothing(visitor, survey):
    steps = decide_some(visitor, survey)
    decided = what_is_decided(visitor)
    visitor.protect(1)
    headline = visitor.headline()
    visitor.undo()

    visitor.reload()
    assert (visitor.shown_step, visitor.decided[:-1], visitor.headline()) == ("Protect", steps[:-1], headline)
    expect(visitor.find("protect-attempts-show_1")).to_be_visible()
    visitor.redo()
    assert what_is_decided(visitor) == decided

    context = visitor.page.context
    visitor.page.close()
    visitor.page = context.new_page()
    visitor.page.goto(visitor.studio.origin)  # as from the history of the browser, without the token
    visitor.wait_for_page()
    assert (visitor.decided, visitor.headline()) == (steps, headline)
    visitor.page.evaluate("window.violations = []")  # of this tab nothing was recorded


def test_a_release_goes_on_while_no_tab_is_open(visitor, survey):
    decide_some(visitor, survey)
    visitor.find("protect-start_now").click()
    expect(visitor.find("protect-cancel_now").or_(visitor.find("protect-attempts-show_1")).first).to_be_visible()
    visitor.page.goto("about:blank")
    folder = visitor.studio.folder / "workspace"
    wait_until(lambda: list(folder.glob("attempt-*")), "the release")
    visitor.page.goto(visitor.studio.origin)
    visitor.wait_for_page()
    visitor.wait_for_attempt(1)


def test_two_tabs_show_the_same_work(visitor, survey):
    other = Visitor(visitor.page.context.new_page(), visitor.studio)
    other.enter()
    visitor.upload(survey)
    expect(other.find("headline-facts")).to_contain_text(survey.name)
    visitor.open_step("Variables")
    visitor.use("interviewed", "identifier")
    other.wait_for_place(1)
    other.find("headline-undo_button").click()
    visitor.wait_for_place(0)
    expect(visitor.find(f"variables-role_{visitor.row('interviewed')}")).to_have_value("-")
    assert other.errors == []


def test_every_step_can_be_undone_and_redone_as_far_as_offered(visitor, survey):
    steps = decide_some(visitor, survey)
    decided = what_is_decided(visitor)
    undo, redo = visitor.find("headline-undo_button"), visitor.find("headline-redo_button")
    for place in reversed(range(len(steps) - 1)):
        expect(undo).to_be_enabled()
        visitor.undo()
        assert [text.startswith("undone: ") for text in visitor.decided] == [one > place for one in range(len(steps))]
    expect(undo).to_be_disabled()
    assert what_is_decided(visitor) == ("-", "", "", "", "", "error")
    for _ in steps[1:]:
        expect(redo).to_be_enabled()
        visitor.redo()
    expect(redo).to_be_disabled()
    assert (visitor.decided, what_is_decided(visitor)) == (steps, decided)

    visitor.find("headline-places").select_option("2")  # straight to a step
    visitor.wait_for_place(2)
    visitor.page.locator("h1:visible").click()
    visitor.page.keyboard.press("Control+z")
    visitor.wait_for_place(1)
    visitor.page.keyboard.press("Control+Shift+z")
    visitor.wait_for_place(2)
    visitor.set_k(7)  # a new step takes the place of those that were taken back
    assert visitor.decided == [*steps[:3], "k = 7"]
    expect(redo).to_be_disabled()


@pytest.fixture
def tomorrow(tmp_path: Path, chromium: object):
    """Return a visitor of another studio, in another browser profile."""
    with running_studio(tmp_path / "tomorrow", program=REAL) as studio, chromium.new_context() as context:
        visiting = Visitor(context.new_page(), studio)
        visiting.enter()
        yield visiting
        assert visiting.errors == []


def test_tomorrow_the_saved_job_and_plan_bring_everything_back(new_visitor, tomorrow, survey, tmp_path):
    visitor = new_visitor
    decide_some(visitor, survey)
    decided = what_is_decided(visitor)
    visitor.protect(1)
    headline = visitor.headline()
    visitor.open_step("Export")
    saved, plan, masked = (visitor.download(part, tmp_path) for part in ("saved", "plan", "masked"))
    end_studio(visitor.studio)

    tomorrow.resume(saved, survey)
    assert what_is_decided(tomorrow) == decided
    tomorrow.resume(plan, survey)
    tomorrow.open_step("Protect")
    tomorrow.wait_for_attempt(1)  # a plan makes its release again
    assert {**tomorrow.headline(), "attempt": ""} == {**headline, "attempt": ""}
    tomorrow.open_step("Export")
    again = tmp_path / "again"
    again.mkdir()
    assert tomorrow.download("masked", again).read_bytes() == masked.read_bytes()


def end_studio(studio: RunningStudio) -> None:
    """End a studio as Ctrl-C does; nothing of it is left."""
    code, _, err = studio.end()
    assert (code, err) == (0, "")
    assert list(studio.temporary.iterdir()) == []
