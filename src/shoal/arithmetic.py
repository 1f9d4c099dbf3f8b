"""Functions and matrix products that are the same, to the last bit, on every processor.

NumPy's exponentials and logarithms, and products, triangles and singular values of BLAS and LAPACK, differ in the last
digits from one processor to another; a release must not. NumPy's other arithmetic, its sums among them, does not
differ. What is released is computed with these. The compiled code, which takes every sum in order, is with the other
kernels, in `partition/kernels/`; folders that come before it in the flow use it through this module.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "exp",
    "log",
    "non_negative_least_squares",
    "powers",
    "products",
    "pseudo_inverse",
    "raised",
    "row_totals",
    "singular",
    "squared_distances_between",
    "squares",
    "triangles",
    "weighted_sums",
]

Doubles = NDArray[np.float64]


def exp(x: ArrayLike) -> Doubles:
    """Return e to the power of every number."""
    numbers = _rows(x)
    out = np.empty_like(numbers)
    _kernels("exponentials").write_exponentials(numbers.reshape(-1), out.reshape(-1))
    return out.reshape(np.shape(x))


def log(x: ArrayLike) -> Doubles:
    """Return the natural logarithm of every number."""
    numbers = _rows(x)
    out = np.empty_like(numbers)
    _kernels("exponentials").write_logarithms(numbers.reshape(-1), out.reshape(-1))
    return out.reshape(np.shape(x))


def powers(x: ArrayLike, y: ArrayLike) -> Doubles:
    """Return numbers to the power of others, almost always the nearest double."""
    base, exponent = (np.array(one, dtype=np.float64) for one in np.broadcast_arrays(x, y))
    for power, function in ((1.0, np.positive), (2.0, np.square), (-1.0, np.reciprocal)):
        if (exponent == power).all():  # the nearest one, and nothing has to be compiled
            with np.errstate(all="ignore"):
                return np.asarray(function(base))
    out = np.empty(base.shape)
    _kernels("exponentials").write_powers(base.reshape(-1), exponent.reshape(-1), out.reshape(-1))
    return out


def raised(base: ArrayLike, power: float) -> Doubles:
    """Return numbers from 0 up to one power: a hundred times faster than `powers`, to some units in the last place."""
    numbers = _rows(base)
    if power == 1:
        return numbers.copy()
    out = np.empty_like(numbers)
    _kernels("exponentials").write_raised(numbers.reshape(-1), float(power), out.reshape(-1))
    return out


def products(left: Doubles, right: Doubles) -> Doubles:
    """Return the products of the matrices of two stacks, or of two matrices, or of matrices with vectors."""
    if right.ndim < left.ndim:
        return np.asarray(products(left, right[..., None])[..., 0])
    if left.ndim == 2:
        return np.asarray(products(left[None], right[None])[0])
    out = np.zeros((len(left), left.shape[1], right.shape[2]))
    _kernels("ordered_products").add_products(_rows(left), _rows(right), out)
    return out


def squared_distances_between(X: Doubles, centres: Doubles) -> Doubles:
    """Return the squared distances of all records to all centres, summed over the columns of the centres in order."""
    out = np.empty((len(X), len(centres)))
    _kernels("ordered_products").write_squared_distances(_rows(X), _rows(centres.T), out)
    return out


def weighted_sums(weights: Doubles, rows: Doubles, factors: Doubles | None = None) -> Doubles:
    """Return weights' (factors * rows): for every column of the weights the weighted sum of the rows."""
    out = np.zeros((rows.shape[1], weights.shape[1]))
    used = np.ones(len(rows)) if factors is None else _rows(factors)
    _kernels("ordered_products").add_weighted(_rows(weights), used, _rows(rows), out)
    return out.T


def squares(weights: Doubles) -> Doubles:
    """Return weights' weights: the sums of products of every two columns."""
    out = np.zeros((weights.shape[1], weights.shape[1]))
    _kernels("ordered_products").add_squares(_rows(weights), out)
    return np.triu(out) + np.triu(out, 1).T


