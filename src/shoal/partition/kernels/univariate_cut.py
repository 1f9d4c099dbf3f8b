"""Kernels that cut sorted values into groups of k to 2k-1 neighbours, with the least squared errors, in linear time.

The best partition of the first j values is the best of the first i and one group of the rest, with k to 2k-1 values.
k values of j one after the other, a block, need only those i that are before the block. Let the block begin after
value B. It is a matrix: `row` r is j = B + 1 + r, `column` c is i = B - 2k + 2 + c, and a row has the columns r to
r + k - 1. The best column never moves left from one row to the next (squared errors of groups of sorted values satisfy
the quadrangle inequality), nor from one block to the next. So the best column of a row is between those of the rows
around it, and the rows are halved: the one in the middle first. All columns in between are looked at, several at a
time, as processors can. Halving takes log k looks a row; so that time is linear whatever k is, every `coarse`-th row,
where there are that many, comes first, by the algorithm of Aggarwal, Klawe, Moran, Shor and Wilber (1987, Algorithmica
2), known as SMAWK, which takes longer than twenty halvings.

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


@kernel
def extend_best_cuts(
    path: Doubles, k: Scalar, least: Doubles, group_size: Integers, start: Scalar, stop: Scalar
) -> None:
    """Fill in the best last group of the first `start` + 1 to `stop` records of a path.

    ``least[j]`` is the least sum of squared errors of the first j records in groups of k to 2k-1 neighbours
    (infinite if they cannot be cut so) and ``group_size[j]`` the size of the last of these groups; of equally good
    ones the largest. ``least[0]`` is zero.

    The squared errors of a group are updated as it grows backwards from its last record, by the distance of the new
    record to the mean so far. Differences of running totals would take as long and lose every digit of the groups
    of a long file. All is measured from the last record, so that values far from zero, which leave few digits for
    the mean, keep theirs for what tells them apart.
    """
    d = path.shape[1]
    mean = np.empty(d)  # less the last record
    for j in range(start + 1, stop + 1):
        least[j] = np.inf
        group_size[j] = 0
        errors = 0.0
        mean[:] = 0.0
        for size in range(1, min(j, 2 * k - 1) + 1):
            share = 1.0 / size
            for column in range(d):
                value = path[j - size, column] - path[j - 1, column]
                difference = value - mean[column]
                mean[column] += difference * share
                errors += difference * (value - mean[column])
            if size >= k and least[j - size] < np.inf and least[j - size] + errors <= least[j]:
                least[j] = least[j - size] + errors
                group_size[j] = size


@kernel
def label_along_path(group_size: Integers, order: Integers, labels: Integers) -> None:
    """Number the groups along the path and write the label of every record; `order` gives the records in it."""
    groups = 0
    j = order.shape[0]
    while j > 0:
        j -= group_size[j]
        groups += 1
    j = order.shape[0]
    while j > 0:
        groups -= 1
        for i in range(j - group_size[j], j):
            labels[order[i]] = groups
        j -= group_size[j]


@inner_kernel
def two_sum(a: Scalar, b: Scalar) -> Scalar:
    """Return the sum rounded, and what rounding lost."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@intrinsic
