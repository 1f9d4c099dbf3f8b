"""The step Data in the browser: opening, looking, and files that cannot be read."""

from __future__ import annotations

import re

import pandas as pd
import pyreadstat
import pytest

HTML = "<img src=x onerror=alert(1)>"


@pytest.fixture
def labelled(tmp_path):
    """A file with labels, HTML in some of them, and missing values."""
    frame = pd.DataFrame(
        {
            "age": [20.0 + row for row in range(40)],
            "sex": [1.0 if row % 2 else 2.0 for row in range(40)],
            "town": [None if row % 10 == 3 else f"{HTML}{row % 4}" for row in range(40)],
        }
    )
    path = tmp_path / "labelled.sav"
    pyreadstat.write_sav(
        frame, path, column_labels=["Age", f"Sex {HTML}", "Town"], variable_value_labels={"sex": {1: "man", 2: HTML}}
    )
    return path


def test_records_are_filtered_searched_and_turned_over(studio):
    page = studio.page
    studio.open_survey()
    condition = page.get_by_label("Only records that satisfy a condition")
    assert re.fullmatch(r"for example age >= \d+", condition.get_attribute("placeholder"))
    table = page.get_by_role("region", name="Records of the file")
    assert table.get_by_role("row").count() == 16
    page.get_by_role("button", name="Next").click()
    page.get_by_text("16 to 30 of 1,000").wait_for()
    condition.fill("age >= 80")
    condition.press("Enter")
    page.get_by_text("1 to 15 of 76 that match, of 1,000").wait_for()
    page.get_by_label("Search all values").fill("H000095")
    page.keyboard.press("Enter")
    page.get_by_text("1 to 1 of 1 that match").wait_for()
    assert table.get_by_role("row").count() == 2
    condition.fill("agee >= 80")
    condition.press("Enter")
    page.get_by_text('names "agee", which is no column. Did you mean "age"?').wait_for()
    condition.fill("age < 0")
    condition.press("Enter")
    page.get_by_text("No record is like that.").wait_for()


def test_labels_are_shown_as_texts_and_missing_values_are_marked(studio, labelled):
    page = studio.page
    studio.open_file(labelled)
    table = page.get_by_role("region", name="Records of the file")
    assert table.get_by_text(f"{HTML} (2)").first.is_visible()
    assert table.get_by_text("man (1)").first.is_visible()
    assert table.locator(".missing").count() == 2  # of the 15 records in view
    page.get_by_label("sex", exact=True).check()
    page.get_by_role("heading", name="sex", exact=True).wait_for()
    assert page.get_by_text(f"Sex {HTML}", exact=True).is_visible()
    assert page.locator(".picture svg").is_visible()
    assert page.locator("img[src=x]").count() == 0
    studio.picture("data-labelled")


def test_a_file_that_cannot_be_read_leaves_the_one_before_open(studio, tmp_path, labelled):
    page = studio.page
    junk = tmp_path / "junk.xlsx"
    junk.write_bytes(bytes(range(256)) * 9)
    studio.upload(junk)
    page.get_by_role("alert").get_by_text("junk.xlsx").wait_for()
    assert page.get_by_text("No file is open.").first.is_visible()
    studio.open_file(labelled)
    assert page.get_by_role("alert").count() == 0
    studio.upload(junk)
    page.get_by_text("labelled.sav is still open.").wait_for()
    assert "upload-" not in page.get_by_role("alert").inner_text()
    assert page.get_by_role("region", name="Records of the file").is_visible()
    studio.picture("data-refused")


def test_a_delimiter_can_be_chosen_after_a_wrong_one(studio, tmp_path):
    page = studio.page
    path = tmp_path / "semicolons.txt"
    path.write_text("a;b\n" + "".join(f"{row};{row * 2},5\n" for row in range(30)), encoding="utf-8")
    page.get_by_text("How it is read").click()
    page.get_by_label("Delimiter (CSV)").select_option("|")
    studio.open_file(path)
    assert page.get_by_text("Everything is in one column").is_visible()
    page.get_by_text("Open another file").click()
    page.get_by_label("Delimiter (CSV)").select_option(";")
    page.get_by_label("Decimal mark (CSV)").select_option(",")
    studio.upload(path)
    page.get_by_text("It has 30 records and 2 variables").wait_for()
