"""Kernels for nominal columns in a tree: what their codes add to distances, and to the bounds of a search.

A nominal column stands for the indicators of its categories. Two records add 0, or 1 twice. A record and a centroid,
which has the share of every category, add the sum of squares over the indicators; with the category c that is, but for
rounding, 1 - 2 share(c) + the sum of the squares of all shares, so that no indicator has to be stored or looked at.

Where `coded` can be None, for a tree without nominal columns, numba leaves out what is for the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.partition.kernels.compiled import Doubles, Scalar, inner_kernel
from shoal.partition.kernels.lanes import measure_leaf
from shoal.partition.kernels.squared_distance import squared_distance
from shoal.partition.kernels.tree import LEAF, Coded, Floats, Tree

__all__ = ["Centroid"]

_NEARLY = 1e-8  # more than the distances that screen records can be off, relative and in every column
_UP = 1 + 2.0**-20  # more than rounding to single precision takes away
_ROOM = 1e-9  # more than rounding changes what a nominal column adds to a bound


class Centroid(NamedTuple):
    """A point with shares of categories: what a search needs to know of it beside its numbers."""

    shares: NDArray[np.float64]  # as in `Coded`
    squares: NDArray[np.float64]
    caps: Floats  # by column of the tree: the most that a category can add; infinite for numbers


@inner_kernel
def is_code(coded: Coded | None, j: Scalar) -> Scalar:
    """Whether a column of the tree holds codes."""
    if coded is None:
        return False
    return coded.is_nominal[coded.columns[j]]


@inner_kernel
def record_distance(X: Doubles, row: Scalar, point: Doubles, coded: Coded | None) -> Scalar:
    """Return the squared distance of two records, summed over the columns from left to right."""
    if coded is None:
        return squared_distance(X, row, point)
    total = 0.0
    for j in range(point.shape[0]):
        difference = X[row, j] - point[j]
        if not coded.is_nominal[j]:
            total += difference * difference
        elif difference != 0.0:
            total += 1.0
            total += 1.0
    return total


@inner_kernel
def far_distance(
    X: Doubles, row: Scalar, point: Doubles, coded: Any, centroid: Centroid | None, best: Scalar
) -> Scalar:
    """Return the squared distance of a record to a record or a centroid, or -1 if it is certainly below `best`."""
    if centroid is None:
        return record_distance(X, row, point, coded)
    d = point.shape[0]
    total = 0.0
    for j in range(d):
        if coded.is_nominal[j]:
            total += 1.0 - 2.0 * centroid.shares[coded.starts[j] + np.int64(X[row, j])] + centroid.squares[j]
        else:
            difference = X[row, j] - point[j]
            total += difference * difference
    if total < best * (1 - _NEARLY) - _NEARLY * d:
        return -1.0
    total = 0.0
    for j in range(d):
        if coded.is_nominal[j]:
            start, own = coded.starts[j], coded.starts[j] + np.int64(X[row, j])
            for t in range(start, own):
                total += centroid.shares[t] * centroid.shares[t]
            total += (1.0 - centroid.shares[own]) * (1.0 - centroid.shares[own])
            for t in range(own + 1, coded.starts[j + 1]):
                total += centroid.shares[t] * centroid.shares[t]
        else:
            difference = X[row, j] - point[j]
            total += difference * difference
    return total


@inner_kernel
def to_coded_tree(tree: Tree, coded: Coded, point: Doubles, image: Floats) -> None:
    """Write the image of a record in the tree's coordinates to `image`."""
    for j in range(image.shape[0]):
        x = point[coded.columns[j]]
        if is_code(coded, j):
            x *= coded.scale
        elif not tree.is_exact:
            x = 0.0
            for a in range(tree.origin.shape[0]):
                x += (point[coded.columns[coded.capped + a]] - tree.origin[a]) * tree.axes[a, j - coded.capped]
        image[j] = x


