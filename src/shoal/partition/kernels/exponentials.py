"""Exponentials, logarithms and powers that are the same, to the last bit, on every processor.

Those of NumPy and of the C library are computed in other ways where the processor has wider registers or fuses a
product with a sum, and differ in the last digit. Here there are only additions, multiplications and divisions in a
fixed order. Errors are below one unit in the last place; `power` is almost always the nearest number.

The logarithm is that of fdlibm (Sun Microsystems, 1993); the exponential is a Taylor polynomial on half a binary digit
to each side; a power takes the logarithm with twice the digits (T. J. Dekker (1971), A floating-point technique for
extending the available precision, Numerische Mathematik 18).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from shoal.partition.kernels.compiled import Doubles, Scalar, inner_kernel, intrinsic, kernel

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first has 21 zeros at its end
_LARGEST, _LEAST = 710.8, -746.2  # the powers of these are infinity and zero
_WHOLE = 6755399441055744.0  # 2^52 + 2^51: what is added to it is rounded to a whole number, which its last bits are
_AT_ONCE = 1024  # numbers, which stay in the cache
_SPLITTER = 134217729.0  # 2^27 + 1: halves the digits of a number


@intrinsic
def _bits(typingctx: Any, x: Any) -> Any:
    """Return the bits of a double as an integer."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@intrinsic
def _of_bits(typingctx: Any, x: Any) -> Any:
    """Return the double with these bits."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@inner_kernel
def _scaled(x: Scalar, k: Scalar) -> Scalar:
    """Return x times 2^k, in two steps, so that neither factor is beyond what a double can be."""
    half = k >> 1
    return x * _of_bits((half + 1023) << 52) * _of_bits((k - half + 1023) << 52)


@inner_kernel
def e_to_the(x: Scalar) -> Scalar:
    """Return e to the power x."""
    return _exponential_of_sum(x, 0.0)


@inner_kernel
def _exponential_of_sum(x: Scalar, low: Scalar) -> Scalar:
    """Return e to the power x + low, where low is what rounding took from x."""
    inside = x if x > _LEAST else _LEAST
    inside = inside if inside < _LARGEST else _LARGEST
    shifted = inside * _LOG2_E + _WHOLE
    whole = shifted - _WHOLE
    a = inside - whole * _LN2_HIGH
    b = whole * _LN2_LOW - low
    r = a - b
    rest = (a - r) - b
    # The terms from r^2 / 2! to r^13 / 13!, neighbours first.
    r2 = r * r
    r4 = r2 * r2
    p = (1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0))
    q = (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0))
    s = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) + r2 * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0))
    first = 1.0 + r
    lost = r - (first - 1.0)
    value = _scaled(first + (lost + (r2 * (p + r4 * (q + r4 * s)) + (rest + rest * r))), _bits(shifted) - _bits(_WHOLE))
    return value if x == x else x


@inner_kernel
def _split_exponent(x: Scalar) -> tuple[Scalar, Scalar]:
    """Return z and k with x = 2^k z, z between the roots of 1/2 and 2; x is positive."""
    is_tiny = x < 2.2250738585072014e-308
    bits = _bits(x * 18014398509481984.0 if is_tiny else x)
    # The exponent changes where the rest of the bits passes that of the root of 2.
    shifted = bits - 0x3FE6A09E667F3BCD
    k = _of_bits((shifted >> 52) + _bits(_WHOLE)) - _WHOLE
    return _of_bits(bits - (shifted & -4503599627370496)), k - 54.0 if is_tiny else k


@inner_kernel
def natural_logarithm(x: Scalar) -> Scalar:
    """Return the natural logarithm of x: minus infinity for 0, NaN below."""
    z, k = _split_exponent(x)
    f = z - 1.0
    s = np.divide(f, 2.0 + f)  # not f / (2.0 + f), which looks for a zero and keeps to one lane
    t = s * s
    w = t * t
    odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    even = t * (
        6.666666666666735130e-01
        + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01))
    )
    half = 0.5 * f * f
    value = k * _LN2_HIGH - ((half - (s * (half + (odd + even)) + k * _LN2_LOW)) - f)
    value = value if x < math.inf else x
    return value if x > 0.0 else (-math.inf if x == 0.0 else math.nan)


@inner_kernel
def _product(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    """Return a times b, and what rounding took from it."""
    product = a * b
    t = _SPLITTER * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = _SPLITTER * b
    b_high = t - (t - b)
    b_low = b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@inner_kernel
def _sum(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar]:
    """Return a plus b, and what rounding took from it."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@inner_kernel
