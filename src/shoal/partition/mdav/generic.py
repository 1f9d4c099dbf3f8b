"""MDAV for records with missing values and nominal variables."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.parameters.limits import Limit, OneOf, Whole
from shoal.partition.base import Partitioner
from shoal.partition.geometry.nominal_columns import nominal_mask
from shoal.partition.geometry.squared_distances import safely_scaled
from shoal.partition.mdav.with_trees import VARIANTS, assign_the_rest, first_by_distance, loop_needs, loop_with_trees
from shoal.progress import advance

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


# Up to this n * n * d / k looking at every record is faster than loading the kernels of the tree.
_MOST_TO_SCAN = 8_000_000
_MOST_CATEGORIES = 2**20  # of which the tree's bounds have room for the rounding

# Below about a millisecond of work two threads lose to one.
_ROWS_A_THREAD = 20_000
_STEPS = 50
_NEARLY = 1e-8  # more than the distances that screen records can be off, relative and in every column


class MDAVGeneric(Partitioner):
    """MDAV for records with missing values (NaN) and nominal columns.

    The algorithm, its variants and its ties are those of `MDAV`. Under the Euclidean distance so are the labels, for a
    matrix without missing values, if `MDAV` gets the indicators of its categories (0 or 1) in place of every nominal
    column. It finds them with the same tree, in which the codes of a column take the place of its indicators. With
    missing values and for Gower's distance, every step looks at every record that remains: the cost grows with n^2/k.

    Parameters
    ----------
    k
        The least number of records in a group.
    variant
        ``"classic"``, ``"two-k"`` or ``"thesis"``, see `MDAV`.
    distance
        What a numeric column adds: ``"euclidean"`` the squared difference, ``"gower"`` the absolute one. The
        matrix has to be scaled already: to standard scores, for Gower's distance by the range of every column.
    nominal
        The positions of the columns that hold category codes. Such a column adds 0 if the codes are equal. If not, it
        adds 2, the squared Euclidean distance of the indicators, and 1 to Gower's distance.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.

    Notes
    -----
    The distance of two records is the sum over the columns observed in both, from left to right, times the number
    of columns over the number of columns observed in both; it is infinite if there are none. The centroid has the
    mean of the observed values of a numeric column (from the correctly rounded total), and a missing value where
    nothing is observed. Of a nominal column it has the share of every category, the mean of its indicator, to which
    distances are summed over the categories in the order of their codes; for Gower's distance it has the most frequent
    code, of equally frequent ones the lowest.

    References
    ----------
    J. Domingo-Ferrer and V. Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11. J. C. Gower (1971), A general coefficient of
    similarity and some of its properties, Biometrics 27.
    """

    allow_nan: ClassVar[bool] = True
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

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        n = len(X)
        is_nominal = nominal_mask(self.nominal, X.shape[1])
        empty = int(np.isnan(X).all(axis=1).sum())
        if empty:
            raise DataError(f"{empty} of {n} records have no observed value. Leave them out of the partition.")
        labels = np.full(n, -1, dtype=np.int64)
        # Codes have no scale, and beside them no number is large.
        X = ranks_of_codes(X, is_nominal) if is_nominal.any() else safely_scaled(X)
        X.flags.writeable = False
        is_euclidean = self.distance == "euclidean"
        by_shares = is_euclidean and bool(is_nominal.any())
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            distances = _Distances(pool, is_nominal, is_euclidean)
            if is_euclidean and self._suits_trees(X, is_nominal):
                needed = loop_needs(self.k, self.variant)
                loop_with_trees(X, labels, self.k, needed, is_nominal if by_shares else None)
            else:
                self._run_loop(X, labels, RunningCentroid(X, is_nominal, by_shares), distances)
            left = np.count_nonzero(labels < 0)
            assign_the_rest(
                X,
                labels,
                self.k,
                self.variant,
                lambda records: mixed_centroid(records, is_nominal, by_shares),
                distances.exact,
                list if by_shares else np.array,
            )
        advance(left / n)
        return labels

    def _suits_trees(self, X: NDArray[np.float64], is_nominal: NDArray[np.bool_]) -> bool:
        """Whether a matrix is complete, large enough for trees, and has few enough categories."""
        if len(X) * X.size <= _MOST_TO_SCAN * self.k or np.isnan(X).any():
            return False
        return not is_nominal.any() or bool((X[:, is_nominal].max(axis=0) + 1).sum() <= _MOST_CATEGORIES)

    def _run_loop(
        self, X: NDArray[np.float64], labels: NDArray[np.int64], centroid: RunningCentroid, distances: _Distances
    ) -> None:
        n = reported = len(X)
        needed = loop_needs(self.k, self.variant)
        rows = np.arange(n)  # what remains, in order, so that the first of equals has the lowest row
        group = 0
        while len(rows) >= needed:
            r = rows[distances.farthest(X, rows, centroid.point())]
            s = rows[distances.farthest(X, rows, X[r])]
            for seed in (r, s):
                members = first_by_distance(distances.to_record(X, rows, X[seed]), self.k)
                labels[rows[members]] = group
                centroid.remove(rows[members])
                rows = np.delete(rows, members)
                group += 1
            if reported - len(rows) >= n / _STEPS:
                advance((reported - len(rows)) / n)
                reported = len(rows)
        advance((reported - len(rows)) / n)


class _Distances:
    """Distances of records to a point, on all cores if there are many."""

    def __init__(self, pool: ThreadPoolExecutor, is_nominal: NDArray[np.bool_], is_squared: bool) -> None:
        self._pool, self._is_nominal, self._is_squared = pool, is_nominal, is_squared

    def farthest(
        self, X: NDArray[np.float64], rows: NDArray[np.intp], point: NDArray[np.float64] | CategoryShares
    ) -> int:
        """Return the place in `rows` of the record farthest from a point, of equally far ones the first."""
        if not isinstance(point, CategoryShares):
            return int(np.argmax(self.to_record(X, rows, point)))
        from shoal.partition.kernels.mdav_generic import screened_distances

        near_enough = self._in_threads(screened_distances, X, rows, (point.means, point.starts, point.squares))
        room = _NEARLY * X.shape[1]
        places = np.flatnonzero(near_enough >= near_enough.max() * (1 - _NEARLY) - room)
        return int(places[np.argmax(_to_shares(X, rows[places], point))])

    def to_record(
        self, X: NDArray[np.float64], rows: NDArray[np.intp], point: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the distances of some records of a matrix to a record, or to a point like one."""
        from shoal.partition.kernels.mdav_generic import mixed_distances

        return self._in_threads(mixed_distances, X, rows, (point, self._is_nominal, self._is_squared))

    def exact(self, records: Any, point: NDArray[np.float64] | CategoryShares) -> NDArray[np.float64]:
        """Return the distances of records to a point, or of centroids by shares to a record."""
        if isinstance(point, CategoryShares):
            return _to_shares(records, np.arange(len(records)), point)
        if isinstance(records, list):
            return np.concatenate([_to_shares(point[np.newaxis], np.arange(1), centroid) for centroid in records])
        return self.to_record(records, np.arange(len(records)), point)

    def _in_threads(
        self,
        kernel: Callable[..., None],
        X: NDArray[np.float64],
        rows: NDArray[np.intp],
        arguments: tuple[Any, ...],
    ) -> NDArray[np.float64]:
        out = np.empty(len(rows))
        given = [_read_only(one) if isinstance(one, np.ndarray) else one for one in arguments]
        shares = min(os.cpu_count() or 1, 1 + len(rows) // _ROWS_A_THREAD)
        cuts = [len(rows) * share // shares for share in range(shares + 1)]
        work = [(_read_only(X), rows, *given, *cut, out) for cut in pairwise(cuts)]
        if shares == 1:
            kernel(*work[0])
        else:
            list(self._pool.map(lambda one: kernel(*one), work))
        return out


def _to_shares(X: NDArray[np.float64], rows: NDArray[np.intp], centroid: CategoryShares) -> NDArray[np.float64]:
    from shoal.partition.kernels.mdav_generic import distances_to_shares

    out = np.empty(len(rows))
    means, starts, codes, shares = map(_read_only, centroid)
    distances_to_shares(_read_only(X), rows, means, starts, codes, shares, out)
    return out


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same array as one that is not written to, so that one kernel does for all."""
    view = array.view()
    view.flags.writeable = False
    return view