@inner_kernel
def centroid_to_coded_tree(tree: Tree, coded: Coded, point: Doubles, centroid: Centroid, image: Floats) -> None:
    """Write the image of a centroid to `image`, and what its categories can add to ``centroid.caps``.

    In columns of codes the image is infinitely far from every one, so that they add the most that they can.
    """
    to_coded_tree(tree, coded, point, image)
    for j in range(image.shape[0]):
        centroid.caps[j] = coded.caps[j]
        if not is_code(coded, j):
            continue
        image[j] = np.inf
        column = coded.columns[j]
        least = 1.0
        for t in range(coded.starts[column], coded.starts[column + 1]):
            least = min(least, centroid.shares[t])
        centroid.caps[j] *= (1.0 - 2.0 * least + centroid.squares[column]) / 2.0 * _UP


@inner_kernel
def square_shares(coded: Coded, shares: Doubles, squares: Doubles) -> None:
    """Write the sum of the squares of the shares of every nominal column to `squares`."""
    for j in range(squares.shape[0]):
        squares[j] = 0.0
        for t in range(coded.starts[j], coded.starts[j + 1]):
            squares[j] += shares[t] * shares[t]


@inner_kernel
def centre_shares(coded: Coded, shares: Doubles) -> None:
    """Make these shares those of the tree's centre."""
    coded.shares[:] = shares
    square_shares(coded, shares, coded.squares)
    coded.largest[:] = 0.0
    for j in range(coded.squares.shape[0]):
        for t in range(coded.starts[j], coded.starts[j + 1]):
            if shares[t] > coded.largest[j, 0]:
                coded.largest[j, 1] = coded.largest[j, 0]
                coded.largest[j, 0] = shares[t]
            elif shares[t] > coded.largest[j, 1]:
                coded.largest[j, 1] = shares[t]


@inner_kernel
def bounds_of_codes(coded: Coded | None, point: Doubles, centroid: Centroid | None) -> tuple[Scalar, Scalar, Scalar]:
    """Return what nominal columns add to |p|^2, at least to u.p and at least to |u + p|^2.

    There u is any record and p the point, a record or a centroid, both less the centre of the tree.
    """
    square, inner, mirrored = 0.0, 0.0, 0.0
    if coded is None:
        return square, inner, mirrored
    for j in range(point.shape[0]):
        if not coded.is_nominal[j]:
            continue
        inner -= _ROOM
        mirrored -= _ROOM
        if centroid is None:
            own = coded.shares[coded.starts[j] + np.int64(point[j])]
            other = coded.largest[j, 1] if own == coded.largest[j, 0] else coded.largest[j, 0]
            square += 1.0 - 2.0 * own + coded.squares[j]
            inner += coded.squares[j] - own - other
            unlike, alike = 2.0 - 4.0 * (own + other), 4.0 - 8.0 * own
            mirrored += max(0.0, 4.0 * coded.squares[j] + min(unlike, alike))
        else:
            least, product = np.inf, 0.0
            for t in range(coded.starts[j], coded.starts[j + 1]):
                change = centroid.shares[t] - coded.shares[t]
                square += change * change
                product += change * coded.shares[t]
                least = min(least, change)
            inner += least - product
    return square, inner, mirrored


@inner_kernel
def measure_from_centre(tree: Tree, leaf: Scalar, coded: Coded | None) -> None:
    """Write the squared distances of the records of a leaf to the centre, in the tree, to `norms`."""
    if coded is None:
        measure_leaf(tree.points, leaf, tree.centre, tree.norms, leaf)
        return
    for t in range(LEAF):
        total = -1.0
        if not np.isnan(tree.points[leaf, 0, t]):
            total = 0.0
            for j in range(tree.points.shape[1]):
                x = np.float64(tree.points[leaf, j, t])
                if is_code(coded, j):
                    column = coded.columns[j]
                    share = coded.shares[coded.starts[column] + np.int64(x / coded.scale)]
                    total += np.float64(coded.caps[j]) * (1.0 - 2.0 * share + coded.squares[column]) / 2.0
                else:
                    difference = x - np.float64(tree.centre[j])
                    total += difference * difference
        tree.norms[leaf, t] = total
