"""Kernels that put numbers into order by the bits they are stored as, equal ones in the order of their rows.

A sort that goes through all the numbers once for every few of their bits, the lowest first, keeps equal ones in their
order by itself and takes a time that hardly depends on what the numbers are. Numbers that rise or fall all the way need
no sort.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel

DIGIT_BITS = 11
DIGITS = 6  # that many times 11 bits are all 64
BUCKETS = 1 << DIGIT_BITS

_SIGN = np.uint64(1 << 63)
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_MASK = np.uint64(BUCKETS - 1)


@inner_kernel
def _digit(key: Scalar, digit: Scalar) -> Scalar:
    return np.int64((key >> np.uint64(digit * DIGIT_BITS)) & _MASK)


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
def count_digits(bits: Integers, keys: Integers, rows: Integers, counts: Integers) -> None:
    """Write keys that are ordered as whole numbers the way the doubles are, and count every value of every digit.

    `bits` are finite doubles, seen as whole numbers without a sign.
    """
    for row in range(bits.shape[0]):
        key = bits[row]
        if key == _SIGN:  # minus zero
            key = np.uint64(0)
        key ^= _ALL if key & _SIGN else _SIGN  # of two negative numbers the one with larger bits is the smaller
        keys[row] = key
        rows[row] = row
        for digit in range(DIGITS):
            counts[digit, _digit(key, digit)] += 1


@kernel
def order_by_digit(
    digit: Scalar, counts: Integers, keys: Integers, rows: Integers, new_keys: Integers, new_rows: Integers
) -> None:
    """Put keys and their rows into the order of one digit; those with the same digit stay in the order they are in."""
    place = np.empty(BUCKETS, np.int64)
    total = 0
    for value in range(BUCKETS):
        place[value] = total
        total += counts[digit, value]
    for i in range(keys.shape[0]):
        value = _digit(keys[i], digit)
        new_keys[place[value]] = keys[i]
        new_rows[place[value]] = rows[i]
        place[value] += 1


@kernel
def write_values(keys: Integers, bits: Integers) -> None:
    """Write the bits of the doubles that keys stand for."""
    for i in range(keys.shape[0]):
        bits[i] = keys[i] ^ (_SIGN if keys[i] & _SIGN else _ALL)
