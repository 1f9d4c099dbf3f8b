"""MHM: the path is as defined, its cut the best there is, the result never worse than the groups it began with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.small_matrices import progress_of, small_matrices, squared_errors, stretches
from shoal.partition.cbfs import CBFS
from shoal.partition.md import MD
from shoal.partition.mdav.mdav import MDAV
from shoal.partition.mhm import MHM, cut_path

FIXED_SIZE = {"mdav": lambda k: MDAV(k, variant="two-k"), "md": MD, "cbfs": CBFS}


def every_cut(n, k):
    """Give the sizes of all ways to cut n places into stretches of at least k."""
    if n == 0:
        yield []
    for last in range(k, n + 1):
        for rest in every_cut(n - last, k):
            yield [*rest, last]


def errors_of_cut(path, sizes):
    return sum(((path[list(s)] - path[list(s)].mean(axis=0)) ** 2).sum() for s in stretches(sizes))


def least_errors(path, k):
    return min(errors_of_cut(path, sizes) for sizes in every_cut(len(path), k))


@settings(max_examples=100)
@given(X=small_matrices(most_records=12, most_columns=4), k=st.integers(2, 5), seed=st.integers(0, 99))
def test_the_cut_of_a_path_is_the_best(X, k, seed):
    if len(X) < k:
        return
    order = np.random.default_rng(seed).permutation(len(X))
    labels = cut_path(X, order, k)
    sizes = np.bincount(labels)
    assert labels[order].tolist() == np.repeat(np.arange(len(sizes)), sizes).tolist()
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert squared_errors(X, labels) == pytest.approx(least_errors(X[order], k), rel=1e-9, abs=1e-9)


@settings(max_examples=100)
@given(n=st.integers(2, 30), d=st.integers(1, 4), seed=st.integers(0, 99), offset=st.sampled_from([1e10, -1e15]))
def test_values_far_from_zero_are_cut_as_those_around_it(n, d, seed, offset):
    rng = np.random.default_rng(seed)
    X, order = rng.integers(-6, 7, size=(n, d)).astype(float), rng.permutation(n)
    for k in range(2, min(n, 5) + 1):
        assert cut_path(X + offset, order, k).tolist() == cut_path(X, order, k).tolist()


def to_nearest(X, rows, start):
    """Return a walk through the rows that always goes on to the nearest."""
    walk, left = [start], [row for row in rows if row != start]
    while left:
        walk.append(min(left, key=lambda i: (((X[i] - X[walk[-1]]) ** 2).sum(), i)))
        left.remove(walk[-1])
    return walk


def slow_path(X, k, order):
    def far(rows):
        return max(rows, key=lambda i: (((X[i] - X.mean(axis=0)) ** 2).sum(), -i))

    if order == "npn":
        return to_nearest(X, range(len(X)), far(range(len(X))))
    labels = FIXED_SIZE[order](k).fit(X).labels_
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]
    centres = np.array([X[rows].mean(axis=0) for rows in groups])
    first = int(((centres - X.mean(axis=0)) ** 2).sum(axis=1).argmax())
    path, before = [], None
    for g in to_nearest(centres, range(len(groups)), first):
        entrance = X[far(groups[g])] if before is None else centres[before]
        start = min(groups[g], key=lambda i: (((X[i] - entrance) ** 2).sum(), i))
        path += to_nearest(X, groups[g], start)
        before = g
    return path


@pytest.mark.parametrize("order", ["npn", *FIXED_SIZE])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 3, 5])
def test_labels_are_those_of_the_definition(order, seed, k):
    X = np.exp(np.random.default_rng(seed).normal(size=(16, 3)))  # no ties: centroids may differ in the last bit
    path = slow_path(X, k, order)
    sizes = min(every_cut(len(X), k), key=lambda sizes: errors_of_cut(X[path], sizes))
    expected = np.empty(len(X), dtype=int)
    expected[path] = np.repeat(np.arange(len(sizes)), sizes)
    assert MHM(k, order=order).fit(X).labels_.tolist() == expected.tolist()


@pytest.mark.parametrize("order", FIXED_SIZE)
@settings(max_examples=50)
@given(X=small_matrices(), data=st.data())
def test_never_worse_than_the_groups_it_began_with(order, X, data):
    k = data.draw(st.integers(2, len(X)))
    before = squared_errors(X, FIXED_SIZE[order](k).fit(X).labels_)
    assert squared_errors(X, MHM(k, order=order).fit(X).labels_) <= before * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize("order", ["npn", *FIXED_SIZE])
@settings(max_examples=25)
@given(X=small_matrices(), data=st.data())
def test_groups_have_k_to_twice_k_less_one(order, X, data):
    k = data.draw(st.integers(2, len(X)))
    sizes = np.bincount(MHM(k, order=order).fit(X).labels_)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("order", ["npn", *FIXED_SIZE])
def test_progress_sums_to_one(order):
    X = np.random.default_rng(0).normal(size=(500, 2))
    assert progress_of(MHM(3, order=order), X) == pytest.approx(1)
