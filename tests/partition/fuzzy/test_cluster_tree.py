"""Clusters inside clusters: a leaf's membership is the product of those on the way to it."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.partition.fuzzy.at_least_k import ClusterTree, SetToSplit


def test_by_hand():
    """0 to 3 split at 1.5 and the upper half at 2.5; with m = 2, memberships are inverse to squared distances."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    tree = ClusterTree()
    low, high = tree.add_split(SetToSplit(np.arange(4)), X, np.array([0, 0, 1, 1]), 1.0)
    assert (low.rows.tolist(), high.rows.tolist()) == ([0, 1], [2, 3])
    assert tree.add_leaf(low) == 0
    two, three = tree.add_split(high, X[high.rows], np.array([0, 1]), 1.0)
    assert (tree.add_leaf(two), tree.add_leaf(three)) == (1, 2)
    # From 0 the centres are 0.5 and 2.5, squared distances 1/4 and 25/4, then 4 and 9.
    assert tree.memberships(X[:1], 2.0)[0] == pytest.approx([25 / 26, 1 / 26 * 9 / 13, 1 / 26 * 4 / 13])


def test_one_set_is_one_leaf():
    tree = ClusterTree()
    assert tree.add_leaf(SetToSplit(np.arange(3))) == 0
    assert tree.memberships(np.zeros((3, 2)), 1.2).tolist() == [[1], [1], [1]]