def times_plus(typing_context, a, b, c):  # type: ignore[no-untyped-def]
    """Return a * b + c, rounded once: the same on every processor, those without such an instruction too."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@inner_kernel
def two_square(a: Scalar) -> Scalar:
    """Return the square rounded, and what rounding lost."""
    square = a * a
    return square, times_plus(a, a, -square)


@inner_kernel
def add_parts(high: Scalar, low: Scalar, other_high: Scalar, other_low: Scalar) -> Scalar:
    """Return the sum of two numbers with high and low parts."""
    total, lost = two_sum(high, other_high)
    lost += low + other_low
    high = total + lost
    return high, lost - (high - total)


@inner_kernel
def squared_sum_part(high: Scalar, low: Scalar, size: Scalar) -> Scalar:
    """Return the square of a sum divided by the number of values."""
    square, rest = two_square(high)
    rest += 2.0 * high * low
    part = square / size
    return part, (times_plus(-part, size, square) + rest) / size


@inner_kernel
def sum_from(value: Scalar, zero: Scalar, sums: Scalar) -> Scalar:
    """Add the distance of a value from `zero` to a sum and its square to a sum of squares."""
    s_high, s_low, q_high, q_low = sums
    value, lost = two_sum(value, -zero)
    square, rest = two_square(value)
    rest += 2.0 * value * lost
    s_high, more = two_sum(s_high, value)
    s_low += more + lost
    q_high, more = two_sum(q_high, square)
    q_low += more + rest
    return s_high, s_low, q_high, q_low


BUCKETS = 1 << 16
_DIGIT_BITS = 11
_DIGITS = 6  # that many times 11 bits are all 64
_VALUES = 1 << _DIGIT_BITS
_SIGN = np.uint64(1 << 63)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@inner_kernel
def _key(bits: Scalar) -> Scalar:
    """Return a whole number that is ordered the way the doubles are."""
    if bits == _SIGN:  # minus zero
        bits = np.uint64(0)
    return bits ^ (_ALL if bits & _SIGN else _SIGN)  # of two negative numbers the one with larger bits is the smaller


@inner_kernel
def _bucket(key: Scalar, least: Scalar, shift: Scalar) -> Scalar:
    return np.int64((key - least) >> shift)


@inner_kernel
def _digit(key: Scalar, digit: Scalar) -> Scalar:
    return np.int64((key >> np.uint64(digit * _DIGIT_BITS)) & np.uint64(_VALUES - 1))


@kernel
def direction(values: Doubles) -> int:
    """Return 1 if no number is below the one before it, -1 if none is above, and 0 if some are and some are not."""
    rises, falls = True, True
    for i in range(1, values.shape[0]):
        rises &= values[i - 1] <= values[i]
        falls &= values[i - 1] >= values[i]
        if not (rises or falls):
            return 0
    return 1 if rises else -1


@kernel
def order_backwards(values: Doubles, rows: Integers) -> None:
    """Write the order of numbers that fall all the way; equal ones stay in the order of their rows."""
    n = values.shape[0]
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and values[end] == values[begin]:
            end += 1
        for row in range(begin, end):
            rows[n - end + row - begin] = row
        begin = end


@kernel
def count_buckets(bits: Integers, counts: Integers) -> tuple[Scalar, Scalar]:
    """Count the numbers in each of `BUCKETS` equal ranges of keys, in rising order.

    `bits` are finite doubles, seen as whole numbers without a sign. Returns what `deal` needs to find the range again:
    the least key, and how many of its lower bits do not matter.
    """
    least = greatest = _key(bits[0])
    for row in range(bits.shape[0]):
        key = _key(bits[row])
        least = min(least, key)
        greatest = max(greatest, key)
    shift = np.uint64(0)
    while (greatest - least) >> shift >= np.uint64(BUCKETS):
        shift += np.uint64(1)
    for row in range(bits.shape[0]):
        counts[_bucket(_key(bits[row]), least, shift)] += 1
    return least, shift


@kernel
def deal(
    bits: Integers, least: Scalar, shift: Scalar, part_of: Integers, place: Integers, keys: Integers, rows: Integers
) -> None:
    """Write the keys and their rows part by part; `part_of` a bucket begins at its `place`."""
    for row in range(bits.shape[0]):
        key = _key(bits[row])
        part = part_of[_bucket(key, least, shift)]
        keys[place[part]] = key
        rows[place[part]] = row
        place[part] += 1


@kernel
def order_part(keys: Integers, rows: Integers, spare_keys: Integers, spare_rows: Integers) -> None:
    """Put the keys of a part and their rows into order, and write the bits of the doubles that the keys stand for."""
    n = keys.shape[0]
    counts = np.zeros((_DIGITS, _VALUES), rows.dtype)
    for i in range(n):
        for digit in range(_DIGITS):
            counts[digit, _digit(keys[i], digit)] += 1
    from_keys, from_rows, to_keys, to_rows = keys, rows, spare_keys, spare_rows
    for digit in range(_DIGITS):
        place = counts[digit]
        if place.max() == n:
            continue
        total = 0
        for value in range(_VALUES):
            count = place[value]
            place[value] = total
            total += count
        for i in range(n):
            value = _digit(from_keys[i], digit)
            to_keys[place[value]] = from_keys[i]
            to_rows[place[value]] = from_rows[i]
            place[value] += 1
        from_keys, from_rows, to_keys, to_rows = to_keys, to_rows, from_keys, from_rows
    for i in range(n):
        rows[i] = from_rows[i]
        keys[i] = from_keys[i] ^ (_SIGN if from_keys[i] & _SIGN else _ALL)


_DOUBT = 2.0**-48  # sixteen times the rounding of a double: what the high parts can be wrong by
_EQUAL = 2.0**-80  # what both parts together can be wrong by, and differences that count as none
_FEW = 8  # columns that are looked at one after the other

# What is known of a column, i, and of a row, j. `_LOW` is what the number before it lost in rounding.
LEAST, LEAST_LOW = 0, 1  # of i: the least squared errors of the first i values

UPPER, UPPER_LOW = 2, 3  # of i: the same and the squares of the values from there to the block

SUM, SUM_LOW = 4, 5  # of i: these values; of j: the values from the beginning of the block

SQUARES, SQUARES_LOW = 2, 3  # of j: their squares

SCALE = 6  # of i: the numbers that the least squared errors were computed from; zero if they are zero themselves
SHARE = 0  # not of j: the part that a value is of the mean of a group from the first, second, ... column of any row
ENTRY = 7  # not of i: the entries of a row that are looked at together
FACTS = 8


@intrinsic
def _lesser(typing_context, a, b):  # type: ignore[no-untyped-def]
    """Return the lesser of two numbers, of which neither is "not a number": so loops may take them in any order."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flags = ("nnan", "nsz")
        return builder.select(builder.fcmp_ordered("<", *arguments, flags=flags), *arguments, flags=flags)

    return types.float64(types.float64, types.float64), generate


