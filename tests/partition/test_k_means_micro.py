"""k-means microaggregation halves until every group has k to 2k-1 records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.small_matrices import progress_of, small_matrices, squared_errors
from shoal.partition.geometry.squared_distances import squared_distances
from shoal.partition.k_means_micro import KMeansMicro


def slow_k_means_micro(X, k, seed):
    """Split in two whatever has 2k records, identical ones too."""
    rng = np.random.default_rng(seed)
    labels = np.empty(len(X), dtype=int)
    to_split, group = [np.arange(len(X))], 0
    while to_split:
        rows = to_split.pop()
        n, records = len(rows), X[rows]
        if n < 2 * k:
            labels[rows] = group
            group += 1
            continue
        first = records[rng.integers(n)]
        weights = np.cumsum(squared_distances(records, first))
        second = records[min(np.searchsorted(weights, rng.random() * weights[-1], side="right"), n - 1)]
        before: list[int] = []
        for _ in range(100):
            nearer = squared_distances(records, first) - squared_distances(records, second)
            cut = min(max(np.count_nonzero(nearer < 0), k), n - k)
            is_first = np.isin(np.arange(n), sorted(range(n), key=lambda i, nearer=nearer: (nearer[i], i))[:cut])
            if is_first.tolist() == before:
                break
            before = is_first.tolist()
            first, second = records[is_first].mean(axis=0), records[~is_first].mean(axis=0)
        to_split += [rows[~is_first], rows[is_first]]
    return labels


def groups_of_values(X, labels):
    return sorted(sorted(X[labels == g].tolist()) for g in range(labels.max() + 1))


@settings(max_examples=100)
@given(X=small_matrices(most_columns=4), k=st.integers(2, 5), seed=st.integers(0, 5), are_whole=st.booleans())
def test_groups_are_those_of_split_after_split(X, k, seed, are_whole):
    k = min(k, len(X))
    X = np.round(X) if are_whole else X
    labels, expected = KMeansMicro(k, random_state=seed).fit(X).labels_, slow_k_means_micro(X, k, seed)
    if are_whole:
        assert np.array_equal(labels, expected)
    else:  # where means of identical records differ by rounding, either part can come first
        assert groups_of_values(X, labels) == groups_of_values(X, expected)


@pytest.mark.parametrize("different", [2, 10, 2_000])
def test_groups_are_those_of_split_after_split_for_more_records(different):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 50, size=(different, 3))[rng.integers(0, different, size=400)].astype(float)
    for k in (2, 3, 7):
        assert np.array_equal(KMeansMicro(k).fit(X).labels_, slow_k_means_micro(X, k, 0))


@pytest.mark.parametrize("value", [0.0, 0.1])
def test_many_identical_records_are_cut_in_their_order(value):
    # If every split looked at all that are left, this would take hours.
    labels = KMeansMicro(3).fit(np.full((300_000, 2), value)).labels_
    assert np.array_equal(labels, np.arange(300_000) // 3)


@settings(max_examples=60)
@given(X=small_matrices(), seed=st.integers(0, 5), data=st.data())
def test_groups_have_k_to_twice_k_less_one(X, seed, data):
    k = data.draw(st.integers(2, len(X)))
    sizes = np.bincount(KMeansMicro(k, random_state=seed).fit(X).labels_)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_clouds_are_found():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), [5, 6, 7, 8])
    X = rng.normal(size=(26, 2)) * 0.1 + np.array([[0, 0], [0, 9], [9, 0], [9, 9]])[truth]
    labels = KMeansMicro(5).fit(X).labels_
    assert len(set(zip(truth.tolist(), labels.tolist(), strict=True))) == 4


def test_of_two_records_out_of_place_only_as_many_move_as_k_needs():
    # 2-means would keep the two far records alone; k=3 makes one more join them: the nearest.
    X = np.array([0.0, 0.1, 0.2, 0.3, 0.5, 10.0, 10.1])[:, None]
    labels = KMeansMicro(3).fit(X).labels_
    assert labels[4] == labels[5] == labels[6]
    assert np.bincount(labels).tolist() in ([3, 4], [4, 3])


def test_the_seed_decides():
    X = np.random.default_rng(1).normal(size=(300, 4))
    results = [KMeansMicro(4, random_state=seed).fit(X).labels_.tolist() for seed in (0, 0, 1)]
    assert results[0] == results[1]
    assert results[0] != results[2]


def test_smaller_groups_lose_less():
    X = np.random.default_rng(1).normal(size=(400, 3))
    losses = [squared_errors(X, KMeansMicro(k).fit(X).labels_) for k in (3, 12, 50)]
    assert losses == sorted(losses)


@pytest.mark.parametrize("n", [7, 2000])
def test_progress_sums_to_one(n):
    assert progress_of(KMeansMicro(3), np.random.default_rng(0).normal(size=(n, 2))) == pytest.approx(1)