def _precise_logarithm(x: Scalar) -> tuple[Scalar, Scalar]:
    """Return the logarithm of a positive number, and what rounding took from it."""
    z, k = _split_exponent(x)
    f = z - 1.0
    below, below_lost = _sum(2.0, f)
    s = np.divide(f, below)
    back, back_lost = _product(s, below)
    s_lost = np.divide(((f - back) - back_lost) - s * below_lost, below)
    # 2 s + 2/3 s^3 with twice the digits, then the rest of the series.
    square, square_lost = _product(s, s)
    square_lost += 2.0 * s * s_lost
    cube, cube_lost = _product(square, s)
    cube_lost += square_lost * s + square * s_lost
    third, third_lost = _product(cube, 2.0 / 3.0)
    third_lost += cube_lost * (2.0 / 3.0) + cube * 3.700743415417188e-17  # what rounding took from 2/3
    t = square
    rest = 2.0 / 19.0 + t * (2.0 / 21.0 + t * (2.0 / 23.0 + t * (2.0 / 25.0 + t * (2.0 / 27.0))))
    rest = 2.0 / 11.0 + t * (2.0 / 13.0 + t * (2.0 / 15.0 + t * (2.0 / 17.0 + t * rest)))
    rest = 2.0 / 5.0 + t * (2.0 / 7.0 + t * (2.0 / 9.0 + t * rest))
    high, low = _sum(2.0 * s, third)
    low += third_lost + 2.0 * s_lost + rest * cube * square
    whole, whole_lost = _sum(k * _LN2_HIGH, high)
    low += whole_lost + k * _LN2_LOW
    return _sum(whole, low)


@inner_kernel
def power(x: Scalar, y: Scalar) -> Scalar:
    """Return x to the power y, as the C library defines it; NaN to the power of 0 is 1."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if y == 1.0 or x != x:
        return x
    if y == 2.0:
        return x * x
    if y == -1.0:
        return 1.0 / x if x != 0.0 else math.copysign(math.inf, x)
    if y != y:
        return y
    is_whole = np.floor(y) == y
    is_odd = is_whole and abs(y) < 9007199254740992.0 and np.floor(y / 2.0) * 2.0 != y
    size = abs(x)
    if size == 0.0 or size == math.inf or abs(y) == math.inf:
        grows = (size > 1.0) == (y > 0.0)
        value = math.inf if grows else 0.0
        value = 1.0 if size == 1.0 else value
    elif x < 0.0 and not is_whole:
        return math.nan
    elif y == 0.5:
        return math.sqrt(x)
    else:
        high, low = _precise_logarithm(size)
        if abs(y * high) > 800.0:
            value = math.inf if y * high > 0.0 else 0.0
        else:
            total, lost = _product(y, high)
            value = _exponential_of_sum(total, lost + y * low)
    return -value if is_odd and math.copysign(1.0, x) < 0.0 else value


@kernel
def write_exponentials(x: Doubles, out: Doubles) -> None:
    """Write e to the power of every number to `out`."""
    for i in range(x.shape[0]):
        out[i] = e_to_the(x[i])


@kernel
def write_logarithms(x: Doubles, out: Doubles) -> None:
    """Write the natural logarithm of every number to `out`."""
    for i in range(x.shape[0]):
        out[i] = natural_logarithm(x[i])


@kernel
def write_powers(x: Doubles, y: Doubles, out: Doubles) -> None:
    """Write every number to the power of its own number in y to `out`."""
    for i in range(x.shape[0]):
        out[i] = power(x[i], y[i])


@kernel
def write_raised(x: Doubles, exponent: Scalar, out: Doubles) -> None:
    """Write every number, from 0 up, to one power, by way of its logarithm."""
    for start in range(0, x.shape[0], _AT_ONCE):  # loops of one function each are faster than one of both
        numbers, results = x[start : start + _AT_ONCE], out[start : start + _AT_ONCE]
        for i in range(numbers.shape[0]):
            results[i] = exponent * natural_logarithm(numbers[i])
        for i in range(numbers.shape[0]):
            results[i] = e_to_the(results[i])
