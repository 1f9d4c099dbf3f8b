"""A lower bound says how it was proven, and how far from the best a partition can be."""

from __future__ import annotations

import math
import pickle
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.best_partitions import KINDS, least_sse, tiny_matrix
from oracles.unusable_matrices import assert_refused_without_values, every_unusable_matrix
from shoal.errors import DataError, ParameterError, TooFewRecordsError
from shoal.partition import MDAV, LowerBound, Refine, lower_bound
from shoal.partition.bounds import column_generation
from shoal.partition.bounds import lower_bound as lower_bound_module
from shoal.partition.geometry.squared_distances import total_sse


def test_a_bound_is_a_number_with_its_method():
    bound = LowerBound({"neighbours": 3.0, "linear program": 4.0})
    assert (bound, bound.method, bound.note) == (4.0, "linear program", "")
    again = pickle.loads(pickle.dumps(bound))
    assert (again, again.method, again.by_method) == (4.0, "linear program", {"neighbours": 3.0, "linear program": 4.0})


@pytest.mark.parametrize(("error", "gap", "above"), [(5.0, 0.2, 0.25), (4.0, 0.0, 0.0), (3.0, 0.0, 0.0)])
def test_the_gap_of_a_partition(error, gap, above):
    bound = LowerBound({"neighbours": 4.0})
    assert bound.gap(error) == pytest.approx(gap)
    assert bound.above(error) == pytest.approx(above)


@pytest.mark.parametrize("error", [math.nan, math.inf])
@pytest.mark.parametrize("bound", [1.0, math.inf])
def test_what_is_no_finite_number_has_no_gap(bound, error):
    assert math.isnan(LowerBound({"neighbours": bound}).gap(error))
    assert math.isnan(LowerBound({"neighbours": bound}).above(error))


def test_a_bound_of_zero_proves_nothing_above_zero():
    bound = LowerBound({"neighbours": 0.0})
    assert (bound.gap(0.0), bound.above(0.0)) == (0.0, 0.0)
    assert (bound.gap(2.0), bound.above(2.0)) == (1.0, math.inf)


def records(n: int = 40, d: int = 3) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def mdav_error(X: np.ndarray) -> float:
    return total_sse(X, MDAV(3).fit(X).labels_)


def test_the_linear_program_proves_more_and_cuts_more_again():
    bound, with_cuts = lower_bound(records(), 3), lower_bound(records(), 3, seconds=30)
    assert (bound.method, with_cuts.method) == ("linear program", "linear program")
    assert set(bound.by_method) == {"neighbours", "linear program"}
    assert bound.by_method["neighbours"] < bound < with_cuts <= mdav_error(records())
    assert bound.note == ""
    assert lower_bound(records(), 3) == bound


def test_no_time_proves_what_the_neighbours_do():
    bound = lower_bound(records(), 3, seconds=0)
    assert (bound.method, bound.note) == ("neighbours", "With more seconds more can be proven.")


def test_without_highspy_the_bound_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)  # importing it fails
    bound = lower_bound(records(), 3)
    assert set(bound.by_method) == {"neighbours", "prices"}
    assert 'pip install "shoal[prove]"' in bound.note
    assert "\n" not in bound.note
    assert 0 < bound < mdav_error(records())


def test_what_is_too_large_for_a_first_look_is_left_to_seconds(monkeypatch):
    assert lower_bound(records(), 6).note == "With seconds more can be proven."
    assert "linear program" in lower_bound(records(), 6, seconds=2).by_method
    monkeypatch.setattr(lower_bound_module, "_MOST_QUICKLY", 39)
    assert set(lower_bound(records(), 3).by_method) == {"neighbours"}
    monkeypatch.setattr(column_generation, "MOST_RECORDS", 39)
    bound = lower_bound(records(), 3, seconds=2)
    assert set(bound.by_method) == {"neighbours", "prices"}
    assert bound.note == ""


@pytest.mark.parametrize("X", [records(9, 1), records(5), records(3), np.arange(9.0).reshape(-1, 1)])
def test_one_variable_or_one_group_has_a_known_best(X):
    bound = lower_bound(X, 3)
    assert bound.method == "optimum"
    assert bound == pytest.approx(least_sse(X, 3), rel=1e-8)


@pytest.mark.parametrize("exponent", [-500, -4, 4, 500])
def test_scaled_records_have_scaled_bounds(exponent):
    """Scaled by a power of two no digit changes."""
    bound = lower_bound(records(), 3)
    scaled = lower_bound(np.ldexp(records(), exponent), 3)
    for method, value in bound.by_method.items():
        assert scaled.by_method[method] / 4.0**exponent == pytest.approx(value, rel=1e-6)


@settings(max_examples=40)
@given(
    n=st.integers(4, 11), d=st.integers(1, 14), seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data()
)
def test_no_partition_is_below_any_bound(n, d, seed, kind, data):
    k = data.draw(st.integers(2, n))
    X = tiny_matrix(seed, n, d, kind)
    best = least_sse(X, k)
    if best == 0 and X.any():  # see `test_records_that_are_all_there_k_times`
        return
    for seconds in (None, 0):
        bound = lower_bound(X, k, seconds=seconds)
        assert max(bound.by_method.values()) == bound <= best * (1 + 1e-12)


@pytest.mark.parametrize(("n", "d"), [(20, 1), (5, 1), (5, 2)])
def test_far_from_zero_a_known_best_is_not_above_itself(n, d):
    """Whole numbers stay what they are far from zero, and so does the squared error of the best partition."""
    X = np.round(4 * records(n, d))
    assert lower_bound(X + 1e15, 3) == pytest.approx(lower_bound(X, 3), rel=1e-12)


def test_identical_records_of_one_group_have_a_bound_of_zero():
    assert lower_bound(np.full((5, 2), 0.1), 3) == 0
    assert lower_bound(np.full((20, 1), 7.3), 4) == 0


def test_identical_records_have_a_bound_of_zero():
    assert lower_bound(np.full((20, 2), 0.1), 3) == 0
    assert lower_bound(np.full((20, 2), 0.1), 3, seconds=1) == 0


@pytest.mark.parametrize(
    ("X", "k", "seconds", "error"),
    [
        (records(), 1, None, ParameterError),
        (records(), 3, -1, ParameterError),
        (records(2), 3, None, TooFewRecordsError),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(X, k, seconds, error):
    with pytest.raises(error) as caught:
        lower_bound(X, k, seconds=seconds)
    assert "\n" not in str(caught.value)


@every_unusable_matrix
def test_no_value_of_the_data_is_in_an_error(X):
    assert_refused_without_values(lambda one: lower_bound(one, 3), X)


@pytest.mark.parametrize("refuse", [lambda X: lower_bound(X, 3), lambda X: Refine(3, steps=1).fit(X)])
def test_a_missing_value_is_refused_in_one_line(refuse):
    """scikit-learn would add a paragraph of advice on other estimators."""
    with pytest.raises(DataError, match=r"^X must be made of numbers; some values are missing \(NaN\)\.$"):
        refuse(np.where(records() > 1, np.nan, records()))


def test_numbers_of_numpy_are_accepted():
    assert lower_bound(records(), np.int64(3), seconds=np.float32(0)) == lower_bound(records(), 3, seconds=0)
