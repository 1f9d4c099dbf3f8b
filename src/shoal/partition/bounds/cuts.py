"""Cuts: three records of which at most one group of a partition can hold two or more."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cuts", "violated"]

_LEAST_VIOLATION = 0.02
_MOST_AT_ONCE = 200


class Cuts:
    """Some triples of records, and what each costs a group that holds two or three of its records.

    Parameters
    ----------
    n
        The number of records.
    triples
        The three records of every cut.
    penalties
        What each costs.
    """

    def __init__(
        self, n: int, triples: NDArray[np.int64] | None = None, penalties: NDArray[np.float64] | None = None
    ) -> None:
        self.triples = np.empty((0, 3), dtype=np.int64) if triples is None else triples
        self.penalties = np.zeros(len(self.triples)) if penalties is None else penalties
        order = np.argsort(self.triples.ravel(), kind="stable")
        starts = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.triples.ravel(), minlength=n), out=starts[1:])
        self.by_record = (starts, (order // 3).astype(np.int64), self.penalties)

    def held_by(self, members: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cuts of which groups hold two or three records, one group after the other, and how many each does.

        A line of `members` is a group, filled up with -1.
        """
        counts = np.zeros(len(members), dtype=np.int64)
        if not len(self.triples):
            return np.empty(0, dtype=np.int64), counts
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.pricing import list_held

        starts, cuts, _ = self.by_record
        met = np.zeros(len(self.triples), dtype=np.int64)
        list_held(members, starts, cuts, met, counts, np.empty(0, dtype=np.int64))
        held = np.empty(counts.sum(), dtype=np.int64)
        list_held(members, starts, cuts, met, counts, held)
        return held, counts

    def costs_of(self, members: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the penalties that every group has to pay."""
        held, counts = self.held_by(members)
        groups = np.repeat(np.arange(len(members)), counts)
        costs: NDArray[np.float64] = np.bincount(groups, weights=self.penalties[held], minlength=len(members)).astype(
            float
        )
        return costs


def violated(members: NDArray[np.int32], values: NDArray[np.float64], known: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return triples that the values of these groups violate, most violated first, but for those already known."""
    together: dict[tuple[int, int], float] = {}
    all_three: dict[tuple[int, int, int], float] = {}
    near: dict[int, set[int]] = {}
    for line, value in zip(members.tolist(), values.tolist(), strict=True):
        group = [record for record in line if record >= 0]
        for i, j in combinations(group, 2):
            together[i, j] = together.get((i, j), 0.0) + value
            near.setdefault(i, set()).add(j)
            near.setdefault(j, set()).add(i)
        for triple in combinations(group, 3):
            all_three[triple] = all_three.get(triple, 0.0) + value
    tried = {tuple(triple) for triple in known.tolist()}
    found: list[tuple[float, tuple[int, int, int]]] = []
    for middle, others in near.items():
        for i, j in combinations(sorted(others), 2):
            a, b, c = sorted((i, middle, j))
            if (a, b, c) in tried:
                continue
            tried.add((a, b, c))
            held = together.get((a, b), 0.0) + together.get((b, c), 0.0) + together.get((a, c), 0.0)
            held -= 2 * all_three.get((a, b, c), 0.0)
            if held > 1 + _LEAST_VIOLATION:
                found.append((-held, (a, b, c)))
    found.sort()
    return np.array([triple for _, triple in found[:_MOST_AT_ONCE]], dtype=np.int64).reshape(-1, 3)
