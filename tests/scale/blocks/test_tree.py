"""A tree divides points into leaves of about one size; leaves are put together until blocks are large enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.scale.blocks.tree import grow


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("at", [0.5, 0.38])
def test_every_point_is_in_one_leaf_and_leaves_are_balanced(blocks, at):
    points = np.random.default_rng(blocks).normal(size=(4_000, 3)) * [3, 2, 1]
    tree = grow(points, blocks, at=at)
    sizes = np.bincount(tree.leaf_of(points), minlength=tree.leaves)
    assert sizes.sum() == 4_000
    assert len(sizes) == tree.leaves
    if at == 0.5:
        assert tree.leaves == blocks
        assert sizes.max() <= 1.5 * 4_000 / blocks
    assert sizes.min() > 0


@pytest.mark.parametrize("blocks", [5, 7])
def test_columns_with_few_values_are_not_cut_into_slivers(blocks):
    """Where ties leave a side one and a half to two blocks large, it is cut in two, and nothing is shaved off it."""
    for seed in range(200):
        generator = np.random.default_rng(seed)
        columns = [
            generator.choice(generator.normal(size=4), 2_000, p=generator.dirichlet(np.ones(4))) for _ in range(5)
        ]
        assert grow(np.column_stack(columns), blocks).leaves <= 2 * blocks


def test_the_leaf_of_a_point_does_not_depend_on_the_others():
    points = np.random.default_rng(1).normal(size=(900, 2))
    tree = grow(points, 8)
    alone = [int(tree.leaf_of(points[row : row + 1])[0]) for row in range(900)]
    assert alone == tree.leaf_of(points).tolist()


def test_the_widest_axis_is_cut_first():
    points = np.random.default_rng(2).normal(size=(500, 3)) * [1, 5, 2]
    assert grow(points, 2).axis[0] == 1


@given(st.lists(st.integers(0, 3), min_size=1, max_size=200), st.integers(1, 12))
def test_equal_points_are_never_parted(values, blocks):
    points = np.array(values, dtype=float)[:, np.newaxis]
    leaf = grow(points, blocks).leaf_of(points)
    for value in set(values):
        assert len(set(leaf[np.array(values) == value])) == 1


@given(st.lists(st.integers(0, 60), min_size=16, max_size=16), st.integers(1, 80))
def test_merged_blocks_have_the_fewest_that_are_asked_for(counts, fewest):
    points = np.random.default_rng(3).normal(size=(800, 2))
    tree = grow(points, 16)
    counted = np.array(counts[: tree.leaves])
    blocks = tree.merged(counted[:, np.newaxis], lambda total: bool(total[0] >= fewest))
    assert sorted(leaf for leaves in blocks for leaf in leaves) == list(range(tree.leaves))
    assert min(counted[leaves].sum() for leaves in blocks) >= fewest or len(blocks) == 1


@given(st.lists(st.integers(0, 6), min_size=16, max_size=16))
def test_merged_blocks_have_enough_values_or_none(observed):
    """Merging with a neighbour that has none does not help, so that it goes on."""
    tree = grow(np.random.default_rng(3).normal(size=(800, 2)), 16)
    counted = np.array(observed[: tree.leaves])[:, np.newaxis]
    blocks = tree.merged(counted, lambda total: bool(total[0] >= 5 or total[0] == 0))
    assert sorted(leaf for leaves in blocks for leaf in leaves) == list(range(tree.leaves))
    assert len(blocks) == 1 or all(counted[leaves].sum() >= 5 or not counted[leaves].any() for leaves in blocks)
