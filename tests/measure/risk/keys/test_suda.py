"""SUDA finds the minimal sample uniques that trying every set of keys finds."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_key_risk import minimal_uniques
from shoal.errors import ParameterError
from shoal.measure import suda
from shoal.measure.risk.keys.suda import largest_size
from shoal.read import as_table


@st.composite
def tables(draw):
    keys, records = draw(st.integers(1, 5)), draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    values = [rng.integers(0, draw(st.integers(1, 5)), records).astype(float) for _ in range(keys)]
    missing = draw(st.sampled_from([0.0, 0.2]))
    for column in values:
        column[rng.random(records) < missing] = np.nan
    return pd.DataFrame({f"key{place}": column for place, column in enumerate(values)})


@given(tables(), st.sampled_from(["category", "wildcard"]), st.sampled_from([None, 1, 2, 3]))
def test_scores_are_those_of_all_sets_of_keys(frame, missing, most):
    keys = list(frame)
    found = suda(frame, keys, max_size=most, missing=missing)
    rows = list(zip(*(as_table(frame).cells(name) for name in keys), strict=True))
    sets = minimal_uniques(rows, min(most or len(keys), len(keys)), missing)
    scores = [sum(math.factorial(len(keys) - len(one)) for one in own) for own in sets]
    assert found.scores.tolist() == scores
    assert found.records == sum(map(bool, sets))
    sizes = [len(one) for own in sets for one in own]
    assert found.minimal_uniques == {size: sizes.count(size) for size in sorted(set(sizes))}
    for place, key in enumerate(keys):
        part = sum(math.factorial(len(keys) - len(one)) for own in sets for one in own if place in one)
        assert found.contributions[key] == pytest.approx(100 * part / sum(scores) if sum(scores) else 0)
    assert ((found.dis > 0) == (found.scores > 0)).all() and (found.dis <= 1).all()


@given(tables())
def test_the_order_of_records_and_keys_changes_nothing(frame):
    found = suda(frame, list(frame))
    turned = suda(frame.iloc[::-1], list(frame)[::-1])
    assert turned.scores.tolist() == found.scores[::-1].tolist()
    assert turned.dis == pytest.approx(found.dis[::-1])


def test_numbers_of_sdcmicro(reference_data):
    """testdata, sdcMicro 5.8.1: suda2(original_scores=TRUE, DisFraction=0.01)."""
    found = suda(reference_data("testdata.csv"), ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"])
    assert (found.records, found.scores.max(), found.scores.sum()) == (157, 720, 4890)
    assert found.dis.max() == pytest.approx(0.6781, abs=5e-5)
    assert found.dis.sum() == pytest.approx(9.8311, abs=5e-5)


def test_a_larger_fraction_makes_matches_surer():
    frame = pd.DataFrame({"a": [1, 1, 2, 3, 4, 4], "b": [1, 2, 2, 2, 5, 5]})
    low, high, all_of_it = (suda(frame, ["a", "b"], fraction=part).dis for part in (0.01, 0.5, 1.0))
    scored = low > 0
    assert (low[scored] < high[scored]).all()
    assert (all_of_it[scored] == 1).all()


def test_nobody_is_special_where_all_are_alike():
    found = suda(pd.DataFrame({"a": [1, 1], "b": ["x", "x"]}), ["a", "b"])
    assert (found.records, found.dis.sum(), dict(found.contributions)) == (0, 0, {"a": 0.0, "b": 0.0})


@pytest.mark.parametrize("wrong", [{"fraction": 0}, {"fraction": 2}, {"max_size": 0}, {"missing": "no"}])
def test_parameters_outside_their_limits_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        suda(pd.DataFrame({"a": [1, 2]}), ["a"], **wrong)


def test_too_many_sets_of_keys_are_refused_with_a_way_out():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 9, (3000, 40)), columns=[f"key{place}" for place in range(40)])
    with pytest.raises(ParameterError, match="Give max_size, such as 3"):
        suda(frame, list(frame))
    assert largest_size(8, 10**6, quick=True) == 8 and 3 <= largest_size(40, 3000) < 40


def test_values_beyond_whole_numbers_of_64_bits_together():
    """Twelve keys of a thousand values have more combinations than whole numbers have."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 1000, (400, 12)), columns=[f"key{place}" for place in range(12)])
    found = suda(pd.concat([frame, frame]), list(frame), max_size=2)
    assert found.records == 0
    assert suda(frame, list(frame), max_size=2).records == 400
