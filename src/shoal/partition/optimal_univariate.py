"""The best groups of at least k for one variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import MethodError
from shoal.parameters.limits import Limit, Whole
from shoal.partition.base import Partitioner
from shoal.partition.geometry.path_cut import cut_path
from shoal.partition.geometry.safe_scale import safely_scaled

__all__ = ["OptimalUnivariate"]


class OptimalUnivariate(Partitioner):
    """Groups of k to 2k-1 with the least possible sum of squared errors, for one variable.

    In one dimension the groups of a best partition are neighbours in the sorted file and none needs 2k records. So
    the best partition of the first j values is the best of the first i together with one group of the rest, k to
    2k-1 of them, and is found for all j one after the other. Every group has k to 2k-1 records. Groups are numbered
    in the order of their values.

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
    Sorting costs O(n log n), the rest O(n k). Equal values may be put into different groups; they are taken in the
    order of their rows. Of equally good partitions the one with the larger last groups is taken.

    More than one column is refused: no such algorithm exists for several variables (the problem is NP-hard). The
    nearest to it is `MHM`.

    References
    ----------
    S. L. Hansen and S. Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation, IEEE
    Transactions on Knowledge and Data Engineering 15.
    """

    name: ClassVar[str] = "optimal-univariate"
    summary: ClassVar[str] = "Groups of k to 2k-1 with the least possible sum of squared errors, for one variable"
    reference: ClassVar[str] = (
        "S. L. Hansen and S. Mukherjee (2003), A polynomial algorithm for optimal univariate "
        "microaggregation, IEEE Transactions on Knowledge and Data Engineering 15."
    )
    scope: ClassVar[Literal["column", "block", "file"]] = "column"
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2)}
    most_records: ClassVar[int | None] = None  # a million records take a second, most of it for sorting

    def __init__(self, k: int) -> None:
        self.k = k

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds with an order: categories without one are several columns."""
        return frozenset({"continuous", "ordinal"})

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        columns = X.shape[1]
        if columns != 1:
            raise MethodError(
                f"OptimalUnivariate groups one column; got {columns} columns. Use MHM, which cuts a path through all "
                "of them the same way. (Every column as a block of its own leaves nearly every whole record unique.)"
            )
        order = np.argsort(X[:, 0], kind="stable")
        return cut_path(safely_scaled(X), order, self.k)
