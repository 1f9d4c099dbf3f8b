"""MST: the tree is a minimum spanning tree, and it is cut where the definition says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.brute_force_mdav import squared_distance
from oracles.slow_partitions import slow_cbfs, slow_md
from oracles.small_matrices import progress_of, small_matrices
from shoal.partition.geometry.forest import cut_long_edges, number_trees
from shoal.partition.mst import MST


def slow_tree(X):
    """Return the edges (record that joined, record it joined at) of Prim's tree from the first record."""
    joined, edges = [0], []
    while len(joined) < len(X):
        outside = [i for i in range(len(X)) if i not in joined]
        # The nearest outside, of equals the lowest; at the record of the tree that was there first.
        i, place = min(
            ((i, place) for i in outside for place in range(len(joined))),
            key=lambda edge: (squared_distance(X[edge[0]], X[joined[edge[1]]]), *edge),
        )
        edges.append((i, joined[place]))
        joined.append(i)
    return edges


def reached(start, edges):
    found = [start]
    for node in found:
        found += [b for edge in edges if node in edge for b in edge if b not in found]
    return set(found)


def slow_cut(X, edges, k):
    """Return the trees after cutting the longest edges that leave k on both sides, by their first records."""
    longest_first = sorted(edges, key=lambda e: (-squared_distance(X[e[0]], X[e[1]]), min(e), max(e)))
    kept = list(edges)
    for edge in longest_first:
        without = [e for e in kept if e != edge]
        if min(len(reached(edge[0], without)), len(reached(edge[1], without))) >= k:
            kept = without
    trees = []
    for i in range(len(X)):
        if not any(i in tree for tree in trees):
            trees.append(sorted(reached(i, kept)))
    return trees


@pytest.mark.parametrize(("split", "slow_split"), [("md", slow_md), ("cbfs", slow_cbfs)])
@settings(max_examples=60)
@given(X=small_matrices(most_records=25, most_columns=6), data=st.data())
def test_labels_are_those_of_the_definition(split, slow_split, X, data):
    k = data.draw(st.integers(2, len(X)))
    records = X.tolist()
    expected = [-1] * len(X)
    groups = 0
    for tree in slow_cut(records, slow_tree(records), k):
        parts = slow_split(X[tree], k) if len(tree) >= 2 * k else [0] * len(tree)
        for row, part in zip(tree, parts, strict=True):
            expected[row] = groups + part
        groups += max(parts) + 1
    assert MST(k, split=split).fit(X).labels_.tolist() == expected


@settings(max_examples=150)
@given(
    above=st.lists(st.integers(0, 30), min_size=1, max_size=30),
    lengths=st.lists(st.integers(0, 4), min_size=31, max_size=31),
    k=st.integers(1, 8),
)
def test_edges_are_cut_like_the_definition(above, lengths, k):
    # Any tree: record i+1 hangs on one of those before it.
    parent = np.array([-1, *(up % (i + 1) for i, up in enumerate(above))])
    n = len(parent)
    length = np.array(lengths[:n], dtype=float)
    edges = sorted(((i, int(parent[i])) for i in range(1, n)), key=lambda e: (-length[e[0]], min(e), max(e)))
    kept = list(edges)
    for edge in edges:
        without = [e for e in kept if e != edge]
        if min(len(reached(edge[0], without)), len(reached(edge[1], without))) >= k:
            kept = without
    labels = number_trees(cut_long_edges(parent, length, k, most=0)[0])
    assert all({j for j in range(n) if labels[j] == labels[i]} == reached(i, kept) for i in range(n))


def test_the_tree_is_as_short_as_scipys():
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import cdist

    from shoal.partition.mst import spanning_tree

    X = np.random.default_rng(0).normal(size=(300, 4))
    X.flags.writeable = False
    _, length = spanning_tree(X)
    assert np.sqrt(length[1:]).sum() == pytest.approx(minimum_spanning_tree(cdist(X, X)).sum())


@pytest.mark.parametrize("split", ["md", "cbfs"])
@settings(max_examples=60)
@given(X=small_matrices(most_records=80), data=st.data())
def test_groups_have_k_to_twice_k_less_one(split, X, data):
    k = data.draw(st.integers(2, len(X)))
    sizes = np.bincount(MST(k, split=split).fit(X).labels_)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("n", [7, 3000])
def test_progress_sums_to_one(n):
    assert progress_of(MST(3), np.random.default_rng(0).normal(size=(n, 2))) == pytest.approx(1)
