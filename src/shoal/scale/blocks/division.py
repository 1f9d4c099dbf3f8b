"""How a file is divided: which block each row belongs to, decided by the row and a sample of the file alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.flow.plan import Plan
from shoal.scale.blocks.tree import Axes, BlockTree, axes_of, grow
from shoal.scale.input.chunks import RowSource, read_rows
from shoal.scale.input.keys import keys_of
from shoal.scale.input.row_hashes import Hashes, hashed_values
from shoal.scale.input.second_look import SecondLook
from shoal.scale.scattered import scatter
from shoal.scale.setting import RunSetting, prepared_rows

__all__ = ["Division", "blocks_of_leaves", "divide", "scatter_chunk"]


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
    watched
        The columns with missing values, of which every block needs enough that are observed.
    mixes_keys
        Whether all keys share one tree, as units have records with different keys and are not cut in two.
    """

    axes: Axes
    codes: Mapping[str, Mapping[Any, int]]
    keys: Hashes
    tree_of_key: NDArray[np.int64]
    trees: tuple[BlockTree, ...]
    watched: tuple[str, ...]
    mixes_keys: bool

    @property
    def counted_keys(self) -> int:
        """How many keys are counted apart in every leaf; 1 where leaves need not know them."""
        return len(self.keys) if self.mixes_keys else 1

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


def divide(sample: Any, setting: RunSetting, look: SecondLook, block_records: int, *, at: float = 0.5) -> Division:
    """Decide how the file is divided.

    Parameters
    ----------
    sample
        Prepared rows that were drawn from the whole file.
    setting
        What all tasks share.
    look
        What the second look at the whole file showed.
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
    keys = sorted(look.keys)
    points = axes.points(sample, codes)
    if look.parts_units:
        trees = [grow(points, round(sum(look.keys.values()) / block_records), at=at)]
        tree_of_key = dict.fromkeys(keys, 0)
    else:
        tree_of_key, trees = _trees_of_keys(points, keys_of(sample, setting), look, block_records, at)
    of_keys = np.array(keys, dtype=np.uint64), np.array([tree_of_key[key] for key in keys])
    return Division(axes, codes, *of_keys, tuple(trees), tuple(look.with_missing(plan)), look.parts_units)


def _trees_of_keys(
    points: NDArray[np.float64], of_points: Hashes, look: SecondLook, block_records: int, at: float
) -> tuple[dict[int, int], list[BlockTree]]:
    """Return the tree of every key, and the trees: keys with few records share one that is not cut."""
    counts, keys = look.keys, sorted(look.keys)
    tree_of_key, trees, filled = dict[int, int](), list[BlockTree](), 0
    for key in keys:
        blocks = round(counts[key] / block_records)
        if blocks >= 2:
            tree_of_key[key] = len(trees)
            trees.append(grow(points[of_points == np.uint64(key)], blocks, at=at))
    shared = -1
    for key in keys:
        if key in tree_of_key:
            continue
        if shared < 0 or filled + counts[key] > block_records:
            shared, filled = len(trees), 0
            trees.append(grow(points[:0], 1))
        tree_of_key[key], filled = shared, filled + counts[key]
    return tree_of_key, trees


def scatter_chunk(chunk: tuple[int, RowSource], setting: RunSetting, division: Division) -> NDArray[np.int64]:
    """Scatter the rows of a chunk to the leaves of the trees; return what each leaf got, a row each.

    That is how many records, or units; by key that is counted, how many of them; and for each of the watched columns,
    by key again, how many of them have a value. `chunk` is its number, and where its rows are.
    """
    number, source = chunk
    rows = prepared_rows(read_rows(source), setting)
    keys = keys_of(rows, setting)
    leaf = division.leaf_of(rows, keys)
    unit = first = np.arange(len(leaf))
    if setting.plan.unit is not None:  # a unit goes where its first record does
        _, first, unit = np.unique(hashed_values(rows[setting.plan.unit]), return_index=True, return_inverse=True)
        unit = unit.reshape(-1)
        leaf = leaf[first][unit]
    scatter(rows, leaf, setting.folder / "scattered" / f"{number:06}.arrow")
    key = np.searchsorted(division.keys, keys) if division.mixes_keys else np.zeros(len(leaf), dtype=np.int64)
    shape = division.leaves, division.counted_keys
    place = unit * shape[1] + key

    def counted(own: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the units that have one of these rows, by leaf and key."""
        units, of_key = np.divmod(np.unique(place[own]), shape[1])
        return np.bincount(leaf[first][units] * shape[1] + of_key, minlength=shape[0] * shape[1]).reshape(shape)

    observed = [~np.asarray(rows[name].is_null(nan_is_null=True)) for name in division.watched]
    everyone = np.bincount(leaf[first], minlength=shape[0])
    return np.column_stack([everyone, *map(counted, [np.ones(len(leaf), dtype=bool), *observed])])


def blocks_of_leaves(division: Division, counts: NDArray[np.int64], plan: Plan) -> list[tuple[int, ...]]:
    """Return the leaves of every block: where there is not enough for one, they are merged with their neighbours.

    A block has at least 2k records, or units. Of every key that it has, there are at least k; and k values of every
    watched column, as fewer are not released on one machine either. Where missing values are kept, it may have none.

    Parameters
    ----------
    division
        How the file is divided.
    counts
        What every leaf has, as `scatter_chunk` counts it, over all chunks.
    plan
        What is done.
    """
    blocks: list[tuple[int, ...]] = []
    for first, tree in zip(division.first_leaf.tolist(), division.trees, strict=True):
        own = counts[first : first + tree.leaves]
        possible = own.sum(axis=0) >= plan.k  # elsewhere nothing helps, and protecting the block says why

        def is_enough(total: NDArray[np.int64], possible: NDArray[np.bool_] = possible) -> bool:
            of_keys = total[1:].reshape(-1, division.counted_keys)  # everyone, then by watched column
            needed = of_keys > 0 if plan.missing == "keep" else np.broadcast_to(of_keys[0] > 0, of_keys.shape)
            short = (of_keys < plan.k) & needed & possible[1:].reshape(of_keys.shape)
            return bool(total[0] >= 2 * plan.k and not short.any())

        blocks += [tuple(first + one for one in leaves) for leaves in tree.merged(own, is_enough) if own[leaves].any()]
    return blocks
