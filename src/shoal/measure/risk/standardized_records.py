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
    """The records of both files without a missing value, as standardised matrices.

    Attributes
    ----------
    names
        The columns: first those of numbers, then those of categories.
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


def varying_columns(files: Pair) -> list[str]:
    """Return the columns that vary in the original, in file order: constant columns identify no one."""
    varying = set(files.varying_names)
    for name, codes in zip(files.category_names, files.categories[0].T, strict=True):
        if len(np.unique(codes[codes >= 0])) > 1:
            varying.add(name)
    return [name for name in files.columns if name in varying]


def standardized_records(files: Pair, names: Sequence[str], *, own_scale: bool) -> StandardizedRecords:
    """Standardise some columns of both files, and leave out the records with a missing value in them.

    Parameters
    ----------
    files
        The two files.
    names
        The columns; each varies in the original.
    own_scale
        Whether the masked file is standardised with its own mean and standard deviation (n - 1), instead of the
        original's. A constant masked variable is standardised with the original's.
    """
    if not names:
        raise NotApplicableError("This measure needs a variable that varies; these are all constant.")
    wanted = set(names)
    numeric = [place for place, name in enumerate(files.numeric_names) if name in wanted]
    nominal = [place for place, name in enumerate(files.category_names) if name in wanted]
    complete = np.ones(len(files.original), dtype=bool)
    for file in (0, 1):
        for place in numeric:
            complete &= ~np.isnan(files.numbers[file][:, place])
        for place in nominal:
            complete &= files.categories[file][:, place] >= 0
    if not complete.any():
        raise NotApplicableError(
            "Every record has a missing value in one of the files. Name columns with fewer missing values."
        )
    original, masked = (np.empty((int(complete.sum()), len(numeric) + len(nominal))) for _ in (0, 1))
    for j, place in enumerate(numeric):
        before, after = _standardized(files.numbers[0][:, place], files.numbers[1][:, place], own_scale)
        original[:, j], masked[:, j] = before[complete], after[complete]
    for j, place in enumerate(nominal, start=len(numeric)):
        original[:, j], masked[:, j] = (codes[complete, place] for codes in files.categories)
    kept = [files.numeric_names[place] for place in numeric] + [files.category_names[place] for place in nominal]
    return StandardizedRecords(tuple(kept), len(numeric), original, masked)


def _standardized(original: Doubles, masked: Doubles, own_scale: bool) -> tuple[Doubles, Doubles]:
    scale = standard_scale(original)
    with np.errstate(over="ignore"):
        before, after = scale.apply(original), np.clip(scale.apply(masked), -_FARTHEST, _FARTHEST)
    if own_scale and np.nanmax(after) - np.nanmin(after) > _NO_SPREAD:
        after = standard_scale(masked).apply(masked)
    return before, after
