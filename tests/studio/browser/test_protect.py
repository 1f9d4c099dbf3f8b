"""The step Protect as a user meets it: decide, protect, cancel, compare, undo."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def ready(studio):
    """The survey is open, and nothing is undecided."""
    studio.open_survey()
    studio.go("Protect")
    return studio


def set_k(studio, k: str) -> None:
    field = studio.field("k")
    field.fill(k)
    field.press("Tab")
    studio.settled()


def protect(studio) -> None:
    page = studio.page
    page.get_by_role("button", name="Protect", exact=True).click()
    page.locator("#protect-work .progress").wait_for(timeout=60_000)
    page.locator("#protect-work .progress").wait_for(state="detached", timeout=180_000)
    studio.settled()


def test_without_a_file_and_without_k_the_page_says_what_to_do(studio):
    page = studio.page
    studio.go("Protect")
    assert page.get_by_text("Open one in the step Data.").first.is_visible()
    studio.picture("protect-empty")
    studio.go("Data")
    studio.open_survey()
    studio.go("Protect")
    page.get_by_text("Set k. There is no default").wait_for(timeout=20_000)
    assert not page.get_by_role("button", name="Protect", exact=True).is_visible()


def test_undecided_columns_block_protect_and_the_link_leads_to_them(studio, tmp_path):
    path = tmp_path / "days.csv"
    path.write_text("day,pay\n" + "".join(f"2024-01-{1 + row % 8:02d},{row * 10}\n" for row in range(25)))
    page = studio.page
    studio.open_file(path)
    studio.go("Protect")
    set_k(studio, "3")
    page.get_by_text("Say first what these columns are, in the step Variables: day.").wait_for(timeout=20_000)
    assert not page.get_by_role("button", name="Protect", exact=True).is_visible()
    page.locator("#protect-plan").get_by_role("link", name="Open Variables").click()
    assert page.get_by_role("tab", name="2 Variables").get_attribute("aria-selected") == "true"


def test_inputs_follow_undo_and_redo_and_quick_changes_are_all_taken(ready):
    page = ready.page
    set_k(ready, "5")
    set_k(ready, "7")
    page.get_by_text("More settings").click()
    # One after the other, without waiting for what the page shows of the first.
    page.evaluate(
        """() => { for (const [id, value] of [["protect-setting_missing", "fill"], ["protect-setting_seed", "3"]]) {
             const field = document.getElementById(id); field.value = value;
             field.dispatchEvent(new Event("change", {bubbles: true})); } }"""
    )
    ready.settled()
    ready.has("Missing values", "fill")
    ready.has("Seed", "3")
    for _ in range(3):
        page.get_by_role("button", name="Undo").click()
        ready.settled()
    ready.has("k", "5")
    ready.has("Missing values", "error")
    ready.has("Seed", "")
    page.get_by_role("button", name="Redo").click()
    ready.settled()
    ready.has("k", "7")
    # What the fields show after undo is not taken for a change: redo is still possible.
    assert page.get_by_role("button", name="Redo").is_enabled()


def test_what_is_being_written_is_not_lost_when_the_page_is_drawn_anew(ready):
    page = ready.page
    page.get_by_text("More settings").click()
    seed = page.get_by_label("Seed", exact=True)
    seed.focus()
    page.keyboard.type("12")
    page.evaluate(
        """() => { const field = document.getElementById("protect-setting_missing"); field.value = "keep";
             field.dispatchEvent(new Event("change", {bubbles: true})); }"""
    )
    ready.has("Missing values", "keep")
    page.keyboard.type("3")
    page.keyboard.press("Tab")
    ready.settled()
    ready.has("Seed", "123")
    assert "Seed: 123" in page.get_by_label("Steps so far").inner_text()


def test_parameters_of_the_method_are_fields_and_what_cannot_be_is_said(ready):
    page = ready.page
    set_k(ready, "5")
    page.get_by_label("Method: how records are grouped").select_option("vmdav")
    ready.settled()
    page.get_by_text("More settings").click()
    page.get_by_label("gamma", exact=True).fill("-1")
    page.keyboard.press("Tab")
    ready.settled()
    page.get_by_text("gamma must be a number, 0 or more; got -1.").wait_for(timeout=20_000)
    page.get_by_label("gamma", exact=True).fill("0.5")
    page.keyboard.press("Tab")
    ready.settled()
    page.get_by_text("are made by vmdav:gamma=0.5").wait_for(timeout=20_000)
    page.get_by_label("Replacement: what their values become").select_option("order-statistic")
    ready.settled()
    page.get_by_text("needs more parameters: q").wait_for(timeout=20_000)
    ready.picture("protect-settings")


def test_attempts_side_by_side(ready):
    page = ready.page
    set_k(ready, "3")
    protect(ready)
    assert page.get_by_text("Groups whose members all have the same value").first.is_visible()  # a warning
    set_k(ready, "10")
    protect(ready)
    table = page.locator("#protect-attempts-table")
    assert table.locator("tbody tr").count() == 2
    assert any(text.startswith("10") for text in table.locator("td .best").all_inner_texts())
    table.get_by_role("button", name="k of records").click()
    ready.settled()
    first = table.locator("tbody tr").first
    assert first.get_by_label("Name of attempt 2").is_visible()
    first.get_by_label("Name of attempt 2").fill("safer")
    page.keyboard.press("Enter")
    ready.settled()
    assert "safer" in page.locator("header").inner_text()
    ready.picture("protect-attempts")
    assert ready.faults() == []
    table.get_by_role("button", name="Go on from it").nth(1).click()
    ready.settled()
    ready.has("k", "3")
    table.get_by_role("button", name="Remove").first.click()
    ready.settled()
    assert table.locator("tbody tr").count() == 1


def test_cancel_ends_a_long_search_at_once(ready):
    page = ready.page
    set_k(ready, "3")
    page.get_by_text("Try several methods at once").click()
    page.get_by_label("Methods", exact=True).fill("refine:seconds=600, mdav")
    page.get_by_label("Values of k").fill("3")
    page.get_by_role("button", name="Try them").click()
    page.get_by_text(re.compile(r"Protecting, 1 of 2: \d+ %, 1 more after it")).wait_for(timeout=60_000)
    ready.picture("protect-running")
    page.get_by_role("button", name="Cancel").first.click()
    page.locator("#protect-work .progress").wait_for(state="detached", timeout=10_000)
    ready.settled()
    assert page.locator("#protect-attempts-table tbody tr").count() == 0
    assert list(ready.running.folder.glob("attempt-*")) == []
    protect(ready)
    assert page.locator("#protect-attempts-table tbody tr").count() == 1
