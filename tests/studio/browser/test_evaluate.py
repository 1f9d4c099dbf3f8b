"""The step Evaluate as a user meets it: the map, the report, before and after, and the intruder."""

from __future__ import annotations

import re


def made(studio, methods: str = "mdav, rank-swap", ks: str = "3, 10") -> None:
    """Open the survey, and try some methods."""
    page = studio.page
    studio.open_survey()
    studio.go("Protect")
    page.get_by_text("Try several methods at once").click()
    page.get_by_label("Methods", exact=True).fill(methods)
    page.get_by_label("Values of k").fill(ks)
    page.get_by_role("button", name="Try them").click()
    page.locator("#protect-work .progress").wait_for(timeout=60_000)
    page.locator("#protect-work .progress").wait_for(state="detached", timeout=180_000)
    studio.go("Evaluate")
    page.locator("#evaluate-map svg").wait_for(timeout=60_000)
    page.locator("#evaluate-table-shown table").wait_for(timeout=60_000)
    studio.settled()


def test_without_a_release_the_page_leads_to_protect(studio):
    page = studio.page
    studio.open_survey()
    studio.go("Evaluate")
    page.get_by_role("link", name="Open Protect").click()
    assert page.get_by_role("tab", name="5 Protect").get_attribute("aria-selected") == "true"


def test_everything_about_a_release(studio):
    page = studio.page
    made(studio)
    assert page.locator("#evaluate-map [role=button]").count() == 3
    assert page.locator("#evaluate-shown").input_value() == "3"

    # A point of the map, by mouse and by keyboard, shows its release everywhere.
    page.locator("#evaluate-show-point-1").click()
    page.locator("#headline-facts").get_by_text(re.compile(r"^1: mdav")).wait_for(timeout=20_000)
    page.locator("#evaluate-show-point-2").focus()
    page.keyboard.press("Enter")
    page.locator("#headline-facts").get_by_text(re.compile(r"^2: mdav")).wait_for(timeout=20_000)
    studio.settled()
    assert page.locator("#evaluate-shown").input_value() == "2"
    assert page.evaluate("document.activeElement.id") == "evaluate-show-point-2"

    # The report's own sections.
    shown = page.locator(".shoal-shown")
    for title in ("Disclosure scenarios", "Disclosure risk", "Data utility", "Correlations"):
        assert shown.locator("details.section > summary", has_text=title).first.is_visible()

    # Before and after.
    page.get_by_label("Variable", exact=True).select_option("tenure")
    page.get_by_label("First variable").select_option("gross_income")
    page.get_by_label("Second variable").select_option("tax")
    page.get_by_text(re.compile(r"Before: correlation 0\.\d+")).wait_for(timeout=20_000)
    page.get_by_label("Layers").select_option("tenure")
    page.locator("#evaluate-table-shown h3", has_text="tenure: ").first.wait_for(timeout=20_000)

    # What an intruder knows can be changed, and outlives a reload.
    page.locator("#evaluate-intruder-form").get_by_label("age", exact=True).check()
    page.get_by_text("chosen: age").wait_for(timeout=20_000)
    studio.picture("evaluate")
    assert studio.faults() == []
    page.reload()
    page.get_by_text("chosen: age").wait_for(timeout=60_000)


def test_what_takes_longer_is_measured_when_asked_for(studio):
    page = studio.page
    made(studio, "mdav", "5")
    page.get_by_role("button", name="Measure what takes longer too").click()
    page.locator("#evaluate-work .progress").wait_for(timeout=30_000)
    page.locator("#evaluate-work .progress").wait_for(state="detached", timeout=180_000)
    page.get_by_text("The groups' squared error is at most").wait_for(state="attached", timeout=60_000)
    assert page.get_by_role("button", name="Measure what takes longer too").count() == 0
