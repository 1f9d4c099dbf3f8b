"""Which groups a group with too few observed values borrows from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["distances_over_known", "lenders"]

# Distances between centres held at one time (8 MB of them).
_PAIRS_AT_ONCE = 1_000_000
# How many neighbours are looked at first; four times as many next time, for the groups they do not suffice for.
_LOOK_FIRST = 8
# With fewer candidates than this, comparing all of them is as fast as a tree.
_TREE_FROM = 500

_Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def lenders(
    borrowers: NDArray[np.int64],
    candidates: NDArray[np.int64],
    centres: NDArray[np.float64],
    counts: NDArray[np.int64],
    k: int,
) -> _Pairs:
    """Return pairs (borrower, lender): for every borrower itself, then its nearest groups until k values are there.

    Parameters
    ----------
    borrowers
        Groups with fewer than `k` observed values, ascending; all of them are among the candidates.
    candidates
        Groups that may lend, ascending; together they have at least `k` observed values.
    centres
        The centres of all groups; NaN where nothing is known.
    counts
        The number of observed values of all groups.
    k
        How many observed values a borrower and its lenders have to have together.
    """
    lacking, wanting = _has_gap(centres[candidates]), _has_gap(centres[borrowers])
    complete, gappy = candidates[~lacking], candidates[lacking]
    if len(complete) < _TREE_FROM or len(gappy) > len(complete) // 10:
        return _by_comparing_all(borrowers, candidates, centres, counts, k)
    by_tree = _by_tree(borrowers[~wanting], complete, gappy, centres, counts, k)
    others = _by_comparing_all(borrowers[wanting], candidates, centres, counts, k)
    return np.concatenate([by_tree[0], others[0]]), np.concatenate([by_tree[1], others[1]])


def _by_comparing_all(
    borrowers: NDArray[np.int64],
    candidates: NDArray[np.int64],
    centres: NDArray[np.float64],
    counts: NDArray[np.int64],
    k: int,
) -> _Pairs:
    found = _Found(counts, k)
    for chunk in _chunks(borrowers, len(candidates)):
        distances = distances_over_known(centres[chunk][:, None], centres[candidates][None])
        distances[np.arange(len(chunk)), np.searchsorted(candidates, chunk)] = -1.0  # itself first
        left = np.arange(len(chunk))
        look_at = min(_LOOK_FIRST, len(candidates))
        while len(left):
            # Everything up to the distance of the `look_at`-th: ties at the border are all in.
            border = np.partition(distances[left], look_at - 1, axis=1)[:, look_at - 1]
            row, column = np.nonzero(distances[left] <= border[:, None])
            enough = found.add(chunk[left], row, candidates[column], distances[left[row], column])
            left = left[~enough]
            look_at = min(4 * look_at, len(candidates))
    return found.pairs()


def _by_tree(
    borrowers: NDArray[np.int64],
    complete: NDArray[np.int64],
    gappy: NDArray[np.int64],
    centres: NDArray[np.float64],
    counts: NDArray[np.int64],
    k: int,
) -> _Pairs:
    """Return what `_by_comparing_all` returns, for borrowers whose centres have no missing values."""
    from sklearn.neighbors import KDTree  # most runs have no borrowers and need not wait for this import

    tree = KDTree(centres[complete])
    found = _Found(counts, k)
    left = borrowers
    look_at = min(_LOOK_FIRST, len(complete))
    while len(left):
        still_left = []
        for chunk in _chunks(left, look_at + len(gappy)):
            reach, nearest = tree.query(centres[chunk], k=look_at)
            lender = np.hstack([complete[nearest], np.broadcast_to(gappy, (len(chunk), len(gappy)))])
            distances = distances_over_known(centres[chunk][:, None], centres[lender])
            distances[lender == chunk[:, None]] = -1.0  # itself first
            # The tree rounds in its own way and leaves ties at its border out: only what is clearly inside counts.
            inside = distances < (reach[:, -1:] ** 2 * (1 - 1e-9))
            row, column = np.nonzero(inside | (look_at == len(complete)))
            enough = found.add(chunk, row, lender[row, column], distances[row, column])
            still_left.append(chunk[~enough])
        left = np.concatenate(still_left)
        look_at = min(4 * look_at, len(complete))
    return found.pairs()


class _Found:
    """The pairs found so far."""

    def __init__(self, counts: NDArray[np.int64], k: int) -> None:
        self.counts = counts
        self.k = k
        self.borrowers = [np.zeros(0, dtype=np.int64)]
        self.lenders = [np.zeros(0, dtype=np.int64)]

    def add(
        self,
        borrowers: NDArray[np.int64],
        row: NDArray[np.int64],
        lender: NDArray[np.int64],
        distance: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Keep the nearest lenders of every borrower that has enough of them, and return which borrowers have."""
        order = np.lexsort((lender, distance, row))
        row, lender = row[order], lender[order]
        lent = self.counts[lender]
        together = np.zeros(len(borrowers), dtype=np.int64)
        np.add.at(together, row, lent)
        enough = together >= self.k
        before_row = np.cumsum(together) - together
        before_this = np.cumsum(lent) - lent - before_row[row]
        wanted = enough[row] & (before_this < self.k)
        self.borrowers.append(borrowers[row[wanted]])
        self.lenders.append(lender[wanted])
        return enough

    def pairs(self) -> _Pairs:
        return np.concatenate(self.borrowers), np.concatenate(self.lenders)


def _chunks(borrowers: NDArray[np.int64], width: int) -> list[NDArray[np.int64]]:
    step = max(1, _PAIRS_AT_ONCE // width)
    return [borrowers[begin : begin + step] for begin in range(0, len(borrowers), step)]


def _has_gap(centres: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.isnan(centres).any(axis=1), dtype=np.bool_)


def distances_over_known(these: NDArray[np.float64], those: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances over the columns known in both, times d over their number; none: infinite."""
    d = these.shape[-1]
    total = np.zeros(np.broadcast_shapes(these.shape, those.shape)[:-1])
    known = np.zeros_like(total)
    for column in range(d):
        difference = these[..., column] - those[..., column]
        in_both = ~np.isnan(difference)
        total += np.where(in_both, difference * difference, 0.0)
        known += in_both
    factor = np.divide(d, known, out=np.ones_like(known), where=known > 0)
    return np.where(known > 0, total * factor, np.inf)
