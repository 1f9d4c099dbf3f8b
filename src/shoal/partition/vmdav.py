"""V-MDAV: MDAV with groups that grow while a record is close by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.parameters.limits import Limit, Number, Whole
from shoal.parameters.searched import Searched
from shoal.partition.base import Partitioner
from shoal.partition.geometry.in_steps import make_groups_in_steps
from shoal.partition.geometry.squared_distances import centroid, safely_scaled, squared_distances
from shoal.partition.mdav.with_trees import assign_the_rest

__all__ = ["VMDAV"]


class VMDAV(Partitioner):
    """Groups of k and more by variable-size MDAV.

    While k records or more remain: e is the record farthest from the centroid of the whole file; e and its k-1
    nearest make a group. Then, while the group has fewer than 2k-1 records: the nearest record to any of its members
    joins if it is nearer than `gamma` times its distance to the nearest other record without a group; otherwise the
    group is complete. The last records, fewer than k, join the group with the nearest centroid, so a group can end with
    more than 2k-1 records. Groups are numbered in the order they are made.

    Parameters
    ----------
    k
        The least number of records in a group.
    gamma
        How readily groups grow. 0 keeps them at k; according to the paper, about 0.2 suits scattered records, and about
        1.1 suits records in clouds that are well apart. On the Census and Tarragona files the information loss is
        larger with 1.1 than with 0.2 at every k.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.

    Notes
    -----
    Of records equally far or equally near the one with the lowest row number is taken. Distances are measured when
    they are needed; there is no matrix of them, so memory grows with n and not with its square.

    References
    ----------
    A. Solanas and A. Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size,
    17th COMPSTAT Symposium of the IASC, Rome.
    """

    name: ClassVar[str] = "vmdav"
    reference: ClassVar[str] = (
        "A. Solanas and A. Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable "
        "group size, 17th COMPSTAT Symposium of the IASC, Rome."
    )
    searched: ClassVar[tuple[Searched, ...]] = (Searched("gamma", (0.1, 0.2, 0.5, 1.1), start=0.2),)
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2), "gamma": Number(0.0)}
    cost: ClassVar[str] = "n^2"
    most_records: ClassVar[int | None] = 100_000

    def __init__(self, k: int, *, gamma: float = 0.2) -> None:
        self.k = k
        self.gamma = gamma

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.vmdav import make_variable_groups

        X = safely_scaled(X)
        n = len(X)
        labels = np.full(n, -1, dtype=np.int64)
        rows = np.arange(n)
        centre = centroid(X)
        gamma = float(self.gamma)
        make_groups_in_steps(
            lambda group, remaining, pause: make_variable_groups(
                X, centre, rows, labels, self.k, gamma, group, remaining, pause
            ),
            n,
            self.k,
        )
        assign_the_rest(X, labels, self.k, "two-k", centroid, squared_distances)
        return labels
