"""Frequencies of key combinations are those of every pair of records."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_key_risk import frequencies
from shoal.errors import ColumnError, DataError, MissingValuesError, ParameterError
from shoal.measure import household_risk, individual_risk, key_frequencies, riskiest
from shoal.read import as_table

KEYS = ["sex", "town", "age"]


def persons(seed: int, records: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": rng.integers(1, 3, records),
            "town": rng.choice(["A", "B", "C", None], records),
            "age": np.where(rng.random(records) < 0.2, np.nan, rng.integers(0, 4, records) * 10.0),
            "w": rng.integers(1, 50, records) / 2,
            "home": rng.integers(0, records // 3 + 1, records),
        }
    )
    return frame


def rows(frame: pd.DataFrame, keys=KEYS) -> list[tuple]:
    return list(zip(*(as_table(frame).cells(name) for name in keys), strict=True))


@given(st.integers(0, 10**6), st.sampled_from(["wildcard", "category"]), st.integers(1, 40))
def test_frequencies_are_those_of_all_pairs(seed, missing, records):
    frame = persons(seed, records)
    found = key_frequencies(frame, KEYS, weights="w", missing=missing)
    sample, population = frequencies(rows(frame), frame["w"].tolist(), missing)
    assert found.sample.tolist() == sample
    assert found.population == pytest.approx(population)
    assert (found.k, found.uniques, found.violators(3)) == (
        min(sample),
        sample.count(1),
        sum(one < 3 for one in sample),
    )
    assert found.combinations == len(set(rows(frame)))
    assert key_frequencies(frame, KEYS, missing=missing).population.tolist() == sample


def test_a_missing_value_is_a_category_unless_it_is_said_to_be_a_wildcard():
    """The safe reading is the default: a field trial with 1,580 uniques among its complete records had none."""
    frame = persons(1)
    for count in (key_frequencies, individual_risk, riskiest, partial(household_risk, unit="home")):
        assert told(count(frame, KEYS)) == told(count(frame, KEYS, missing="category"))
        assert told(count(frame, KEYS)) != told(count(frame, KEYS, missing="wildcard"))


def told(found) -> object:
    return found.sample.tolist() if hasattr(found, "sample") else found


@pytest.mark.parametrize("kind", ["polars", "arrow", "category", "nullable"])
def test_every_kind_of_table_counts_the_same(kind):
    frame = persons(3)
    plain = key_frequencies(frame, KEYS, weights="w")
    if kind == "polars":
        polars = pytest.importorskip("polars")
        other = polars.from_pandas(frame)
    elif kind == "arrow":
        pyarrow = pytest.importorskip("pyarrow")
        other = pyarrow.Table.from_pandas(frame)
    elif kind == "category":
        other = frame.astype({"sex": "category", "town": "category", "age": "category"})
    else:
        other = frame.convert_dtypes()
    found = key_frequencies(other, KEYS, weights="w")
    assert found.sample.tolist() == plain.sample.tolist()
    assert found.population.tolist() == plain.population.tolist()


def test_one_record_and_one_key_by_its_name():
    found = key_frequencies(persons(0, 1), "sex")
    assert (found.k, found.uniques, found.combinations) == (1, 1, 1)


def test_an_array_goes_by_numbers():
    assert key_frequencies(np.array([[1, 2], [1, 3]]), [0]).sample.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([], "names no column"),
        (["sex", "sex"], 'names "sex" twice'),
        (["sex", "twon"], 'no column "twon". Did you mean "town"'),
    ],
)
def test_keys_that_are_none_twice_or_unknown_are_refused(keys, message):
    with pytest.raises(ColumnError, match=message):
        key_frequencies(persons(0), keys)


def test_what_cannot_be_a_parameter_is_refused():
    frame = persons(0)
    for wrong in ({"missing": "ignore"}, {"weights": frame["w"]}, {"weights": True}):
        with pytest.raises(ParameterError):
            key_frequencies(frame, KEYS, **wrong)
    with pytest.raises(ParameterError, match="keys must be the names of columns"):
        key_frequencies(frame, frame["sex"])
    with pytest.raises(ParameterError, match="k must be"):
        key_frequencies(frame, KEYS).violators(0)
    with pytest.raises(ColumnError, match="weights: There is no column"):
        key_frequencies(frame, KEYS, weights="weight")
    with pytest.raises(ColumnError, match="key and the sampling weight"):
        key_frequencies(frame, KEYS, weights="sex")


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.inf])
def test_weights_that_are_no_counts_are_refused(wrong):
    frame = persons(0)
    frame.loc[3, "w"] = wrong
    with pytest.raises(DataError, match="record 4"):
        individual_risk(frame, KEYS, weights="w")


def test_weights_that_are_missing_or_texts_are_refused():
    frame = persons(0).assign(text="A")
    with pytest.raises(DataError, match="not numeric"):
        individual_risk(frame, ["sex"], weights="text")
    frame.loc[3, "w"] = np.nan
    with pytest.raises(MissingValuesError, match='"w" \\(1\\)'):
        individual_risk(frame, KEYS, weights="w")


def test_the_input_is_not_modified():
    frame = persons(5)
    before = frame.copy(deep=True)
    key_frequencies(frame, KEYS, weights="w")
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("weight", [1e308, 1e200, 1e16, 5e14])
def test_weights_too_large_to_be_summed_are_refused(weight):
    people = pd.DataFrame({"sex": list("ffmm"), "w": [weight] * 4})
    for count in (key_frequencies, individual_risk):
        with pytest.raises(DataError, match=r'those of "w" sum to 1e\+15 or more'):
            count(people, ["sex"], weights="w")
