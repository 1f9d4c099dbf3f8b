"""Where the centres of fuzzy clusters start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import raised, weighted_sums
from shoal.errors import ParameterError
from shoal.parameters.limits import OneOf
from shoal.partition.geometry.squared_distances import squared_distances

STARTS = ("k-means++", "farthest", "random")

# With a large m a centre never leaves a record it starts on: the record's weight is 1, that of all others c^-m.
TOWARDS_THE_MEAN = 0.01


@dataclass(frozen=True)
class StartOfClusters(OneOf):
    """The limit of a parameter that sets where clusters start: a word, or a matrix that is checked in `fit`."""

    matrix_of: str = "centres"

    @property
    def wanted(self) -> str:
        """What is accepted, as the end of the sentence "init must be ..."."""
        return f"{super().wanted}, or a matrix of {self.matrix_of}"

    def accepts(self, value: Any) -> bool:
        """Whether `value` is one of the words, or may be a matrix."""
        return super().accepts(value) if isinstance(value, str) else hasattr(value, "__len__")


def plus_plus(X: NDArray[np.float64], c: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the rows of `c` records, each drawn with probability proportional to its squared distance to the others.

    The first is drawn from all. That is how k-means++ starts.
    """
    rows = [int(rng.integers(len(X)))]
    nearest = _distances_to(X, rows[0])
    while len(rows) < c:
        weights = np.cumsum(nearest, dtype=np.float64)
        drawn = int(np.searchsorted(weights, rng.random() * weights[-1], side="right"))
        rows.append(min(drawn, len(X) - 1))  # the last if all records are centres already: then any will do
        np.minimum(nearest, _distances_to(X, rows[-1]), out=nearest)
    return np.array(rows)


def farthest_first(X: NDArray[np.float64], c: int) -> NDArray[np.int64]:
    """Return the rows of `c` records: the one farthest from the mean, then always the one farthest from those before.

    Of records equally far it is the first.
    """
    rows = [int(np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1)))]
    nearest = _distances_to(X, rows[0])
    while len(rows) < c:
        rows.append(int(np.argmax(nearest)))
        np.minimum(nearest, _distances_to(X, rows[-1]), out=nearest)
    return np.array(rows)


def start_from_matrix(
    matrix: Any, records: NDArray[Any], c: int, *, scale: float, power: float
) -> NDArray[np.floating[Any]]:
    """Return the centres that a matrix of one's own starts with.

    Parameters
    ----------
    matrix
        Centres, c x d, or memberships, n x c, whose rows need not sum to one. Where it could be both it has centres.
    records
        The records, divided by `scale`.
    c
        The number of clusters.
    scale
        The unit of the records, which is not that of the matrix.
    power
        What memberships are raised to when centres are averaged.
    """
    try:
        start = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("init must be made of numbers.") from None
    n, d = records.shape
    if start.shape not in ((c, d), (n, c)):
        raise ParameterError(
            f"init must have {c} rows, one a cluster, and {d} columns, or {n} rows, one a record, and {c} columns; got "
            f"{start.shape}."
        )
    if not np.isfinite(start).all():
        raise ParameterError("init must be made of finite numbers.")
    if start.shape == (c, d):
        return start.astype(records.dtype) / scale
    if (start < 0).any() or not (start.any(axis=0).all() and start.any(axis=1).all()):
        raise ParameterError("Memberships in init must be numbers from 0, some above 0 in every row and every column.")
    start /= start.max(axis=1, keepdims=True)  # so that no sum is beyond numbers
    start /= start.sum(axis=1, keepdims=True)
    weights = raised(start / start.max(axis=0), power)  # each centre's largest is 1, so that none is too small
    sums = weighted_sums(weights, records.astype(np.float64))
    return np.asarray(sums / weights.sum(axis=0)[:, None], dtype=records.dtype)


def towards_the_mean(X: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the records in these rows, a hundredth of the way nearer to the mean of all."""
    start: NDArray[np.float64] = X[rows] + TOWARDS_THE_MEAN * (X.mean(axis=0) - X[rows])
    return start


def _distances_to(X: NDArray[np.float64], row: int) -> NDArray[np.float64]:
    return squared_distances(np.asarray(X, dtype=np.float64), X[row])
