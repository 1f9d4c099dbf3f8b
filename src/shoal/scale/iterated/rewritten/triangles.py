"""Least squares over all pages: the triangle of a tall matrix, put together from the triangles of its pages.

A triangle R with R'R = V'V has all that sums of squares and products have, and keeps twice as many digits: nothing is
squared.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products, pseudo_inverse, singular, triangles

__all__ = ["coefficients", "coordinates", "joined", "left_over", "triangle"]

Doubles = NDArray[np.float64]

_RANK = 1e-10  # directions of columns of length one that reach less far than this are rounding


def triangle(V: Doubles) -> Doubles:
    """Return the triangle of a matrix, as many rows as columns."""
    width = V.shape[1]
    _, (found,) = triangles(V[None], columns=0)
    return np.vstack([found, np.zeros((width - len(found), width))])


def joined(of_pages: Sequence[Doubles]) -> Doubles:
    """Return the triangle of all pages together."""
    return reduce(lambda one, other: triangle(np.vstack([one, other])), of_pages)


def coefficients(whole: Doubles, columns: int) -> tuple[Doubles, int]:
    """Return the coefficients of least squares of the other columns on the first, and the rank of these.

    Parameters
    ----------
    whole
        The triangle of all columns.
    columns
        How many of them are regressed on.
    """
    others = whole[:, :columns]
    lengths = np.sqrt(np.square(others).sum(axis=0))
    lengths = np.where(lengths > 0, lengths, 1.0)
    inverse = pseudo_inverse(others / lengths, _RANK)
    rank = round(float(np.trace(products(inverse, others / lengths))))
    return products(inverse, whole[:, columns:]) / lengths[:, None], rank


def coordinates(whole: Doubles, columns: int) -> Doubles:
    """Return what turns rows of the first columns into coordinates in an orthonormal basis: columns x rank.

    Parameters
    ----------
    whole
        The triangle of all columns.
    columns
        How many the first are.
    """
    others = whole[:, :columns]
    lengths = np.sqrt(np.square(others).sum(axis=0))
    lengths = np.where(lengths > 0, lengths, 1.0)
    _, sizes, right = (one[0] for one in singular((others / lengths)[None]))
    inside = sizes > _RANK * sizes[0]
    return np.asarray((right[inside] / sizes[inside, None]).T / lengths[:, None])


def left_over(whole: Doubles, columns: int) -> Doubles:
    """Return the triangle, its diagonal not negative, of what the first columns leave of the others."""
    found, _ = coefficients(whole, columns)
    rest = triangle(whole[:, columns:] - products(whole[:, :columns], found))
    return np.where(np.diag(rest) < 0, -1.0, 1.0)[:, None] * rest
