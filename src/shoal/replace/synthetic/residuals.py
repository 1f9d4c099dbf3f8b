"""Regression residuals of many groups at once, and random matrices that are orthogonal to what must be kept.

Groups of one size make a stack, a 3-D array with one matrix per group; linear algebra runs over the stack, and is the
same on every processor. All bases are orthonormal and come from SVD and QR with a decision on the rank: nothing is
inverted, and columns that depend on others do no harm. Arrays in, arrays out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products, singular, triangles

__all__ = [
    "Regressed",
    "directions",
    "factor",
    "normal_numbers",
    "random_basis",
    "regressed",
    "residual_basis",
    "stacks",
    "without_fit",
]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_EPSILON = float(np.finfo(np.float64).eps)
# Columns of length one: directions in which they reach less than this far are rounding. What is dropped is missing from
# the covariances, so the limit is far below the 1e-8 they are kept to. It rises with what centring rounded away.
_RANK_LEAST = 1e-11
_RANK_MOST = 1e-9
_ROUNDING = 16.0
_FAR_OUT = 3.65  # NumPy's ziggurat ends at 3.654
_NUMBERS_AT_ONCE = 1 << 21  # 16 MB for each of a dozen arrays


@dataclass(frozen=True, eq=False)
class Regressed:
    """A stack of b groups of s records, X regressed on [1, Y] in each.

    Attributes
    ----------
    means
        Of X, b x 1 x L.
    fitted
        The fitted values less the means, b x s x L.
    residuals
        b x s x L.
    basis
        An orthonormal basis of [1, Y] in its first `rank` columns, zeros in the others; b x s x (1 + M) at most.
    rank
        The rank of [1, Y] in each group.
    """

    means: Doubles
    fitted: Doubles
    residuals: Doubles
    basis: Doubles
    rank: Labels

    @property
    def degrees(self) -> Labels:
        """Residual degrees of freedom in each group."""
        degrees: Labels = self.residuals.shape[1] - self.rank
        return degrees


def stacks(groups: Labels, width: int, wanted: NDArray[np.bool_] | None = None) -> Iterator[tuple[Labels, Labels]]:
    """Yield stacks of groups of one size: the group numbers (b), and the records of each (b x s).

    Parameters
    ----------
    groups
        The group of every record, 0 to g-1; numbers without records are passed over.
    width
        How many columns are worked on; a stack is so high that they fit into little memory, or one group.
    wanted
        Which group numbers to yield; None: all.
    """
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    taken = sizes > 0 if wanted is None else (sizes > 0) & wanted
    for size in np.unique(sizes[taken]):
        of_size = np.flatnonzero(taken & (sizes == size))
        height = max(1, _NUMBERS_AT_ONCE // (int(size) * max(width, 1)))
        for begin in range(0, len(of_size), height):
            numbers = of_size[begin : begin + height]
            yield numbers, order[starts[numbers][:, None] + np.arange(size)]


def regressed(X: Doubles, Y: Doubles) -> Regressed:
    """Regress the columns of X on [1, Y] in every group of a stack (b x s x L and b x s x M)."""
    b, s, _ = X.shape
    means, X, _ = _centred(X)
    _, Y, rounding = _centred(Y)
    inside, rank = directions(Y, rounding)
    # A direction that is short beside the columns it comes from is orthogonal to the constant only roughly: with the
    # constant in front, QR makes it so again.
    constant = np.full((b, s, 1), 1 / np.sqrt(s))
    basis = _orthonormal(np.concatenate([constant, inside[:, :, : s - 1]], axis=2))
    rank = np.minimum(rank + 1, s)
    basis *= _first(rank, basis.shape[2])
    fitted = _onto(basis, X)
    residuals = X - fitted
    residuals -= _onto(basis, residuals)
    # What is left of a column that follows from Y is rounding, and no direction of its own.
    nothing = _lengths(residuals) <= 10 * _ROUNDING * _EPSILON * _lengths(X)
    residuals = np.where(nothing, 0.0, residuals)
    return Regressed(means, X - residuals, residuals, basis, rank)


def without_fit(V: Doubles, fit: Regressed) -> Doubles:
    """Return the residuals of V on the same [1, Y]."""
    residuals = V - _onto(fit.basis, V)
    return residuals - _onto(fit.basis, residuals)


def normal_numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> Doubles:
    """Return normal numbers to draw noise from.

    The generator takes one in four thousand, those farthest out, from a logarithm of the C library's, which can differ
    in the last digit between processors. They are rounded to ten digits.
    """
    numbers: Doubles = rng.standard_normal(shape)
    return np.where(np.abs(numbers) > _FAR_OUT, np.rint(numbers * 2.0**32) / 2.0**32, numbers)


def random_basis(W: Doubles, kept: Doubles, width: Labels) -> Doubles:
    """Return orthonormal columns, uniformly random among those orthogonal to `kept` if the entries of W are normal.

    Parameters
    ----------
    W
        What is made orthogonal, b x s x L.
    kept
        Orthonormal columns or zeros, b x s x p.
    width
        How many columns each group gets, at most s less the rank of `kept`; the others are zero.
    """
    b, s, columns = W.shape
    inside = min(s, columns)
    basis = W[:, :, :inside] * _first(width, inside)
    for _ in range(2):  # the second time repairs what the first lost to cancellation
        basis = _orthonormal(basis - _onto(kept, basis)) * _first(width, inside)
    return np.concatenate([basis, np.zeros((b, s, columns - inside))], axis=2)


def factor(residuals: Doubles, rows: Labels) -> Doubles:
    """Return R with R'R = E'E for the residuals E of each group, b x L x L, not zero only in the first `rows` rows.

    The factor is triangular (that of Cholesky) where `rows` is L. Each `rows` has to be at least the rank of E.
    """
    b, s, columns = residuals.shape
    unit, lengths = _unit_columns(residuals)  # columns of any length weigh alike in the SVD
    result = np.zeros((b, columns, columns))
    full = rows >= columns
    if full.any():
        _, triangle = triangles(unit[full], columns=0)
        signs = np.sign(np.diagonal(triangle, axis1=1, axis2=2))
        result[full, : min(s, columns)] = np.where(signs == 0, 1.0, signs)[:, :, None] * triangle
    if not full.all():
        _, lengths_of, turned = singular(unit[~full])
        result[~full, : min(s, columns)] = lengths_of[:, :, None] * turned
        result *= _first(np.maximum(rows, 0), columns).transpose(0, 2, 1)
    scaled: Doubles = result * lengths
    return scaled


def residual_basis(fit: Regressed) -> tuple[Doubles, Labels]:
    """Return an orthonormal basis of the residuals, zeros behind it, and its rank; both for each group."""
    lengths, sizes = _lengths(fit.residuals), _lengths(fit.fitted + fit.residuals)
    rounding = _ROUNDING * _EPSILON * np.divide(sizes, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    basis, rank = directions(fit.residuals, rounding)
    rank = np.minimum(rank, fit.degrees)
    inside = _first(rank, basis.shape[2])
    return _orthonormal((basis - _onto(fit.basis, basis)) * inside) * inside, rank


def _centred(V: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Return means, deviations, and how much of a column's length may be rounding; constants deviate by nothing."""
    means = V.mean(axis=1, keepdims=True)
    means += (V - means).mean(axis=1, keepdims=True)
    means = np.clip(means, V.min(axis=1, keepdims=True), V.max(axis=1, keepdims=True))
    deviations = V - means
    lengths = _lengths(deviations)
    noise = _ROUNDING * _EPSILON * np.sqrt(V.shape[1]) * np.abs(V).max(axis=1, keepdims=True)
    deviations = np.where(lengths > noise, deviations, 0.0)
    return means, deviations, np.divide(noise, lengths, out=np.zeros_like(noise), where=lengths > noise)


