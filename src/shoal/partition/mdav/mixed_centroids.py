"""Centroids of records with missing values and nominal columns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CategoryShares", "RunningCentroid", "mixed_centroid", "ranks_of_codes"]

Doubles = NDArray[np.float64]


class CategoryShares(NamedTuple):
    """A centroid with the shares of the categories in place of a most frequent one.

    Attributes
    ----------
    means
        By column: the mean; of a nominal one anything but NaN; NaN where nothing is observed.
    starts
        By column: where its categories begin, -1 if it is not nominal.
    codes, shares
        The categories of every nominal column in increasing order, after the last one an infinite code.
    """

    means: Doubles
    starts: NDArray[np.int64]
    codes: Doubles
    shares: Doubles

    @property
    def squares(self) -> Doubles:
        """What a record with each of the codes adds to its squared distance, but for rounding."""
        ends = np.flatnonzero(np.isinf(self.codes))
        sums = np.add.reduceat(np.square(self.shares), np.append(0, ends[:-1] + 1))
        return np.asarray(1 - 2 * self.shares + np.repeat(sums, np.diff(ends, prepend=-1)))


def ranks_of_codes(X: Doubles, is_nominal: NDArray[np.bool_]) -> Doubles:
    """Return the matrix with the codes of every nominal column numbered from 0 on, in their order."""
    ranked = X.copy()
    for j in np.flatnonzero(is_nominal):
        observed = ~np.isnan(X[:, j])
        ranked[observed, j] = np.unique(X[observed, j], return_inverse=True)[1]
    return ranked


class RunningCentroid:
    """The centroid of the records that remain, kept up to date as records are taken away.

    Parameters
    ----------
    X
        The records; codes are numbered from 0 on.
    is_nominal
        Which columns hold codes.
    by_shares
        Whether the centroid has the shares of categories, or the most frequent ones.
    """

    def __init__(self, X: Doubles, is_nominal: NDArray[np.bool_], by_shares: bool) -> None:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.exact_sum import MOST_PARTIALS, total_columns

        self._X = X
        self._by_shares = by_shares
        self._totals = np.zeros((X.shape[1], MOST_PARTIALS))
        self._observed = np.count_nonzero(~np.isnan(X), axis=0)
        total_columns(X, self._totals)
        self._counts = {j: _counts(X[:, j]) for j in np.flatnonzero(is_nominal).tolist()}

    def remove(self, rows: NDArray[np.intp]) -> None:
        """Take some records away."""
        from shoal.partition.kernels.exact_sum import add_rows

        add_rows(self._totals, self._X, rows, -1.0)
        self._observed -= np.count_nonzero(~np.isnan(self._X[rows]), axis=0)
        for j, counts in self._counts.items():
            column = self._X[rows, j]
            np.subtract.at(counts, column[~np.isnan(column)].astype(np.int64), 1)

    def point(self) -> Doubles | CategoryShares:
        """Return the centroid of what remains."""
        from shoal.partition.kernels.exact_sum import round_totals

        point = np.empty(len(self._observed))
        round_totals(self._totals, point)
        point[self._observed == 0] = np.nan
        np.divide(point, self._observed, out=point, where=self._observed > 0)
        if self._by_shares:
            return _shares(point, {j: (np.arange(len(counts)), counts) for j, counts in self._counts.items()})
        for j, counts in self._counts.items():
            if self._observed[j] > 0:
                point[j] = np.argmax(counts)
        return point


def mixed_centroid(records: Doubles, is_nominal: NDArray[np.bool_], by_shares: bool) -> Doubles | CategoryShares:
    """Return the centroid of some records, over the observed values of every column."""
    point = np.full(records.shape[1], np.nan)
    counted = {}
    for j, column in enumerate(records.T):
        observed = column[~np.isnan(column)]
        if is_nominal[j]:
            codes, counts = counted[j] = np.unique(observed, return_counts=True)
            if len(observed):
                point[j] = codes[np.argmax(counts)]
        elif len(observed):
            point[j] = math.fsum(observed) / len(observed)
    return _shares(point, counted) if by_shares else point


def _counts(column: Doubles) -> NDArray[np.int64]:
    return np.bincount(column[~np.isnan(column)].astype(np.int64))


def _shares(
    means: Doubles, counted: dict[int, tuple[NDArray[np.int64] | Doubles, NDArray[np.int64]]]
) -> CategoryShares:
    """Put the counts of the codes of every nominal column, by column, side by side as shares."""
    starts = np.full(len(means), -1, dtype=np.int64)
    codes: list[Doubles] = []
    shares: list[Doubles] = []
    start = 0
    for j, (own, counts) in counted.items():
        starts[j] = start
        codes.append(np.append(own, np.inf))
        shares.append(np.append(counts / max(counts.sum(), 1), 0.0))
        start += len(own) + 1
    return CategoryShares(means, starts, np.concatenate(codes), np.concatenate(shares))
