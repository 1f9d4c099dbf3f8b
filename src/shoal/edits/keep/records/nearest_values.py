"""The nearest values of many records that keep sums and bounds, whose right sides differ. Arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products
from shoal.edits.keep.least_changes import least_changes
from shoal.edits.keep.matrix_stacks import matrix_products, pseudo_inverses

__all__ = ["nearest_values"]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]

_EPSILON = float(np.finfo(np.float64).eps)
_AT_BOUND = 1e-12  # of a standard deviation, or of the bound: a value as near as this is meant to be at it
_NUMBERS_AT_ONCE = 1 << 21


def nearest_values(
    points: Doubles, scale: Doubles, rows: Doubles, right: Doubles, is_equality: Booleans, applies: Booleans
) -> Doubles:
    """Return the nearest values with rows v == right, or rows v <= right; NaN where there are none.

    Parameters
    ----------
    points
        n x d.
    scale
        d, positive: what the difference in a variable is divided by before it is squared and added up.
    rows, is_equality
        a x d, and a: the left sides of sums and bounds, and which of them are sums.
    right, applies
        n x a: their right sides in every record, and whether they have to hold there.
    """
    n, d = points.shape
    values = np.empty_like(points)
    height = max(1, _NUMBERS_AT_ONCE // (1 + d * (len(rows) + 4 * d)))
    for begin in range(0, n, height):
        part = slice(begin, begin + height)
        values[part] = _nearest(points[part], scale, rows, right[part], is_equality, applies[part])
    return values


def _nearest(
    points: Doubles, scale: Doubles, rows: Doubles, right: Doubles, is_equality: Booleans, applies: Booleans
) -> Doubles:
    stack = (rows * scale)[None] * applies[:, :, None]
    left = np.where(applies, right - products(points, rows.T), 0.0)
    sums, bounds = stack[:, is_equality], stack[:, ~is_equality]
    inverse, free = pseudo_inverses(sums)
    change = matrix_products(inverse, left[:, is_equality])
    room = np.where(
        applies[:, ~is_equality] & (bounds != 0).any(axis=2),
        left[:, ~is_equality] - matrix_products(bounds, change),
        1.0,
    )
    sizes = products(np.abs(points), np.abs(rows).T) + np.abs(right)
    rounding = 4 * _EPSILON * sizes[:, ~is_equality]
    over = np.flatnonzero((room < -rounding).any(axis=1))
    more, _, possible = least_changes(
        bounds[over], np.array(free[over]), room[over], rounding[over], np.zeros((len(over), 0))
    )
    change[over] += more
    change[over[~possible]] = np.nan
    return _at_bounds(points + change * scale, scale, rows, right, applies)


def _at_bounds(values: Doubles, scale: Doubles, rows: Doubles, right: Doubles, applies: Booleans) -> Doubles:
    """Return values that are exactly at the bounds of their variable that they are nearly at."""
    for place in np.flatnonzero((rows != 0).sum(axis=1) == 1):
        column = int(np.flatnonzero(rows[place])[0])
        bound = right[:, place] / rows[place, column] + 0.0  # not -0
        apart = np.abs(values[:, column] - bound)
        near = applies[:, place] & (apart <= _AT_BOUND * (scale[column] + np.abs(bound)))
        values[near, column] = bound[near]
    return values
