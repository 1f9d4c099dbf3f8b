"""Means and standard deviations of the whole file, the same to the last digit however it was cut into chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.scale.input.exact_sums import ExactSum, exact_squares, exact_sum

__all__ = ["ExactMoments", "joined_moments", "moments_of"]


@dataclass(frozen=True)
class ExactMoments:
    """Sums over the values of one variable, from which its mean and its standard deviation follow.

    Attributes
    ----------
    origin
        A value near the mean, the same in all chunks, that is taken away before anything is squared.
    differences, squares
        The sums of x - origin, and of its square.
    missing, infinite
        How many values are missing, and how many infinite; neither is in the sums.
    lowest, highest
        The range of the values.
    """

    origin: float
    differences: ExactSum = field(default_factory=ExactSum)
    squares: ExactSum = field(default_factory=ExactSum)
    missing: int = 0
    infinite: int = 0
    lowest: float = float("inf")
    highest: float = float("-inf")

    def __add__(self, other: ExactMoments) -> ExactMoments:
        return ExactMoments(
            self.origin,
            self.differences + other.differences,
            self.squares + other.squares,
            self.missing + other.missing,
            self.infinite + other.infinite,
            min(self.lowest, other.lowest),
            max(self.highest, other.highest),
        )

    def to_plain(self) -> dict[str, Any]:
        """Return the moments as lists and numbers, ready for JSON."""
        plain = {name: getattr(self, name) for name in ("origin", "missing", "infinite", "lowest", "highest")}
        return plain | {"differences": self.differences.to_plain(), "squares": self.squares.to_plain()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> ExactMoments:
        """Return the moments that `to_plain` wrote."""
        sums = {name: ExactSum.from_plain(plain[name]) for name in ("differences", "squares")}
        return cls(**{**plain, **sums})

    @property
    def counted(self) -> int:
        """How many values were added."""
        return self.differences.counted

    @property
    def mean(self) -> float:
        """The mean, rounded once."""
        return float(self._mean_difference + Fraction(self.origin)) if self.counted else float("nan")

    @property
    def squared_deviations(self) -> Fraction:
        """The sum of squared deviations from the mean."""
        return max(Fraction(0), self.squares.total - self.counted * self._mean_difference**2)

    @property
    def standard_deviation(self) -> float:
        """The standard deviation, with n - 1; 0 of fewer than two values."""
        return _root(self.squared_deviations / (self.counted - 1)) if self.counted > 1 else 0.0

    @property
    def varies(self) -> bool:
        """Whether there are different values."""
        return self.lowest < self.highest

    @property
    def scale(self) -> Scale:
        """The scale (x - mean) / sd of a variable that varies; the exponent as `standard_scale` chooses it."""
        exponent = int(np.frexp(max(abs(self.lowest), abs(self.highest)))[1])
        power = Fraction(2) ** -exponent
        unit = _root(self.squared_deviations / (self.counted - 1) * power**2)
        return Scale(float((self._mean_difference + Fraction(self.origin)) * power), unit, exponent)

    @property
    def range_scale(self) -> Scale:
        """The scale (x - min) / (max - min) of a variable that varies."""
        exponent = int(np.frexp(max(abs(self.lowest), abs(self.highest)))[1])
        low, high = np.ldexp([self.lowest, self.highest], -exponent).tolist()
        return Scale(low, high - low, exponent)

    @property
    def _mean_difference(self) -> Fraction:
        return self.differences.total / self.counted


def moments_of(values: NDArray[np.float64], origin: float) -> ExactMoments:
    """Return the moments of some values, NaN for a missing one."""
    missing, infinite = np.isnan(values), np.isinf(values)
    known = values[~(missing | infinite)]
    differences = known - origin
    return ExactMoments(
        origin,
        exact_sum(differences),
        exact_squares(differences),
        int(missing.sum()),
        int(infinite.sum()),
        float(known.min(initial=np.inf)),
        float(known.max(initial=-np.inf)),
    )


def joined_moments(of_chunks: Sequence[Mapping[str, ExactMoments]]) -> dict[str, ExactMoments]:
    """Return the moments of all chunks together, by variable."""
    return {name: reduce(lambda one, other: one + other, (each[name] for each in of_chunks)) for name in of_chunks[0]}


def _root(square: Fraction) -> float:
    """Return the square root, rounded from 120 bits."""
    if not square:
        return 0.0
    shift = max(0, 240 - (square.numerator.bit_length() - square.denominator.bit_length()))
    shift += shift % 2
    return float(Fraction(isqrt((square.numerator << shift) // square.denominator), 1 << (shift // 2)))
