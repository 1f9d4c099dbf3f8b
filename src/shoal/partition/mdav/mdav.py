"""MDAV: maximum distance to average vector, exact and sub-quadratic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.parameters.limits import Limit, OneOf, Whole
from shoal.parameters.searched import Searched
from shoal.partition.base import Partitioner
from shoal.partition.geometry.squared_distances import centroid, squared_distances
from shoal.partition.mdav.generic import MDAVGeneric
from shoal.partition.mdav.with_trees import VARIANTS, assign_the_rest, first_by_distance, loop_needs, loop_with_trees
from shoal.progress import advance

__all__ = ["MDAV"]

# Up to this n * n * d / k NumPy is faster than loading numba and the kernels.
_MOST_TO_SCAN = 8_000_000
_LARGEST = 1e300  # beyond it totals can overflow


class MDAV(Partitioner):
    """Groups of k by maximum distance to average vector.

    Again and again: r is the record farthest from the centroid of the records that remain, s the one farthest
    from r; r and its k-1 nearest make a group, then s and its k-1 nearest of what is left. The last groups
    depend on `variant`. Groups are numbered in the order they are made.

    Parameters
    ----------
    k
        The least number of records in a group.
    variant
        ``"classic"``: another two groups as long as 3k records remain. Then, from 2k on, one group around the
        record farthest from the centroid; the rest is the last group (k to 2k-1 records).
        ``"two-k"``: another two groups as long as 2k records remain. Then, from k on, one group around the record
        farthest from the centroid; each of the rest, fewer than k, joins the group with the nearest centroid,
        as it was before any of the rest joined.
        ``"thesis"``: another two groups as long as 2k records remain. Then, from k on, the rest is the last group
        (k to 2k-1 records); fewer join groups as in ``"two-k"``.
    distance
        ``"euclidean"``, or ``"gower"``: the sum of absolute differences, which `shoal.protect` takes as shares of the
        range of every variable, and of 1 for categories that differ. Gower's is found by looking at every record.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.

    Notes
    -----
    The result is defined to the last bit, so that ties come out the same everywhere. A centroid is the
    correctly rounded total of every column (`math.fsum`) divided by the number of records. A squared distance
    is summed over the columns from left to right. Of records equally far or equally near the one with the lowest
    row number is taken. The group around a record is the first k of those that remain, in order of distance to
    that record and then of row; so among more than k identical records it can be that r itself stays for later.
    If r's group took s, s's position is still the centre of the second group.

    The result is exact although few records are looked at: a k-d tree, from which records are removed as they get a
    group, tells which is nearest and which is farthest (see `shoal.partition.geometry.tree`). It is built anew when
    three quarters of its records are gone. Identical records are one in the tree, however many there are. Small
    matrices are simply scanned.

    The variant ``"thesis"`` is that of J. Alarte Aleixandre (2018), Application of Clustering Techniques to Privacy
    Protection, master thesis, Universitat Oberta de Catalunya, sections 3.2.1 and 5.1. It says that fewer than k
    records join "the closest set", and not how close is measured; by the centroids that the groups had, they get the
    sizes of its figure 5.1.

    References
    ----------
    J. Domingo-Ferrer and V. Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11.
    """

    name: ClassVar[str] = "mdav"
    reference: ClassVar[str] = (
        "J. Domingo-Ferrer and V. Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through "
        "microaggregation, Data Mining and Knowledge Discovery 11."
    )
    supports_missing: ClassVar[bool] = True
    searched: ClassVar[tuple[Searched, ...]] = (Searched("variant", VARIANTS, start="classic"),)
    limits: ClassVar[Mapping[str, Limit]] = {
        "k": Whole(2),
        "variant": OneOf(VARIANTS),
        "distance": OneOf(("euclidean", "gower")),
    }

    def __init__(self, k: int, *, variant: str = "classic", distance: str = "euclidean") -> None:
        self.k = k
        self.variant = variant
        self.distance = distance

    @property
    def kinds(self) -> frozenset[str]:
        """Every kind; for Gower's distance codes are for the form that `for_mixed` gives."""
        return super().kinds - {"nominal"} if self.distance == "gower" else super().kinds

    @property
    def scaled_for(self) -> Literal["euclidean", "gower"]:
        """The distance that the matrix has to be scaled for."""
        return "gower" if self.distance == "gower" else "euclidean"

    def takes_codes(self, X: NDArray[np.float64], width: int) -> bool:
        """Whether a tree is needed, in which codes are faster than indicators; beside them no number is scaled."""
        return len(X) * len(X) * width > _MOST_TO_SCAN * self.k and bool(np.abs(X).max() <= _LARGEST)

    def for_mixed(
        self,
        *,
        kinds: Collection[str],
        distance: str,
        nominal: Sequence[int],
        texts: Callable[[int], Mapping[int, str] | None],
    ) -> Partitioner:
        """Return MDAV for matrices with missing values or codes, which are the same or not."""
        return MDAVGeneric(self.k, variant=self.variant, distance=distance, nominal=tuple(nominal))

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        if self.distance == "gower":
            return MDAVGeneric(self.k, variant=self.variant, distance="gower")._partition(X)
        if np.abs(X).max() > _LARGEST:
            X = np.ldexp(X, -64)  # totals and differences stay finite, and no digit changes
            X.flags.writeable = False
        n = len(X)
        labels = np.full(n, -1, dtype=np.int64)
        needed = loop_needs(self.k, self.variant)
        if n >= needed:
            run_loop = _loop_by_scanning if n * X.size <= _MOST_TO_SCAN * self.k else loop_with_trees
            run_loop(X, labels, self.k, needed)
        remaining = np.count_nonzero(labels < 0)
        assign_the_rest(X, labels, self.k, self.variant, centroid, squared_distances)
        advance(remaining / n)
        return labels


def _loop_by_scanning(X: NDArray[np.float64], labels: NDArray[np.int64], k: int, needed: int) -> None:
    """Make groups, two at a time, looking at every record that remains each time."""
    n = len(X)
    left = np.arange(n)
    columns = np.ascontiguousarray(X.T)
    group = 0
    while len(left) >= needed:
        r = X[left[np.argmax(squared_distances(columns.T, centroid(columns.T)))]]
        s = X[left[np.argmax(squared_distances(columns.T, r))]]
        for seed in (r, s):
            members = first_by_distance(squared_distances(columns.T, seed), k)
            labels[left[members]] = group
            group += 1
            left = np.delete(left, members)
            columns = np.delete(columns, members, axis=1)
    advance((n - len(left)) / n)
