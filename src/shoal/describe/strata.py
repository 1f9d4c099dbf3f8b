"""Strata: parts of the file; no group has records of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import combinations_of
from shoal.errors import TooFewRecordsError
from shoal.read import Table

__all__ = ["Strata", "combined", "joined_to_enough", "or_lower_k", "refuse_small_strata", "strata_of"]


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
        refuse_small_strata(np.bincount(self.codes, minlength=len(self)), k, self.columns)


def refuse_small_strata(sizes: NDArray[np.int64], k: int, columns: Sequence[str]) -> None:
    """Raise TooFewRecordsError if one of the strata of `columns`, of which these are the sizes, has fewer than k."""
    smallest, below = int(sizes.min()), int(np.count_nonzero(sizes < k))
    if not below:
        return
    named = ", ".join(columns)
    raise TooFewRecordsError(
        f"k={k} needs at least {k} records in every stratum of {named}; {below:,} of {len(sizes):,} have fewer, "
        f"the smallest has {smallest}. Count the records by {named} to see which; merge strata{or_lower_k(smallest)}.",
        k=k,
        records=smallest,
        strata=tuple(columns),
    )


def or_lower_k(most: int) -> str:
    """Return ", or lower k to 3 at most", as the end of an advice; nothing where no k is that low."""
    return f", or lower k to {most} at most" if most > 1 else ""


def strata_of(table: Table, columns: Sequence[str]) -> Strata:
    """Return the strata formed by all combinations of values of `columns`; a missing value counts as a value."""
    if not columns:
        return Strata(np.zeros(len(table), dtype=np.int64), 1)
    combinations = combinations_of(table, columns)
    return Strata(combinations, int(combinations.max(initial=0)) + 1, tuple(columns))


def combined(parts: NDArray[np.int64], values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the parts of a file divided by the values of a variable, numbered in the order of both."""
    numbers = np.unique(values, return_inverse=True)[1].reshape(-1)
    return np.unique(parts * (numbers.max() + 1) + numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)


def joined_to_enough(
    parts: NDArray[np.int64],
    strata: NDArray[np.int64],
    counts: NDArray[np.int64],
    k: int,
    *,
    fill: bool,
    units: Sequence[set[int]] | None = None,
) -> NDArray[np.int64]:
    """Join parts that have fewer than k units, but not none, to the parts after them in their stratum.

    What is short at the end is joined to the last that has enough.

    Parameters
    ----------
    parts, strata
        The part and the stratum of every record; parts are numbered stratum by stratum.
    counts
        How many units every part has.
    k
        How many it needs.
    fill
        Whether those with none are joined as well, because missing values are filled.
    units
        The units of every part, where one may be in several.
    """
    counts = np.append(counts, np.zeros(int(parts.max()) + 1 - len(counts), dtype=np.int64))
    stratum = np.zeros(len(counts), dtype=np.int64)
    stratum[parts] = strata
    joined = np.arange(len(counts))
    start = 0  # of the parts that are being put together
    enough = -1  # the last that has k
    for part in range(len(counts)):
        if part > start and stratum[part] != stratum[start]:
            start = part
        have = int(counts[start : part + 1].sum())
        if units is not None:
            have = len(set().union(*units[start : part + 1]))
        if enough >= 0 and stratum[part] != stratum[enough]:
            enough = -1
        joined[start : part + 1] = joined[start]
        if have >= k or (have == 0 and not fill):
            enough = start if have >= k else enough
            start = part + 1
        elif part + 1 == len(counts) or stratum[part + 1] != stratum[part]:  # short at the end
            joined[start : part + 1] = start if enough < 0 else enough
            start = part + 1
    return np.unique(joined[parts], return_inverse=True)[1].reshape(-1).astype(np.int64)
