"""The tree tells records apart, however far away some of them are."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.partition.geometry.tree import find_twins, plant, replant
from shoal.partition.kernels.tree import FAN

N = 5_000


def with_far_records(*scales: float) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    for row, scale in enumerate(scales):
        X[row] = scale * rng.normal(size=4)
    return X


def leaf_sizes(tree) -> np.ndarray:
    """Return the length of the diagonal of every leaf's box."""
    leaves = len(tree.points)
    above_leaves = -(-leaves // FAN)
    sides = np.float64(tree.high[:above_leaves]) - tree.low[:above_leaves]
    return np.sqrt(np.square(sides).sum(axis=1)).ravel()[:leaves]


@pytest.mark.parametrize("scales", [(), (1e6,), (999_999_999_999.0,), (1e3, 1e6, 1e9, 1e12), (1e18,), (1e150,)])
def test_the_room_for_rounding_is_small_beside_a_leaf(scales):
    X = with_far_records(*scales)
    tree = plant(X, *find_twins(X))
    assert np.median(leaf_sizes(tree)) > 10 * tree.blur


def test_without_the_far_records_single_precision_is_enough():
    X = with_far_records(1e12)
    assert plant(X, *find_twins(X)).is_exact
    assert not plant(X, np.arange(1, N, dtype=np.int32)).is_exact


def test_the_leaves_of_corners_of_a_cube_are_open_in_few_directions():
    """Of the 2**14 corners half are there; 32 records in a leaf fill five or six dimensions."""
    X = np.random.default_rng(0).integers(0, 2, size=(2**14, 14)).astype(float)
    tree = plant(X, *find_twins(X))
    assert tree.is_exact
    assert np.mean(np.square(leaf_sizes(tree))) < 7


@pytest.mark.parametrize("scales", [(), (1e12,)])
def test_a_tree_built_anew_has_the_same_records(scales):
    X = with_far_records(*scales)
    tree = plant(X, *find_twins(X))
    again = replant(tree, X)
    assert set(again.rows[again.norms >= 0].tolist()) == set(range(N))