def directions(V: Doubles, rounding: Doubles | None = None) -> tuple[Doubles, Labels]:
    """Return an orthonormal basis of the columns of each matrix, zeros behind it, and its rank.

    `rounding` says how much of the length of each column may be rounding, b x 1 x L; None: no more than always.
    """
    b, s, columns = V.shape
    if columns == 0:
        return np.zeros((b, s, 0)), np.zeros(b, dtype=np.int64)
    unit, _ = _unit_columns(V)
    left, lengths, _ = singular(unit)
    least = np.clip(0.0 if rounding is None else rounding.max(axis=2), _RANK_LEAST, _RANK_MOST)
    rank = (lengths > least).sum(axis=1)
    return left * _first(rank, left.shape[2]), rank


def _lengths(V: Doubles) -> Doubles:
    """Return the lengths of the columns, b x 1 x L."""
    lengths: Doubles = np.sqrt(np.square(V).sum(axis=1, keepdims=True))
    return lengths


def _unit_columns(V: Doubles) -> tuple[Doubles, Doubles]:
    """Return the columns with length one (zeros stay), and their lengths."""
    lengths = _lengths(V)
    return np.divide(V, lengths, out=np.zeros_like(V), where=lengths > 0), lengths


def _orthonormal(V: Doubles) -> Doubles:
    """Return what Gram and Schmidt would: each column orthogonal to those before it, turned the way it was."""
    basis, triangle = triangles(V)
    signs = np.sign(np.diagonal(triangle, axis1=1, axis2=2))
    turned: Doubles = basis * np.where(signs == 0, 1.0, signs)[:, None, :]
    return turned


def _onto(basis: Doubles, V: Doubles) -> Doubles:
    """Return the projection of the columns of V on those of the basis."""
    return products(basis, products(basis.transpose(0, 2, 1), V))


def _first(count: Labels, columns: int) -> Doubles:
    """Return b x 1 x columns: one in the first `count` columns of each matrix, zero in the others."""
    return (np.arange(columns) < count[:, None]).astype(np.float64)[:, None, :]
