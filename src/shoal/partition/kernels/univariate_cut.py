"""Kernels that cut sorted values into groups of k to 2k-1 neighbours, with the least squared errors, in linear time.

The best partition of the first j values is the best of the first i and one group of the rest, with k to 2k-1 values.
k values of j one after the other, a block, need only those i that are before the block. Let the block begin after
value B. It is a matrix: `row` r is j = B + 1 + r, `column` c is i = B - 2k + 2 + c, and a row has the columns r to
r + k - 1. The best column never moves left from one row to the next (squared errors of groups of sorted values satisfy
the quadrangle inequality), so the best columns of all rows are found by looking at a few entries a row: mostly those
right of the best one of the row above, which are few, and where they are not by the algorithm of Aggarwal, Klawe,
Moran, Shor and Wilber (1987, Algorithmica 2), known as SMAWK.

Every group of a block contains the first value of the block. All is measured from this value: the squared errors
of a group are Q - S S / m, with the sum S and the sum of squares Q of its m values, which are sums over the part before
the block (one for every column) and the part in it (one for every row). As one of the values is zero, Q is at most
2m times the squared errors: few digits are lost, however far from zero the values were. The sums, and so the least
squared errors, have twice the digits of a double, as a high and a low part. The high parts decide where that is beyond
doubt, which is nearly always, and both parts where it is not.

Of all least squared errors the least of a block is taken away, so that a group with an outlier, which every
partition has, does not take the digits of the groups that follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, intrinsic, kernel

_DOUBT = 2.0**-48  # sixteen times the rounding of a double: what the high parts can be wrong by
_EQUAL = 2.0**-80  # what both parts together can be wrong by, and differences that count as none
_REST = 15  # blocks after one with too many entries to look at, in which SMAWK is used at once

# What is known of a column, i, and of a row, j. `_LOW` is what the number before it lost in rounding.
LEAST, LEAST_LOW = 0, 1  # of i: the least squared errors of the first i values
UPPER, UPPER_LOW = 2, 3  # of i: the same and the squares of the values from there to the block
SUM, SUM_LOW = 4, 5  # of i: these values; of j: the values from the beginning of the block
SQUARES, SQUARES_LOW = 2, 3  # of j: their squares
SCALE = 6  # of i: the numbers that the least squared errors were computed from; zero if they are zero themselves
FACTS = 8  # as many as the cache loads at a time


@inner_kernel
def _two_sum(a: Scalar, b: Scalar) -> Scalar:
    """Return the sum rounded, and what rounding lost."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@intrinsic
