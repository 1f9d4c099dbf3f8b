"""The k-d tree under MDAV: it loses records one by one and finds the nearest and the farthest that remain.

The tree only *screens*. It holds the records in single precision, moved to the centre of those that remain and
turned to their principal axes, where boxes are tight; every distance that decides anything is computed from the
original records in double precision. Each screening bound has room for the rounding of all that came before
(`blur` and the factors in the search kernels), so what is skipped can never be the answer, ties included.

Single precision has seven digits, of the largest coordinate. Where a record is so far out that many others lie within
what is left to them, screening leaves them all together; the tree is then *exact* instead: it holds the records as they
are, in double precision, and its bounds need no room at all. So it is where all columns have two values.

Leaves hold up to ``LEAF`` records, column by column, so that one pass over a column works on the whole leaf at
once. ``FAN`` leaves make a block, ``FAN`` blocks the next one, up to one root; a block holds the bounds of its
children side by side for the same reason. Leaves are numbered in tree order and so are the blocks of every
level, lowest level first: leaf i is child ``i % FAN`` of block ``i // FAN``, and the root is the last block.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.kernels.tree import FAN, LEAF, Coded, Floats, Tree

__all__ = ["Tree", "category_starts", "count_categories", "find_twins", "plant", "replant"]

# A record loses at most half a unit in the last place of single precision in every coordinate; so does the
# query. Twice that, for the double-precision arithmetic before it, and a little for what underflows in that.
_BLUR = 4 * 2.0**-24
_LEAST_BLUR = 1e-20
# A tree is exact if more than one in so many of its leaves are smaller than so many times the blur.
_FEW = 32
_SHARP = 16
_CORNERS = 16  # times as many corners as records are still a good part
_LEAST_SCALE = 2.0**-60  # of codes, so that single precision tells them apart
_LINE = 64  # bytes in a cache line
_SAMPLE = 2_000  # records that tell the principal axes


def plant(
    X: NDArray[np.float64],
    rows: NDArray[np.int32],
    twin: NDArray[np.int32] | None = None,
    is_nominal: NDArray[np.bool_] | None = None,
) -> Tree:
    """Build the tree of the records `rows` of `X`, and of those identical to them that `twin` leads to.

    Columns that are nominal have codes from 0 on.
    """
    if twin is None:
        twin = np.full(len(X), -1, dtype=np.int32)
    if is_nominal is not None:
        return _plant_coded(X, rows, twin, is_nominal)
    origin, axes, unit = _principal_axes(X, rows)
    as_it_is: dict[str, Any] = {"origin": origin, "axes": axes, "unit": 1.0, "blur": 0.0}
    if _are_corners(X, rows):
        return _grow(X[rows], rows, twin, has_room=True, **as_it_is)
    image, blur = _turned(X, rows, origin, axes)
    tree = _grow(image, rows, twin, origin=origin, axes=axes, unit=unit, blur=blur)
    return _grow(X[rows], rows, twin, **as_it_is) if _is_blurred(tree) else tree


def _turned(
    X: NDArray[np.float64], rows: NDArray[np.int32], origin: NDArray[np.float64], axes: NDArray[np.float64]
) -> tuple[NDArray[np.float32], float]:
    """Return the images of records in single precision, and the blur of a tree of them."""
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.tree_build import turn

    image = np.empty((len(rows), X.shape[1]), dtype=np.float32)
    largest = turn(X, rows, origin, axes, image)
    return image, _BLUR * math.sqrt(largest) + _LEAST_BLUR


def _plant_coded(
    X: NDArray[np.float64], rows: NDArray[np.int32], twin: NDArray[np.int32], is_nominal: NDArray[np.bool_]
) -> Tree:
    """Build the tree of records with nominal columns, whose indicators it neither stores nor looks at."""
    numbers, codes = np.flatnonzero(~is_nominal), np.flatnonzero(is_nominal)
    if len(numbers):
        parts = np.ascontiguousarray(X[:, numbers])
        origin, axes, unit = _principal_axes(parts, rows, at_least=1.0)
        turned, blur = _turned(parts, rows, origin, axes)
        scale = max(2 * unit, _LEAST_SCALE)
        image = np.column_stack([(X[np.ix_(rows, codes)] * scale).astype(np.float32), turned])
        caps = np.where(np.arange(X.shape[1]) < len(codes), 2 * unit * unit, np.inf).astype(np.float32)
        coded = _coded(X, rows, is_nominal, np.append(codes, numbers), caps, len(codes), scale)
        tree = _grow(image, rows, twin, coded, has_room=True, origin=origin, axes=axes, unit=unit, blur=blur)
        if not _is_blurred(tree):
            return tree
    # As they are, two codes that differ add 1 twice, as in a distance; without numbers, adding 2 is the same.
    columns = np.repeat(np.arange(X.shape[1]), np.where(is_nominal, 2 if len(numbers) else 1, 1))
    caps = np.where(is_nominal[columns], 1.0 if len(numbers) else 2.0, np.inf)
    image = X[np.ix_(rows, columns)] * np.where(is_nominal[columns], 2.0, 1.0)
    coded = _coded(X, rows, is_nominal, columns, caps, len(columns), 2.0)
    none = np.zeros(len(numbers))
    return _grow(image, rows, twin, coded, has_room=True, origin=none, axes=np.diag(none), unit=1.0, blur=0.0)


def _coded(
    X: NDArray[np.float64],
    rows: NDArray[np.int32],
    is_nominal: NDArray[np.bool_],
    columns: NDArray[np.int64],
    caps: Floats,
    capped: int,
    scale: float,
) -> Coded:
    starts = category_starts(X, is_nominal)
    coded = Coded(
        is_nominal=is_nominal,
        columns=columns,
        caps=caps,
        capped=capped,
        scale=scale,
        starts=starts,
        shares=np.empty(starts[-1]),
        squares=np.empty(len(is_nominal)),
        largest=np.empty((len(is_nominal), 2)),
    )
    from shoal.partition.kernels.tree_build import centre_by_shares

    centre_by_shares(coded, count_categories(X[rows], is_nominal, starts) / len(rows))
    return coded


def category_starts(X: NDArray[np.float64], is_nominal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where the categories of every column begin if they lie side by side, and where those of the last end."""
    return np.append(0, np.cumsum(np.where(is_nominal, X.max(axis=0) + 1, 0).astype(np.int64)))


