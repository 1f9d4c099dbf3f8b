"""The best groups of at least k for one variable."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import MethodError
from shoal.parameters.limits import Limit, Whole
from shoal.partition.base import Partitioner
from shoal.progress import advance

__all__ = ["OptimalUnivariate"]

_SORTING = 0.2  # the part of the time that sorting takes
_PART, _PARTS = 40_000, 1_000  # how many numbers are sorted at a time: what fits in a cache, in not too many parts
_STEPS = 20
_COARSE = 1 << 24  # the k from which halving takes longer than what comes before it: see the kernel


class OptimalUnivariate(Partitioner):
    """Groups of k to 2k-1 with the least possible sum of squared errors, for one variable.

    In one dimension the groups of a best partition are neighbours in the sorted file and none needs 2k records. So
    the best partition of the first j values is the best of the first i together with one group of the rest, k to
    2k-1 of them. Every group has k to 2k-1 records. Groups are numbered in the order of their values.

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
    It takes a time proportional to the number of records, whatever k is: the best i never falls as j rises, so that
    few have to be looked at. Equal values may be put into different groups; they are taken in the order of their rows.

    The groups are those that exact arithmetic finds, however far from zero the values are and whatever outliers
    there are. Of equally good partitions the one with the larger last groups is taken. Two limits: sums of squared
    errors that differ by less than 1e-18 of their size count as equal, and so do values that differ by less than 1e-290
    of the largest.

    More than one column is refused: no such algorithm exists for several variables (the problem is NP-hard). The
    nearest to it is `MHM`.

    References
    ----------
    S. L. Hansen and S. Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation, IEEE
    Transactions on Knowledge and Data Engineering 15; F. I. Stamm and M. T. Schaub (2024), Faster optimal univariate
    microaggregation, Transactions on Machine Learning Research.
    """

    name: ClassVar[str] = "optimal-univariate"
    reference: ClassVar[str] = (
        "S. L. Hansen and S. Mukherjee (2003), A polynomial algorithm for optimal univariate "
        "microaggregation, IEEE Transactions on Knowledge and Data Engineering 15; "
        "F. I. Stamm and M. T. Schaub (2024), Faster optimal univariate microaggregation, Transactions on Machine "
        "Learning Research."
    )
    scope: ClassVar[Literal["column", "block", "file"]] = "column"
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2)}
    most_records: ClassVar[int | None] = None  # ten million records take seconds

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
        if len(X) < 2 * self.k:
            advance(1)
            return np.zeros(len(X), dtype=np.int64)
        return _cut(*_sorted(X[:, 0]), self.k)


class _Memory(NamedTuple):
    """What has been written to once and is free again: memory that is new takes longer than what is done with it."""

    numbers: NDArray[np.uint64]  # n
    rows: NDArray[np.integer[Any]]  # n + 1


def _sorted(values: NDArray[np.float64]) -> tuple[NDArray[np.integer[Any]], NDArray[np.float64], _Memory]:
    """Return the rows in the order of their values, equal ones as they are, and the values in that order, to change.

    These are the rows of ``np.argsort(values, kind="stable")``, in a sixth of its time for millions of values.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.univariate_cut import direction, order_backwards

    n = len(values)
    number: type[np.integer[Any]] = np.int32 if n < 2**31 else np.int64
    rows = np.empty(n, dtype=number)
    spare = _Memory(np.empty(n, dtype=np.uint64), np.empty(n + 1, dtype=number))
    way = direction(values)
    if way == 0:
        return rows, _order(values, rows, spare), spare
    advance(_SORTING)
    if way > 0:
        rows[:] = np.arange(n)
        return rows, values.copy(), spare
    order_backwards(values, rows)
    return rows, values[::-1].copy(), spare


def _order(values: NDArray[np.float64], rows: NDArray[np.integer[Any]], spare: _Memory) -> NDArray[np.float64]:
    """Write the rows in the order of their values, and return the values in that order."""
    from shoal.partition.kernels.univariate_cut import BUCKETS, count_buckets, deal, order_part

    n = len(values)
    bits = values.view(np.uint64)
    keys = np.empty(n, dtype=np.uint64)
    counts = np.zeros(BUCKETS, dtype=np.int64)
    least, shift = map(np.uint64, count_buckets(bits, counts))
    # As many buckets as begin within so many numbers are a part. Parts without a bucket have the size 0.
    before = np.cumsum(counts) - counts
    part_of = before // max(_PART, n // _PARTS)
    begins = np.append(before[np.searchsorted(part_of, np.arange(part_of[-1] + 1))], n)
    deal(bits, least, shift, part_of, begins[:-1].copy(), keys, rows)
    for begin, end in itertools.pairwise(begins):
        order_part(keys[begin:end], rows[begin:end], spare.numbers, spare.rows)
        advance(_SORTING / (len(begins) - 1))
    return keys.view(np.float64)


def _cut(order: NDArray[np.integer[Any]], values: NDArray[np.float64], spare: _Memory, k: int) -> NDArray[np.int64]:
    """Return the label of every record, numbered in the order of the values; `order` gives the record of each."""
    from shoal.partition.kernels.univariate_cut import FACTS, begin_sorted_cuts, extend_sorted_cuts, label_along_path

    n = len(values)
    # By a power of two, so that the square of a sum of 2k differences is just below the largest number there is.
    exponent = 509 - (2 * k).bit_length() - math.frexp(max(-values[0], values[-1]))[1]
    values *= math.ldexp(1.0, min(exponent, 1000))
    group_size = spare.rows
    columns, rows = np.zeros((FACTS, 2 * k - 1)), np.zeros((FACTS, k))
    begin_sorted_cuts(values, columns, group_size)
    first = stop = 2 * k - 1
    for step in range(1, _STEPS + 1):
        start = stop
        stop = n if step == _STEPS else first + (n - first) * step // _STEPS // k * k
        extend_sorted_cuts(values, columns, rows, group_size, start, stop, _COARSE)
        advance((1 - _SORTING) / _STEPS)
    labels = spare.numbers.view(np.int64)
    label_along_path(group_size, order, labels)
    return labels
