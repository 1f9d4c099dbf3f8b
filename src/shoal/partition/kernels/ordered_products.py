"""Products of matrices and sums of rows, each added up in the order of the rows: the same on every processor.

A library for linear algebra adds up in the order that suits the registers and caches it finds. Here every number of
the result is a sum of its own, taken in order; several of them are worked on at a time, in the lanes of the processor.
"""

from __future__ import annotations

from shoal.partition.kernels.compiled import Doubles, kernel

_TILE = 64  # columns


@kernel
def write_squared_distances(X: Doubles, columns: Doubles, out: Doubles) -> None:
    """Write the squared distances of all records to all centres, whose coordinates are the rows of `columns`.

    Records may have more coordinates than centres; they do not count.
    """
    d, c = columns.shape
    for row in range(X.shape[0]):
        line = out[row]
        first = X[row, 0]
        for i in range(c):
            difference = first - columns[0, i]
            line[i] = difference * difference
        for j in range(1, d):
            value = X[row, j]
            for i in range(c):
                difference = value - columns[j, i]
                line[i] += difference * difference


@kernel
def add_weighted(weights: Doubles, factors: Doubles, rows: Doubles, out: Doubles) -> None:
    """Add (factors * rows)' weights to `out`: what the rows add up to, by column and weight."""
    n, c = weights.shape
    for row in range(0, n - n % 4, 4):
        w0, w1, w2, w3 = weights[row], weights[row + 1], weights[row + 2], weights[row + 3]
        for j in range(rows.shape[1]):
            v0, v1 = rows[row, j] * factors[row], rows[row + 1, j] * factors[row + 1]
            v2, v3 = rows[row + 2, j] * factors[row + 2], rows[row + 3, j] * factors[row + 3]
            line = out[j]
            for i in range(c):
                line[i] = (((line[i] + w0[i] * v0) + w1[i] * v1) + w2[i] * v2) + w3[i] * v3
    for row in range(n - n % 4, n):
        for j in range(rows.shape[1]):
            value = rows[row, j] * factors[row]
            for i in range(c):
                out[j, i] += weights[row, i] * value


@kernel
def write_row_totals(matrix: Doubles, out: Doubles) -> None:
    """Write the sum of every row."""
    n, c = matrix.shape
    for row in range(n):
        a, b, e, f = 0.0, 0.0, 0.0, 0.0  # four sums, for a processor that can take four steps at a time
        for i in range(0, c - c % 4, 4):
            a += matrix[row, i]
            b += matrix[row, i + 1]
            e += matrix[row, i + 2]
            f += matrix[row, i + 3]
        for i in range(c - c % 4, c):
            a += matrix[row, i]
        out[row] = (a + b) + (e + f)


@kernel
def add_products(left: Doubles, right: Doubles, out: Doubles) -> None:
    """Add the products of the matrices of two stacks to `out`."""
    for number in range(left.shape[0]):
        for i in range(left.shape[1]):
            line = out[number, i]
            for inner in range(left.shape[2]):
                value = left[number, i, inner]
                for j in range(right.shape[2]):
                    line[j] += value * right[number, inner, j]


@kernel
def add_squares(weights: Doubles, out: Doubles) -> None:
    """Add weights' weights to the upper triangle of `out`, tile by tile, so that a tile stays in the cache."""
    n, c = weights.shape
    for top in range(0, c, _TILE):
        for left in range(top, c, _TILE):
            for row in range(0, n - n % 4, 4):
                w0, w1, w2, w3 = weights[row], weights[row + 1], weights[row + 2], weights[row + 3]
                for j in range(top, min(top + _TILE, c)):
                    line = out[j]
                    v0, v1, v2, v3 = w0[j], w1[j], w2[j], w3[j]
                    for i in range(max(j, left), min(left + _TILE, c)):
                        line[i] = (((line[i] + w0[i] * v0) + w1[i] * v1) + w2[i] * v2) + w3[i] * v3
            for row in range(n - n % 4, n):
                for j in range(top, min(top + _TILE, c)):
                    for i in range(max(j, left), min(left + _TILE, c)):
                        out[j, i] += weights[row, i] * weights[row, j]