def count_categories(
    X: NDArray[np.float64], is_nominal: NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many records have each category, side by side."""
    codes = (X[:, is_nominal] + starts[:-1][is_nominal]).astype(np.int64)
    return np.bincount(codes.ravel(), minlength=starts[-1])


def _grow(
    image: Floats,
    rows: NDArray[np.int32],
    twin: NDArray[np.int32],
    coded: Coded | None = None,
    *,
    has_room: bool = False,
    **placing: Any,
) -> Tree:
    """Build the tree of records whose place in it is `image`; it is exact if that is in double precision.

    With `has_room`, leaves are not all full, so that cuts can fall between two values.
    """
    from shoal.partition.kernels.tree_build import fill, order_by_leaf

    n, d = image.shape
    order = np.arange(n, dtype=np.int32)
    leaves = -(-n // LEAF)
    if has_room:
        leaves += leaves // 2
    leaf_start = np.zeros(leaves + 1, dtype=np.int64)
    order_by_leaf(image, order, leaf_start, None if coded is None else coded.caps)

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
        is_exact=image.dtype == np.float64,
        points=_aligned((leaves, d, LEAF), np.nan, image.dtype),
        norms=_aligned((leaves, LEAF), -1, image.dtype),
        rows=np.zeros((leaves, LEAF), dtype=np.int32),
        place=np.zeros(len(twin), dtype=np.int32),
        twin=twin,
        left=np.array([n]),
        low=_aligned((blocks, d, FAN), np.inf, image.dtype),
        high=_aligned((blocks, d, FAN), -np.inf, image.dtype),
        reach=_aligned((blocks, FAN), -1, image.dtype),
        lowest=np.zeros((blocks, FAN), dtype=np.int32),
        first_child=first_child,
        parent=parent,
        is_loose=np.zeros(leaves, dtype=np.bool_),
        centre=image[:: 1 + n // _SAMPLE].mean(axis=0),
        coded=coded,
        **placing,
    )
    fill(tree, image, order, leaf_start, rows)
    return tree


def _are_corners(X: NDArray[np.float64], rows: NDArray[np.int32]) -> bool:
    """Whether the records seem to be corners of a cube, a good part of all it has.

    They lie along no axes but their own: in others, boxes overlap so much that every search looks at all of them.
    """
    sample = X[rows[:: 1 + len(rows) // _SAMPLE]]
    low, high = sample.min(axis=0), sample.max(axis=0)
    is_dense = np.count_nonzero(low < high) <= math.log2(_CORNERS * len(rows))
    return bool(is_dense and ((sample == low) | (sample == high)).all())


def _is_blurred(tree: Tree) -> bool:
    """Whether many leaves are so small that single precision hardly tells their records apart."""
    leaves = len(tree.points)
    above_leaves = -(-leaves // FAN)
    numbers = slice(0 if tree.coded is None else tree.coded.capped, None)
    sides = tree.high[:above_leaves, numbers] - tree.low[:above_leaves, numbers]
    size = np.square(sides).sum(axis=1).ravel()[:leaves]
    return int(np.count_nonzero(size < (_SHARP * tree.blur) ** 2)) > leaves // _FEW


def replant(tree: Tree, X: NDArray[np.float64]) -> Tree:
    """Build a new tree of the records that remain in a tree of records of `X`."""
    is_nominal = None if tree.coded is None else tree.coded.is_nominal
    return plant(X, tree.rows[tree.norms >= 0], tree.twin, is_nominal)


def find_twins(X: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the rows whose record comes up for the first time, and by row the next with an identical record or -1."""
    from shoal.partition.kernels import tree_build as kernels

    twin = np.empty(len(X), dtype=np.int32)
    is_first = np.empty(len(X), dtype=np.bool_)
    kernels.link_twins(X, X.view(np.uint64), twin, is_first)
    return np.flatnonzero(is_first).astype(np.int32), twin


def _aligned(shape: tuple[int, ...], value: float, kind: np.dtype[Any]) -> Floats:
    """Make an array whose rows of 16 numbers straddle as few of the processor's cache lines as they can."""
    size = math.prod(shape)
    room = np.empty(size + _LINE // kind.itemsize, dtype=kind)
    start = -room.ctypes.data % _LINE // kind.itemsize
    array = room[start : start + size].reshape(shape)
    array.fill(value)
    return array


def _principal_axes(
    X: NDArray[np.float64], rows: NDArray[np.int32], at_least: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return origin, axes and unit of the tree: the principal axes of a sample, the longest first.

    Any origin and any axes at right angles would do. At the scale of `unit` the largest coordinate is below one,
    and so is `at_least`.
    """
    from shoal.partition.kernels.tree_build import find_range

    n, d = len(rows), X.shape[1]
    low, high = np.empty(d), np.empty(d)
    find_range(X, rows, low, high)
    # Scaling by a power of two changes no digit. The first keeps sums and squares from over- and underflow, the
    # second, after the move, the squares in single precision.
    first = _scale_to_one(max(high.max(), -low.min(), at_least), at_most=900)
    sample = X[rows[:: 1 + n // _SAMPLE]] * first
    origin = sample.mean(axis=0)
    widest = np.maximum(high * first - origin, origin - low * first).max()
    second = _scale_to_one(max(widest * math.sqrt(d), at_least * first), at_most=100)
    sample = (sample - origin) * second
    _, axes = np.linalg.eigh(sample.T @ sample)
    unit = first * second
    return origin / first, np.ascontiguousarray(axes[:, ::-1]) * unit, unit


def _scale_to_one(size: float, at_most: int) -> float:
    """Return the power of two, up to 2**at_most, that brings `size` to between a half and one."""
    return math.ldexp(1.0, min(-math.frexp(size)[1], at_most))
