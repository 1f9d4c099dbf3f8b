"""What the step Protect says will be done, and what it asks first."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.studio.tasks.protecting import in_words

RANDOM = np.random.default_rng(5)
HOMES = np.repeat(np.arange(30), 2)
TABLE = pd.DataFrame(
    {
        "home": HOMES,
        "rent": RANDOM.normal(900, 200, 30).round(1)[HOMES],
        "age": RANDOM.normal(40, 9, 60).round(1),
        "income": np.where(RANDOM.random(60) < 0.2, np.nan, RANDOM.normal(3000, 700, 60).round(1)),
    }
)


@pytest.fixture
def source(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    return {"path": str(tmp_path / "table.csv"), "reading": {}}


def words_on_blocks(sentences: list[str]) -> list[str]:
    return [one for one in sentences if "grouped" in one]


def test_missing_values_are_asked_about_with_their_counts_before_anything_is_refused(source):
    count = int(TABLE["income"].isna().sum())
    asked = in_words(source, 3, {"roles": {"home": "identifier"}})
    assert asked.refused == {"income": count}
    assert asked.can_fill
    with pytest.raises(ShoalError, match=f"income.*{count}"):  # as protect says
        shoal.protect(TABLE.drop(columns="home"), 3)


@pytest.mark.parametrize(("way", "word"), [("fill", "get the value of their group"), ("keep", "stay missing")])
def test_once_answered_the_plan_says_what_becomes_of_them(source, way, word):
    words = in_words(source, 3, {"roles": {"home": "identifier"}, "missing": way})
    assert words.refused == {}
    assert any(word in one for one in words.sentences)


def test_a_method_that_cannot_fill_is_not_offered_to(source):
    words = in_words(source, 3, {"roles": {"home": "identifier"}, "replace": "rank-swap"})
    assert words.refused
    assert not words.can_fill


def test_where_nothing_is_missing_nothing_is_said_of_it(source):
    words = in_words(source, 3, {"roles": {"home": "identifier", "income": "identifier"}})
    assert words.refused == {}
    assert not any("issing" in one for one in words.sentences)


def test_columns_of_units_are_grouped_first_and_whole_records_stay_alike(source):
    """The plan has two blocks then, but the second is inside the first: the release keeps k for whole records."""
    words = in_words(source, 3, {"unit": "home", "missing": "fill"})
    (said,) = words_on_blocks(words.sentences)
    assert said.startswith("rent: the same for all records of a unit")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert shoal.protect(TABLE, 3, unit="home", missing="fill", seed=1).headline["k"] >= 3


def test_blocks_that_were_asked_for_are_warned_of(source):
    options = {"roles": {"home": "identifier"}, "missing": "fill", "blocks": [["rent"], ["age", "income"]]}
    (said,) = words_on_blocks(in_words(source, 3, options).sentences)
    assert "2 blocks" in said
    assert "mostly unique" in said
