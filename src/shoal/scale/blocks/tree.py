"""The tree that divides a file into blocks: cuts along the widest variable, at balanced points of a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.scale.input.row_hashes import hashed_values

__all__ = ["Axes", "BlockTree", "axes_of", "grow"]

Doubles = NDArray[np.float64]

_MOST_CATEGORIES = 8  # of a nominal variable that a cut can part from the others, those that most records have
_FEWEST = 0.05  # of the records on each side of a cut
_NEAR_ENOUGH = 0.1  # of the records that a cut may be away from where it should be


@dataclass(frozen=True)
class Axes:
    """What cuts are made along: the numbers of the file on its scale, and indicators of frequent categories.

    Attributes
    ----------
    scales
        The scale of every number; a column is a number where it has one.
    categories
        By nominal column, the hashes of its most frequent values.
    """

    scales: Mapping[str, Scale]
    categories: Mapping[str, Sequence[int]]

    def points(self, rows: Any, codes: Mapping[str, Mapping[Any, int]]) -> Doubles:
        """Return Arrow rows as points, a missing number at the mean.

        Parameters
        ----------
        rows
            The rows.
        codes
            By column whose categories have an order, the number of each.
        """
        columns = []
        for name, scale in self.scales.items():
            if name in codes:
                place = codes[name]
                values = np.array([place.get(one, np.nan) for one in rows[name].to_pylist()], dtype=np.float64)
            else:
                values = rows[name].cast("float64", safe=False).to_numpy()
            columns.append(np.nan_to_num(scale.apply(values), nan=0.0, posinf=0.0, neginf=0.0))
        for name, frequent in self.categories.items():
            hashes = hashed_values(rows[name])
            columns += [(hashes == np.uint64(one)).astype(np.float64) for one in frequent]
        return np.column_stack(columns) if columns else np.zeros((len(rows), 1))


def axes_of(rows: Any, scales: Mapping[str, Scale], nominal: Sequence[str]) -> Axes:
    """Return what cuts are made along, from a sample of the rows."""
    categories = {}
    for name in nominal:
        different, counts = np.unique(hashed_values(rows[name]), return_counts=True)
        if len(different) > 1:
            most = np.lexsort((different, -counts))[:_MOST_CATEGORIES]
            categories[name] = [int(one) for one in different[most]]
    return Axes(scales, categories)


@dataclass(frozen=True)
class BlockTree:
    """A binary tree of cuts.

    Attributes
    ----------
    axis
        By node, the axis it cuts, -1 for a leaf.
    cut
        By node, the largest value on the left side.
    left, right
        By node, its children; of a leaf, `left` is its number among the leaves.
    """

    axis: NDArray[np.int64]
    cut: Doubles
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    @property
    def leaves(self) -> int:
        """How many leaves there are."""
        return int((self.axis < 0).sum())

    def leaf_of(self, points: Doubles) -> NDArray[np.int64]:
        """Return the leaf of every point, 0, 1, ... from left to right."""
        leaf = np.zeros(len(points), dtype=np.int64)
        waiting = [(0, np.arange(len(points)))]
        while waiting:
            node, rows = waiting.pop()
            if self.axis[node] < 0:
                leaf[rows] = self.left[node]
                continue
            is_left = points[rows, self.axis[node]] <= self.cut[node]
            waiting += [(int(self.left[node]), rows[is_left]), (int(self.right[node]), rows[~is_left])]
        return leaf

    def merged(self, counts: NDArray[np.int64], is_enough: Callable[[NDArray[np.int64]], bool]) -> list[list[int]]:
        """Return the leaves of every block: where one has not enough, it is merged with its neighbours.

        Parameters
        ----------
        counts
            What is counted in every leaf, a row each.
        is_enough
            Whether a block that has these counts can be protected alone. One that is the whole tree has to do.
        """

        def settle(node: int) -> list[list[int]]:
            """Return the blocks below a node from left to right: all have enough, or there is only one."""
            if self.axis[node] < 0:
                return [[int(self.left[node])]]
            blocks = settle(int(self.left[node])) + settle(int(self.right[node]))
            number = 0
            while number < len(blocks) > 1:
                if is_enough(counts[blocks[number]].sum(axis=0)):
                    number += 1
                    continue
                number = min(number, len(blocks) - 2)
                blocks[number : number + 2] = [blocks[number] + blocks[number + 1]]
            return blocks

        return settle(0)


def grow(points: Doubles, blocks: int, *, at: float = 0.5) -> BlockTree:
    """Divide a sample into about as many equal blocks.

    Parameters
    ----------
    points
        The sample.
    blocks
        How many leaves the tree is to have; fewer where values do not differ.
    at
        Which part of the records lies to the left of a cut, as far as whole blocks allow. Trees with different parts
        cut a file in different places.
    """
    axis, cut, left, right = [-1], [0.0], [0], [0]
    waiting = [(0, np.arange(len(points)), float(blocks))]
    while waiting:
        node, rows, share = waiting.pop()
        wanted = at * share if at != 0.5 else max(1.0, share // 2)
        found = _widest_cut(points[rows], wanted, share) if share > 1.5 else None
        if found is None:
            continue
        axis[node], cut[node], of_left = found
        left[node], right[node] = len(axis), len(axis) + 1
        axis += [-1, -1]
        cut += [0.0, 0.0]
        left += [0, 0]
        right += [0, 0]
        is_left = points[rows, axis[node]] <= cut[node]
        waiting += [(left[node], rows[is_left], of_left), (right[node], rows[~is_left], share - of_left)]
    tree = BlockTree(np.array(axis), np.array(cut), np.array(left), np.array(right))
    return _numbered(tree)


def _widest_cut(points: Doubles, left: float, share: float) -> tuple[int, float, float] | None:
    """Return the axis, the cut and the blocks on the left: along the widest axis that can be cut there.

    Where none can, because of equal values, the widest that can be cut at all; None where there is none.
    """
    wanted, second = left / share, None
    for axis in np.argsort(-points.var(axis=0), kind="stable").tolist() if len(points) > 1 else ():
        values = np.sort(points[:, axis])
        place = min(max(int(wanted * len(values)), 1), len(values) - 1)
        cut = float(values[place - 1])
        if cut == values[-1]:  # ties up to the end: cut below them
            cut = float(values[np.searchsorted(values, cut) - 1])
        part = float(np.searchsorted(values, cut, side="right")) / len(values)
        if abs(part - wanted) < _NEAR_ENOUGH:
            return axis, cut, left
        if second is None and _FEWEST <= part <= 1 - _FEWEST:
            second = axis, cut, share * part
    return second


def _numbered(tree: BlockTree) -> BlockTree:
    """Return the tree with its leaves numbered from left to right."""
    left, number, waiting = tree.left.copy(), 0, [0]
    while waiting:
        node = waiting.pop()
        if tree.axis[node] < 0:
            left[node], number = number, number + 1
        else:
            waiting += [int(tree.right[node]), int(tree.left[node])]
    return BlockTree(tree.axis, tree.cut, left, tree.right)
