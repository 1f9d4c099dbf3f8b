"""How a file is divided: which block each row belongs to, decided by the row and a sample of the file alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.scale.blocks.tree import Axes, BlockTree, axes_of, grow
from shoal.scale.input.chunks import RowSource, read_rows
from shoal.scale.input.keys import keys_of
from shoal.scale.input.row_hashes import hashed_values
from shoal.scale.scattered import scatter
from shoal.scale.setting import RunSetting, prepared_rows

__all__ = ["Division", "blocks_of_leaves", "divide", "scatter_chunk"]

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Division:
    """Which leaf, out of all trees, each row belongs to.

    Attributes
    ----------
    axes
        What cuts are made along.
    codes
        By column whose categories have an order, the number of each.
    keys
        What no group may mix (strata, and alternatives of rules), hashed, in ascending order.
    tree_of_key
        By key, the tree of its rows: one of its own if it has many, else one that it shares with others.
    trees
        The trees.
    """

    axes: Axes
    codes: Mapping[str, Mapping[Any, int]]
    keys: Hashes
    tree_of_key: NDArray[np.int64]
    trees: tuple[BlockTree, ...]

    @property
    def first_leaf(self) -> NDArray[np.int64]:
        """The number of the first leaf of every tree, among those of all."""
        return np.cumsum([0, *(tree.leaves for tree in self.trees)])[:-1]

    @property
    def leaves(self) -> int:
        """How many leaves all trees have."""
        return sum(tree.leaves for tree in self.trees)

    def leaf_of(self, rows: Any, keys: Hashes) -> NDArray[np.int64]:
        """Return the leaf of every row."""
        return self.leaf_of_points(self.axes.points(rows, self.codes), keys)

    def leaf_of_points(self, points: NDArray[np.float64], keys: Hashes) -> NDArray[np.int64]:
        """Return the leaf of every point."""
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        trees, first = self.tree_of_key[place], self.first_leaf
        leaf = np.empty(len(keys), dtype=np.int64)
        for number in np.unique(trees).tolist():
            own = np.flatnonzero(trees == number)
            leaf[own] = first[number] + self.trees[number].leaf_of(points[own])
        return leaf


def divide(
    sample: Any, setting: RunSetting, counts: Mapping[int, int], block_records: int, *, at: float = 0.5
) -> Division:
    """Decide how the file is divided.

    Parameters
    ----------
    sample
        Prepared rows that were drawn from the whole file.
    setting
        What all tasks share.
    counts
        How many records of the whole file have each key.
    block_records
        How many records a block should have.
    at
        Which part of the records lies to the left of a cut.
    """
    plan = setting.plan
    columns = [name for name in plan.columns if name in sample.column_names]
    scales, suppressed = setting.scales, [name for name in columns if plan.categories.get(name) == "suppress"]
    if suppressed:  # records with the same categories stay together, so that no cell is suppressed for a cut
        columns, scales = suppressed, {name: scale for name, scale in scales.items() if name in suppressed}
    axes = axes_of(sample, scales, [name for name in columns if plan.kinds[name] == "nominal"])
    codes = {
        name: {category: number for number, category in enumerate(categories)}
        for name, (categories, _) in setting.recoded_orders.items()
        if name in scales
    }
    points, own = axes.points(sample, codes), keys_of(sample, setting)
    keys = sorted(counts)
    tree_of_key, trees, filled = {}, list[BlockTree](), 0
    for key in keys:
        blocks = round(counts[key] / block_records)
        if blocks >= 2:
            tree_of_key[key] = len(trees)
            trees.append(grow(points[own == np.uint64(key)], blocks, at=at))
    shared = -1
    for key in keys:  # several keys with few records are one block
        if key in tree_of_key:
            continue
        if shared < 0 or filled + counts[key] > block_records:
            shared, filled = len(trees), 0
            trees.append(grow(points[:0], 1))
        tree_of_key[key], filled = shared, filled + counts[key]
    return Division(
        axes, codes, np.array(keys, dtype=np.uint64), np.array([tree_of_key[key] for key in keys]), tuple(trees)
    )


def scatter_chunk(chunk: tuple[int, RowSource], setting: RunSetting, division: Division) -> NDArray[np.int64]:
    """Scatter the rows of a chunk to the leaves of the trees; return how many records, or units, each leaf got.

    `chunk` is its number, and where its rows are.
    """
    number, source = chunk
    rows = prepared_rows(read_rows(source), setting)
    keys = keys_of(rows, setting)
    leaf = division.leaf_of(rows, keys)
    counted = np.arange(len(leaf))
    if setting.plan.unit is not None:  # a unit goes where its first record does
        units = np.unique(hashed_values(rows[setting.plan.unit]), return_index=True, return_inverse=True)
        counted = units[1]
        leaf = leaf[counted][units[2].reshape(-1)]
    counts = np.bincount(leaf[counted], minlength=division.leaves)
    scatter(rows, leaf, setting.folder / "scattered" / f"{number:06}.arrow")
    return counts


def blocks_of_leaves(division: Division, counts: NDArray[np.int64], fewest: int) -> list[tuple[int, ...]]:
    """Return the leaves of every block: those with fewer records than needed are merged with their neighbours."""
    blocks: list[tuple[int, ...]] = []
    for first, tree in zip(division.first_leaf.tolist(), division.trees, strict=True):
        own = tree.merged(counts[first : first + tree.leaves], fewest)
        for number in range(int(own.max()) + 1):
            leaves = first + np.flatnonzero(own == number)
            if counts[leaves].sum():
                blocks.append(tuple(leaves.tolist()))
    return blocks
