"""Kernels for numbers with a high and a low part, which have twice the digits of a double.

The low part is what the high part lost in rounding.
"""

from __future__ import annotations

from typing import Any

from numba import types

from shoal.partition.kernels.compiled import Scalar, inner_kernel, intrinsic


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
