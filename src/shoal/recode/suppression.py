"""Local suppression: cells of key variables made missing until k records share every combination of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes
from shoal.errors import TooFewRecordsError

__all__ = ["SuppressedCells", "suppressed_cells"]

Whole64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SuppressedCells:
    """The cells to suppress.

    Attributes
    ----------
    cells
        n records by q keys: True where a value is made missing.
    count
        How many they are.
    lower_bound
        The weighted cells that no solution goes below.
    """

    cells: NDArray[np.bool_]
    count: int
    lower_bound: float


def suppressed_cells(
    columns: Sequence[Whole64],
    k: int,
    *,
    importance: Sequence[float] | None = None,
    missing: Literal["wildcard", "category"] = "wildcard",
    strata: Whole64 | None = None,
    units: Whole64 | None = None,
    fixed: Sequence[bool] | None = None,
    subsets: Mapping[int, int] | None = None,
) -> SuppressedCells:
    """Return cells whose suppression leaves no combination with fewer than k records, a missing value a category."""
    n, q = len(columns[0]), len(columns)
    is_fixed = [False] * q if fixed is None else list(fixed)
    free = [place for place in range(q) if not is_fixed[place]]
    cost = [1.0] * q if importance is None else list(importance)
    base = [np.zeros(n, dtype=np.int64) if strata is None else np.asarray(strata, dtype=np.int64)]
    part = joined_codes([*base, *(columns[place] for place in range(q) if is_fixed[place])], n)
    if _counts(part, units).min() < k:
        raise TooFewRecordsError(f"k={k} needs at least {k} records in every stratum.", k=k)
    codes = np.column_stack(columns).astype(np.int64)
    cells = np.zeros((n, q), dtype=bool)
    subsets_by_cost = [one for size in range(1, len(free) + 1) for one in combinations(free, size)]
    for subset in sorted(subsets_by_cost, key=lambda one: (sum(cost[place] for place in one), one)):
        short = _short(codes, part, k, units)
        if not short.any():
            break
        trial = codes.copy()
        trial[np.ix_(short, subset)] = -1
        mended = short & ~_short(trial, part, k, units)
        codes[np.ix_(mended, subset)] = -1
    _pull(codes, part, free, k, units)
    cells = codes != np.column_stack(columns)
    return SuppressedCells(cells, int(cells.sum()), 0.0)


def _counts(groups: Whole64, units: Whole64 | None) -> Whole64:
    """Return how many records, or different units, every record's group has."""
    if units is None:
        return np.asarray(np.bincount(groups)[groups], dtype=np.int64)
    pairs = np.unique(np.column_stack([groups, units]), axis=0)
    return np.asarray(np.bincount(pairs[:, 0])[groups], dtype=np.int64)


def _short(codes: Whole64, part: Whole64, k: int, units: Whole64 | None) -> NDArray[np.bool_]:
    return _counts(joined_codes([part, *codes.T], len(codes)), units) < k


def _pull(codes: Whole64, part: Whole64, free: Sequence[int], k: int, units: Whole64 | None) -> None:
    """Suppress all of what is still short, with whole combinations beside it until they are k, smallest first."""
    while (short := _short(codes, part, k, units)).any():
        own = part == part[short.argmax()]
        codes[np.ix_(short & own, list(free))] = -1
        if not (_short(codes, part, k, units) & own).any():
            continue
        others = own & (codes[:, list(free)] >= 0).any(axis=1)
        combination = joined_codes([part, *codes.T], len(codes))
        sizes = np.where(others, _counts(combination, units), len(codes) + 1)
        codes[np.ix_(combination == combination[sizes.argmin()], list(free))] = -1
