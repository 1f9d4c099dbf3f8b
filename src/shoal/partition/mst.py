"""MST: groups from the minimum spanning tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.parameters.limits import Limit, OneOf, Whole
from shoal.partition.base import Partitioner
from shoal.partition.cbfs import CBFS
from shoal.partition.geometry.forest import cut_long_edges, number_trees, split_large_groups
from shoal.partition.geometry.squared_distances import safely_scaled
from shoal.partition.md import MD
from shoal.progress import advance, share

__all__ = ["MST", "spanning_tree"]

_STEPS = 20


class MST(Partitioner):
    """Groups of k to 2k-1 by cutting the minimum spanning tree.

    The tree joins all records with the least total length. Its edges are visited from the longest on and cut if at
    least k records stay together on both sides. Trees that still have 2k records or more (a hub with many short
    branches cannot be cut) are split by a fixed-size method. So every group has k to 2k-1 records. Groups are
    numbered by their tree, trees by their first record.

    Parameters
    ----------
    k
        The least number of records in a group.
    split
        What splits the large trees: ``"md"`` (`MD`, the paper's M-d) or ``"cbfs"`` (`CBFS`, M-c).

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1.

    Notes
    -----
    The tree grows from the first record (Prim); of records equally near the one with the lowest row number joins, at
    the record that was in the tree first. Of edges equally long the one with the lowest rows is visited first.

    Information loss (%) of M-d at k=3, 4, 5, 10, with values quoted from memory of the literature, to be looked up, in
    brackets: Census 6.121, 8.247, 10.268, 17.160 (6.110, 8.24, 10.30, 17.17); Tarragona 16.621, 19.661, 24.505, 38.426
    (16.63, 19.66, 24.50, 38.58). All are within 1 %.

    References
    ----------
    M. Laszlo and S. Mukherjee (2005), Minimum spanning tree partitioning algorithm for microaggregation, IEEE
    Transactions on Knowledge and Data Engineering 17.
    """

    name: ClassVar[str] = "mst"
    reference: ClassVar[str] = (
        "M. Laszlo and S. Mukherjee (2005), Minimum spanning tree partitioning algorithm for "
        "microaggregation, IEEE Transactions on Knowledge and Data Engineering 17."
    )
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2), "split": OneOf(("md", "cbfs"))}
    cost: ClassVar[str] = "n^2"
    most_records: ClassVar[int | None] = 100_000

    def __init__(self, k: int, *, split: str = "md") -> None:
        self.k = k
        self.split = split

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        X = safely_scaled(X)
        splitter: Partitioner = MD(self.k) if self.split == "md" else CBFS(self.k)
        with share(0.5):
            parent, _ = cut_long_edges(*spanning_tree(X), self.k, most=self.k)
            return split_large_groups(X, number_trees(parent), self.k, splitter._partition)


def spanning_tree(X: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the parent of every record in the minimum spanning tree (-1 at the first), and the squared edge length."""
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.forest import grow_spanning_tree

    n = len(X)
    rows = np.arange(1, n)
    parent = np.full(n, -1, dtype=np.int64)
    length = np.full(n, np.inf)
    last, outside = 0, n - 1
    for step in range(_STEPS):
        last, outside = grow_spanning_tree(
            X, rows, parent, length, last, outside, (n - 1) * (_STEPS - 1 - step) // _STEPS
        )
        advance(1 / _STEPS)
    return parent, length