def row_totals(matrix: Doubles) -> Doubles:
    """Return the sum of every row."""
    out = np.empty(len(matrix))
    _kernels("ordered_products").write_row_totals(_rows(matrix), out)
    return out


def triangles(V: Doubles, *, columns: int | None = None) -> tuple[Doubles, Doubles]:
    """Return orthonormal columns Q and triangles R with V = Q R, for every matrix of a stack.

    Parameters
    ----------
    V
        b x s x L.
    columns
        How many columns of Q are wanted, up to s; by default the lesser of s and L.
    """
    b, s, width = V.shape
    least = min(s, width)
    work = np.array(V, dtype=np.float64, order="C")
    bases = np.empty((b, s, least if columns is None else columns))
    _kernels("decompositions").write_triangles(work, bases)
    return bases, np.triu(work[:, :least])


def singular(V: Doubles, *, full: bool = False) -> tuple[Doubles, Doubles, Doubles]:
    """Return left vectors, singular values and right vectors of every matrix of a stack, the largest values first.

    Parameters
    ----------
    V
        b x s x L.
    full
        Whether there are s left vectors even where L is less.

    Returns
    -------
    left, sizes, right
        b x s x r (or s), b x r and b x r x L, with r the lesser of s and L. All left vectors are orthonormal; the
        right ones of a value of zero are zero.
    """
    b, s, width = V.shape
    least = min(s, width)
    basis, rows = triangles(V, columns=s if full else width) if s > width else (None, V)
    rows = np.array(rows, dtype=np.float64, order="C")
    turns = np.tile(np.eye(least), (b, 1, 1))
    _kernels("decompositions").make_rows_orthogonal(rows, turns)
    sizes = np.sqrt(np.square(rows).sum(axis=2))
    order = np.argsort(-sizes, axis=1, kind="stable")
    sizes = np.take_along_axis(sizes, order, axis=1)
    rows = np.take_along_axis(rows, order[:, :, None], axis=1)
    left = np.take_along_axis(turns, order[:, :, None], axis=1).transpose(0, 2, 1)
    if basis is not None:
        left = np.concatenate([products(basis[:, :, :width], left), basis[:, :, width:]], axis=2)
    right = np.divide(rows, sizes[:, :, None], out=np.zeros_like(rows), where=sizes[:, :, None] > 0)
    return left, sizes, right


def pseudo_inverse(A: Doubles, rank: float) -> Doubles:
    """Return the pseudo-inverse of every matrix of a stack, or of a matrix.

    Singular values of no more than `rank` times the largest count as zero.
    """
    if A.ndim == 2:
        return np.asarray(pseudo_inverse(A[None], rank)[0])
    left, sizes, right = singular(A)
    counts = sizes > rank * sizes.max(axis=1, initial=0.0)[:, None]
    inverted = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=counts)
    return products(right.transpose(0, 2, 1) * inverted[:, None, :], left.transpose(0, 2, 1))


def non_negative_least_squares(A: Doubles, goal: Doubles) -> tuple[Doubles, float]:
    """Return the x >= 0 with the least |A x - goal|, and that length; where none is found, zeros and 0."""
    x = np.zeros(A.shape[1])
    if not _kernels("decompositions").write_non_negative(_rows(A), _rows(goal), 30 * A.shape[1], x):
        return np.zeros_like(x), 0.0
    return x, float(np.sqrt(np.square(products(A, x) - goal).sum()))


def _rows(array: ArrayLike) -> Doubles:
    """Return the array as kernels take it; for one that is read-only they would be compiled once more."""
    rows = np.ascontiguousarray(array, dtype=np.float64)
    return rows if rows.flags.writeable else rows.copy()


def _kernels(name: str) -> Any:
    """Return a module of compiled code; that takes a while the first time, and many runs need none."""
    return import_module(f"shoal.partition.kernels.{name}")