@inner_kernel
def _facts(of: Doubles, place: Scalar) -> Scalar:
    """Return what is known of a column or a row; the least squared errors of a column apart."""
    return of[UPPER, place], of[UPPER_LOW, place], of[SUM, place], of[SUM_LOW, place]


@inner_kernel
def _entry(row: Scalar, column: Scalar, size: Scalar) -> Scalar:
    """Return an entry of the matrix with all its digits, less the squares of the row."""
    high, low = add_parts(row[2], row[3], column[2], column[3])
    high, low = squared_sum_part(high, low, size)
    return add_parts(column[0], column[1], -high, -low)


@inner_kernel
def _look_at(columns: Doubles, of_row: Scalar, most: Scalar, column: Scalar) -> Scalar:
    """Return the entry of a row by the high parts alone, less the squares of the row, and what it is made of.

    `most` is how many values a group of the row and column 0 has.
    """
    of_column = _facts(columns, column)
    size = most - column
    total = of_row[2] + of_column[2]
    return of_column[0] - total * total / size, of_column, size


@inner_kernel
def _is_less(of_row: Scalar, entry: Scalar, other: Scalar) -> Scalar:
    """Whether an entry of a row is less than another one, both as `_look_at` returns them."""
    high, column, size = entry
    other_high, other_column, other_size = other
    difference = other_high - high
    scale = column[0] + other_column[0] + 2.0 * of_row[0]
    less = difference > 0.0
    if abs(difference) <= _DOUBT * scale and scale > 0.0:
        high, low = _entry(of_row, column, size)
        other_high, other_low = _entry(of_row, other_column, other_size)
        difference, _ = add_parts(other_high, other_low, -high, -low)
        less = difference > _EQUAL * scale
    return less


@inner_kernel
def _is_better(columns: Doubles, rows: Doubles, row: Scalar, column: Scalar, other: Scalar) -> Scalar:
    """Whether a column is better in a row than another one left of it; if both are as good it is not.

    Without a branch: in functions with arrays and branches numba counts references, which takes longer than this.
    """
    most = 2.0 * rows.shape[1] - 1.0 + row
    of_row = _facts(rows, row)
    less = _is_less(of_row, _look_at(columns, of_row, most, column), _look_at(columns, of_row, most, other))
    return (other < row) | ((column < row + rows.shape[1]) & less)


@inner_kernel
def _sum_block(values: Doubles, start: Scalar, count: Scalar, first: Scalar, columns: Doubles, rows: Doubles) -> None:
    """Sum the part of every group before the block, and the part in it."""
    zero = values[start]
    last = columns.shape[1] - 1
    sums = (0.0, 0.0, 0.0, 0.0)
    for column in range(last, first - 1, -1):
        if column < last:
            sums = sum_from(values[start - last + column], zero, sums)
        columns[SUM, column], columns[SUM_LOW, column] = sums[0], sums[1]
        columns[UPPER, column], columns[UPPER_LOW, column] = add_parts(
            columns[LEAST, column], columns[LEAST_LOW, column], sums[2], sums[3]
        )
    sums = (0.0, 0.0, 0.0, 0.0)
    for row in range(count):
        sums = sum_from(values[start + row], zero, sums)
        rows[SUM, row], rows[SUM_LOW, row] = sums[0], sums[1]
        rows[SQUARES, row], rows[SQUARES_LOW, row] = sums[2], sums[3]


