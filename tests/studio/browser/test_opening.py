"""A studio that has just been opened."""

from __future__ import annotations


def test_a_new_studio_says_that_no_file_is_open(studio):
    assert studio.page.title() == "shoal studio"
    for step in ("Data", "Variables", "Keys", "Rules", "Protect", "Evaluate", "Export"):
        studio.go(step)
        assert studio.page.get_by_role("tabpanel").get_by_text("No file is open.").first.is_visible()
    studio.go("Data")
    studio.picture("data-empty")


def test_the_built_in_survey_is_a_click_away(studio):
    studio.open_survey()
    assert "households.csv" in studio.page.locator("header").inner_text()
    studio.picture("data-survey")
