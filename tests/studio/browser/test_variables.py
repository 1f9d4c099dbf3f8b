"""The step Variables in the browser."""

from __future__ import annotations

import pandas as pd
import pytest


@pytest.fixture
def survey(tmp_path):
    frame = pd.DataFrame(
        {
            "day": [f"2024-01-{1 + row % 20:02d}" for row in range(60)],
            "age": [20 + row % 50 for row in range(60)],
            "income": [99999 if row % 9 == 0 else 100 + row for row in range(60)],
            "region": [f"R{row % 3}" for row in range(60)],
            "survey_weight": [1 + row / 10 for row in range(60)],
        }
    )
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    return path


def steps(studio) -> list[str]:
    return studio.page.get_by_label("Steps so far").locator("option").all_inner_texts()


def test_an_undecided_column_stands_out_and_blocks_protect(studio, survey):
    page = studio.page
    studio.open_file(survey)
    studio.go("Variables")
    assert page.get_by_text("To be decided before anything can be protected: day").is_visible()
    assert page.locator(".variable.open").all_inner_texts() == ["day"]
    studio.picture("variables-undecided")
    studio.go("Protect")
    assert page.get_by_role("button", name="Protect", exact=True).count() == 0
    studio.go("Variables")
    page.get_by_label("Use of day").focus()
    page.get_by_label("Use of day").select_option("identifier")
    page.get_by_text("Every column is decided.").wait_for()
    assert page.evaluate("document.activeElement.id") == "variables-role_0"  # the focus has stayed


def test_suggestions_are_a_click_away_and_can_be_undone(studio, survey):
    page = studio.page
    studio.open_file(survey)
    studio.go("Variables")
    studio.has("Use of survey_weight", "")
    page.get_by_role("button", name="looks like a sampling weight: use it").click()
    studio.settled()
    studio.has("Use of survey_weight", "weight")
    page.get_by_role("button", name="99999 may mean no value: take as missing").click()
    studio.settled()
    studio.has("Missing codes of income", "99999")
    assert steps(studio)[1:] == ["survey_weight: sampling weight", "income: 99999 taken as missing"]
    page.get_by_role("heading", name="Variables").click()
    page.keyboard.press("Control+z")
    studio.settled()
    studio.has("Missing codes of income", "")
    page.keyboard.press("Control+z")
    studio.settled()
    studio.has("Use of survey_weight", "")
    page.keyboard.press("Control+Shift+z")
    studio.settled()
    studio.has("Use of survey_weight", "weight")


def test_several_columns_are_decided_at_once(studio, survey):
    page = studio.page
    studio.open_file(survey)
    studio.go("Variables")
    page.get_by_label("Use of the chosen columns").select_option("key")
    page.get_by_text("Choose some columns first").wait_for()
    page.get_by_label("Choose age").check()
    page.get_by_label("Choose region").check()
    page.get_by_text("2 chosen:").wait_for()
    page.get_by_label("Use of the chosen columns").select_option("key")
    studio.settled()
    studio.has("Use of age", "key")
    studio.has("Use of region", "key")
    page.get_by_label("Kind of the chosen columns").select_option("ordinal")
    studio.settled()
    studio.has("Kind of age", "ordinal")
    studio.has("Kind of region", "ordinal")
    assert steps(studio)[-1] == "age, region: ordinal"


def test_a_recode_that_is_none_is_one_line_and_changes_nothing(studio, survey):
    page = studio.page
    studio.open_file(survey)
    studio.go("Variables")
    before = steps(studio)
    recode = page.get_by_label("Recode of age")
    recode.fill("bands:breadth=5")
    recode.press("Enter")
    page.get_by_role("alert").wait_for()
    assert steps(studio) == before
    recode.fill("bands:width=5")
    recode.press("Enter")
    studio.settled()
    assert steps(studio)[-1] == "age: bands:width=5"
    page.get_by_role("link", name="Keys", exact=True).click()
    assert page.get_by_role("tab", name="3 Keys").get_attribute("aria-selected") == "true"


def test_columns_are_found_by_name_among_two_hundred(studio, tmp_path):
    page = studio.page
    path = tmp_path / "wide.csv"
    pd.DataFrame({f"item{column}": [column * row % 97 for row in range(50)] for column in range(200)}).to_csv(
        path, index=False
    )
    studio.open_file(path)
    studio.go("Variables")
    rows = page.locator("#variables-rows tbody tr:visible")
    assert rows.count() == 200
    page.locator("#variables-names").fill("item19")
    assert rows.count() == 11  # item19 and item190 to item199
    page.get_by_role("button", name="Choose all, or none").click()
    page.get_by_text("11 chosen:").wait_for()
    page.get_by_label("Use of the chosen columns").select_option("as is")
    studio.settled()
    assert rows.count() == 11  # drawn anew, and still filtered
    studio.has("Use of item195", "as is")
    studio.has("Use of item20", "")
    page.locator("#variables-only").check()
    assert rows.count() == 0