@inner_kernel
def _possible(columns: Doubles, rows: Doubles, row: Scalar, least: Scalar, last: Scalar) -> Scalar:
    """Return the first and the last column from `least` to `last` that may be the best, by the high parts of all.

    In these loops the processor takes several columns at a time.
    """
    of_row = rows[SUM, row]
    uppers, sums = columns[UPPER, least : last + 1], columns[SUM, least : last + 1]
    shares, entries = rows[SHARE, least - row : last + 1 - row], columns[ENTRY]
    bound = np.inf
    for i in range(last + 1 - least):
        total = of_row + sums[i]
        entries[i] = uppers[i] - total * total * shares[i]
        bound = _lesser(entries[i] + _DOUBT * uppers[i], bound)
    bound += 2.0 * _DOUBT * rows[SQUARES, row]
    first, end = last - least, 0
    for i in range(last + 1 - least):
        is_possible = entries[i] - _DOUBT * uppers[i] <= bound
        first = min(first, i if is_possible else last - least)
        end = max(end, i if is_possible else 0)
    return least + first, least + end


@inner_kernel
def _best_between(columns: Doubles, rows: Doubles, row: Scalar, least: Scalar, last: Scalar) -> Scalar:
    """Return the best column of a row from `least` to `last`, by looking at all."""
    if last - least >= _FEW:
        least, last = _possible(columns, rows, row, least, last)
    most = 2.0 * rows.shape[1] - 1.0 + row
    of_row = _facts(rows, row)
    least_entry = _look_at(columns, of_row, most, least)
    for column in range(least + 1, last + 1):
        entry = _look_at(columns, of_row, most, column)
        if _is_less(of_row, entry, least_entry):
            least, least_entry = column, entry
    return least


@inner_kernel
def _smawk(
    columns: Doubles,
    rows: Doubles,
    count: Scalar,
    first: Scalar,
    coarse: Scalar,
    best: Integers,
    kept: Integers,
    begins: Integers,
) -> None:
    """Find the best column of rows `coarse` - 1, 2 `coarse` - 1, 3 `coarse` - 1, ...

    Going down, every second row is left out, and so are columns that are best in none of the rows that are left: with
    s = `coarse` 2^l, level l has the rows s - 1, 2 s - 1, 3 s - 1, ... and at most as many columns, which stand in
    `kept` from ``begins[l]``. Coming up, the best column of a row that was left out is between those of the rows around
    it.
    """
    k = rows.shape[1]
    level = 0
    step = coarse
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
            while place + 1 < end and kept[place] < row:
                place += 1
            most = 2.0 * k - 1.0 + row
            of_row = _facts(rows, row)
            least = kept[place]
            least_entry = _look_at(columns, of_row, most, least)
            while place + 1 < end and kept[place + 1] <= min(last, row + k - 1):
                place += 1
                entry = _look_at(columns, of_row, most, kept[place])
                if _is_less(of_row, entry, least_entry):
                    least, least_entry = kept[place], entry
            best[row] = least
            while place + 1 < end and kept[place] < last:
                place += 1


@inner_kernel
def _halve(
    columns: Doubles,
    rows: Doubles,
    count: Scalar,
    first: Scalar,
    coarse: Scalar,
    best: Integers,
) -> None:
    """Find the best column of all rows but those that `_smawk` has done."""
    k = rows.shape[1]
    step = coarse
    while step > 1:
        step //= 2
        for row in range(step - 1, count, 2 * step):
            least = max(best[row - step] if row >= step else first, row)
            last = min(best[row + step] if row + step < count else count + k, row + k - 1)
            best[row] = _best_between(columns, rows, row, least, last)


