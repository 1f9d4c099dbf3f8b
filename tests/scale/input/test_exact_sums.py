"""Sums and moments are exact, by Python's fractions, and the same however the values are cut."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.scale.input.exact_sums import ExactSum, exact_squares, exact_sum
from shoal.scale.input.moments import ExactMoments, moments_of

FINITE = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.lists(FINITE, max_size=60)


def array(values: list[float]) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@given(VALUES)
def test_a_sum_is_that_of_fractions(values):
    assert exact_sum(array(values)).total == sum(map(Fraction, values), Fraction(0))


@given(VALUES, st.integers(0, 60))
def test_a_sum_is_the_same_however_it_is_cut(values, cut):
    parts = exact_sum(array(values[:cut])) + exact_sum(array(values[cut:]))
    assert parts.total == exact_sum(array(values)).total
    assert parts.counted == len(values)


@given(VALUES)
def test_a_sum_comes_back_from_plain_lists(values):
    total = exact_sum(array(values))
    assert ExactSum.from_plain(total.to_plain()).total == total.total


def test_missing_values_do_not_count():
    assert exact_sum(array([1.0, math.nan, 2.0])) == exact_sum(array([1.0, 2.0]))
    assert math.isnan(exact_sum(array([math.nan])).mean)


@given(st.lists(st.floats(min_value=-1e150, max_value=1e150).filter(lambda x: not 0 < abs(x) < 1e-140), max_size=40))
def test_squares_are_rounded_once_as_one_multiplication_rounds(values):
    assert exact_squares(array(values)).total == sum((Fraction(one * one) for one in values), Fraction(0))


@given(VALUES.filter(bool))
def test_squares_of_the_largest_and_smallest_doubles_neither_overflow_nor_vanish(values):
    expected = sum((Fraction(one) ** 2 for one in values), Fraction(0))
    total = exact_squares(array(values)).total
    assert abs(total - expected) <= expected * Fraction(1, 2**52)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.integers(1, 39), st.floats(-1e6, 1e6))
def test_moments_are_those_of_all_values_however_they_are_cut(values, cut, origin):
    whole = moments_of(array(values), origin)
    parts = reduce(ExactMoments.__add__, [moments_of(array(part), origin) for part in (values[:cut], values[cut:])])
    assert (parts.mean, parts.standard_deviation, parts.missing) == (whole.mean, whole.standard_deviation, 0)
    assert (parts.lowest, parts.highest) == (min(values), max(values))
    differences = [Fraction(one - origin) for one in values]
    assert whole.mean == float(sum(differences) / len(values) + Fraction(origin))
    near = 1e-7 * (max(map(abs, values)) + abs(origin))  # squares are rounded, and the origin may be far away
    assert whole.standard_deviation == pytest.approx(stdev(values), abs=near)


def test_moments_count_what_is_not_a_number():
    moments = moments_of(array([1.0, math.nan, math.inf, -math.inf, 3.0]), 0.0)
    assert (moments.counted, moments.missing, moments.infinite, moments.mean) == (2, 1, 2, 2.0)
    assert ExactMoments.from_plain(moments.to_plain()) == moments


@pytest.mark.parametrize("factor", [1e-300, 1.0, 1e300])
def test_the_scale_of_large_and_small_values_has_mean_zero_and_deviation_one(factor):
    values = np.random.default_rng(0).normal(5, 2, 1_000) * factor
    scaled = moments_of(values, 0.0).scale.apply(values)
    assert scaled.mean() == pytest.approx(0, abs=1e-12)
    assert scaled.std(ddof=1) == pytest.approx(1, abs=1e-12)
