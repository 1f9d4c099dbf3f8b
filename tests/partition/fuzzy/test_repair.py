"""Clusters that are too small: dissolved while two are left, or filled with the highest memberships."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_at_least_k import slowly_filled
from shoal.partition.fuzzy.at_least_k import filled, large_enough


@given(k=st.integers(2, 5), c=st.integers(2, 5), extra=st.integers(0, 12), seed=st.integers(0, 500), ties=st.booleans())
def test_filled_is_the_slow_version(k, c, extra, seed, ties):
    rng = np.random.default_rng(seed)
    n = k * c + extra
    memberships = rng.integers(0, 4, size=(n, c)) / 4 if ties else rng.random((n, c))
    parts = memberships.argmax(axis=1)
    found = filled(memberships, parts, k)
    assert found.tolist() == slowly_filled(memberships.tolist(), parts.tolist(), k)
    assert np.bincount(found, minlength=c).min() >= k


def test_by_hand():
    """The second cluster has one record and needs two: 0.4 is the highest membership in it of those in the first."""
    memberships = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    assert filled(memberships, np.array([0, 0, 0, 1]), 2).tolist() == [0, 1, 0, 1]


def test_the_two_largest_are_never_dissolved():
    assert large_enough(np.array([1, 9, 2, 2]), 3).tolist() == [False, True, True, False]
    assert large_enough(np.array([0, 0, 9]), 3).tolist() == [True, False, True]
    assert large_enough(np.array([3, 9, 2]), 3).tolist() == [True, True, False]
