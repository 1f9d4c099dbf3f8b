"""Linear regressions as an analyst would fit them to either file: coefficients, their intervals, and predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinearModel", "linear_model", "overlaps"]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]

_DEPENDENT = 1e-6  # a column with less than this share left beside those before it follows from them
_NORMAL = 1.959963984540054  # 95 % of a normal distribution are within so many standard deviations
_NARROWEST = 1e-4  # half of an interval at least, in standard deviations: an exact relation has no width
_DETERMINED = 1e-9  # a record that leaves this little to the others decides its own prediction


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Least squares of several responses on the same predictors and a constant.

    Attributes
    ----------
    constant, slopes
        r and q x r; 0 for predictors that follow from those before them.
    halves
        q x r: half of the 95 % intervals of the slopes.
    estimated
        Which of the q predictors do not follow from those before them.
    r2
        The share of the variation explained in records that were not learned from: each is predicted from the others.
    """

    constant: Doubles
    slopes: Doubles
    halves: Doubles
    estimated: Booleans
    r2: float

    def r2_on(self, Z: Doubles, Y: Doubles, weights: Doubles) -> float:
        """Return the share of the variation explained in other records."""
        return _share_explained(Y, self.constant + Z @ self.slopes, weights)


def linear_model(Z: Doubles, Y: Doubles, weights: Doubles) -> LinearModel | None:
    """Fit responses Y (n x r) to predictors Z (n x q); None if there are too few records or no response varies.

    Parameters
    ----------
    Z, Y
        Without missing values, each column in units of about one.
    weights
        n positive numbers.
    """
    n, q = Z.shape
    if n < 3:
        return None
    root = np.sqrt(weights)[:, None]
    design = root * np.column_stack([np.ones(n), Z])
    independent = _independent(design)
    rank = int(independent.sum())
    variation = _variation(Y, weights)
    if n <= rank + 1 or variation <= 0:
        return None
    basis, triangle = np.linalg.qr(design[:, independent])
    inverse = np.linalg.inv(triangle)
    fitted = basis @ (basis.T @ (root * Y))
    coefficients = np.zeros((q + 1, Y.shape[1]))
    coefficients[independent] = inverse @ (basis.T @ (root * Y))
    variance = np.square(root * Y - fitted).sum(axis=0) / (n - rank)
    halves = np.zeros_like(coefficients)
    halves[independent] = _NORMAL * np.sqrt(np.square(inverse).sum(axis=1)[:, None] * variance)
    free = 1 - np.square(basis).sum(axis=1)
    judged = free > _DETERMINED
    apart = (Y - fitted / root)[judged] / free[judged, None]
    r2 = _share_explained(Y[judged], Y[judged] - apart, weights[judged]) if judged.any() else 0.0
    return LinearModel(coefficients[0], coefficients[1:], halves[1:], independent[1:], r2)


def overlaps(first: LinearModel, second: LinearModel) -> Doubles:
    """Return how much the intervals of every slope of the first model overlap with those of the second, 0 to 1.

    The length of what they share, as a part of the one and of the other, averaged. A slope that the second model
    cannot estimate overlaps with nothing.
    """
    halves = [np.maximum(model.halves, _NARROWEST) for model in (first, second)]
    ends = [(model.slopes - half, model.slopes + half) for model, half in zip((first, second), halves, strict=True)]
    shared = np.minimum(ends[0][1], ends[1][1]) - np.maximum(ends[0][0], ends[1][0])
    lengths = [high - low for low, high in ends]
    both = np.maximum(shared, 0.0) * (1 / lengths[0] + 1 / lengths[1]) / 2
    return np.asarray(np.where(second.estimated[:, None], both, 0.0)[first.estimated])


def _independent(design: Doubles) -> Booleans:
    """Return which columns do not follow from those before them."""
    triangle = np.zeros((design.shape[1],) * 2)
    found = np.linalg.qr(design, mode="r")
    triangle[: len(found)] = found
    return np.asarray(np.abs(triangle.diagonal()) > _DEPENDENT * np.sqrt(np.square(design).sum(axis=0)))


def _variation(Y: Doubles, weights: Doubles) -> float:
    centre = np.average(Y, axis=0, weights=weights)
    return float((weights[:, None] * np.square(Y - centre)).sum())


def _share_explained(Y: Doubles, predicted: Doubles, weights: Doubles) -> float:
    variation = _variation(Y, weights)
    if variation <= 0:
        return 0.0
    return 1 - float((weights[:, None] * np.square(Y - predicted)).sum()) / variation
