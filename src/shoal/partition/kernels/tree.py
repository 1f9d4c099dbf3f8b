"""The arrays of the k-d tree, and the two sizes that are compiled into every kernel that works on them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAN", "LEAF", "Coded", "Floats", "Tree"]

LEAF = 32  # records in a leaf
FAN = 16  # children of a block

Floats = NDArray[np.floating[Any]]  # of double precision in an exact tree, else of single


class Coded(NamedTuple):
    """What a tree knows of nominal columns. It holds their codes, times `scale`, in columns that are capped.

    The square of a difference counts up to the cap of its column; that of two codes is never below it. So a capped
    column adds what the indicators of all its categories would. Columns with a finite cap are among the first.
    """

    is_nominal: NDArray[np.bool_]  # by column of the records
    columns: NDArray[np.int64]  # by column of the tree: that of the records, before numbers were turned
    caps: Floats  # by column of the tree; infinite for numbers
    capped: int  # how many columns to look at as capped: the first ones
    scale: float
    # the centre of the tree; its categories lie side by side, column by column
    starts: NDArray[np.int64]  # by column of the records, and one more: where its categories begin
    shares: NDArray[np.float64]
    squares: NDArray[np.float64]  # by column of the records: sum of the squares of the shares
    largest: NDArray[np.float64]  # by column of the records: the largest two shares


class Tree(NamedTuple):
    """Arrays of the tree; kernels change them in place. Distances in the tree are `unit` times the real ones.

    An exact tree holds the records as they are, in double precision; its axes are those of the records, its unit is 1.
    """

    is_exact: bool
    origin: NDArray[np.float64]  # d: the point that is zero in the tree
    axes: NDArray[np.float64]  # d x d: (record - origin) @ axes is the record in the tree
    unit: float
    blur: float  # how far apart a record's two images in the tree, exact and stored, can be; the query's included
    # leaves
    points: Floats  # leaves x d x LEAF; NaN, in the first column at least, where there is no record
    norms: Floats  # leaves x LEAF: squared distance of the record from `centre`, -1 where there is none
    rows: NDArray[np.int32]  # leaves x LEAF: of identical records the lowest that remains
    place: NDArray[np.int32]  # by row: leaf * LEAF + position in the leaf
    twin: NDArray[np.int32]  # by row: the next row with an identical record, -1 if there is none
    left: NDArray[np.int64]  # one number: how many records remain, identical ones counted once
    # blocks
    low: Floats  # blocks x d x FAN: the boxes of the children, kept tight when records go
    high: Floats
    reach: Floats  # blocks x FAN: the largest of `norms` under the child, -1 when none remain
    lowest: NDArray[np.int32]  # blocks x FAN: the lowest of `rows` under the child; 0 unless the tree is exact
    first_child: NDArray[np.int32]  # blocks: the first child block, -1 above leaves
    parent: NDArray[np.int32]  # blocks: -1 for the root
    is_loose: NDArray[np.bool_]  # leaves: whether a record went and the bounds do not know yet
    centre: Floats  # d: a recent centroid of the records, in the tree; of nominal columns it is in `coded`
    coded: Coded | None  # None if no column is nominal
