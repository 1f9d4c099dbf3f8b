"""Very large and very small numbers, scaled so that their squares neither overflow nor vanish."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["safely_scaled", "scaled_for_squares"]

# Exponents between which squares of differences can be summed over thousands of columns and millions of records.
_LARGEST = 400
_SMALLEST = -400


def safely_scaled(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `X`, multiplied by a power of two if its largest value is beyond 1e120 or below 1e-120.

    No digit changes (but values 1e180 times smaller than the largest may become zero), so neither does what is
    nearest or farthest. The result is read-only, like `X`.
    """
    largest = float(np.fmax.reduce(np.abs(X), axis=None, initial=0.0))  # missing values aside
    if largest == 0.0:
        return X
    exponent = int(np.frexp(largest)[1])
    if _SMALLEST <= exponent <= _LARGEST:
        return X
    scaled: NDArray[np.float64] = np.ldexp(X, -exponent)
    scaled.flags.writeable = False
    return scaled


def scaled_for_squares(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return `X` divided by a power of two, read-only, and that power: 1 unless squares could over- or underflow."""
    records = X.view()
    records.flags.writeable = False
    scaled = safely_scaled(records)
    largest = float(np.abs(scaled).max(initial=0.0))
    return scaled, float(np.abs(records).max()) / largest if largest > 0 else 1.0
