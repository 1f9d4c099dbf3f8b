"""CBFS: centroid-based groups of a fixed size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.parameters.limits import Limit, Whole
from shoal.partition.base import Partitioner
from shoal.partition.geometry.in_steps import make_groups_in_steps
from shoal.partition.geometry.squared_distances import safely_scaled

__all__ = ["CBFS"]


class CBFS(Partitioner):
    """Groups of k around the record farthest from the centroid, one at a time.

    While 2k records or more remain: the record farthest from the centroid of those that remain and its k-1 nearest
    make a group. The rest is the last group. So every group has k records and the last one k to 2k-1. Groups are
    numbered in the order they are made.

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
    Centroids, distances and ties are those of `MDAV`: of records equally far or equally near the one with the
    lowest row number is taken.

    References
    ----------
    M. Laszlo and S. Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation, IEEE
    Transactions on Knowledge and Data Engineering 17.
    """

    name: ClassVar[str] = "cbfs"
    reference: ClassVar[str] = (
        "M. Laszlo and S. Mukherjee (2005), Minimum spanning tree partitioning algorithm for "
        "microaggregation, IEEE Transactions on Knowledge and Data Engineering 17."
    )
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2)}
    cost: ClassVar[str] = "n^2"
    most_records: ClassVar[int | None] = 150_000

    def __init__(self, k: int) -> None:
        self.k = k

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.cbfs import make_groups_by_centroid
        from shoal.partition.kernels.exact_sum import MOST_PARTIALS, total_columns

        X = safely_scaled(X)
        n, d = X.shape
        labels = np.full(n, -1, dtype=np.int64)
        rows = np.arange(n)
        totals = np.zeros((d, MOST_PARTIALS))
        total_columns(X, totals)
        make_groups_in_steps(
            lambda group, remaining, pause: make_groups_by_centroid(
                X, totals, rows, labels, self.k, group, remaining, pause
            ),
            n,
            2 * self.k,
        )
        labels[labels < 0] = labels.max() + 1
        return labels
