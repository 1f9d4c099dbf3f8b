"""The picture of the studio in README, taken anew when SHOAL_PICTURES is set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

TARGET = Path(__file__).parents[3] / "docs" / "images" / "studio.png"


@pytest.mark.skipif(
    "SHOAL_PICTURES" not in os.environ, reason="takes pictures: set SHOAL_PICTURES to a folder for them"
)
def test_the_picture_in_readme_is_taken(studio):
    page = studio.page
    studio.open_survey()
    studio.go("Variables")
    page.get_by_role("button", name="looks like a sampling weight: use it").click()
    studio.done("survey_weight: sampling weight")
    studio.go("Rules")
    page.get_by_label("Rule", exact=True).fill("net_income + tax == gross_income")
    page.get_by_text("All 1,000 records keep it.").wait_for()
    page.get_by_role("button", name="Add the rule", exact=True).click()
    studio.done("rule added: net_income + tax == gross_income")
    studio.go("Protect")
    studio.field("k").fill("5")
    page.keyboard.press("Tab")
    studio.done("k = 5")
    page.get_by_text("Try several methods at once").click()
    page.get_by_label("Methods", exact=True).fill("mdav, vmdav")
    page.get_by_label("Values of k").fill("3, 5, 10")
    page.get_by_role("button", name="Try them").click()
    page.get_by_label("Name of attempt 6").wait_for(timeout=300_000)
    studio.go("Evaluate")
    page.get_by_label("The release that is looked at").select_option("2")
    page.locator(".map [role=button]").nth(5).wait_for(timeout=60_000)
    page.wait_for_timeout(4000)
    page.mouse.move(700, 850)
    TARGET.parent.mkdir(exist_ok=True)
    page.screenshot(path=TARGET)
    assert "1 of 1 hold" in page.locator("header").inner_text()
