"""The order in which a release leaves: drawn by the key of the plan, the same for every chunk and every worker."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.flow.plan import Plan

__all__ = ["Leaving", "drawn_numbers", "order_of", "part_of"]

_AT_ONCE = 65_536  # rows whose numbers one hash draws


def drawn_numbers(by: str, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a random number for every row, which only those who know `by` can draw again.

    Parameters
    ----------
    by
        The key of the plan, with the fingerprint of its input: two files in the order of one key would show which of
        their records belong together.
    rows
        The numbers of the rows.
    """
    drawn = np.empty(len(rows), dtype=np.uint64)
    pages = rows // _AT_ONCE
    for page in np.unique(pages).tolist():
        own = pages == page
        stream = hashlib.shake_256(f"{by} page {page}".encode()).digest(8 * _AT_ONCE)
        drawn[own] = np.frombuffer(stream, dtype="<u8")[rows[own] - page * _AT_ONCE]
    return drawn


def order_of(plan: Plan) -> str:
    """Return what draws the order of the rows of a plan that names its input."""
    assert plan.input is not None
    return f"{plan.key} order {plan.input.sha256}"


def part_of(drawn: NDArray[np.uint64], parts: int) -> NDArray[np.int64]:
    """Return which of so many parts each drawn number falls into, all with equal chances."""
    return ((drawn >> np.uint64(32)) * np.uint64(parts) >> np.uint64(32)).astype(np.int64)


@dataclass(frozen=True)
class Leaving:
    """How the rows of a release leave.

    Attributes
    ----------
    key
        What draws their order; "" where they stay in the order of the file.
    parts
        The number of files that are written.
    records
        The number of rows of the file.
    sought
        The rows that an intruder looks for, in order.
    """

    key: str
    parts: int
    records: int
    sought: NDArray[np.int64]

    @property
    def digest(self) -> str:
        """A SHA-256 of the order, by which a plan that was changed is known."""
        return hashlib.sha256(f"{self.key} in {self.parts} parts of {self.records}".encode()).hexdigest()

    def place(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return numbers by which rows are sorted in the release."""
        return drawn_numbers(self.key, rows) if self.key else rows.astype(np.uint64)

    def part(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which file every row is written to."""
        return part_of(self.place(rows), self.parts) if self.key else rows * self.parts // self.records
