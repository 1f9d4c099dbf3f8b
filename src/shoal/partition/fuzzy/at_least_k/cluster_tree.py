"""Clusters inside clusters: the memberships of records in those that are split no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.partition.fuzzy.alternating import c_means_rule, memberships

__all__ = ["ClusterTree", "SetToSplit"]

Doubles = NDArray[np.float64]

_ROOT = -1


@dataclass(frozen=True)
class SetToSplit:
    """A set of records on its way to become leaves, and where in the tree it is.

    Attributes
    ----------
    rows
        Its records.
    split, part
        The number of the split that it came from, and which of its parts it is; -1 for all records.
    """

    rows: NDArray[np.int64]
    split: int = _ROOT
    part: int = 0


@dataclass(frozen=True)
class _Split:
    """How a set was split.

    Attributes
    ----------
    centres
        The mean of every part.
    fuzziness
        What m - 1 was, as a multiple of that of the whole file.
    leaves
        The leaf that every part is, -1 for one that was split in turn.
    parent, part
        As in `SetToSplit`.
    """

    centres: Doubles
    fuzziness: float
    leaves: NDArray[np.int64]
    parent: int
    part: int


@dataclass
class ClusterTree:
    """All splits of a file, the first first; what was not split again is a leaf, and leaves are numbered as made."""

    n_leaves: int = 0
    _splits: list[_Split] = field(default_factory=list)

    def add_leaf(self, one: SetToSplit) -> int:
        """Let a set be a leaf, and return its number."""
        if one.split != _ROOT:
            self._splits[one.split].leaves[one.part] = self.n_leaves
        self.n_leaves += 1
        return self.n_leaves - 1

    def add_split(self, one: SetToSplit, X: Doubles, parts: NDArray[np.int64], fuzziness: float) -> list[SetToSplit]:
        """Let a set be split, and return its parts.

        Parameters
        ----------
        one
            The set.
        X
            Its records.
        parts
            The part of each, 0 to c-1, none of them empty.
        fuzziness
            What m - 1 was, as a multiple of that of the whole file.
        """
        rows = [np.flatnonzero(parts == part) for part in range(int(parts.max()) + 1)]
        centres = np.array([X[some].mean(axis=0) for some in rows])
        leaves = np.full(len(rows), -1, dtype=np.int64)
        self._splits.append(_Split(centres, fuzziness, leaves, one.split, one.part))
        number = len(self._splits) - 1
        return [SetToSplit(one.rows[some], number, part) for part, some in enumerate(rows)]

    def memberships(self, X: Doubles, m: float) -> Doubles:
        """Return the memberships of records in the leaves, n x leaves: products of those on the way to each.

        Parameters
        ----------
        X
            The records.
        m
            How fuzzy memberships are in the first split; in the others less, as far as they were when made.
        """
        if not self._splits:
            return np.ones((len(X), 1))
        result = np.zeros((len(X), self.n_leaves))
        for one, inside in self._walk(X, m):
            is_leaf = one.leaves >= 0
            result[:, one.leaves[is_leaf]] = inside[:, is_leaf]
        return result

    def _walk(self, X: Doubles, m: float) -> Iterator[tuple[_Split, Doubles]]:
        """Give every split with the memberships in its parts, times those in the set that was split."""
        waiting: dict[tuple[int, int], Doubles] = {(_ROOT, 0): np.ones(len(X))}
        for number, one in enumerate(self._splits):
            of_set = waiting.pop((one.parent, one.part))
            inside = np.zeros((len(X), len(one.centres)))
            some = np.flatnonzero(of_set > 0)
            if len(some):
                rule = c_means_rule(1 + (m - 1) * one.fuzziness)
                inside[some] = np.asarray(memberships(X[some], one.centres, rule)) * of_set[some, None]
            yield one, inside
            for part in np.flatnonzero(one.leaves < 0):
                waiting[number, int(part)] = inside[:, part].copy()
