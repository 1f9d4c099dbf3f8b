"""MDAV for records with missing values and nominal variables."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.parameters.limits import Limit, OneOf, Whole
from shoal.partition.base import Partitioner
from shoal.partition.geometry.nominal_columns import nominal_mask
from shoal.partition.geometry.safe_scale import safely_scaled
from shoal.partition.mdav.tail import VARIANTS, assign_the_rest, first_by_distance, loop_needs
from shoal.progress import advance

__all__ = ["MDAVGeneric"]

# Below about a millisecond of work two threads lose to one.
_ROWS_A_THREAD = 20_000
_STEPS = 50


class MDAVGeneric(Partitioner):
    """MDAV for records with missing values (NaN) and nominal columns.

    The algorithm, its variants and its ties are those of `MDAV`; for a matrix without missing values and nominal
    columns, so are the labels under the Euclidean distance. Every step looks at every record that remains: the cost
    grows with n^2/k.

    Parameters
    ----------
    k
        The least number of records in a group.
    variant
        ``"classic"``, ``"two-k"`` or ``"thesis"``, see `MDAV`.
    distance
        What a numeric column adds: ``"euclidean"`` the squared difference, ``"gower"`` the absolute one. The
        matrix has to be scaled already, for Gower's distance by the range of every column.
    nominal
        The positions of the columns that hold category codes. Such a column adds 0 if the codes are equal and
        1 if not.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.

    Notes
    -----
    The distance of two records is the sum over the columns observed in both, from left to right, times the number
    of columns over the number of columns observed in both; it is infinite if there are none. The centroid has the
    mean of the observed values of a numeric column (from the correctly rounded total), the most frequent code of a
    nominal one (of equally frequent ones the lowest), and a missing value where nothing is observed.

    References
    ----------
    J. Domingo-Ferrer and V. Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11. J. C. Gower (1971), A general coefficient of
    similarity and some of its properties, Biometrics 27.
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "k": Whole(2),
        "variant": OneOf(VARIANTS),
        "distance": OneOf(("euclidean", "gower")),
    }

    def __init__(
        self, k: int, *, variant: str = "classic", distance: str = "euclidean", nominal: Sequence[int] = ()
    ) -> None:
        self.k = k
        self.variant = variant
        self.distance = distance
        self.nominal = nominal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        n = len(X)
        is_nominal = nominal_mask(self.nominal, X.shape[1])
        empty = int(np.isnan(X).all(axis=1).sum())
        if empty:
            raise DataError(f"{empty} of {n} records have no observed value. Leave them out of the partition.")
        labels = np.full(n, -1, dtype=np.int64)
        if not is_nominal.any():  # codes have no scale, and beside them no number is large
            X = safely_scaled(X)
        with _distances(is_nominal, self.distance) as distances:
            self._run_loop(X, labels, is_nominal, distances)
            left = np.count_nonzero(labels < 0)
            assign_the_rest(
                X,
                labels,
                self.k,
                self.variant,
                lambda records: _centroid(records, is_nominal),
                lambda records, point: distances(records, np.arange(len(records)), point),
            )
        advance(left / n)
        return labels

    def _run_loop(
        self, X: NDArray[np.float64], labels: NDArray[np.int64], is_nominal: NDArray[np.bool_], distances: Any
    ) -> None:
        n = reported = len(X)
        needed = loop_needs(self.k, self.variant)
        rows = np.arange(n)  # what remains, in order, so that the first of equals has the lowest row
        if n < needed:
            return
        centroid = _RunningCentroid(X, is_nominal)
        group = 0
        while len(rows) >= needed:
            r = rows[np.argmax(distances(X, rows, centroid.point()))]
            s = rows[np.argmax(distances(X, rows, X[r]))]
            for seed in (r, s):
                members = first_by_distance(distances(X, rows, X[seed]), self.k)
                labels[rows[members]] = group
                centroid.remove(rows[members])
                rows = np.delete(rows, members)
                group += 1
            if reported - len(rows) >= n / _STEPS:
                advance((reported - len(rows)) / n)
                reported = len(rows)
        advance((reported - len(rows)) / n)


class _RunningCentroid:
    """The centroid of the records that remain, kept up to date as records are taken away."""

    def __init__(self, X: NDArray[np.float64], is_nominal: NDArray[np.bool_]) -> None:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.exact_sum import MOST_PARTIALS, total_columns

        self._X = X
        self._totals = np.zeros((X.shape[1], MOST_PARTIALS))
        self._observed = np.count_nonzero(~np.isnan(X), axis=0)
        total_columns(X, self._totals)
        self._codes: dict[int, NDArray[np.float64]] = {}
        self._coded: dict[int, NDArray[np.intp]] = {}
        self._counts: dict[int, NDArray[np.intp]] = {}
        for j in np.flatnonzero(is_nominal).tolist():
            codes, coded = np.unique(X[:, j], return_inverse=True)  # missing values are the last code
            self._codes[j] = codes[~np.isnan(codes)]
            self._coded[j] = coded
            self._counts[j] = np.bincount(coded, minlength=len(codes))

    def remove(self, rows: NDArray[np.intp]) -> None:
        from shoal.partition.kernels.exact_sum import add_rows

        add_rows(self._totals, self._X, rows, -1.0)
        self._observed -= np.count_nonzero(~np.isnan(self._X[rows]), axis=0)
        for j, counts in self._counts.items():
            counts -= np.bincount(self._coded[j][rows], minlength=len(counts))

    def point(self) -> NDArray[np.float64]:
        from shoal.partition.kernels.exact_sum import round_totals

        point = np.empty(len(self._observed))
        round_totals(self._totals, point)
        point[self._observed == 0] = np.nan
        np.divide(point, self._observed, out=point, where=self._observed > 0)
        for j, codes in self._codes.items():
            if self._observed[j] > 0:
                point[j] = codes[np.argmax(self._counts[j][: len(codes)])]
        return point


def _centroid(records: NDArray[np.float64], is_nominal: NDArray[np.bool_]) -> NDArray[np.float64]:
    point = np.full(records.shape[1], np.nan)
    for j, column in enumerate(records.T):
        observed = column[~np.isnan(column)]
        if len(observed) == 0:
            continue
        if is_nominal[j]:
            codes, counts = np.unique(observed, return_counts=True)
            point[j] = codes[np.argmax(counts)]
        else:
            point[j] = math.fsum(observed) / len(observed)
    return point


@contextmanager
def _distances(is_nominal: NDArray[np.bool_], distance: str) -> Iterator[Any]:
    """Give a function of a matrix, some of its rows and a point: the distances, on all cores if there are many."""
    from shoal.partition.kernels.mdav_generic import mixed_distances

    threads = os.cpu_count() or 1
    is_squared = distance == "euclidean"
    with ThreadPoolExecutor(threads) as pool:

        def distances(
            X: NDArray[np.float64], rows: NDArray[np.intp], point: NDArray[np.float64]
        ) -> NDArray[np.float64]:
            X, point = _read_only(X), _read_only(point)  # so that one kernel does for all
            out = np.empty(len(rows))
            shares = min(threads, 1 + len(rows) // _ROWS_A_THREAD)
            cuts = [len(rows) * share // shares for share in range(shares + 1)]
            work = [(X, rows, point, is_nominal, is_squared, *cut, out) for cut in pairwise(cuts)]
            if shares == 1:
                mixed_distances(*work[0])
            else:
                list(pool.map(lambda arguments: mixed_distances(*arguments), work))
            return out

        yield distances


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    view = array.view()
    view.flags.writeable = False
    return view
