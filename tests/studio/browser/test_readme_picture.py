"""The picture of the studio in README: the built-in survey, three attempts, one of them looked at on the map.

It is written to the folder of the pictures; `SHOAL_PICTURES=docs/images` takes that of README anew.
"""

from __future__ import annotations

import struct
from pathlib import Path

from playwright.sync_api import expect

README = Path(__file__).resolve().parents[3] / "README.md"
PICTURE = "studio.png"
WIDTH = 1100  # letters can be read where the picture is shown narrower


def test_the_picture_of_readme_is_taken(new_visitor, pictures):
    visitor, page = new_visitor, new_visitor.page
    visitor.find("data-survey").click()
    expect(visitor.find("headline-facts")).to_contain_text("households.csv")
    visitor.open_step("Variables")
    for column, role in {"household_id": "identifier", "survey_weight": "weight"}.items():
        if visitor.find(f"variables-role_{visitor.row(column)}").input_value() != role:
            visitor.use(column, role)
    visitor.open_step("Rules")
    visitor.add_rule("net_income == gross_income - tax")
    visitor.open_step("Protect")
    for number, k in enumerate((3, 10, 5), start=1):
        visitor.set_k(k)
        visitor.protect(number)
    visitor.open_step("Evaluate")
    expect(page.locator("#evaluate-map [role=button]")).to_have_count(3)
    expect(visitor.find("evaluate-shown")).to_have_value("3")
    expect(page.locator("#evaluate-report .cards").first).to_be_visible()
    page.locator("h1:visible").click()  # nothing has the focus
    page.set_viewport_size({"width": WIDTH, "height": 900})
    visitor.settled()
    height = round(page.get_by_role("heading", name="Report", exact=True).first.bounding_box()["y"]) - 8
    page.screenshot(
        path=pictures / PICTURE, animations="disabled", clip={"x": 0, "y": 0, "width": WIDTH, "height": height}
    )
    assert struct.unpack(">II", (pictures / PICTURE).read_bytes()[16:24]) == (WIDTH, height)


def test_readme_shows_it():
    assert f"(docs/images/{PICTURE})" in README.read_text()
    assert (README.parent / "docs" / "images" / PICTURE).read_bytes().startswith(b"\x89PNG")
