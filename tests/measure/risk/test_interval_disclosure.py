"""Interval disclosure: the worked values of the methods, small files by hand, and brute force."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import NotApplicableError, ParameterError
from shoal.measure.risk.interval_disclosure import interval_disclosure

KINDS = ("rank", "sd", "relative")

# The order of another public copy of Census, in which the worked values for blocks of three were computed.
ORDER_B = [
    *("AFNLWGT", "AGI", "EMCONTRB", "FEDTAX", "PTOTVAL", "STATETAX", "TAXINC", "POTHVAL", "INTVAL", "PEARNVAL"),
    *("FICA", "WSALVAL", "ERNVAL"),
]


@pytest.mark.parametrize(
    ("k", "kind", "worked"),
    [(3, "rank", 39.07), (3, "sd", 26.77), (3, "relative", 34.23), (10, "rank", 26.07), (10, "sd", 16.37)],
)
def test_census_masked_by_mdav(reference_data, k, kind, worked):
    """METHODS 6. Its 34.23 comes from differences of at most p per cent of the original value."""
    census = pd.read_csv(reference_data("census.csv"))
    assert round(interval_disclosure(census, shoal.protect(census, k).data, kind=kind), 2) == worked


def test_census_in_blocks_of_three(reference_data):
    """METHODS 6: 63.0 at k=6."""
    census = pd.read_csv(reference_data("census.csv"))[ORDER_B]
    assert round(interval_disclosure(census, shoal.protect(census, 6, blocks=3).data), 1) == 63.0


def test_ranks_by_hand():
    """1 to 100 and 3 more: ranks differ by 3, which p / 2 reaches from p = 6 on; less for the three beyond the end."""
    x = pd.DataFrame({"x": np.arange(1.0, 101)})
    assert interval_disclosure(x, x + 3) == pytest.approx((97 * 50 + 60 + 80 + 100) / 100)


def test_standard_deviations_by_hand():
    """The masked values 0 and 20 have sd 14.14...; the original is off by 1, 7.07 per cent: inside for p = 8, 9, 10."""
    original, masked = pd.DataFrame({"x": [1.0, 19]}), pd.DataFrame({"x": [0.0, 20]})
    assert interval_disclosure(original, masked, kind="sd") == pytest.approx(30)


def test_shares_by_hand():
    """100 masked as 105 is inside from p = 5 on, exactly at 5; 50 masked as 20 never is; 0 only as 0."""
    original, masked = pd.DataFrame({"x": [100.0, 50, 0, 0]}), pd.DataFrame({"x": [105.0, 20, 0, 1e-3]})
    found = interval_disclosure(original, masked, kind="relative")
    assert found == pytest.approx((60 + 0 + 100 + 0) / 4)


def brute_force_by_rank(x: np.ndarray, y: np.ndarray) -> float:
    """Count, for every cell, the values below and those that are equal."""
    n = len(x)

    def rank(value: float) -> float:
        return sum(one < value for one in x) + sum(one == value for one in x) / 2

    apart = [abs(rank(a) - rank(b)) for a, b in zip(x, y, strict=True)]
    return 100 * sum(one <= p * n / 200 for one in apart for p in range(1, 11)) / (10 * n)


numbers = st.integers(-20, 20)
files = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=60).filter(
    lambda rows: len({x for x, _ in rows}) > 1
)


@given(files)
@settings(max_examples=60)
def test_ranks_are_those_of_brute_force(rows):
    x, y = np.array(rows, dtype=float).T
    found = interval_disclosure(pd.DataFrame({"x": x}), pd.DataFrame({"x": y}))
    assert found == pytest.approx(brute_force_by_rank(x, y), abs=1e-9)


@given(files, st.randoms(use_true_random=False), st.sampled_from([1e-7, 0.1, 3.0, 1.7e9]), st.sampled_from(KINDS))
@settings(max_examples=100)
def test_neither_order_nor_unit_matters(rows, random, unit, kind):
    before = pd.DataFrame(rows, columns=["x", "y"], dtype=float)
    order = list(range(len(rows)))
    random.shuffle(order)
    after = before.iloc[order] * unit
    first, second = (
        interval_disclosure(pd.DataFrame({"v": file["x"]}), pd.DataFrame({"v": file["y"]}), kind=kind)
        for file in (before, after)
    )
    assert first == pytest.approx(second, rel=1e-9)
    assert 0 <= first <= 100


@pytest.mark.parametrize("kind", KINDS)
def test_the_average_over_widths_is_that_of_single_widths(kind):
    frame = shoal.datasets.households(80, seed=3)[["age", "wage_income", "tax"]]
    masked = shoal.protect(frame, 5).data
    single = [interval_disclosure(frame, masked, kind=kind, width=p) for p in range(1, 11)]
    assert interval_disclosure(frame, masked, kind=kind) == pytest.approx(np.mean(single))
    assert single == sorted(single) and single[0] < single[-1]


def test_a_single_width_by_hand():
    """1 to 100 and 3 more: ranks differ by 3, those of the last three by 2.5, 1.5 and 0.5; 5 per cent reach 2.5."""
    x = pd.DataFrame({"x": np.arange(1.0, 101)})
    assert interval_disclosure(x, x + 3, width=5) == 3
    assert interval_disclosure(x, x + 3, width=6) == 100
    original, masked = pd.DataFrame({"x": [1.0, 19]}), pd.DataFrame({"x": [0.0, 20]})
    assert [interval_disclosure(original, masked, kind="sd", width=p) for p in (7, 7.1)] == [0, 100]
    with pytest.raises(ParameterError, match="width must be a number above 0, or None; got 0"):
        interval_disclosure(x, x, width=0)


@pytest.mark.parametrize("kind", KINDS)
def test_an_unchanged_file_discloses_everything(kind):
    frame = shoal.datasets.expenditure()
    assert interval_disclosure(frame, frame, kind=kind) == 100


def test_a_masked_variable_without_spread_discloses_only_what_is_equal():
    original = pd.DataFrame({"x": [1.0, 2, 3, 2]})
    assert interval_disclosure(original, original * 0 + 2, kind="sd") == 50


def test_ordered_categories_take_part_by_rank_and_nominal_ones_never_do():
    size = pd.Categorical(["s", "m", "l", "m"], categories=["s", "m", "l"], ordered=True)
    original = pd.DataFrame({"x": [1.0, 2, 3, 4], "size": size, "town": list("abcd")})
    masked = original.assign(size=pd.Categorical(["m"] * 4, categories=["s", "m", "l"], ordered=True))
    found = interval_disclosure(original, masked)
    assert found.by_column == {"x": 100, "size": 50}
    assert found == 75
    assert set(interval_disclosure(original, masked, kind="sd").by_column) == {"x"}


def test_missing_values_and_constants_are_left_out():
    original = pd.DataFrame({"x": [1.0, 2, 3, None], "same": 1.0, "empty": [np.nan] * 4})
    masked = pd.DataFrame({"x": [1.0, None, 3, 4], "same": 1.0, "empty": [np.nan] * 4})
    for kind in KINDS:
        assert interval_disclosure(original, masked, kind=kind).by_column == {"x": 100}


def test_parts_are_ready_for_json():
    frame = shoal.datasets.expenditure()
    found = interval_disclosure(frame, shoal.protect(frame, 3).data)
    parts = json.loads(json.dumps(dict(found.parts)))
    assert parts["kind"] == "rank"
    assert np.mean(list(parts["by_column"].values())) == pytest.approx(found)


def test_what_it_cannot_measure():
    words = pd.DataFrame({"x": list("aabb")})
    with pytest.raises(NotApplicableError, match="numeric variable or one with ordered categories"):
        interval_disclosure(words, words)
    one = pd.DataFrame({"x": [1.0]})
    with pytest.raises(NotApplicableError, match="varies"):
        interval_disclosure(one, one, kind="sd")
    with pytest.raises(ParameterError, match='Did you mean "relative"'):
        interval_disclosure(one, one, kind="relativ")
