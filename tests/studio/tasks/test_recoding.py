"""What a column can be recoded by, what that does for k, and what suppression would cost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.recode import effect, suppress
from shoal.studio.tasks.recoding import category_columns, cost_of_suppression, effect_on_k, round_step, ways_for

PEOPLE = pd.DataFrame(
    {
        "age": [31, 33, 34, 47, 48, 52, 31, 95],
        "income": [1200.5, 900, 3100, 0, 12, 15, 44, 8000],
        "sex": ["f", "f", "f", "m", "m", "m", "m", "f"],
        "rooms": [1, 2, 2, 3, 3, 3, 4, -9],
        "born": [
            "1980-05-21",
            "1981-01-02",
            "1980-05-22",
            "1979-12-31",
            None,
            "1990-02-28",
            "2000-02-29",
            "1960-01-01",
        ],
    }
)
CODES = {"missing_codes": {"rooms": [-9]}}


@pytest.fixture
def source(tmp_path):
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    return {"path": str(tmp_path / "people.csv"), "reading": {}}


@pytest.mark.parametrize(
    ("column", "ways"),
    [
        ("age", ("bands", "top-bottom", "round", "merge")),
        ("sex", ("merge",)),
        ("rooms", ("bands", "top-bottom", "round", "merge")),
    ],
)
def test_a_column_is_offered_the_recodes_that_suit_it(source, column, ways):
    assert ways_for(source, CODES, column).ways == ways


def test_every_way_that_is_offered_can_be_used(source):
    recodes = {"bands": "bands:width=5", "top-bottom": "top-bottom:top=50", "round": "round:5"}
    recodes |= {"merge": "merge:rare=2", "date-part": "date-part:month"}
    for column in PEOPLE.columns:
        for way in ways_for(source, CODES, column).ways:
            effect_on_k(source, {"recodes": {column: recodes[way]}}, [column], 3, None)
    assert ways_for(source, {}, "born").ways[0] == "date-part"


def test_the_slider_begins_and_ends_where_the_numbers_do_and_codes_of_missing_values_do_not_count(source):
    ways = ways_for(source, CODES, "rooms")
    assert (ways.least, ways.greatest, ways.step) == (1, 4, 1)
    assert [(one.text, one.records) for one in ways.categories] == [("3", 3), ("2", 2), ("1", 1), ("4", 1)]
    assert ways_for(source, {}, "rooms").least == -9


def test_many_different_numbers_are_no_categories(tmp_path):
    pd.DataFrame({"income": np.arange(100) * 17.5}).to_csv(tmp_path / "t.csv", index=False)
    ways = ways_for({"path": str(tmp_path / "t.csv"), "reading": {}}, {}, "income")
    assert ways.ways == ("bands", "top-bottom", "round")
    assert ways.categories == ()


@pytest.mark.parametrize(
    ("least", "step"), [(0.02, 0.02), (0.03, 0.05), (0.6, 1), (7.5, 10), (10, 10), (11, 20), (2600, 5000), (0, 0.1)]
)
def test_steps_are_round(least, step):
    assert round_step(least) == pytest.approx(step)


def test_whole_numbers_have_whole_steps():
    assert round_step(0.2, whole=True) == 1


def test_the_effect_is_that_of_shoal_recode_effect(source):
    options = {"recodes": {"age": "bands:width=10", "sex": "merge:any=[f,m]"}, **CODES}
    found = effect_on_k(source, options, ["age", "sex"], 3, None)
    assert found == effect(PEOPLE, options["recodes"], ["age", "sex"], 3)
    assert found.alone["age"].values["age"] == 4  # the thirties, forties, fifties and nineties


def test_a_recode_that_cannot_be_made_says_why_without_a_value(source):
    with pytest.raises(ShoalError) as refused:
        effect_on_k(source, {"recodes": {"sex": "bands:width=5"}}, ["sex"], 3, None)
    assert '"sex"' in str(refused.value)


def test_numbers_in_bands_are_categories_that_can_be_suppressed(source):
    kinds = {"age": "continuous", "income": "continuous", "sex": "nominal"}
    assert category_columns(source, {}, kinds) == ["sex"]
    assert category_columns(source, {"recodes": {"age": "bands:width=10"}}, kinds) == ["age", "sex"]


def test_the_cost_is_counted_on_the_recoded_table_as_a_release_suppresses(source):
    options = {"recodes": {"age": "bands:width=10"}}
    found = cost_of_suppression(source, options, ["age", "sex"], 2)
    by_hand = suppress(PEOPLE.assign(age=(PEOPLE["age"] // 10).astype(str)), ["age", "sex"], 2, missing="category")
    assert found["cells"] == by_hand.by_key
    assert found["records"] == by_hand.records
    assert found["observed"] == {"age": 8, "sex": 8}
    release = shoal.protect(PEOPLE[["age", "sex"]], 2, recodes=options["recodes"], categories="suppress", seed=1)
    assert int(release.data.isna().to_numpy().sum()) == sum(found["cells"].values())
