"""From records and their distances to groups: clusters are merged, then those that are too small completed.

Without a cap all are merged into one, and groups are cut from the tree of merges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import powers
from shoal.errors import MethodError
from shoal.parameters.limits import Limit, Number, OneOf, Whole
from shoal.partition.geometry.forest import number_in_order
from shoal.partition.hac.completion import complete_by_distance, complete_by_size
from shoal.partition.hac.cut import finest_cut
from shoal.progress import advance

if TYPE_CHECKING:
    from shoal.partition.kernels.hac import Clusters

__all__ = ["ClusterMerging", "Merged"]

_SMALL = 2_000  # fewer records than this are one step
_STEPS = 50


@dataclass(frozen=True)
class Merged:
    """What becomes of the records; `children` and `distances` are those of `HAC`."""

    labels: NDArray[np.int64]
    children: NDArray[np.integer[Any]]
    distances: NDArray[np.float64]


@dataclass(frozen=True)
class ClusterMerging:
    """How clusters are merged and completed; the parameters are those of `HAC`."""

    limits: ClassVar[Mapping[str, Limit]] = {
        "k": Whole(2),
        "cap": OneOf(("k", "2k-1", "none")),
        "linkage": OneOf(("single", "complete", "average", "centroid", "minimum-energy")),
        "priority": Number(0, 20),
        "completion": OneOf(("nearest", "thesis")),
    }
    most_records: ClassVar[int] = 10_000

    k: int
    cap: str
    linkage: str
    priority: float
    completion: str

    def refuse_too_many(self, records: int) -> None:
        """Raise MethodError if there are more records than can be compared in pairs."""
        if records > self.most_records:
            raise MethodError(
                f"HAC compares all pairs of records and takes {self.most_records:,} at most; got {records:,}. "
                'Use the method "mdav" or "refine", or partition by strata.'
            )

    def merged(self, X: NDArray[np.float64], kind: int) -> Merged:
        """Return the group of every record, numbered by their first records, and the merges.

        Parameters
        ----------
        X
            The records, in a matrix that can be written to, so that the kernels are compiled for one kind only.
        kind
            Their distance, as in `shoal.partition.kernels.hac`.
        """
        clusters, merges = self._clusters(X, kind)
        children, distances = clusters.children[:merges], clusters.heights[:merges]
        _, labels = np.unique(clusters.age[_last_clusters(clusters.went_into)], return_inverse=True)
        del clusters  # and with it the matrix of distances
        if self.cap == "none":
            labels = finest_cut(children, self.k)
        elif self.completion == "thesis":
            labels = complete_by_size(labels, self.k)
        else:
            labels = complete_by_distance(X, kind, labels, self.k)
        advance(0.1)
        return Merged(number_in_order(labels), children, distances)

    def _clusters(self, X: NDArray[np.float64], kind: int) -> tuple[Clusters, int]:
        """Merge clusters until no two fit together any more; return them, and how many merges there were."""
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels import hac as kernels

        linkage = {
            "single": kernels.SINGLE,
            "complete": kernels.COMPLETE,
            "average": kernels.AVERAGE,
            "centroid": kernels.SHARES if kind in kernels.WITHOUT_MEANS else kernels.MIDDLE,
            "minimum-energy": kernels.ENERGY,
        }[self.linkage]
        n = len(X)
        largest = min(n, {"k": self.k, "2k-1": 2 * self.k - 1, "none": n}[self.cap])
        weight = powers(np.arange(largest + 1.0), self.priority)
        clusters = kernels.Clusters(
            between=np.empty((n, n)),
            within=np.zeros(n),
            total=X.copy() if linkage == kernels.MIDDLE else np.empty((n, 0)),
            size=np.ones(n, dtype=np.int64),
            age=np.arange(n),
            went_into=np.arange(n),
            partner=np.empty(n, dtype=np.int64),
            partner_age=np.empty(n, dtype=np.int64),
            bound=np.empty(n),
            in_line=np.arange(n),
            length=np.array([n]),
            children=np.empty((n - 1, 2), dtype=np.int64),
            heights=np.empty(n - 1),
        )
        kernels.fill_distances(X, kind, clusters.between)
        kernels.find_all_partners(clusters, linkage, weight)
        advance(0.1)
        step = n if n < _SMALL else n // _STEPS
        most_merges = n - n // largest
        age = pause = n
        while age == pause:
            pause += step
            before, age = age, kernels.merge(clusters, linkage, kind, weight, age, pause)
            advance(0.8 * (age - before) / most_merges)
        advance(0.8 * (n + most_merges - age) / most_merges)
        return clusters, age - n


def _last_clusters(went_into: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return the cluster that every record is in at the end; a cluster was always merged into a lower number."""
    last = went_into.copy()
    for record in range(len(last)):
        last[record] = last[last[record]]
    return last
