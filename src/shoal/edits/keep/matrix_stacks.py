"""Linear algebra on stacks of small matrices, one for each point; each comes out the same whatever the others are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products, singular

__all__ = ["RANK", "finite_or_zero", "matrix_products", "pseudo_inverses", "row_lengths"]

Doubles = NDArray[np.float64]

RANK = 1e-10  # directions in which rows of unit length reach less far than this count as zero


def pseudo_inverses(rows: Doubles) -> tuple[Doubles, Doubles]:
    """Return a pseudo-inverse of every matrix of a stack, and a basis of the vectors that the matrix takes to 0.

    Rows are scaled to length 1 before, so that where they contradict each other all count alike. The columns of the
    basis are orthonormal; the others are 0.
    """
    g, m, d = rows.shape
    if m == 0:
        return np.zeros((g, d, 0)), np.broadcast_to(np.eye(d), (g, d, d))
    lengths = row_lengths(rows)
    basis, sizes, others = singular(finite_or_zero(rows / lengths[:, :, None]).transpose(0, 2, 1), full=True)
    counts = sizes > RANK * np.maximum(sizes[:, :1], RANK)
    inverted = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=counts)
    inverse = products(basis[:, :, : sizes.shape[1]] * inverted[:, None, :], others)
    free = basis * (np.arange(d) >= counts.sum(axis=1)[:, None])[:, None, :]
    return inverse / lengths[:, None, :], free


def finite_or_zero(matrices: Doubles) -> Doubles:
    """Return the matrices of a stack, 0 for one that is not finite: it would stop the others from being decomposed."""
    return np.where(np.isfinite(matrices).all(axis=(1, 2), keepdims=True), matrices, 0.0)


def row_lengths(rows: Doubles) -> Doubles:
    """Return the length of every row of a stack of matrices; 1 for a row of zeros, so that it can be divided by."""
    lengths = np.sqrt(np.square(rows).sum(axis=2))
    return np.where(lengths > 0, lengths, 1.0)


def matrix_products(matrices: Doubles, vectors: Doubles) -> Doubles:
    """Return the product of each matrix of a stack with its vector."""
    return products(matrices, vectors)
