"""At-least-k fuzzy c-means, recursively and one record at a time.

The clustering of one set is shoal's own, which has its tests beside scikit-fuzzy; dissolving, filling, recursion and
memberships along the way are written again here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.partition import MDAV
from shoal.partition.fuzzy.alternating import Fuzzy, alternate, memberships

__all__ = ["SlowAtLeastK", "slowly_filled"]


def slowly_filled(memberships_: list[list[float]], parts: list[int], k: int) -> list[int]:
    """Move one record at a time: the highest membership in any cluster below k, from any cluster above k."""
    parts = list(parts)
    clusters = range(len(memberships_[0]))
    while any(parts.count(cluster) < k for cluster in clusters):
        best = None
        for record, own in enumerate(memberships_):
            for cluster in clusters:
                possible = parts.count(cluster) < k < parts.count(parts[record])
                if possible and (best is None or own[cluster] > best[0]):
                    best = (own[cluster], record, cluster)
        parts[best[1]] = best[2]
    return parts


@dataclass
class SlowAtLeastK:
    """The parameters of `AtLeastK`; `labels` and `leaf_memberships` are what comes of them."""

    k: int
    m: float = 1.2
    m_least: float = 0.1
    m_step: float = 1.05
    m_max: float = 2.5
    cluster_size: float = 3
    c_step: float = 0.5
    dissolve: float = 0.9
    fill: float = 0.0
    max_iter: int = 100
    tol: float = 1e-4

    def fit(self, X):
        self.X, self.n = X, len(X)
        self.left = 0
        self.leaves = []  # the records of each
        self.root = self._node(list(range(self.n)))
        self.labels = np.empty(self.n, dtype=np.int64)
        for number, records in enumerate(self.leaves):
            self.labels[records] = number
        self.fallback_share = self.left / self.n
        return self

    def leaf_memberships(self, x, m):
        """Return the memberships of one record in all leaves."""
        result = [0.0] * len(self.leaves)

        def walk(node, product):
            kind, content, *more = node
            if kind == "leaf":
                result[content] = product
                return
            centres, fuzziness = more
            own = memberships(x[None, :], centres, Fuzzy(1 + (m - 1) * fuzziness))[0]
            for child, share in zip(content, own, strict=True):
                walk(child, product * float(share))

        walk(self.root, 1.0)
        return result

    def _node(self, records):
        if len(records) < 2 * self.k:
            self.leaves.append(records)
            return ("leaf", len(self.leaves) - 1)
        X = self.X[records]
        usual = 1.0
        if len(records) < self.n:
            usual = max(self.m_least, math.log(len(records) / self.k) / math.log(self.n / self.k))
        parts, fuzziness = self._split(X, usual)
        if parts is None:
            parts, fuzziness = MDAV(self.k).fit(X).labels_.tolist(), usual
            self.left += len(records)
        members = [[place for place, part in enumerate(parts) if part == one] for one in range(max(parts) + 1)]
        centres = np.array([X[some].mean(axis=0) for some in members])
        children = [self._node([records[place] for place in some]) for some in members]
        return ("split", children, centres, fuzziness)

    def _split(self, X, usual):
        c = max(2, int(len(X) // (self.cluster_size * self.k)))
        fuzziness = usual
        while True:
            U = self._dissolved(X, c, Fuzzy(1 + (self.m - 1) * fuzziness))
            parts = [own.index(max(own)) for own in U]
            counts = [parts.count(cluster) for cluster in range(len(U[0]))]
            if all(count >= 1 and count >= self.fill * self.k for count in counts):
                return slowly_filled(U, parts, self.k), fuzziness
            if c == 2:
                return None, usual
            c = min(c - 1, max(2, int(c * self.c_step)))
            fuzziness = min(max(usual, (self.m_max - 1) / (self.m - 1)), fuzziness * self.m_step)

    def _dissolved(self, X, c, rule):
        centres = [int(np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1)))]
        while len(centres) < c:
            nearest = [min(float(((x - X[one]) ** 2).sum()) for one in centres) for x in X]
            centres.append(nearest.index(max(nearest)))
        centres = X[centres]
        while True:
            found = alternate(X, centres, rule, max_iter=self.max_iter, tol=self.tol)
            U = np.asarray(memberships(X, found.centres, rule)).tolist()
            parts = [own.index(max(own)) for own in U]
            by_size = sorted(range(len(centres)), key=lambda one: (-parts.count(one), one))
            kept = [one for one in by_size if parts.count(one) >= self.dissolve * self.k or one in by_size[:2]]
            if len(kept) == len(centres):
                return U
            centres = np.asarray(found.centres)[sorted(kept)]
