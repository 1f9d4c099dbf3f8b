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
    """The records of both files, as standardised matrices without a missing value.

    Attributes
    ----------
    names
        The columns: first those of numbers, then those of categories. One of numbers of which some are missing may be
        there twice: as numbers, and as what is missing.
    numbers
        How many hold numbers. The others hold codes that mean the same in both files.
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


def standardized_records(
    files: Pair, names: Sequence[str], *, own_scale: bool, missing_counts: bool = False
) -> StandardizedRecords:
    """Standardise some columns of both files.

    Parameters
    ----------
    files
        The two files.
    names
        The columns; each varies in the original.
    own_scale
        Whether the masked file is standardised with its own mean and standard deviation (n - 1), instead of the
        original's. A constant masked variable is standardised with the original's.
    missing_counts
        Whether a missing value counts as a category, which lies at the mean of a variable of numbers. Otherwise records
        with a missing value in one of the columns are left out.
    """
    if not names:
        raise NotApplicableError("This measure needs a variable that varies; these are all constant.")
    wanted = set(names)
    numbers = [place for place, name in enumerate(files.numeric_names) if name in wanted]
    nominal = [place for place, name in enumerate(files.category_names) if name in wanted]
    records = slice(None) if missing_counts else _complete(files, numbers, nominal)
    of_numbers, of_categories = [], []
    for place in numbers:
        name, before, after = files.numeric_names[place], files.numbers[0][:, place], files.numbers[1][:, place]
        absent = [np.isnan(column)[records].astype(np.float64) for column in (before, after)]
        if files.varying[place]:
            both = [np.nan_to_num(column[records]) for column in _standardized(before, after, own_scale)]
            of_numbers.append((name, *both))
        if any(column.any() for column in absent):
            of_categories.append((name, *absent))
    for place in nominal:
        both = [codes[records, place].astype(np.float64) for codes in files.categories]
        of_categories.append((files.category_names[place], *both))
    kept, original, masked = zip(*of_numbers, *of_categories, strict=True)
    return StandardizedRecords(kept, len(of_numbers), np.column_stack(original), np.column_stack(masked))


def _complete(files: Pair, numbers: Sequence[int], nominal: Sequence[int]) -> NDArray[np.bool_]:
    """Return which records have no missing value in some columns of either file; NotApplicableError if none has."""
    complete = np.ones(len(files.original), dtype=bool)
    for file in (0, 1):
        for place in numbers:
            complete &= ~np.isnan(files.numbers[file][:, place])
        for place in nominal:
            complete &= files.categories[file][:, place] >= 0
    if not complete.any():
        raise NotApplicableError(
            "Every record has a missing value in one of the files. Name columns with fewer missing values."
        )
    return complete


def _standardized(original: Doubles, masked: Doubles, own_scale: bool) -> tuple[Doubles, Doubles]:
    scale = standard_scale(original)
    with np.errstate(over="ignore"):
        before, after = scale.apply(original), np.clip(scale.apply(masked), -_FARTHEST, _FARTHEST)
    observed = after[~np.isnan(after)]
    if own_scale and observed.size and np.ptp(observed) > _NO_SPREAD:
        after = standard_scale(masked).apply(masked)
    return before, after
