"""Suppression where a missing value is a category: every released combination is carried by k records, or k units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes
from shoal.errors import TooFewRecordsError
from shoal.recode.suppression.key_sets import levels

__all__ = ["CategoryCells", "category_suppression"]

Whole64 = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CategoryCells:
    """The cells that are made missing, and the importance that no choice of cells goes below."""

    cells: Truths
    lower_bound: float


def category_suppression(
    table: Whole64, number: Whole64, k: int, importance: Sequence[float], free: Sequence[int], units: Whole64 | None
) -> CategoryCells:
    """Return the cells to make missing so that every combination is carried by k records, or k different units."""
    rows = table[number].copy()
    units = np.arange(len(rows)) if units is None else np.asarray(units, dtype=np.int64)
    fixed = [0, *(key + 1 for key in range(table.shape[1] - 1) if key not in set(free))]
    least = carriers(joined_codes([rows[:, key] for key in fixed], len(rows)), units)
    if (least < k).any():
        records = int(least.min())
        raise TooFewRecordsError(
            f"k={k} needs at least {k} records in every stratum, alike in the keys that are never suppressed; somewhere "
            f"there are {records}. Lower k, or suppress more keys.",
            k=k,
            records=records,
        )
    original = rows.copy()
    short = carriers(joined_codes(list(rows.T), len(rows)), units) < k
    for _, level in levels(free, importance):
        for keys in level:
            if not short.any():
                break
            trial = rows[short].copy()
            trial[:, [key + 1 for key in keys]] = -1
            alike = carriers(joined_codes(list(trial.T), len(trial)), units[short]) >= k
            mine = np.flatnonzero(short)[alike]
            rows[mine] = trial[alike]
            short[mine] = False
    while short.any():  # too few left over: they and the others of their stratum lose all
        rows[np.ix_(np.flatnonzero(short), [key + 1 for key in free])] = -1
        short = carriers(joined_codes(list(rows.T), len(rows)), units) < k
        if short.any():
            kept = joined_codes([original[:, key] for key in fixed], len(rows))
            everyone = np.isin(kept, kept[short])
            rows[np.ix_(np.flatnonzero(everyone), [key + 1 for key in free])] = -1
            short = np.zeros(len(rows), dtype=bool)
    return CategoryCells((rows != original)[:, 1:], 0.0)


def carriers(combinations: Whole64, units: Whole64) -> Whole64:
    """Return for every record how many different units have its combination."""
    pairs = np.unique(np.column_stack([combinations, units]), axis=0)
    return np.bincount(pairs[:, 0], minlength=int(combinations.max(initial=0)) + 1)[combinations]
