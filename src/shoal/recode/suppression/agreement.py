"""How many records agree with each on some of the keys, where a missing value agrees with every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import LARGEST, joined_codes
from shoal.recode.suppression.key_sets import KeySet

__all__ = ["Agreement", "KeptKeys", "distinct_combinations"]

Whole64 = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Agreement:
    """The different combinations of a file, and how many records agree with each of them on a set of keys.

    Attributes
    ----------
    table
        The codes of every combination, one row each, -1 for a missing value.
    records
        How many records have it.
    strata
        Its stratum; records agree only within one.
    observed
        The sets of keys that are observed together, one row each.
    pattern
        Which of them each combination has.
    """

    table: Whole64
    records: Whole64
    strata: Whole64
    observed: Truths
    pattern: Whole64

    @classmethod
    def of(cls, table: Whole64, records: Whole64, strata: Whole64) -> Agreement:
        """Return the agreement of different combinations."""
        observed, pattern = np.unique(table >= 0, axis=0, return_inverse=True)
        return cls(table, records, strata, observed, pattern.reshape(-1))

    @property
    def work(self) -> int:
        """How many cells are compared to count once, about; small tables take as long as some thousand rows."""
        return (len(self.table) + 2_000) * int(self.table.shape[1]) * len(self.observed)

    def counts(self, kept: KeySet) -> Whole64:
        """Return how many records agree with each combination on the `kept` keys; 0 where one of these is missing."""
        restricted, member = np.unique(self.observed[:, kept], axis=0, return_inverse=True)
        member = member.reshape(-1)[self.pattern]
        full = np.flatnonzero(restricted[member].all(axis=1))
        agreeing = np.zeros(len(self.table), dtype=np.int64)
        if not len(full):
            return agreeing
        for number, both in enumerate(restricted):
            others = full if both.all() else np.flatnonzero(member == number)
            together = full if both.all() else np.concatenate([full, others])
            keys = [self.table[together, key] for key, is_kept in zip(kept, both, strict=True) if is_kept]
            alike = joined_codes([self.strata[together], *keys], len(together))
            there = alike[len(together) - len(others) :]
            found = np.bincount(there, self.records[others], int(alike.max()) + 1).astype(np.int64)
            agreeing[full] += found[alike[: len(full)]]
        return agreeing


class KeptKeys:
    """Whether k holds for combinations that keep some of their keys and lose the others.

    Parameters
    ----------
    agreement
        The combinations.
    k
        How many records have to agree with each on everything it keeps.
    subsets
        For a number of keys, how many have to agree on every set of so many of the kept keys.
    """

    def __init__(self, agreement: Agreement, k: int, subsets: Mapping[int, int]) -> None:
        self.agreement, self.k = agreement, k
        self.subsets = {size: least for size, least in sorted(subsets.items()) if least > k}
        self.counted = 0  # how many sets of keys were counted, for limits of work
        self._holds: dict[tuple[int, KeySet], Truths] = {}

    def holds(self, kept: KeySet) -> tuple[Truths, Whole64]:
        """Return for which combinations k holds where they keep these keys, and how many records agree with each."""
        counts = self._counts(kept)
        enough = counts >= self.k
        for size, least in self.subsets.items():
            for some in combinations(kept, min(size, len(kept))):
                enough &= self._subset_holds(some, least)
        return enough, counts

    def _counts(self, kept: KeySet) -> Whole64:
        self.counted += 1
        return self.agreement.counts(kept)

    def _subset_holds(self, some: KeySet, least: int) -> Truths:
        if (least, some) not in self._holds:
            self._holds[least, some] = self._counts(some) >= least
        return self._holds[least, some]


def distinct_combinations(columns: Sequence[Whole64]) -> tuple[Whole64, Whole64, Whole64]:
    """Return the different rows of some columns in their order, how often each comes, and the number of each row."""
    joined = np.zeros(len(columns[0]), dtype=np.int64)
    many = 1
    for column in columns:  # one number a row, which sorts as the row does; numbered anew before it grows too large
        width = int(column.max(initial=-1)) + 2
        if many * width >= LARGEST:
            values, joined = np.unique(joined, return_inverse=True)
            joined, many = joined.reshape(-1), len(values)
        joined, many = joined * width + column + 1, many * width
    _, first, number, counts = np.unique(joined, return_index=True, return_inverse=True, return_counts=True)
    table = np.column_stack([column[first] for column in columns])
    return table, counts.astype(np.int64), number.reshape(-1).astype(np.int64)
