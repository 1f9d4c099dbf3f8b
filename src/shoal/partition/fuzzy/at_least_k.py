"""At-least-k fuzzy c-means: groups from fuzzy clusters, split again until they are small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import log
from shoal.parameters.limits import Above, Limit, Number, Whole
from shoal.partition.base import Partitioner
from shoal.partition.fuzzy.alternating import Fuzzy, alternate, labels
from shoal.partition.fuzzy.device import threads_for_blocks
from shoal.partition.fuzzy.starts import farthest_first
from shoal.partition.geometry.safe_scale import safely_scaled
from shoal.partition.mdav.mdav import MDAV
from shoal.progress import advance

__all__ = ["AtLeastK"]

_MOST_FUZZY = 2.5  # more makes centres coincide, and does not make clusters more equal
_FUZZIER = 1.05
_LEAST_PART = 0.1


class AtLeastK(Partitioner):
    """Groups of k to 2k-1 from fuzzy clusters with at least k records, split again while they are large.

    A set of 2k records or more is clustered by fuzzy c-means into a third of the clusters that would have k records.
    If every cluster is the first choice of at least k records, these are the parts of the set; if not, it is clustered
    again with fewer clusters and a little fuzzier. A part of 2k or more is a set to be clustered in turn, less fuzzy
    the smaller it is. A set that cannot be split even into two is left to MDAV.

    Parameters
    ----------
    k
        The least number of records in a group.
    m
        How fuzzy, above 1, for the whole file.
    max_iter, tol
        When fuzzy c-means stops, as in `FuzzyCMeans`. Only the first choices of the records matter here.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1, numbered in the order they are made.
    n_iter_
        The iterations of fuzzy c-means, over all sets and attempts.

    Notes
    -----
    The published algorithm does not always end, and does not say by how much to lower the number of clusters and to
    raise m. This completes it: every attempt has fewer clusters than the one before, every part is smaller than its
    set, and MDAV, with groups of k to 2k-1, can split any set. The start is farthest first, so nothing is random.

    References
    ----------
    J. Domingo-Ferrer and V. Torra (2002), Towards fuzzy c-means based microaggregation, in Soft Methods in Probability,
    Statistics and Data Analysis.
    """

    name: ClassVar[str] = "at-least-k"
    summary: ClassVar[str] = (
        "Groups of k to 2k-1 from fuzzy clusters with at least k records, split again while they are large"
    )
    reference: ClassVar[str] = (
        "J. Domingo-Ferrer and V. Torra (2002), Towards fuzzy c-means based microaggregation, in Soft "
        "Methods in Probability, Statistics and Data Analysis."
    )
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2), "m": Above(1), "max_iter": Whole(1), "tol": Number(0)}
    cost: ClassVar[str] = "n^2/k"
    most_records: ClassVar[int | None] = 12_000

    def __init__(self, k: int, *, m: float = 1.2, max_iter: int = 100, tol: float = 1e-4) -> None:
        self.k = k
        self.m = m
        self.max_iter = max_iter
        self.tol = tol

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        X = safely_scaled(X)
        n = len(X)
        result = np.empty(n, dtype=np.int64)
        groups = 0
        to_split = [np.arange(n)]
        self.n_iter_ = 0
        with threads_for_blocks() as threads:
            while to_split:
                rows = to_split.pop()
                if len(rows) < 2 * self.k:
                    result[rows] = groups
                    groups += 1
                    advance(len(rows) / n)
                    continue
                parts = self._split(X[rows], self._fuzziness(len(rows), n), threads)
                if parts is None:
                    parts = MDAV(self.k).fit(X[rows]).labels_
                # The first part comes from the end of the list.
                to_split += [rows[parts == part] for part in range(parts.max(), -1, -1)]
        return result

    def _fuzziness(self, size: int, n: int) -> float:
        """Return m for a set: the smaller, the nearer to 1."""
        part = 1.0 if size == n else float(log(size / self.k) / log(n / self.k))
        return 1 + (self.m - 1) * max(_LEAST_PART, part)

    def _split(self, X: NDArray[np.float64], m: float, threads: int) -> NDArray[np.int64] | None:
        """Return the part of every record, parts of at least k, or None if fuzzy c-means finds no two such parts."""
        c = max(2, len(X) // (3 * self.k))
        while c >= 2:
            start = X[farthest_first(X, c)]
            alternation = alternate(X, start, Fuzzy(m), max_iter=self.max_iter, tol=self.tol, threads=threads)
            self.n_iter_ += alternation.n_iter
            parts: NDArray[np.int64] = labels(X, alternation.centres, alternation.rule, threads=threads)
            large_enough = int((np.bincount(parts, minlength=c) >= self.k).sum())
            if large_enough == c:
                return parts
            c = min(c - 1, max(1, large_enough))
            m = min(_MOST_FUZZY, 1 + (m - 1) * _FUZZIER)
        return None
