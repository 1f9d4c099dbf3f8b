"""The records of two files as standardised matrices, in which distances can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import standard_scale
from shoal.errors import NotApplicableError
from shoal.measure.pairs import Pair

__all__ = ["StandardizedRecords", "standardized_records", "varying_columns"]

Doubles = NDArray[np.float64]

_NO_SPREAD = 1e-9  # in standard deviations of the original: smaller differences come from rounding
_FARTHEST = 1e150  # its square does not overflow


@dataclass(frozen=True)
class StandardizedRecords:
    """All records of both files, as standardised matrices; a missing value is a category.

    Attributes
    ----------
    names
        The columns: first those of numbers, then those of categories. One of numbers of which some are missing may be
        there twice: as numbers, a missing one at their mean, and as what is missing (1, not 0).
    numbers
        How many hold numbers. The others hold codes that mean the same in both files, -1 for a missing value.
    original, masked
        One row per record.
    """

    names: tuple[str, ...]
    numbers: int
    original: Doubles
    masked: Doubles

    def only(self, names: Sequence[str]) -> StandardizedRecords:
        """Return the same records on fewer columns."""
        wanted = set(names)
        places = [place for place, name in enumerate(self.names) if name in wanted]
        numbers = sum(place < self.numbers for place in places)
        kept = tuple(self.names[place] for place in places)
        return StandardizedRecords(kept, numbers, self.original.take(places, axis=1), self.masked.take(places, axis=1))

    def missing(self, place: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which values of a column are missing in each file."""
        if place >= self.numbers:
            return self.original[:, place] < 0, self.masked[:, place] < 0
        beside = [other for other in range(self.numbers, len(self.names)) if self.names[other] == self.names[place]]
        if not beside:
            return np.zeros(len(self.original), dtype=bool), np.zeros(len(self.masked), dtype=bool)
        return self.original[:, beside[0]] == 1, self.masked[:, beside[0]] == 1


def varying_columns(files: Pair, *, missing_counts: bool = False) -> list[str]:
    """Return the columns that vary in the original, in file order: constant columns identify no one.

    `missing_counts` says whether a missing value is another value.
    """
    varying = set(files.varying_names)
    for name, codes in zip(files.category_names, files.categories[0].T, strict=True):
        if len(np.unique(codes if missing_counts else codes[codes >= 0])) > 1:
            varying.add(name)
    if missing_counts:
        some = np.isnan(files.numbers[0])
        varying |= {
            name for name, column in zip(files.numeric_names, some.T, strict=True) if column.any() and not column.all()
        }
    return [name for name in files.columns if name in varying]


def standardized_records(files: Pair, names: Sequence[str], *, own_scale: bool) -> StandardizedRecords:
    """Standardise some columns of both files.

    Parameters
    ----------
    files
        The two files.
    names
        The columns; each varies in the original, or some of its values are missing.
    own_scale
        Whether the masked file is standardised with its own mean and standard deviation (n - 1), instead of the
        original's. A constant masked variable is standardised with the original's.
    """
    if not names:
        raise NotApplicableError("This measure needs a variable that varies; these are all constant.")
    wanted = set(names)
    of_numbers, of_categories = [], []
    for place, name in enumerate(files.numeric_names):
        if name in wanted:
            before, after = (numbers[:, place] for numbers in files.numbers)
            absent = [np.isnan(column).astype(np.float64) for column in (before, after)]
            if files.varying[place]:
                of_numbers.append((name, *map(np.nan_to_num, _standardized(before, after, own_scale))))
            if any(column.any() for column in absent):
                of_categories.append((name, *absent))
    for place, name in enumerate(files.category_names):
        if name in wanted:
            of_categories.append((name, *(codes[:, place].astype(np.float64) for codes in files.categories)))
    kept, original, masked = zip(*of_numbers, *of_categories, strict=True)
    return StandardizedRecords(kept, len(of_numbers), np.column_stack(original), np.column_stack(masked))


def _standardized(original: Doubles, masked: Doubles, own_scale: bool) -> tuple[Doubles, Doubles]:
    scale = standard_scale(original)
    with np.errstate(over="ignore"):
        before, after = scale.apply(original), np.clip(scale.apply(masked), -_FARTHEST, _FARTHEST)
    observed = after[~np.isnan(after)]
    if own_scale and observed.size and np.ptp(observed) > _NO_SPREAD:
        after = standard_scale(masked).apply(masked)
    return before, after
