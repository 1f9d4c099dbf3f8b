"""Sums without rounding, so that they are the same however a file is cut into chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExactSum", "exact_squares", "exact_sum"]

_HALF = 26  # bits of a mantissa of 53 that are added apart: 2 ** 26 of them stay exact in a float
_MOST = 2**26  # values at once


@dataclass(frozen=True)
class ExactSum:
    """A sum of floats that was not rounded: for every exponent, a whole number of that power of two.

    Attributes
    ----------
    counted
        How many values were added.
    by_exponent
        By exponent e, the whole number that stands for multiples of 2 ** e.
    """

    counted: int = 0
    by_exponent: Mapping[int, int] = field(default_factory=dict)

    def __add__(self, other: ExactSum) -> ExactSum:
        exponents = {**self.by_exponent}
        for exponent, whole in other.by_exponent.items():
            exponents[exponent] = exponents.get(exponent, 0) + whole
        return ExactSum(self.counted + other.counted, exponents)

    def to_plain(self) -> list[Any]:
        """Return the sum as lists and numbers, ready for JSON."""
        return [self.counted, [[exponent, str(whole)] for exponent, whole in self.by_exponent.items()]]

    @classmethod
    def from_plain(cls, plain: Sequence[Any]) -> ExactSum:
        """Return the sum that `to_plain` wrote."""
        return cls(plain[0], {exponent: int(whole) for exponent, whole in plain[1]})

    @property
    def total(self) -> Fraction:
        """The sum itself."""
        return sum((whole * Fraction(2) ** exponent for exponent, whole in self.by_exponent.items()), Fraction(0))

    @property
    def mean(self) -> float:
        """The mean, rounded once; NaN of no values."""
        return float(self.total / self.counted) if self.counted else float("nan")


def exact_sum(values: NDArray[np.float64]) -> ExactSum:
    """Return the sum of some finite values; those that are missing (NaN) do not count."""
    return _sum_of(*np.frexp(values[~np.isnan(values)]))


def exact_squares(values: NDArray[np.float64]) -> ExactSum:
    """Return the sum of the squares of some finite values, each rounded once, however large or small it is."""
    mantissas, exponents = np.frexp(values[~np.isnan(values)])
    squares, more = np.frexp(mantissas * mantissas)
    return _sum_of(squares, 2 * exponents + more)


def _sum_of(all_mantissas: NDArray[np.float64], all_exponents: NDArray[np.int32]) -> ExactSum:
    result = ExactSum(len(all_mantissas))
    for start in range(0, len(all_mantissas), _MOST):
        mantissas, exponents = all_mantissas[start : start + _MOST], all_exponents[start : start + _MOST]
        whole = np.ldexp(mantissas, 53)  # of at most 53 bits, with the sign
        high = np.floor(np.ldexp(whole, -_HALF))
        low = whole - np.ldexp(high, _HALF)
        lowest = int(exponents.min())
        place = exponents - lowest
        sums = [np.bincount(place, weights=half) for half in (high, low)]
        by_exponent: dict[int, int] = {}
        for number in np.flatnonzero((sums[0] != 0) | (sums[1] != 0)).tolist():
            by_exponent[lowest + number - 53] = (int(sums[0][number]) << _HALF) + int(sums[1][number])
        result = ExactSum(result.counted, (ExactSum(0, result.by_exponent) + ExactSum(0, by_exponent)).by_exponent)
    return result
