"""Confidential variables as kernels take them: their values numbered, and how they are distributed in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Distributions"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Distributions:
    """Confidential variables, and how they are distributed in the file.

    Attributes
    ----------
    codes
        A row a variable: the values 0, 1, ... that occur, -1 for a missing value.
    ordered
        For each variable, whether its values have an order.
    start
        Where the values of each variable begin in `below`, and where the last end.
    below
        For values with an order how many records have one up to it, for others how many have it.
    sums
        Their sums up to each value, one more than there are values.
    """

    codes: Whole64
    ordered: NDArray[np.bool_]
    start: Whole64
    below: Doubles
    sums: Doubles

    @classmethod
    def of(cls, codes: Sequence[Whole64], ordered: Sequence[bool]) -> Distributions:
        """Return the distributions of variables of one file."""
        below, sums = [], []
        for own, has_order in zip(codes, ordered, strict=True):
            counts = np.bincount(own[own >= 0]).astype(np.float64)
            below.append(np.cumsum(counts) if has_order else counts)
            sums.append(np.concatenate([[0.0], np.cumsum(below[-1])]))
        start = np.concatenate([[0], np.cumsum([len(one) for one in below])]).astype(np.int64)
        return cls(
            np.ascontiguousarray(np.vstack(codes), dtype=np.int64),
            np.array(ordered, dtype=np.bool_),
            start,
            np.concatenate(below),
            np.concatenate(sums),
        )

    @property
    def file(self) -> tuple[NDArray[np.bool_], Whole64, Doubles, Doubles]:
        """What the kernels take to know the distribution of the file."""
        return self.ordered, self.start, self.below, self.sums

    def within(self, rows: Whole64) -> Whole64:
        """Return the values of some records, those of each variable in their order."""
        return np.sort(self.codes[:, rows], axis=1)

    def distance(self, rows: Whole64) -> float:
        """Return the largest distance of some records to the file, over all variables."""
        from shoal.partition.kernels.closeness import largest_distance  # here, because numba takes a second to import

        return float(largest_distance(self.within(rows), *self.file))
