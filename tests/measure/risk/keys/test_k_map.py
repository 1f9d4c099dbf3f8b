"""k over a population file: values are compared, not codes."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_key_risk import agree
from shoal.errors import ColumnError, DataError, ParameterError
from shoal.measure import k_map
from shoal.read import as_table

KEYS = ["sex", "town"]


def drawn(rng, records):
    return pd.DataFrame(
        {"town": rng.choice(["A", "B", "C", None], records), "sex": rng.integers(1, 4, records).astype(float)}
    )


@given(st.integers(0, 10**6), st.sampled_from(["wildcard", "category"]), st.booleans())
def test_every_record_is_looked_for_in_the_population(seed, missing, with_missing):
    rng = np.random.default_rng(seed)
    sample, population = drawn(rng, 12), drawn(rng, 30)
    if not with_missing:
        sample, population = sample.fillna("D"), population.fillna("D")
    found = k_map(sample, population, KEYS, missing=missing)
    own, others = (
        list(zip(*(as_table(frame).cells(name) for name in KEYS), strict=True)) for frame in (sample, population)
    )
    expected = [sum(agree(row, other, missing) for other in others) for row in own]
    assert found.by_record.tolist() == expected
    assert (found, found.violators(3)) == (min(expected), sum(one < 3 for one in expected))


def test_codes_of_categories_do_not_count():
    sample = pd.DataFrame({"town": pd.Categorical(["B", "B"], categories=["B"]), "sex": [1, 2]})
    population = pd.DataFrame({"town": ["A", "B", "B"], "sex": [1.0, 1.0, 2.0]})
    assert k_map(sample, population, KEYS).by_record.tolist() == [1, 1]
    assert k_map(sample, population.astype({"town": "category", "sex": "Int64"}), KEYS).by_record.tolist() == [1, 1]


def test_long_whole_numbers_are_told_apart():
    sample = pd.DataFrame({"code": np.array([2**60], dtype=np.int64)})
    population = pd.DataFrame({"code": np.array([2**60 + 1, 2**60], dtype=np.uint64)})
    assert k_map(sample, population, ["code"]) == 1


def test_dates_are_compared():
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    found = k_map(pd.DataFrame({"day": days}), pd.DataFrame({"day": days[[1, 1]]}), ["day"])
    assert (found, found.by_record.tolist()) == (0, [0, 2])


def test_texts_and_numbers_are_refused():
    with pytest.raises(DataError, match='"sex" holds numbers in the sample and texts in the population'):
        k_map(pd.DataFrame({"sex": [1]}), pd.DataFrame({"sex": ["1"]}), ["sex"])
    with pytest.raises(ColumnError, match="population has no column"):
        k_map(pd.DataFrame({"sex": [1]}), pd.DataFrame({"gender": [1]}), ["sex"])
    with pytest.raises(ParameterError, match="missing"):
        k_map(pd.DataFrame({"sex": [1]}), pd.DataFrame({"sex": [1]}), ["sex"], missing="no")


def test_it_can_be_stored():
    found = k_map(pd.DataFrame({"sex": [1]}), pd.DataFrame({"sex": [1, 1]}), ["sex"])
    again = pickle.loads(pickle.dumps(found))
    assert (again, again.violators(3)) == (2, 1)
