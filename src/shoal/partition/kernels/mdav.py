"""The loop of MDAV over a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, kernel
from shoal.partition.kernels.exact_sum import add_rows, rounded_total
from shoal.partition.kernels.tree import Tree
from shoal.partition.kernels.tree_build import recentre, remove
from shoal.partition.kernels.tree_codes import (
    Centroid,
    centre_shares,
    centroid_to_coded_tree,
    square_shares,
    to_coded_tree,
)
from shoal.partition.kernels.tree_search import farthest, nearest, root_reach, to_tree


@kernel
def make_pairs_of_mixed_groups(
    tree: Tree,
    X: Doubles,
    totals: Doubles,
    counts: Integers,
    labels: Integers,
    k: Scalar,
    group: Scalar,
    remaining: Scalar,
    pause: Scalar,
    last_of_tree: Scalar,
    least_reach: Scalar,
) -> tuple[Scalar, Scalar]:
    """Do what `make_pairs_of_groups` does; `counts` of the categories of what remains are a part of the state."""
    d = X.shape[1]
    coded: Any = tree.coded
    point = np.empty(d)
    image = np.empty(tree.points.shape[1], tree.points.dtype)
    centroid = Centroid(np.empty(counts.shape[0]), np.empty(d), np.empty(image.shape[0], image.dtype))
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    leaves = tree.points.shape[0]
    looked_at = 0
    while remaining > pause and tree.left[0] > last_of_tree and root_reach(tree) >= least_reach:
        for j in range(d):
            point[j] = rounded_total(totals[j]) / remaining
        for t in range(counts.shape[0]):
            centroid.shares[t] = counts[t] / remaining
        square_shares(coded, centroid.shares, centroid.squares)
        centroid_to_coded_tree(tree, coded, point, centroid, image)
        if looked_at > leaves:
            tree.centre[:] = image
            centre_shares(coded, centroid.shares)
            recentre(tree)
            looked_at = 0
        r, visits = farthest(tree, X, point, image, centroid)
        looked_at += visits
        point[:] = X[r]
        to_coded_tree(tree, coded, point, image)
        s, _ = farthest(tree, X, point, image, None)
        for seed in (r, s):
            point[:] = X[seed]
            to_coded_tree(tree, coded, point, image)
            nearest(tree, X, point, image, distances, members)
            for row in members:
                labels[row] = group
                for j in range(d):
                    if coded.is_nominal[j]:
                        counts[coded.starts[j] + np.int64(X[row, j])] -= 1
            remove(tree, members)
            add_rows(totals, X, members, -1.0)
            group += 1
            remaining -= k
    return group, remaining


@kernel
def make_pairs_of_groups(
    tree: Tree,
    X: Doubles,
    totals: Doubles,
    labels: Integers,
    k: Scalar,
    group: Scalar,
    remaining: Scalar,
    pause: Scalar,
    last_of_tree: Scalar,
    least_reach: Scalar,
) -> tuple[Scalar, Scalar]:
    """Make groups of k, two at a time, until at most `pause` records remain, or the tree is worn out.

    That is when at most `last_of_tree` records are left in it, or all within `least_reach` (squared) of its centre.
    `tree`, `totals` (of the columns of what remains) and `labels` are the state: the next call goes on where
    this one stopped. Returns the number of groups made so far and of records that remain.
    """
    d = X.shape[1]
    point = np.empty(d)
    image = np.empty(d, tree.points.dtype)
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    leaves = tree.points.shape[0]
    looked_at = 0
    while remaining > pause and tree.left[0] > last_of_tree and root_reach(tree) >= least_reach:
        for j in range(d):
            point[j] = rounded_total(totals[j]) / remaining
        to_tree(tree, point, image)
        # `reach` finds the record farthest from the centroid at once while it is measured from nearby. Measuring
        # it anew costs as much as looking at every leaf, so that is done when as many were looked at in vain.
        if looked_at > leaves:
            for j in range(d):
                tree.centre[j] = image[j]
            recentre(tree)
            looked_at = 0
        r, visits = farthest(tree, X, point, image, None)
        looked_at += visits
        for j in range(d):
            point[j] = X[r, j]
        to_tree(tree, point, image)
        s, _ = farthest(tree, X, point, image, None)
        for seed in (r, s):
            for j in range(d):
                point[j] = X[seed, j]
            to_tree(tree, point, image)
            nearest(tree, X, point, image, distances, members)
            for row in members:
                labels[row] = group
            remove(tree, members)
            add_rows(totals, X, members, -1.0)
            group += 1
            remaining -= k
    return group, remaining
