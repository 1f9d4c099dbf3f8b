"""mu-Approx follows its definition, ties included, and its groups stay between k and 2k-1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.brute_force_mdav import squared_distance
from oracles.slow_partitions import slow_cbfs
from oracles.small_matrices import progress_of, small_matrices
from shoal.partition.mu_approx import MuApprox


def reached(start, edges):
    found = [start]
    for node in found:
        found += [b for edge in edges if node in edge for b in edge if b not in found]
    return set(found)


def slow_forest(X, k):
    """Return the edges: the root of every small tree tied to the nearest record outside, in row order, in rounds."""
    edges, tied = [], set()
    while any(len(reached(i, edges)) < k for i in range(len(X))):
        for i in range(len(X)):
            tree = reached(i, edges)
            if i not in tied and len(tree) < k:
                outside = [j for j in range(len(X)) if j not in tree]
                edges.append((i, min(outside, key=lambda j: (squared_distance(X[i], X[j]), j))))
                tied.add(i)
    return edges


def slow_parts(X, tree, edges, k):
    """Return the parts of a tree: cut at long edges, then, where none can be cut, branches gathered round a record."""
    most = max(2 * k - 1, 3 * k - 5)
    if len(tree) <= most:
        return [tree]
    edges = [edge for edge in edges if edge[0] in tree]
    for edge in sorted(edges, key=lambda e: (-squared_distance(X[e[0]], X[e[1]]), min(e), max(e))):
        without = [e for e in edges if e != edge]
        sides = [reached(end, without) for end in edge]
        if min(map(len, sides)) >= k:
            return [part for side in sides for part in slow_parts(X, side, without, k)]

    def branches_of(node):
        without = [e for e in edges if node not in e]
        return [reached(b, without) for e in edges if node in e for b in e if b != node]

    (hub,) = (node for node in tree if all(len(branch) < k for branch in branches_of(node)))
    # Equally large ones: in the order of the record next to the hub, or the root of the tree if the hub hangs on it.
    (root,) = tree - {lower for lower, _ in edges}
    below_hub = {lower for lower, upper in edges if upper == hub}
    branches = sorted(branches_of(hub), key=lambda branch: (-len(branch), min(branch & below_hub, default=min(branch))))
    assert root == hub or any(root in branch for branch in branches)
    centre, left, parts = {hub}, set(tree), []
    while len(left) > most:
        part = set()
        while branches and len(part | centre) < k:
            part |= branches.pop(0)
        if len(part | centre) >= k and len(left - part - centre) >= k:
            part |= centre
            centre = set()
        elif len(part) < k or len(left - part) < k:
            break
        parts.append(part)
        left -= part
    return [*parts, left]


@settings(max_examples=80)
@given(X=small_matrices(most_records=30, most_columns=4), data=st.data())
def test_groups_are_those_of_the_definition(X, data):
    k = data.draw(st.integers(2, max(2, len(X) // 2)))
    records = X.tolist()
    edges = slow_forest(records, k)
    trees = {frozenset(reached(i, edges)) for i in range(len(X))}
    expected = set()
    for part in (sorted(part) for tree in trees for part in slow_parts(records, set(tree), edges, k)):
        inside = slow_cbfs(X[part], k) if len(part) >= 2 * k else [0] * len(part)
        for g in set(inside):
            expected.add(frozenset(row for row, label in zip(part, inside, strict=True) if label == g))
    labels = MuApprox(k).fit(X).labels_
    assert {frozenset(np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)} == expected


@settings(max_examples=100)
@given(X=small_matrices(most_records=80), data=st.data())
def test_groups_have_k_to_twice_k_less_one(X, data):
    k = data.draw(st.integers(2, len(X)))
    sizes = np.bincount(MuApprox(k).fit(X).labels_)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_clouds_are_found():
    rng = np.random.default_rng(0)
    truth = rng.permutation(np.repeat(np.arange(4), [5, 6, 7, 8]))
    X = rng.normal(size=(26, 2)) * 0.1 + np.array([[0, 0], [0, 9], [9, 0], [9, 9]])[truth]
    labels = MuApprox(5).fit(X).labels_
    assert len(set(zip(truth.tolist(), labels.tolist(), strict=True))) == 4


def test_pairs_of_neighbours_for_k_two():
    # Row 0 is tied to 1, 2 to 3, 4 to 5; the trees have two records each and stay as they are.
    X = np.array([0.0, 1.0, 10.0, 11.0, 20.0, 21.0])[:, None]
    assert MuApprox(2).fit(X).labels_.tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("k", [4, 5, 8])
def test_a_hub_whose_branches_are_all_small_is_taken_apart(k):
    # Every point of the star is nearest to the middle, so no edge has k records on both sides.
    arms = np.vstack([np.eye(12), -np.eye(12)])
    X = np.vstack([np.zeros(12), arms])
    sizes = np.bincount(MuApprox(k).fit(X).labels_)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("n", [7, 3000])
def test_progress_sums_to_one(n):
    assert progress_of(MuApprox(3), np.random.default_rng(0).normal(size=(n, 2))) == pytest.approx(1)
