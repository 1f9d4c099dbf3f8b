"""Bring variables to one scale before distances are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scale", "is_constant", "range_scale", "standard_scale"]


@dataclass(frozen=True)
class Scale:
    """The centre of a variable and what counts as one unit of it.

    Values are first multiplied by 2 ** -exponent. A power of two changes no digit, and it keeps the squares of very
    large and very small numbers within floating point.
    """

    centre: float
    unit: float
    exponent: int

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (x - centre) / unit; missing values stay NaN."""
        return np.asarray((np.ldexp(values, -self.exponent) - self.centre) / self.unit)

    def undo(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values from their scaled form."""
        return np.asarray(np.ldexp(scaled * self.unit + self.centre, self.exponent))


def is_constant(values: NDArray[np.float64]) -> bool:
    """Whether all observed values of one variable are the same."""
    observed = values[~np.isnan(values)]
    return bool(observed.size == 0 or observed.min() == observed.max())


def standard_scale(values: NDArray[np.float64]) -> Scale:
    """Return the scale (x - mean) / sd, with n - 1 in the sd, of the observed values of a variable that varies."""
    scaled, exponent = _within_range(values)
    return Scale(float(scaled.mean()), float(scaled.std(ddof=1)), exponent)


def range_scale(values: NDArray[np.float64]) -> Scale:
    """Return the scale (x - min) / (max - min) of the observed values of a variable that varies."""
    scaled, exponent = _within_range(values)
    return Scale(float(scaled.min()), float(scaled.max() - scaled.min()), exponent)


def _within_range(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    observed = values[~np.isnan(values)]
    exponent = int(np.frexp(np.abs(observed).max())[1])
    return np.ldexp(observed, -exponent), exponent
