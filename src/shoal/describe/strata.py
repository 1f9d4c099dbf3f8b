"""Strata: parts of the file; no group has records of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import combinations_of
from shoal.describe.variables import codes
from shoal.errors import TooFewRecordsError
from shoal.read import Table

__all__ = ["Strata", "strata_of"]


_MOST_NAMED = 100  # with more values than this, a column is not one of regions or sectors


@dataclass(frozen=True)
class Strata:
    """The stratum of every record, 0, 1, ..., and a name for each."""

    codes: NDArray[np.int64]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    def where(self, stratum: int) -> str:
        """Return ' in region "North"' for a message, or nothing where the file is one stratum."""
        return f" in {self.names[stratum]}" if self.names[stratum] else ""

    def refuse_fewer_than(self, k: int) -> None:
        """Raise TooFewRecordsError if a stratum has fewer than k records."""
        sizes = np.bincount(self.codes, minlength=len(self))
        smallest = int(sizes.argmin())
        if sizes[smallest] < k:
            also = int(np.count_nonzero(sizes < k)) - 1
            has = f"{sizes[smallest]}" + (f" ({also} more fall short)" if also else "")
            raise TooFewRecordsError(
                f"k={k} needs at least {k} records in every stratum; {self.names[smallest]} has {has}. "
                "Merge strata, or lower k.",
                k=k,
                records=int(sizes[smallest]),
                stratum=self.names[smallest],
            )


def strata_of(table: Table, columns: Sequence[str]) -> Strata:
    """Return the strata formed by all combinations of values of `columns`; a missing value counts as a value."""
    if not columns:
        return Strata(np.zeros(len(table), dtype=np.int64), ("",))
    combinations = combinations_of(table, columns)
    first = np.unique(combinations, return_index=True)[1]
    few = {name: codes(table, name).max() < _MOST_NAMED for name in columns}
    missing = {name: table.missing(name) for name in columns}
    names = []
    for row in first:
        parts = []
        for name in columns:
            if missing[name][row]:
                parts.append(f"{name} missing")
            elif few[name]:
                parts.append(f'{name} "{table.frame[name][int(row)]}"')
            else:  # hardly a stratum, and its values may identify persons
                parts.append(f"one value of {name}")
        names.append(", ".join(parts))
    return Strata(combinations, tuple(names))
