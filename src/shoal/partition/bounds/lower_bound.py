"""A proven lower bound on the squared error of all partitions, and the gap that any one of them has to it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from shoal.errors import TooFewRecordsError
from shoal.parameters.limits import Number, OrNone, Whole, check_limits
from shoal.partition.bounds.neighbours import bound_of_neighbours
from shoal.partition.geometry.safe_scale import scaled_for_squares

__all__ = ["LowerBound", "lower_bound"]


class LowerBound(float):
    """A squared error that no partition into groups of at least k can be below: a number, with how it was proven.

    Attributes
    ----------
    method
        What proved it: "neighbours" or "linear program".
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
        """Return which part of this squared error a better partition could save at most: 0 if none is better."""
        return max(0.0, squared_error - self) / squared_error if squared_error > 0 else 0.0

    def above(self, squared_error: float) -> float:
        """Return how far above the best possible one this squared error is at most, as a part of the best."""
        if squared_error <= self:
            return 0.0
        return squared_error / self - 1 if self > 0 else float("inf")


def lower_bound(X: ArrayLike, k: int, *, seconds: float | None = None) -> LowerBound:
    """Return a lower bound on the SSE of all partitions into groups of at least k.

    Parameters
    ----------
    X
        Matrix of n records by d variables, at least `k` records.
    k
        The least number of records in a group.
    seconds
        How long to look for a better one; None: until it is found.
    """
    check_limits({"k": Whole(2), "seconds": OrNone(Number(0))}, {"k": k, "seconds": seconds})
    matrix: NDArray[np.float64] = check_array(X, dtype=np.float64, order="C")
    n = len(matrix)
    if n < k:
        raise TooFewRecordsError(f"k={k} needs at least {k} records; got n_samples={n}. Lower k.")
    records, unit = scaled_for_squares(matrix)
    return LowerBound({"neighbours": bound_of_neighbours(records, k) * unit * unit})