def _times_plus(typing_context, a, b, c):  # type: ignore[no-untyped-def]
    """Return a * b + c, rounded once: the same on every processor, those without such an instruction too."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@inner_kernel
def _two_square(a: Scalar) -> Scalar:
    """Return the square rounded, and what rounding lost."""
    square = a * a
    return square, _times_plus(a, a, -square)


@inner_kernel
def _add(high: Scalar, low: Scalar, other_high: Scalar, other_low: Scalar) -> Scalar:
    """Return the sum of two numbers with high and low parts."""
    total, lost = _two_sum(high, other_high)
    lost += low + other_low
    high = total + lost
    return high, lost - (high - total)


@inner_kernel
def _squared_sum_part(high: Scalar, low: Scalar, size: Scalar) -> Scalar:
    """Return the square of a sum divided by the number of values."""
    square, rest = _two_square(high)
    rest += 2.0 * high * low
    part = square / size
    return part, (_times_plus(-part, size, square) + rest) / size


@inner_kernel
def _sum_from(value: Scalar, zero: Scalar, sums: Scalar) -> Scalar:
    """Add the distance of a value from `zero` to a sum and its square to a sum of squares."""
    s_high, s_low, q_high, q_low = sums
    value, lost = _two_sum(value, -zero)
    square, rest = _two_square(value)
    rest += 2.0 * value * lost
    s_high, more = _two_sum(s_high, value)
    s_low += more + lost
    q_high, more = _two_sum(q_high, square)
    q_low += more + rest
    return s_high, s_low, q_high, q_low


@inner_kernel
def _facts(of: Doubles, place: Scalar) -> Scalar:
    """Return what is known of a column or a row; the least squared errors of a column apart."""
    return of[place, UPPER], of[place, UPPER_LOW], of[place, SUM], of[place, SUM_LOW]


@inner_kernel
def _entry(row: Scalar, column: Scalar, size: Scalar) -> Scalar:
    """Return an entry of the matrix with all its digits, less the squares of the row."""
    high, low = _add(row[2], row[3], column[2], column[3])
    high, low = _squared_sum_part(high, low, size)
    return _add(column[0], column[1], -high, -low)


@inner_kernel
def _is_less(row: Scalar, column: Scalar, size: Scalar, other: Scalar, other_size: Scalar) -> Scalar:
    """Whether an entry of a row is less than another one, by what is known of the row and both columns."""
    total = row[2] + column[2]
    other_total = row[2] + other[2]
    difference = (other[0] - other_total * other_total / other_size) - (column[0] - total * total / size)
    scale = column[0] + other[0] + 2.0 * row[0]
    less = difference > 0.0
    if abs(difference) <= _DOUBT * scale and scale > 0.0:
        high, low = _entry(row, column, size)
        other_high, other_low = _entry(row, other, other_size)
        difference, _ = _add(other_high, other_low, -high, -low)
        less = difference > _EQUAL * scale
    return less


@inner_kernel
def _is_better(columns: Doubles, rows: Doubles, row: Scalar, column: Scalar, other: Scalar) -> Scalar:
    """Whether a column is better in a row than another one left of it; if both are as good it is not.

    Without a branch: in functions with arrays and branches numba counts references, which takes longer than this.
    """
    most = 2.0 * rows.shape[0] - 1.0 + row
    less = _is_less(_facts(rows, row), _facts(columns, column), most - column, _facts(columns, other), most - other)
    return (other < row) | ((column < row + rows.shape[0]) & less)


@inner_kernel
def _sum_block(values: Doubles, start: Scalar, count: Scalar, first: Scalar, columns: Doubles, rows: Doubles) -> None:
    """Sum the part of every group before the block, and the part in it."""
    zero = values[start]
    last = columns.shape[0] - 1
    sums = (0.0, 0.0, 0.0, 0.0)
    for column in range(last, first - 1, -1):
        if column < last:
            sums = _sum_from(values[start - last + column], zero, sums)
        columns[column, SUM], columns[column, SUM_LOW] = sums[0], sums[1]
        columns[column, UPPER], columns[column, UPPER_LOW] = _add(
            columns[column, LEAST], columns[column, LEAST_LOW], sums[2], sums[3]
        )
    sums = (0.0, 0.0, 0.0, 0.0)
    for row in range(count):
        sums = _sum_from(values[start + row], zero, sums)
        rows[row, SUM], rows[row, SUM_LOW] = sums[0], sums[1]
        rows[row, SQUARES], rows[row, SQUARES_LOW] = sums[2], sums[3]


@inner_kernel
def _scan(columns: Doubles, rows: Doubles, count: Scalar, first: Scalar, looks: Scalar, best: Integers) -> Scalar:
    """Find the best column of every row by looking at all from that of the row above, unless these are too many.

    They are few where the best groups have little more than k values, as most have. Returns whether it came to the end.
    """
    least = first
    left = looks * count
    for row in range(count):
        least = max(least, row)
        left -= row + rows.shape[0] - least
        if left < 0:
            break
        for column in range(least + 1, row + rows.shape[0]):
            if _is_better(columns, rows, row, column, least):
                least = column
        best[row] = least
    return left >= 0


@inner_kernel
def _smawk(
    columns: Doubles,
    rows: Doubles,
    count: Scalar,
    first: Scalar,
    best: Integers,
    kept: Integers,
    begins: Integers,
) -> None:
    """Find the best column of every row.

    Going down, every second row is left out, and so are columns that are best in none of the rows that are left: level
    l has the rows 2^l - 1, 2 2^l - 1, 3 2^l - 1, ... and at most as many columns, which stand in `kept` from
    ``begins[l]``. Coming up, the best column of a row that was left out is between those of the rows around it.
    """
    k = rows.shape[0]
    level = 0
    step = 1
    begins[0] = 0
    while count // step > 0:
        begin = begins[level]
        before = begins[max(level - 1, 0)]
        most = count // step
        size = 0
        for i in range(count + k - 1 - first if level == 0 else begin - before):
            column = first + i if level == 0 else kept[before + i]
            while size > 0 and _is_better(columns, rows, size * step - 1, column, kept[begin + size - 1]):
                size -= 1
            if size < most:
                kept[begin + size] = column
                size += 1
        level += 1
        begins[level] = begin + size
        step *= 2
    while level > 0:
        level -= 1
        step //= 2
        place = begins[level]
        end = begins[level + 1]
        for row in range(step - 1, count, 2 * step):
            last = best[row + step] if row + step < count else count + k
            least = kept[place]
            while place + 1 < end and kept[place + 1] <= min(last, row + k - 1):
                place += 1
                if _is_better(columns, rows, row, kept[place], least):
                    least = kept[place]
            best[row] = least
            while place + 1 < end and kept[place] < last:
                place += 1


@inner_kernel
def _measure_from_least(columns: Doubles, first: Scalar, stop: Scalar) -> None:
    """Take the least of the least squared errors away from all; differences that count as none become zero."""
    place = first
    for column in range(first + 1, stop):
        if columns[column, LEAST] < columns[place, LEAST]:
            place = column
    zero, zero_low, scale = columns[place, LEAST], columns[place, LEAST_LOW], columns[place, SCALE]
    columns[place, SCALE] = 0.0
    for column in range(first, stop):
        high, low = _add(columns[column, LEAST], columns[column, LEAST_LOW], -zero, -zero_low)
        differs = high > _EQUAL * (scale + columns[column, SCALE])
        columns[column, LEAST] = high if differs else 0.0
        columns[column, LEAST_LOW] = low if differs else 0.0


@inner_kernel
def _move_on(columns: Doubles, rows: Doubles, count: Scalar, best: Integers) -> None:
    """Make the rows the last columns of the next block."""
    k = rows.shape[0]
    for column in range(k - 1):
        columns[column, LEAST] = columns[column + k, LEAST]
        columns[column, LEAST_LOW] = columns[column + k, LEAST_LOW]
        columns[column, SCALE] = columns[column + k, SCALE]
    for row in range(count):
        column = k - 1 + row
        high, low = _entry(_facts(rows, row), _facts(columns, best[row]), 2.0 * k - 1.0 + row - best[row])
        columns[column, LEAST], columns[column, LEAST_LOW] = _add(high, low, rows[row, SQUARES], rows[row, SQUARES_LOW])
        columns[column, SCALE] = columns[best[row], UPPER] + rows[row, SQUARES]
    _measure_from_least(columns, 0, k - 1 + count)


@inner_kernel
def _is_level(columns: Doubles) -> Scalar:
    """Whether all least squared errors are equal, and exactly so."""
    is_level = True
    for column in range(columns.shape[0]):
        is_level &= (columns[column, LEAST] == 0.0) & (columns[column, SCALE] == 0.0)
    return is_level


@kernel
def begin_sorted_cuts(values: Doubles, columns: Doubles, group_size: Integers) -> None:
    """Take up to 2k-1 of the first values as one group: the columns of the first block."""
    sums = (0.0, 0.0, 0.0, 0.0)
    for i in range(columns.shape[0]):
        sums = _sum_from(values[i], values[0], sums)
        high, low = _squared_sum_part(sums[0], sums[1], i + 1.0)
        columns[i, LEAST], columns[i, LEAST_LOW] = _add(sums[2], sums[3], -high, -low)
        columns[i, SCALE] = sums[2]
        group_size[i + 1] = i + 1
    _measure_from_least(columns, columns.shape[0] // 2, columns.shape[0])  # fewer than k are none


@kernel
def extend_sorted_cuts(
    values: Doubles,
    columns: Doubles,
    rows: Doubles,
    group_size: Integers,
    start: Scalar,
    stop: Scalar,
    looks: Scalar,
) -> None:
    """Fill in the size of the last group of the best partition of the first values, one block after the other.

    Parameters
    ----------
    values
        The sorted values, with exponents that allow their squares to be summed.
    columns
        2k-1 x FACTS, with the least squared errors of the first `start` - 2k + 2 to `start` values.
    rows
        k x FACTS, to work in.
    group_size
        For every number of values the size of the last group; of equally good ones the largest.
    start, stop
        How many values have been considered (2k-1 and a multiple of k), and how many are to be (the same, or all).
    looks
        How many entries of a row may be looked at one after the other, on the average of a block, before SMAWK is used;
        the groups are the same.
    """
    k = rows.shape[0]
    best = np.empty(k, np.int64)
    kept = np.empty(2 * k, np.int64)
    begins = np.empty(65, np.int64)
    is_level = False
    rest = 0
    while start < stop:
        count = min(k, stop - start)
        first = k - 1 if start == 2 * k - 1 else 0  # fewer than k values cannot be cut
        if first == 0 and values[start - 2 * k + 2] == values[start + count - 1]:
            # Values that are all equal: where all columns are as good the first one is taken, and all stay as good.
            is_level = is_level or _is_level(columns)
            if is_level:
                # Twice as many blocks at once, as long as their values are equal too; a whole number of them.
                while start + 2 * count <= stop and values[start] == values[start + 2 * count - 1]:
                    count *= 2
                group_size[start + 1 : start + 1 + count] = 2 * k - 1
                start += count
                continue
        is_level = False
        _sum_block(values, start, count, first, columns, rows)
        if rest > 0 or not _scan(columns, rows, count, first, looks, best):
            _smawk(columns, rows, count, first, best, kept, begins)
            rest = rest - 1 if rest > 0 else _REST
        for row in range(count):
            group_size[start + 1 + row] = 2 * k - 1 + row - best[row]
        _move_on(columns, rows, count, best)
        start += count
