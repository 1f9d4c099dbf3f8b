"""Strata: parts of the file; no group has records of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import combinations_of
from shoal.errors import TooFewRecordsError
from shoal.read import Table

__all__ = ["Strata", "strata_of"]


@dataclass(frozen=True)
class Strata:
    """The stratum of every record, 0, 1, ..., how many there are, and the columns whose values they are.

    Messages name the columns and count; a value of theirs may be one person's.
    """

    codes: NDArray[np.int64]
    count: int
    columns: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.count

    @property
    def where(self) -> str:
        """Return " in a stratum of region" for a message, or nothing where the file is one stratum."""
        return f" in a stratum of {', '.join(self.columns)}" if self.columns else ""

    def refuse_fewer_than(self, k: int) -> None:
        """Raise TooFewRecordsError if a stratum has fewer than k records."""
        sizes = np.bincount(self.codes, minlength=len(self))
        smallest, below = int(sizes.min()), int(np.count_nonzero(sizes < k))
        if not below:
            return
        columns = ", ".join(self.columns)
        way_out = "merge strata" if smallest < 2 else f"merge strata, or lower k to {smallest} at most"
        raise TooFewRecordsError(
            f"k={k} needs at least {k} records in every stratum of {columns}; {below:,} of {len(self):,} have fewer, "
            f"the smallest has {smallest}. Count the records by {columns} to see which; {way_out}.",
            k=k,
            records=smallest,
            strata=self.columns,
        )


def strata_of(table: Table, columns: Sequence[str]) -> Strata:
    """Return the strata formed by all combinations of values of `columns`; a missing value counts as a value."""
    if not columns:
        return Strata(np.zeros(len(table), dtype=np.int64), 1)
    combinations = combinations_of(table, columns)
    return Strata(combinations, int(combinations.max(initial=0)) + 1, tuple(columns))
