"""Kernels that put numbers into order by the bits they are stored as, equal ones in the order of their rows.

The numbers are dealt into parts, each of which is above the one before and fits in the processor's cache. A sort that
goes through a part once for every few of its bits, the lowest first, keeps equal numbers in their order by itself and
takes a time that hardly depends on what the numbers are. Numbers that rise or fall all the way need no sort.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel

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
