"""The records that the step Data shows, and the pictures of its variables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import shoal
from shoal.edits import parse_rule
from shoal.errors import RuleError
from shoal.studio.tasks.records import distribution, example_condition, preview
from shoal.studio.tasks.tables import table_of


@pytest.fixture
def source(tmp_path) -> dict:
    frame = pd.DataFrame(
        {
            "age": [10.0, np.nan, 65.0, 70.5, 90.0],
            "net.income": [100.0, 200.0, np.nan, 400.0, 1234567.0],
            "sex": [1.0, 2.0, 1.0, np.nan, 2.0],
            "town": ["Abel", "<b>Baker</b>", None, "Delta", "Abel"],
        }
    )
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(frame, path, variable_value_labels={"sex": {1: "man", 2: "<i>woman</i>"}})
    return {"path": str(path), "reading": {}}


def test_records_are_shown_with_labels_and_missing_values_as_none(source):
    shown = preview(source)
    assert shown.columns == ["age", "net.income", "sex", "town"]
    assert shown.rows[0] == ["10", "100", "man (1)", "Abel"]
    assert shown.rows[1] == [None, "200", "<i>woman</i> (2)", "<b>Baker</b>"]
    assert shown.rows[2][3] is None
    assert shown.rows[3] == ["70.5", "400", None, "Delta"]
    assert shown.rows[4][1] == "1234567"
    assert (shown.numbers, shown.matching, shown.records) == ([1, 2, 3, 4, 5], 5, 5)
    assert shown.numeric == [0, 1]  # sex has labels


def test_a_missing_value_satisfies_no_condition(source):
    assert preview(source, condition="age >= 65").numbers == [3, 4, 5]
    assert preview(source, condition="age < 65").numbers == [1]
    assert preview(source, condition="`net.income` > 100 and age > 0").numbers == [4, 5]
    assert preview(source, condition="if age < 65 then sex == 2").numbers == [3, 5]


def test_a_search_finds_texts_numbers_and_labels(source):
    assert preview(source, search="abel").numbers == [1, 5]
    assert preview(source, search="WOMAN").numbers == [2, 5]
    assert preview(source, search="1234").numbers == [5]
    assert preview(source, search="abel", condition="age > 50").numbers == [5]
    assert preview(source, search="nowhere").rows == []


def test_records_are_shown_some_at_a_time(source):
    assert preview(source, start=2, most=2).numbers == [3, 4]
    assert preview(source, start=4, most=2).numbers == [5]
    assert preview(source, start=99, most=2).numbers == [5]


def test_a_condition_that_is_none_is_refused_in_words(source):
    with pytest.raises(RuleError, match=r'names "agee", which is no column\. Did you mean "age"'):
        preview(source, condition="agee >= 65")
    with pytest.raises(RuleError):
        preview(source, condition="age >=")


def test_the_example_is_a_condition_that_some_records_satisfy(source, tmp_path):
    kinds = {"net.income": "continuous", "sex": "nominal"}
    assert example_condition(table_of(source), kinds) == "`net.income` >= 310000"
    parse_rule(example_condition(table_of(source), kinds))
    assert example_condition(table_of(source), {"net.income": "continuous", "age": "continuous"}).startswith("age >= ")
    assert preview(source, condition=example_condition(table_of(source), kinds)).numbers == [5]
    assert example_condition(table_of(source), {"town": "nominal"}) == ""


def test_amounts_get_a_histogram_and_categories_get_bars(source):
    assert "<svg" in distribution(source, "age", "continuous").svg
    bars = distribution(source, "sex", "nominal").svg
    assert "man (1)" in bars and "<i>" not in bars  # HTML in a label is a text
    assert "Abel" in distribution(source, "town", "nominal").svg


def test_nothing_is_drawn_of_values_that_are_all_different_or_all_missing(tmp_path):
    path = tmp_path / "ids.csv"
    pd.DataFrame({"id": [f"p{n}" for n in range(9)], "none": [None] * 9, "x": range(9)}).to_csv(path, index=False)
    source = {"path": str(path), "reading": {}}
    assert distribution(source, "id", "nominal").svg == ""
    assert distribution(source, "none", "nominal").svg == ""
    assert "<svg" in distribution(source, "x", "continuous").svg


def test_the_search_sees_what_the_table_shows(source):
    """Slow and obviously right: every record whose shown cells have the text."""
    everything = preview(source)
    for text in ("a", "1", "0", "(2)", "E", "<"):
        expected = [
            number
            for number, row in zip(everything.numbers, everything.rows, strict=True)
            if any(text.lower() in cell.lower() for cell in row if cell is not None)
        ]
        assert preview(source, search=text).numbers == expected


def test_conditions_agree_with_the_check_of_rules(tmp_path):
    path = tmp_path / "households.csv"
    shoal.datasets.households(200, seed=1).to_csv(path, index=False)
    source = {"path": str(path), "reading": {}}
    broken = shoal.edits.check(str(path), ["age >= 40"]).rules[0].broken
    assert preview(source, condition="age >= 40").matching == 200 - broken
