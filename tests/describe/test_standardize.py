"""Standard scores and shares of the range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shoal.describe.standardize import is_constant, range_scale, standard_scale

finite = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(arrays(float, st.integers(2, 40), elements=finite))
def test_standard_scores_have_mean_0_and_sd_1_with_n_minus_1(values):
    if is_constant(values) or np.ptp(values) < 1e-6 * np.abs(values).max():
        return
    scores = standard_scale(values).apply(values)
    assert scores.mean() == pytest.approx(0, abs=1e-8)
    assert scores.std(ddof=1) == pytest.approx(1)


def test_standard_scores_are_those_of_the_formula_to_the_last_bit():
    values = np.random.default_rng(1).lognormal(9, 1, 1000)
    np.testing.assert_array_equal(standard_scale(values).apply(values), (values - values.mean()) / values.std(ddof=1))


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_the_unit_of_measurement_has_no_effect(unit):
    values = np.array([1.0, 2, 4, 8])
    np.testing.assert_allclose(standard_scale(values * unit).apply(values * unit), standard_scale(values).apply(values))
    np.testing.assert_allclose(range_scale(values * unit).apply(values * unit), (values - 1) / 7, atol=1e-15)


def test_missing_values_stay_missing_and_do_not_count():
    values = np.array([1.0, np.nan, 2, 3])
    np.testing.assert_allclose(standard_scale(values).apply(values), [-1, np.nan, 0, 1])


def test_constant_columns_are_found_by_their_values_not_by_rounding():
    assert is_constant(np.full(3, 0.1))
    assert is_constant(np.array([np.nan, 2.0]))
    assert not is_constant(np.array([1.0, np.nextafter(1, 2)]))
