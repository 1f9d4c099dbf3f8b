"""Orthogonal decompositions of stacks of matrices, to the last bit the same on every processor.

Triangles come from Householder's reflections; singular values and vectors from Jacobi's rotations, which turn the rows
of a matrix, or of its triangle where it has more rows than columns, until all are orthogonal. Every sum is taken in
order.

References: G. H. Golub and C. F. Van Loan (2013), Matrix Computations, Johns Hopkins, sections 5.2 and 8.6;
C. L. Lawson and R. J. Hanson (1974), Solving Least Squares Problems, Prentice-Hall, chapter 23 (non-negative ones).
"""

from __future__ import annotations

import math

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel

_ORTHOGONAL = 1e-15  # the cosine of two rows at which they are
_MOST_SWEEPS = 60  # over all pairs of rows; six to ten are usual


@inner_kernel
def _reflect(A: Doubles, factors: Doubles, line: Doubles) -> None:
    """Turn a matrix into its triangle; what is below the diagonal, and the factors, hold the reflections."""
    s, columns = A.shape
    for c in range(min(s, columns)):
        square = 0.0
        for row in range(c + 1, s):
            square += A[row, c] * A[row, c]
        factors[c] = 0.0
        if square == 0.0:
            continue
        first = A[c, c]
        length = math.sqrt(first * first + square)
        turned = -length if first >= 0.0 else length
        factors[c] = (turned - first) / turned
        for row in range(c + 1, s):
            A[row, c] /= first - turned
        A[c, c] = turned
        for j in range(c + 1, columns):
            line[j] = A[c, j]
        for row in range(c + 1, s):
            value = A[row, c]
            for j in range(c + 1, columns):
                line[j] += value * A[row, j]
        for j in range(c + 1, columns):
            line[j] *= factors[c]
            A[c, j] -= line[j]
        for row in range(c + 1, s):
            value = A[row, c]
            for j in range(c + 1, columns):
                A[row, j] -= value * line[j]


@inner_kernel
def _unfold(A: Doubles, factors: Doubles, basis: Doubles, line: Doubles) -> None:
    """Write the columns that the reflections make of those of the identity."""
    s, columns = basis.shape
    basis[:] = 0.0
    for i in range(columns):
        basis[i, i] = 1.0
    for c in range(min(s, A.shape[1]) - 1, -1, -1):
        if factors[c] == 0.0:
            continue
        for j in range(c, columns):
            line[j] = basis[c, j]
        for row in range(c + 1, s):
            value = A[row, c]
            for j in range(c, columns):
                line[j] += value * basis[row, j]
        for j in range(c, columns):
            line[j] *= factors[c]
            basis[c, j] -= line[j]
        for row in range(c + 1, s):
            value = A[row, c]
            for j in range(c, columns):
                basis[row, j] -= value * line[j]


@kernel
def write_triangles(V: Doubles, bases: Doubles) -> None:
    """Turn every matrix of a stack into its triangle, and write as many columns of the basis as there is room for."""
    factors, line = np.empty(V.shape[2]), np.empty(max(V.shape[2], bases.shape[2]))
    for number in range(V.shape[0]):
        _reflect(V[number], factors, line)
        if bases.shape[2]:
            _unfold(V[number], factors, bases[number], line)


@inner_kernel
def _turn(one: Doubles, other: Doubles, cosine: Scalar, sine: Scalar) -> None:
    for j in range(one.shape[0]):
        a, b = one[j], other[j]
        one[j] = cosine * a - sine * b
        other[j] = sine * a + cosine * b


