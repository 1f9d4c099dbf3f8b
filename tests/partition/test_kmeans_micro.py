"""k-means microaggregation halves until every group has k to 2k-1 records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_matrices import progress_of, small_matrices, squared_errors

from shoal.partition.k_means_micro import KMeansMicro


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
