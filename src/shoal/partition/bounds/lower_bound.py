"""A proven lower bound on the squared error of all partitions, and the gap that any one of them has to it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import TooFewRecordsError
from shoal.parameters.limits import Number, OrNone, Whole, check_limits
from shoal.partition.bounds.column_generation import (
    NOT_INSTALLED,
    bound_by_program,
    fits_program,
    is_highspy_installed,
)
from shoal.partition.bounds.prices import ROUNDING, bound_by_prices, bound_of_neighbours
from shoal.partition.geometry.checked_matrix import checked_matrix
from shoal.partition.geometry.squared_distances import scaled_for_squares, total_sse
from shoal.partition.optimal_univariate import OptimalUnivariate

__all__ = ["LowerBound", "lower_bound"]

_MOST_QUICKLY, _LARGEST_K_QUICKLY = 2_000, 5  # records, and k, where more than a first look takes some seconds only


class LowerBound(float):
    """A squared error that no partition into groups of at least k can be below: a number, with how it was proven.

    Attributes
    ----------
    method
        What proved it: "neighbours", "prices", "linear program" or "optimum"; see `lower_bound`.
    by_method
        Every bound that was tried, by its method. This one is the largest of them.
    note
        Why it is not better, where a better one is out of reach: "" or one sentence.
    """

    method: str
    by_method: Mapping[str, float]
    note: str

    def __new__(cls, by_method: Mapping[str, float], note: str = "") -> LowerBound:
        """Take the largest of these bounds."""
        method = max(by_method, key=lambda one: by_method[one])
        bound = super().__new__(cls, by_method[method])
        bound.method, bound.by_method, bound.note = method, dict(by_method), note
        return bound

    def __reduce__(self) -> tuple[type[LowerBound], tuple[Mapping[str, float], str]]:
        return type(self), (self.by_method, self.note)

    def gap(self, squared_error: float) -> float:
        """Return which part of this squared error a better partition could save at most: 0 if none is better.

        Of a squared error that is infinite, or no number, it is not a number.
        """
        if not math.isfinite(squared_error):
            return math.nan
        return max(0.0, squared_error - self) / squared_error if squared_error > 0 else 0.0

    def above(self, squared_error: float) -> float:
        """Return how far above the best possible one this squared error is at most, as a part of the best.

        Of a squared error that is infinite, or no number, it is not a number.
        """
        if not math.isfinite(squared_error):
            return math.nan
        if squared_error <= self:
            return 0.0
        return squared_error / self - 1 if self > 0 else float("inf")


def lower_bound(X: ArrayLike, k: int, *, seconds: float | None = None) -> LowerBound:
    """Return a lower bound on the squared error of all partitions into groups of at least k.

    Parameters
    ----------
    X
        Matrix of n records by d variables, at least `k` records.
    k
        The least number of records in a group.
    seconds
        How long to look for a better bound. None: some seconds at most, with the same result every time; beyond 2,000
        records or k = 5 that is the bound by neighbours.

    Returns
    -------
    LowerBound
        A number; its `method` says what proved it:

        "neighbours"
            The distances to the nearest neighbours of every record; for files of any size.
        "prices"
            Prices of the records that triples of near records support; where the next one cannot be, and for k > 5.
        "linear program"
            The linear program over all groups of k to 2k-1 records, by column generation, up to 10,000 records,
            fewer from k = 48 on; with `seconds` also with cuts, which often close most of what it leaves. It needs
            highspy (``shoal[prove]``).
        "optimum"
            The squared error of the best partition itself, known for one variable and for less than 2k records.

    Notes
    -----
    Every bound holds for all partitions, with groups of any sizes from k on, up to rounding: a part of 1e-9 is taken
    off. `Refine` with ``prove=True`` finds a partition and a bound together, and goes on until they meet.

    References
    ----------
    D. Aloise, P. Hansen, C. Rocha and E. Santi (2014), Column generation bounds for numerical microaggregation, Journal
    of Global Optimization 60. For the cuts: M. Jepsen, B. Petersen, S. Spoorendonk and D. Pisinger (2008), Subset-row
    inequalities applied to the vehicle-routing problem with time windows, Operations Research 56.
    """
    check_limits({"k": Whole(2), "seconds": OrNone(Number(0))}, {"k": k, "seconds": seconds})
    matrix: NDArray[np.float64] = checked_matrix(None, X, [np.float64])
    n = len(matrix)
    if n < k:
        raise TooFewRecordsError(f"k={k} needs at least {k} records; got n_samples={n}. Lower k.", k=k, records=n)
    records, unit = scaled_for_squares(matrix)
    bounds, note = _bounds(records, k, seconds)
    return LowerBound({method: bound * unit * unit for method, bound in bounds.items()}, note)


def _bounds(X: NDArray[np.float64], k: int, seconds: float | None) -> tuple[dict[str, float], str]:
    """Return the bounds by every method that is worth it, and why there is no better one."""
    began = time.perf_counter()
    n = len(X)
    if X.shape[1] == 1 or n < 2 * k:
        return {"optimum": _least_error(X, k) * (1 - ROUNDING)}, ""
    bounds = {"neighbours": bound_of_neighbours(X, k)}
    if not np.ptp(X, axis=0).any():
        return bounds, ""
    left = None if seconds is None else max(0.0, seconds - (time.perf_counter() - began))
    if left is None and (n > _MOST_QUICKLY or k > _LARGEST_K_QUICKLY):
        return bounds, "With seconds more can be proven."
    if left == 0.0:
        return bounds, "With more seconds more can be proven."
    has_program = fits_program(n, k) and is_highspy_installed()
    if not has_program or k > _LARGEST_K_QUICKLY:
        part = left if left is None or not has_program else left / 4
        bounds["prices"] = bound_by_prices(X, k, seconds=part)[0]
    if has_program:
        left = None if seconds is None else max(0.0, seconds - (time.perf_counter() - began))
        bounds["linear program"] = bound_by_program(X, k, left)
    return bounds, NOT_INSTALLED if fits_program(n, k) and not has_program else ""


def _least_error(X: NDArray[np.float64], k: int) -> float:
    """Return the squared error of the best partition, of one variable or of too few records for two groups."""
    labels = np.zeros(len(X), dtype=np.int64)
    if len(X) >= 2 * k:
        labels = OptimalUnivariate(k).fit(X).labels_
    return total_sse(X, labels)
