"""The k-d tree under MDAV: it loses records one by one and finds the nearest and the farthest that remain.

The tree only *screens*. It holds the records in single precision, moved to the centre of those that remain and
turned to their principal axes, where boxes are tight; every distance that decides anything is computed from the
original records in double precision. Each screening bound has room for the rounding of all that came before
(`blur` and the factors in the search kernels), so what is skipped can never be the answer, ties included.

Leaves hold up to ``LEAF`` records, column by column, so that one pass over a column works on the whole leaf at
once. ``FAN`` leaves make a block, ``FAN`` blocks the next one, up to one root; a block holds the bounds of its
children side by side for the same reason. Leaves are numbered in tree order and so are the blocks of every
level, lowest level first: leaf i is child ``i % FAN`` of block ``i // FAN``, and the root is the last block.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAN", "LEAF", "Tree", "plant"]

LEAF = 32
FAN = 16

# A record loses at most half a unit in the last place of single precision in every coordinate; so does the
# query. Twice that, for the double-precision arithmetic before it, and a little for what underflows in that.
_BLUR = 4 * 2.0**-24
_LEAST_BLUR = 1e-20


class Tree(NamedTuple):
    """Arrays of the tree; kernels change them in place. Distances in the tree are `unit` times the real ones."""

    origin: NDArray[np.float64]  # d: the point that is zero in the tree
    axes: NDArray[np.float64]  # d x d: (record - origin) @ axes is the record in the tree
    unit: float
    blur: float  # how far apart a record's two images in the tree, exact and stored, can be; the query's included
    # leaves
    points: NDArray[np.float32]  # leaves x d x LEAF; NaN where there is no record, which no comparison lets through
    norms: NDArray[np.float32]  # leaves x LEAF: squared distance of the record from `centre`
    rows: NDArray[np.int32]  # leaves x LEAF
    filled: NDArray[np.int32]  # leaves: how many records remain; they come first
    place: NDArray[np.int32]  # by row: leaf * LEAF + position in the leaf
    # blocks
    low: NDArray[np.float32]  # blocks x d x FAN: the boxes of the children, kept tight when records go
    high: NDArray[np.float32]
    middle: NDArray[np.float32]  # blocks x d x FAN: a ball round the records the child had when the tree was planted
    radius: NDArray[np.float32]  # blocks x FAN
    reach: NDArray[np.float32]  # blocks x FAN: the largest of `norms` under the child, -1 when none remain
    middle_norm: NDArray[np.float32]  # blocks x FAN: squared distance of `middle` from `centre`
    first_child: NDArray[np.int32]  # blocks: the first child block, -1 above leaves
    parent: NDArray[np.int32]  # blocks: -1 for the root
    is_loose: NDArray[np.bool_]  # blocks: whether a child shrank and the blocks above do not know yet
    centre: NDArray[np.float32]  # d: a recent centroid of the records, in the tree


def plant(X: NDArray[np.float64], rows: NDArray[np.int32]) -> Tree:
    """Build the tree of the records `rows` of `X`."""
    from shoal.partition import tree_build_kernels as kernels

    n, d = len(rows), X.shape[1]
    origin, axes, unit, image = _principal_image(X, rows)
    order = np.arange(n, dtype=np.int32)
    kernels.order_by_leaf(image, order)

    leaves = -(-n // LEAF)
    widths = [-(-leaves // FAN)]  # number of blocks, level by level
    while widths[-1] > 1:
        widths.append(-(-widths[-1] // FAN))
    blocks = sum(widths)
    parent = np.full(blocks, -1, dtype=np.int32)
    first_child = np.full(blocks, -1, dtype=np.int32)
    start = 0
    for width, width_above in pairwise(widths):
        above = start + width
        parent[start:above] = above + np.arange(width) // FAN
        first_child[above : above + width_above] = start + FAN * np.arange(width_above)
        start = above

    tree = Tree(
        origin=origin,
        axes=axes,
        unit=unit,
        blur=_BLUR * math.sqrt(np.einsum("ij,ij->i", image, image, dtype=np.float64).max()) + _LEAST_BLUR,
        points=np.full((leaves, d, LEAF), np.nan, dtype=np.float32),
        norms=np.zeros((leaves, LEAF), dtype=np.float32),
        rows=np.zeros((leaves, LEAF), dtype=np.int32),
        filled=np.zeros(leaves, dtype=np.int32),
        place=np.zeros(X.shape[0], dtype=np.int32),
        low=np.full((blocks, d, FAN), np.inf, dtype=np.float32),
        high=np.full((blocks, d, FAN), -np.inf, dtype=np.float32),
        middle=np.zeros((blocks, d, FAN), dtype=np.float32),
        radius=np.zeros((blocks, FAN), dtype=np.float32),
        reach=np.full((blocks, FAN), -1, dtype=np.float32),
        middle_norm=np.zeros((blocks, FAN), dtype=np.float32),
        first_child=first_child,
        parent=parent,
        is_loose=np.zeros(blocks, dtype=np.bool_),
        centre=np.zeros(d, dtype=np.float32),
    )
    kernels.fill(tree, image, order, rows)
    return tree


def _principal_image(
    X: NDArray[np.float64], rows: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, NDArray[np.float32]]:
    """Move and turn the records to their principal axes, at a scale where the largest coordinate is below one."""
    records = X[rows]
    # Scaling by a power of two changes no digit. The first keeps sums and squares from over- and underflow, the
    # second, after the move, the squares in single precision.
    first = _scale_to_one(np.abs(records).max(), at_most=900)
    records *= first
    origin = records.mean(axis=0)
    records -= origin
    second = _scale_to_one(np.abs(records).max() * math.sqrt(X.shape[1]), at_most=100)
    records *= second
    _, axes = np.linalg.eigh(records.T @ records)
    image = (records @ axes).astype(np.float32)
    unit = first * second
    return origin / first, np.ascontiguousarray(axes) * unit, unit, image


def _scale_to_one(size: float, at_most: int) -> float:
    """Return the power of two, up to 2**at_most, that brings `size` to between a half and one."""
    return math.ldexp(1.0, min(-math.frexp(size)[1], at_most))
