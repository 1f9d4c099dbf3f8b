"""MD: groups around the two most distant records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.parameters.limits import Limit, Whole
from shoal.partition.base import Partitioner
from shoal.partition.geometry.in_steps import make_groups_in_steps
from shoal.partition.geometry.squared_distances import centroid, safely_scaled, squared_distances
from shoal.partition.mdav.with_trees import assign_the_rest

__all__ = ["MD"]


class MD(Partitioner):
    """Groups of k by maximum distance.

    While 2k records or more remain: r and s are the two records that are farthest from each other; r and its k-1
    nearest make a group, then s and its k-1 nearest of what is left. If k or more remain then, one group around the
    record farthest from their centroid; each of the rest, fewer than k, joins the group with the nearest centroid.
    So groups have k to 2k-1 records. They are numbered in the order they are made.

    Parameters
    ----------
    k
        The least number of records in a group.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.

    Notes
    -----
    Of pairs equally far apart the one with the lowest rows is taken, of records equally near the one with the
    lowest row number. If r's group took s, s's position is still the centre of the second group.

    Looking at every pair again for every two groups costs O(n³/k). Here every record keeps how far the farthest
    record was when it was last looked up. That is an upper bound from then on, and so is the way over the centroid;
    only records whose bound exceeds the distance of the pair at hand are looked up again. The result is the same.

    References
    ----------
    J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical
    disclosure control, IEEE Transactions on Knowledge and Data Engineering 14.
    """

    name: ClassVar[str] = "md"
    reference: ClassVar[str] = (
        "J. Domingo-Ferrer and J. M. Mateo-Sanz (2002), Practical data-oriented microaggregation for "
        "statistical disclosure control, IEEE Transactions on Knowledge and Data Engineering 14."
    )
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2)}
    cost: ClassVar[str] = "n^3/k"
    most_records: ClassVar[int | None] = 25_000

    def __init__(self, k: int) -> None:
        self.k = k

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.md import make_groups_of_most_distant

        X = safely_scaled(X)
        n = len(X)
        labels = np.full(n, -1, dtype=np.int64)
        rows = np.arange(n)
        reach = np.full(n, np.inf)
        partner = np.full(n, -1, dtype=np.int64)
        make_groups_in_steps(
            lambda group, remaining, pause: make_groups_of_most_distant(
                X, rows, labels, reach, partner, self.k, group, remaining, pause
            ),
            n,
            2 * self.k,
        )
        assign_the_rest(X, labels, self.k, "two-k", centroid, squared_distances)
        return labels
