"""Everybody can use the studio: axe finds no serious fault on any page, and no mouse is needed."""

from __future__ import annotations

import pytest

STEPS = ("Data", "Variables", "Keys", "Rules", "Protect", "Evaluate", "Export")
MOST_TABS = 150


def reach(page, id: str, key: str = "Tab") -> None:
    """Press Tab until an element has the focus, as somebody without a mouse does."""
    for _ in range(MOST_TABS):
        if page.evaluate("document.activeElement.id") == id:
            return
        page.keyboard.press(key)
    raise AssertionError(f"{id} is not reached by {key}")


def release_by_keyboard(studio) -> None:
    page = studio.page
    reach(page, "data-survey")
    page.keyboard.press("Enter")
    page.get_by_text("households.csv is open.").wait_for(timeout=60_000)
    studio.settled()
    page.evaluate("document.activeElement.blur()")
    for _ in range(MOST_TABS):
        if page.evaluate("document.activeElement.getAttribute('role')") == "tab":
            break
        page.keyboard.press("Tab")
    for _ in STEPS[:4]:
        page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="5 Protect").get_attribute("aria-selected") == "true"
    studio.settled()
    reach(page, studio.field("k").get_attribute("id"))
    page.keyboard.type("5")
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name="Protect", exact=True)
    button.wait_for(timeout=60_000)
    studio.settled()
    reach(page, button.get_attribute("id"))
    page.keyboard.press("Enter")
    page.locator("header").get_by_text("1: mdav").wait_for(timeout=180_000)
    studio.settled()


def test_a_release_is_made_by_the_keyboard_alone_and_no_page_has_a_serious_fault(studio):
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python (the dev extra)")
    release_by_keyboard(studio)
    found = []
    for step in STEPS:
        studio.go(step)
        studio.page.wait_for_timeout(1500)  # answers arrive by themselves
        studio.picture(f"survey-{step.lower()}")
        found += [f"{step}: {fault}" for fault in studio.faults()]
    assert found == []


def test_an_empty_studio_has_no_serious_fault(studio):
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python (the dev extra)")
    assert studio.faults() == []
