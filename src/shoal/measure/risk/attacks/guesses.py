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

_MOST_LEARNED_FROM = 20_000  # records of a regression
_MOST_LEVELS = 50  # categories with an indicator, the most frequent of all columns
_FARTHEST = 1e6  # standard deviations, in a regression
_DEPENDENT = 1e-9  # a direction with less than this share of the largest singular value is a linear dependence
_DETERMINED = 1e-9  # a record that leaves this little to the others decides its own fit


def guesses_of(
    targets: Doubles,
    records: Doubles,
    own: Places | None,
    *,
    known: Sequence[int],
    guessed: Sequence[int],
    numbers: int,
    neighbours: int,
) -> dict[int, Guesses]:
    """Return guesses of every guessed column from the known ones, but for itself.

    Parameters
    ----------
    targets
        What is known of the targets, and what is guessed, in the columns of `records`.
    records
        The records that are learned from.
    own
        The place of every target's own record, which is left out for it; the first places, in order. None if it may
        be used.
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
        for number, place in enumerate(guessed):
            values = records[:, place][nearest[:, number]]
            by: dict[str, Doubles] = {"nearest": values[:, 0]}
            if place < numbers:
                by["several"] = np.median(values, axis=1)
                columns = [one for one in known if one != place]
                by["regression"] = _regressed(targets, records, own is not None, columns, place, numbers)
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
    from shoal.partition.kernels.nearest_known import write_nearest_known  # deferred: slow to import

    sought, searched = (np.ascontiguousarray(file[:, known]) for file in (targets, records))
    left_out = np.array([known.index(place) if place in known else -1 for place in guessed], dtype=np.int64)
    passed = np.full(len(targets), -1, dtype=np.int64) if own is None else own.astype(np.int64)
    searches, search_of = np.unique(left_out, return_inverse=True)
    out = np.empty((len(targets), len(searches), wanted), dtype=np.int64)
    write_nearest_known(sought, searched, passed, sum(place < numbers for place in known), searches, out)
    return np.asarray(out[:, search_of.reshape(-1)])


def _most_frequent(codes: Doubles) -> Doubles:
    """Return the most frequent code of every row; of equally frequent ones that of the nearest record."""
    counts = (codes[:, :, None] == codes[:, None, :]).sum(axis=2)
    return np.asarray(codes[np.arange(len(codes)), counts.argmax(axis=1)])


def _regressed(
    targets: Doubles, records: Doubles, is_own: bool, columns: Sequence[int], place: int, numbers: int
) -> Doubles:
    """Return predictions by least squares; where the records are the targets' own, without the target's."""
    learned = records[: max(_MOST_LEARNED_FROM, len(targets))]
    levels = _levels(learned, [column for column in columns if column >= numbers])
    amounts = [column for column in columns if column < numbers]
    Z, y = _design(learned, amounts, levels), np.clip(learned[:, place], -_FARTHEST, _FARTHEST)
    centre = Z.mean(axis=0)
    left, sizes, right = np.linalg.svd(Z - centre, full_matrices=False)
    kept = sizes > _DEPENDENT * sizes.max(initial=0.0)
    left, mean = left[:, kept], y.mean()
    if not is_own:
        slopes = right[kept].T @ ((left.T @ (y - mean)) / sizes[kept])
        return np.asarray(mean + (_design(targets, amounts, levels) - centre) @ slopes)
    n = len(targets)
    fitted = mean + left[:n] @ (left.T @ (y - mean))
    free = 1 - 1 / len(y) - np.square(left[:n]).sum(axis=1)
    without = y[:n] - (y[:n] - fitted) / np.maximum(free, _DETERMINED)
    return np.asarray(np.where(free > _DETERMINED, without, mean))


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
