"""Guesses of one variable of many targets from others: by the nearest records, and by a linear regression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Guesses", "guesses_of"]

Doubles = NDArray[np.float64]
Places = NDArray[np.int64]
Guesses = Mapping[str, Doubles]
"""One guess for every target, by how it was made."""

_MOST_LEVELS = 50  # categories with an indicator, the most frequent of all columns
_FARTHEST = 1e6  # standard deviations, in a regression
_DEPENDENT = 1e-12  # a direction with less than this share of the largest sum of squares is a linear dependence
_DETERMINED = 1e-9  # a record that leaves this little to the others decides its own fit


def guesses_of(
    targets: Doubles,
    records: Doubles,
    missing: NDArray[np.bool_],
    own: Places | None,
    *,
    known: Sequence[int],
    guessed: Sequence[int],
    numbers: int,
    neighbours: int,
) -> dict[int, Guesses]:
    """Return guesses of every guessed column from the known ones, but for itself; NaN where none can be made.

    Parameters
    ----------
    targets
        What is known of the targets, and what is guessed, in the columns of `records`.
    records
        The records that are learned from.
    missing
        Which of their values are missing, by guessed column.
    own
        The place of every target's own record, which is left out for it; None if it may be used.
    known, guessed
        Places of columns.
    numbers
        How many columns, the first ones, hold numbers; the others hold codes.
    neighbours
        How many records a guess by several takes.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # deferred: slow to import

    nearest = _nearest(targets, records, own, known, guessed, numbers, min(neighbours, len(records) - 1))
    found: dict[int, Guesses] = {}
    with threadpool_limits(1):
        regression = _Regression(targets, records, own, known, guessed, numbers)
        for number, place in enumerate(guessed):
            values = np.where(missing[:, number], np.nan, records[:, place])[nearest[:, number]]
            by: dict[str, Doubles] = {"nearest": values[np.arange(len(values)), np.isnan(values).argmin(axis=1)]}
            if place < numbers:
                by["several"] = _medians(values)
                by["regression"] = regression.predicted(place)
            else:
                by["several"] = _most_frequent(values)
            found[place] = by
    return found


def _nearest(
    targets: Doubles,
    records: Doubles,
    own: Places | None,
    known: Sequence[int],
    guessed: Sequence[int],
    numbers: int,
    wanted: int,
) -> Places:
    """Return the places of the nearest records, targets x guessed columns x wanted."""
    from shoal.partition.kernels.neighbours import write_nearest_known  # deferred: slow to import

    sought, searched = (np.ascontiguousarray(file[:, known]) for file in (targets, records))
    left_out = np.array([known.index(place) if place in known else -1 for place in guessed], dtype=np.int64)
    passed = np.full(len(targets), -1, dtype=np.int64) if own is None else own.astype(np.int64)
    searches, search_of = np.unique(left_out, return_inverse=True)
    out = np.empty((len(targets), len(searches), wanted), dtype=np.int64)
    write_nearest_known(sought, searched, passed, sum(place < numbers for place in known), searches, out)
    return np.asarray(out[:, search_of.reshape(-1)])


def _medians(values: Doubles) -> Doubles:
    """Return the median of the observed values of every row."""
    counts = (~np.isnan(values)).sum(axis=1)
    ordered, rows = np.sort(values, axis=1), np.arange(len(values))  # missing ones last
    low, high = np.maximum(counts - 1, 0) // 2, counts // 2
    return np.asarray((ordered[rows, low] + ordered[rows, np.minimum(high, values.shape[1] - 1)]) / 2)


def _most_frequent(codes: Doubles) -> Doubles:
    """Return the most frequent code of every row; of equally frequent ones that of the nearest record."""
    counts = (codes[:, :, None] == codes[:, None, :]).sum(axis=2)
    return np.asarray(codes[np.arange(len(codes)), counts.argmax(axis=1)])


class _Regression:
    """Least squares of any number on all known columns but itself, from one matrix of products for all of them.

    Parameters
    ----------
    targets, records
        What is predicted, and what is learned from.
    own
        The place of every target among the records, which is left out for it; None if it may be used.
    known, guessed
        Places of columns.
    numbers
        How many columns, the first ones, hold numbers.
    """

    def __init__(
        self,
        targets: Doubles,
        records: Doubles,
        own: Places | None,
        known: Sequence[int],
        guessed: Sequence[int],
        numbers: int,
    ) -> None:
        self._columns = [place for place in dict.fromkeys([*known, *guessed]) if place < numbers]
        self._known = [number for number, place in enumerate(self._columns) if place in known]
        levels = _levels(records, [place for place in known if place >= numbers])
        learned, sought = (_design(file, self._columns, levels) for file in (records, targets))
        self._known += range(len(self._columns), learned.shape[1])
        self._centre, self._count = learned.mean(axis=0), len(learned)
        learned -= self._centre
        self._products, self._targets = learned.T @ learned, sought - self._centre
        self._leaves_own_out = own is not None

    def predicted(self, place: int) -> Doubles:
        """Return the predictions of one column."""
        number = self._columns.index(place)
        others = [one for one in self._known if one != number]
        sizes, directions = np.linalg.eigh(self._products[np.ix_(others, others)])
        kept = sizes > _DEPENDENT * sizes.max(initial=0.0)
        scaled = directions[:, kept] / np.sqrt(sizes[kept])
        along = self._targets[:, others] @ scaled
        fitted = along @ (scaled.T @ self._products[others, number])
        if self._leaves_own_out:
            free = 1 - 1 / self._count - np.square(along).sum(axis=1)
            true = self._targets[:, number]
            without = true - (true - fitted) / np.maximum(free, _DETERMINED)
            fitted = np.where(free > _DETERMINED, without, 0.0)
        return np.asarray(self._centre[number] + fitted)


def _levels(records: Doubles, columns: Sequence[int]) -> list[tuple[int, float]]:
    """Return the most frequent categories, each as a column and a code."""
    found = [
        (int(count), column, float(code))
        for column in columns
        for code, count in zip(*np.unique(records[:, column], return_counts=True), strict=True)
    ]
    return [(column, code) for _, column, code in sorted(found, key=lambda one: -one[0])[:_MOST_LEVELS]]


def _design(records: Doubles, amounts: Sequence[int], levels: Sequence[tuple[int, float]]) -> Doubles:
    indicators = [records[:, column] == code for column, code in levels]
    return np.column_stack([np.clip(records[:, amounts], -_FARTHEST, _FARTHEST), *indicators]).astype(np.float64)
