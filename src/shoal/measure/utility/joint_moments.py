"""Moments of variables and of pairs of variables, and the scale on which they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale, is_constant, standard_scale

__all__ = [
    "NEGLIGIBLE",
    "QUANTILES",
    "JointMoments",
    "central_moment",
    "joint_moments",
    "on_original_scale",
    "original_scale",
    "quantile_places",
    "scaled",
]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]

# The difference that rounding can make between two equal numbers, as a part of their size.
NEGLIGIBLE = 1e-12
QUANTILES = np.arange(1, 20) / 20

_ROWS_AT_ONCE = 1 << 15
_FARTHEST = 1e70  # its fourth power does not overflow


@dataclass(frozen=True)
class JointMoments:
    """Central moments, divided by n, of every two variables over the records in which both are observed.

    Entry (i, j) of these p by p matrices is about variable i on the records in which i and j are observed. So the
    diagonal has the moments of single variables, and the transpose those of j. Without any such record, `counts` is 0
    and so is everything else.

    Attributes
    ----------
    counts, means
        The number of records, and the mean of i.
    variances, products
        The mean of a a and of a b, where a and b are the deviations of i and of j from their means.
    fourths, squares, cubes
        The mean of a a a a, of a a b b and of a a a b; zero unless asked for.
    """

    counts: Doubles
    means: Doubles
    variances: Doubles
    products: Doubles
    fourths: Doubles
    squares: Doubles
    cubes: Doubles

    @property
    def vary(self) -> Booleans:
        """Whether variable i has more than one value on the records in which i and j are observed."""
        return np.asarray(self.variances > NEGLIGIBLE**2 * (1 + self.means**2))

    @property
    def correlations(self) -> Doubles:
        """The correlations; 0 where one of the two is constant."""
        both = self.vary & self.vary.T
        sizes = np.sqrt(np.where(both, self.variances, 1.0))
        return np.asarray(np.where(both, self.products, 0.0) / (sizes * sizes.T))


def joint_moments(values: Doubles, *, fourth_order: bool = False) -> JointMoments:
    """Return the moments of the columns of `values`, and of all pairs of columns; NaN is a missing value."""
    p = values.shape[1]
    moments = JointMoments(*(np.zeros((p, p)) for _ in range(7)))
    observed = ~np.isnan(values)
    whole = np.asarray(observed.all(axis=0))
    # Pairs with missing values one by one, the rest in one product of matrices. Single variables come after the pairs,
    # because a pair fills the diagonal too.
    pairs = np.argwhere(np.triu(~np.logical_and.outer(whole, whole), 1)).tolist()
    singles = np.argwhere(~whole).tolist()
    columns: list[int]
    for columns in pairs + singles:
        rows = observed[:, columns].all(axis=1)
        _fill(moments, columns, np.column_stack([values[rows, j] for j in columns]), fourth_order)
    _fill(moments, np.flatnonzero(whole).tolist(), values[:, whole], fourth_order)
    return moments


def _fill(moments: JointMoments, columns: Sequence[int], values: Doubles, fourth_order: bool) -> None:
    """Fill in the moments of `columns`, from their values in the records in which all of them are observed."""
    n, p = values.shape
    if n == 0 or p == 0:
        return
    centre = np.array([column.mean() for column in values.T])
    products, squares, cubes = np.zeros((3, p, p))
    for start in range(0, n, _ROWS_AT_ONCE):
        deviations = values[start : start + _ROWS_AT_ONCE] - centre
        products += deviations.T @ deviations
        if fourth_order:
            second = deviations**2
            squares += second.T @ second
            cubes += (second * deviations).T @ deviations
    place = np.ix_(columns, columns)
    moments.counts[place] = n
    moments.means[place] = centre[:, None]
    moments.variances[place] = np.diag(products)[:, None] / n
    moments.products[place] = products / n
    moments.fourths[place] = np.diag(squares)[:, None] / n
    moments.squares[place] = squares / n
    moments.cubes[place] = cubes / n


def central_moment(values: Doubles, power: int) -> float:
    """Return the mean of the deviations from the mean to a power, over the values that are not NaN."""
    observed = values[~np.isnan(values)]
    return float(((observed - observed.mean()) ** power).mean())


def on_original_scale(original: Doubles, masked: Doubles) -> tuple[Doubles, Doubles]:
    """Return the columns of both files as (x - mean) / sd, with the original's mean and sd; missing values stay NaN.

    A variable that is constant in the original is 0 there, and its masked values lie between -1 and 1.
    """
    both = np.empty(original.shape, order="F"), np.empty(masked.shape, order="F")
    for j in range(original.shape[1]):
        scale = original_scale(original[:, j], masked[:, j])
        both[0][:, j] = scale.apply(original[:, j])
        both[1][:, j] = scaled(masked[:, j], scale)
    return both


def scaled(masked: Doubles, scale: Scale) -> Doubles:
    """Return values of a masked variable on the scale of its original."""
    with np.errstate(over="ignore"):  # a masked value may be far larger than any original one
        return np.clip(scale.apply(masked), -_FARTHEST, _FARTHEST)


def quantile_places(n: int) -> NDArray[np.int64]:
    """Return which of n sorted values, from 0, are the 5 %, 10 %, ... 95 % quantiles: whole numbers, no rounding."""
    return (n - 1) * np.arange(1, 20, dtype=np.int64) // 20


def original_scale(original: Doubles, masked: Doubles) -> Scale:
    """Return the scale of a variable: that of the original, or one on which a constant is 0 and others reach 1."""
    if not is_constant(original):
        return standard_scale(original)
    observed, others = original[~np.isnan(original)], masked[~np.isnan(masked)]
    if not observed.size or not others.size:
        return Scale(0.0, np.inf, 0)
    exponent = int(np.frexp(max(abs(observed[0]), np.abs(others).max()))[1]) + 1
    value = float(np.ldexp(observed[0], -exponent))
    change = float(np.abs(np.ldexp(others, -exponent) - value).max())
    return Scale(value, change if change > NEGLIGIBLE * abs(value) else np.inf, exponent)
