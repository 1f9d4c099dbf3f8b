"""The lower bound is below the best partition, and above the bound everybody knows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.best_partitions import KINDS, least_sse, tiny_matrix
from shoal.errors import ParameterError, TooFewRecordsError
from shoal.partition import MDAV
from shoal.partition.bounds.lower_bound import lower_bound
from shoal.partition.bounds.neighbours import lower_bound_by_neighbours
from shoal.partition.geometry.neighbours import nearest_records
from shoal.partition.geometry.squared_errors import sse_by_group


def well_known_bound(X: np.ndarray, k: int) -> float:
    """Half the sum of the k-1 smallest squared distances of every record, divided by k."""
    squared = ((X[:, np.newaxis] - X) ** 2).sum(axis=2)
    return float(np.sort(squared, axis=1)[:, 1:k].sum() / (2 * k))


@settings(max_examples=60)
@given(
    n=st.integers(2, 9), d=st.integers(1, 6), seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), data=st.data()
)
def test_no_partition_is_below(n, d, seed, kind, data):
    k = data.draw(st.integers(2, n))
    X = tiny_matrix(seed, n, d, kind)
    assert lower_bound(X, k) <= least_sse(X, k)


@settings(max_examples=40)
@given(n=st.integers(3, 80), d=st.integers(1, 6), seed=st.integers(0, 10_000), data=st.data())
def test_at_least_the_bound_from_the_nearest_neighbours(n, d, seed, data):
    k = data.draw(st.integers(2, n))
    X = np.random.default_rng(seed).normal(size=(n, d))
    assert lower_bound(X, k) >= well_known_bound(X, k) * (1 - 1e-8)


@pytest.mark.parametrize("length", [1, 2, 4, 9, 30])
def test_short_lists_of_neighbours_give_a_bound_too(length):
    X = np.random.default_rng(3).normal(size=(120, 3))
    bound = lower_bound_by_neighbours(X, nearest_records(X, length), 5)
    assert 0 < bound <= sse_by_group(X, MDAV(5).fit(X).labels_, 24).sum()


def test_one_group_is_bounded_by_its_own_loss():
    """With n = k there is one partition; all pairs count in full, so the bound is its loss."""
    X = np.random.default_rng(0).normal(size=(7, 3))
    assert lower_bound(X, 7) == pytest.approx(((X - X.mean(axis=0)) ** 2).sum(), rel=1e-6)


def test_the_bound_follows_the_scale_of_the_data():
    X = np.random.default_rng(0).normal(size=(50, 3))
    assert lower_bound(X * 2.0**60, 4) == lower_bound(X, 4) * 2.0**120


# In per cent of the total, as the issue states them for the well-known bound.
@pytest.mark.parametrize(("k", "stated"), [(3, 3.44), (4, 4.32), (5, 5.01), (10, 7.33)])
def test_census(reference_data, k, stated):
    X = pd.read_csv(reference_data("census.csv")).to_numpy(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    total = (len(X) - 1) * X.shape[1]
    assert 100 * well_known_bound(X, k) / total == pytest.approx(stated, abs=0.01)
    assert 100 * lower_bound(X, k) / total > 1.15 * stated


def test_too_few_records_and_a_bad_k_are_refused():
    with pytest.raises(TooFewRecordsError, match="k=6"):
        lower_bound(np.zeros((5, 2)), 6)
    with pytest.raises(ParameterError, match="k must be"):
        lower_bound(np.zeros((5, 2)), 1)