@inner_kernel
def _measure_from_least(columns: Doubles, first: Scalar, stop: Scalar) -> None:
    """Take the least of the least squared errors away from all; differences that count as none become zero."""
    place = first
    for column in range(first + 1, stop):
        if columns[LEAST, column] < columns[LEAST, place]:
            place = column
    zero, zero_low, scale = columns[LEAST, place], columns[LEAST_LOW, place], columns[SCALE, place]
    columns[SCALE, place] = 0.0
    for column in range(first, stop):
        high, low = add_parts(columns[LEAST, column], columns[LEAST_LOW, column], -zero, -zero_low)
        differs = high > _EQUAL * (scale + columns[SCALE, column])
        columns[LEAST, column] = high if differs else 0.0
        columns[LEAST_LOW, column] = low if differs else 0.0


@inner_kernel
def _move_on(columns: Doubles, rows: Doubles, count: Scalar, best: Integers) -> None:
    """Make the rows the last columns of the next block. What is left of the last row's best column is not needed."""
    k = rows.shape[1]
    for column in range(k - 1):
        columns[LEAST, column] = columns[LEAST, column + k]
        columns[LEAST_LOW, column] = columns[LEAST_LOW, column + k]
        columns[SCALE, column] = columns[SCALE, column + k]
    for row in range(count):
        column = k - 1 + row
        high, low = _entry(_facts(rows, row), _facts(columns, best[row]), 2.0 * k - 1.0 + row - best[row])
        columns[LEAST, column], columns[LEAST_LOW, column] = add_parts(
            high, low, rows[SQUARES, row], rows[SQUARES_LOW, row]
        )
        columns[SCALE, column] = columns[UPPER, best[row]] + rows[SQUARES, row]
    _measure_from_least(columns, max(best[count - 1] - k, 0), k - 1 + count)


@inner_kernel
def _is_level(columns: Doubles) -> Scalar:
    """Whether all least squared errors are equal, and exactly so."""
    is_level = True
    for column in range(columns.shape[1]):
        is_level &= (columns[LEAST, column] == 0.0) & (columns[SCALE, column] == 0.0)
    return is_level


@kernel
def begin_sorted_cuts(values: Doubles, columns: Doubles, group_size: Integers) -> None:
    """Take up to 2k-1 of the first values as one group: the columns of the first block."""
    sums = (0.0, 0.0, 0.0, 0.0)
    for i in range(columns.shape[1]):
        sums = sum_from(values[i], values[0], sums)
        high, low = squared_sum_part(sums[0], sums[1], i + 1.0)
        columns[LEAST, i], columns[LEAST_LOW, i] = add_parts(sums[2], sums[3], -high, -low)
        columns[SCALE, i] = sums[2]
        group_size[i + 1] = i + 1
    _measure_from_least(columns, columns.shape[1] // 2, columns.shape[1])  # fewer than k are none


@kernel
def extend_sorted_cuts(
    values: Doubles,
    columns: Doubles,
    rows: Doubles,
    group_size: Integers,
    start: Scalar,
    stop: Scalar,
    coarse: Scalar,
) -> None:
    """Fill in the size of the last group of the best partition of the first values, one block after the other.

    Parameters
    ----------
    values
        The sorted values, with exponents that allow their squares to be summed.
    columns
        FACTS x 2k-1, with the least squared errors of the first `start` - 2k + 2 to `start` values.
    rows
        FACTS x k, to work in.
    group_size
        For every number of values the size of the last group; of equally good ones the largest.
    start, stop
        How many values have been considered (2k-1 and a multiple of k), and how many are to be (the same, or all).
    coarse
        The step, a power of two, from one to the next of the rows that SMAWK is used for; the groups are the same.
    """
    k = rows.shape[1]
    best = np.empty(k, np.int64)
    kept = np.empty(2 * k, np.int64)
    begins = np.empty(65, np.int64)
    rows[SHARE] = 1.0 / (2.0 * k - 1.0 - np.arange(k))
    is_level = False
    while start < stop:
        count = min(k, stop - start)
        # Fewer than k values cannot be cut, and the best column of the row before is where those of the block begin.
        first = k - 1 if start == 2 * k - 1 else max(2 * k - 2 - group_size[start], 0)
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
        if k <= _FEW:
            least = first
            for row in range(count):
                least = best[row] = _best_between(columns, rows, row, max(least, row), row + k - 1)
        else:
            _smawk(columns, rows, count, first, coarse, best, kept, begins)
            _halve(columns, rows, count, first, coarse, best)
        for row in range(count):
            group_size[start + 1 + row] = 2 * k - 1 + row - best[row]
        _move_on(columns, rows, count, best)
        start += count
