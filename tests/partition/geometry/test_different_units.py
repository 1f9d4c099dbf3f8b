"""Groups of at least k different units: exact, and near what the groups were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_units import can_have_groups, least_sse_of_two, units_by_group
from shoal.partition import MDAV
from shoal.partition.geometry.different_units import count_units, most_groups, with_k_units


def sse(X, labels):
    return float(sum(((X[labels == group] - X[labels == group].mean(axis=0)) ** 2).sum() for group in set(labels)))


def households(rng, count, most):
    return np.repeat(np.arange(count), rng.integers(1, most + 1, count))


@given(labels=st.lists(st.integers(-1, 5), min_size=1, max_size=40), seed=st.integers(0, 1000))
def test_units_are_counted_as_sets_count_them(labels, seed):
    units = np.random.default_rng(seed).integers(0, 6, len(labels))
    counts = count_units(np.array(labels), units, 6)
    slow = units_by_group(labels, units.tolist())
    assert counts.tolist() == [slow.get(group, 0) for group in range(6)]


@given(sizes=st.lists(st.integers(1, 6), min_size=2, max_size=12), k=st.integers(2, 5))
def test_as_many_groups_as_units_can_be_given_out_to(sizes, k):
    units = np.repeat(np.arange(len(sizes)), sizes)
    most = most_groups(units, k)
    assert can_have_groups(sizes, most, k)
    assert not can_have_groups(sizes, most + 1, k)


@settings(max_examples=150)
@given(
    count=st.integers(3, 40),
    most=st.integers(1, 9),
    values=st.sampled_from([2, 5, 1000]),
    seed=st.integers(0, 10_000),
    data=st.data(),
)
def test_every_group_has_k_units_whatever_the_groups_were(count, most, values, seed, data):
    """Ties, duplicates and groups of one unit alone included."""
    rng = np.random.default_rng(seed)
    k = data.draw(st.integers(2, count))
    units = rng.permutation(households(rng, count, most))
    X = rng.integers(0, values, (len(units), 2)).astype(float)
    start = data.draw(st.sampled_from(["random", "by unit", "nearest"]))
    labels = MDAV(k=k).fit(X).labels_
    if start != "nearest":
        labels = units % max(1, len(units) // k) if start == "by unit" else rng.permutation(labels)
        labels = np.unique(labels, return_inverse=True)[1]
    found = with_k_units(X, labels, units, k, np.arange(len(units)))
    assert min(units_by_group(found.tolist(), units.tolist()).values()) >= k
    assert set(found.tolist()) == set(range(found.max() + 1))
    again = with_k_units(X, labels, units, k, np.arange(len(units)))
    assert np.array_equal(found, again)


def test_groups_that_have_k_units_stay_as_they_are():
    rng = np.random.default_rng(3)
    units = rng.permutation(np.repeat(np.arange(50), 2))
    labels = np.repeat(np.arange(10), 10)
    assert min(units_by_group(labels.tolist(), units.tolist()).values()) >= 4
    assert with_k_units(rng.normal(size=(100, 3)), labels, units, 4, np.arange(100)) is labels


def test_adults_go_with_adults_and_children_with_children():
    """Five households of two adults and a child: three groups, each with one person of every household."""
    rng = np.random.default_rng(5)
    units = np.repeat(np.arange(5), 3)
    child = np.tile([False, False, True], 5)
    X = np.column_stack([np.where(child, 8.0, 45.0) + rng.normal(size=15), rng.normal(size=15)])
    labels = with_k_units(X, MDAV(k=5).fit(X).labels_, units, 5, np.arange(15))
    assert sorted(np.bincount(labels).tolist()) == [5, 5, 5]
    assert len(set(labels[child].tolist())) == 1
    assert set(labels[child].tolist()).isdisjoint(labels[~child].tolist())


@pytest.mark.parametrize("seed", range(8))
def test_near_the_best_of_all_partitions(seed):
    """Small enough to look at every partition: at most a quarter more of the variation is lost than has to be."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(5), 2)
    X = rng.normal(size=(10, 2))
    labels = with_k_units(X, MDAV(k=4).fit(X).labels_, units, 4, np.arange(10))
    best, total = least_sse_of_two(X, units, 4), float(((X - X.mean(axis=0)) ** 2).sum())
    assert best - 1e-9 <= sse(X, labels) <= best + 0.25 * total


def test_only_the_rows_that_are_named_are_looked_at():
    X = np.vstack([np.zeros((4, 1)), np.arange(8.0)[:, None]])
    units = np.array([9, 9, 9, 9, 0, 0, 1, 1, 2, 2, 3, 3])
    labels = with_k_units(X, np.repeat([0, 1], 4), units, 3, np.arange(4, 12))
    assert len(labels) == 8
    assert min(units_by_group(labels.tolist(), units[4:].tolist()).values()) >= 3


def test_one_unit_that_has_most_records_does_not_take_long():
    """A firm with half of the records of a large file: the repair is not quadratic."""
    rng = np.random.default_rng(1)
    units = np.concatenate([np.zeros(20_000, np.int64), rng.integers(1, 2_000, 20_000)])
    X = rng.normal(size=(40_000, 2))
    X[:20_000] += 5.0
    labels = with_k_units(X, MDAV(k=5).fit(X).labels_, units, 5, np.arange(40_000))
    assert count_units(labels, units).min() >= 5