@kernel
def make_rows_orthogonal(stack: Doubles, turns: Doubles) -> None:
    """Turn the rows of every matrix until they are orthogonal; the rows of `turns` are turned along."""
    for number in range(stack.shape[0]):
        M, W = stack[number], turns[number]
        s, width = M.shape
        is_done = False
        for _ in range(_MOST_SWEEPS):
            if is_done:
                break
            is_done = True
            for p in range(s - 1):
                for q in range(p + 1, s):
                    a, b, product = 0.0, 0.0, 0.0
                    for j in range(width):
                        a += M[p, j] * M[p, j]
                        b += M[q, j] * M[q, j]
                        product += M[p, j] * M[q, j]
                    if product == 0.0 or abs(product) <= _ORTHOGONAL * (math.sqrt(a) * math.sqrt(b)):
                        continue
                    is_done = False
                    slope = (b - a) / (2.0 * product)
                    tangent = (1.0 if slope >= 0.0 else -1.0) / (abs(slope) + math.sqrt(1.0 + slope * slope))
                    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                    _turn(M[p], M[q], cosine, cosine * tangent)
                    _turn(W[p], W[q], cosine, cosine * tangent)


@inner_kernel
def _solve(A: Doubles, chosen: Integers, count: Scalar, goal: Doubles, solution: Doubles) -> Scalar:
    """Write the least squares solution with the chosen columns; return whether these are independent."""
    s = A.shape[0]
    work = np.empty((s, count + 1))
    for row in range(s):
        for place in range(count):
            work[row, place] = A[row, chosen[place]]
        work[row, count] = goal[row]
    if count > s:
        return False
    _reflect(work, np.empty(count + 1), np.empty(count + 1))
    largest = 0.0
    for place in range(count):
        largest = max(largest, abs(work[place, place]))
    for place in range(count - 1, -1, -1):
        if abs(work[place, place]) <= 1e-14 * largest:
            return False
        total = work[place, count]
        for other in range(place + 1, count):
            total -= work[place, other] * solution[other]
        solution[place] = total / work[place, place]
    return True


@kernel
def write_non_negative(A: Doubles, goal: Doubles, most: Scalar, x: Doubles) -> Scalar:
    """Write the x >= 0 with the least |A x - goal|; return whether it was found within so many steps."""
    s, columns = A.shape
    is_in, is_out = np.zeros(columns, dtype=np.bool_), np.zeros(columns, dtype=np.bool_)  # chosen; tried in vain
    chosen, solution = np.empty(columns, dtype=np.int64), np.empty(columns)
    rest = goal.copy()
    steps = 0
    largest = 0.0
    for j in range(columns):
        total = 0.0
        for row in range(s):
            total += abs(A[row, j] * goal[row])
        largest = max(largest, total)
    while True:
        best, gain = -1, 1e-14 * largest
        for j in range(columns):
            if not is_in[j] and not is_out[j]:
                slope = 0.0
                for row in range(s):
                    slope += A[row, j] * rest[row]
                if slope > gain:
                    best, gain = j, slope
        if best < 0:
            return True
        is_in[best] = True
        is_first = True
        while True:
            steps += 1
            if steps > most:
                return False
            count = 0
            for j in range(columns):
                if is_in[j]:
                    chosen[count] = j
                    count += 1
            if not _solve(A, chosen, count, goal, solution):
                is_in[best], is_out[best] = False, True  # it follows from the others
                break
            share = 1.0
            for place in range(count):
                j = chosen[place]
                if solution[place] <= 0.0:
                    if is_first and j == best:
                        share = -1.0  # by rounding alone it looked useful
                        break
                    share = min(share, x[j] / (x[j] - solution[place]))
            if share < 0.0:
                is_in[best], is_out[best] = False, True
                break
            is_first = False
            is_inside = True
            for place in range(count):
                j = chosen[place]
                is_zero = solution[place] <= 0.0
                x[j] += share * (solution[place] - x[j])
                if is_zero and x[j] <= 1e-15 * abs(solution[place]):
                    is_in[j] = False
                    x[j] = 0.0
                    is_inside = False
            if is_inside:
                is_out[:] = False
                break
        for row in range(s):
            rest[row] = goal[row]
            for j in range(columns):
                if is_in[j]:
                    rest[row] -= A[row, j] * x[j]
