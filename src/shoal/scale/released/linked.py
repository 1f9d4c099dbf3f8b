"""How many records of a sample are linked to their own, searched for in the whole release, block by block."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.measure.risk.counterparts import as_near, squared_distances
from shoal.scale.input.row_hashes import hashed_values
from shoal.scale.scattered import gathered, targets_in

__all__ = ["LinkageSpace", "as_near_in", "linked_share", "ties_of", "write_sought"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class LinkageSpace:
    """What distances are taken in: numbers on the scale of their file, categories that are alike or not.

    Attributes
    ----------
    numbers
        By column of numbers, its scale in the original and in the release; None for a scale of nothing that varies.
    absent
        The columns of numbers in which a missing value counts as a category.
    categories
        The other columns that are compared.
    """

    numbers: Mapping[str, tuple[Scale, Scale]]
    absent: Sequence[str]
    categories: Sequence[str]

    def points(self, rows: Any, *, released: bool) -> Doubles:
        """Return Arrow rows as points: numbers first, then numbers that stand for categories."""
        columns = []
        for name, scales in self.numbers.items():
            values = rows[name].cast("float64", safe=False).to_numpy()
            columns.append(np.nan_to_num(scales[released].apply(values), nan=0.0))
        columns += [np.asarray(rows[name].is_null(nan_is_null=True), dtype=np.float64) for name in self.absent]
        columns += [(hashed_values(rows[name]) >> np.uint64(11)).astype(np.float64) for name in self.categories]
        return np.column_stack(columns)


def write_sought(path: Path, space: LinkageSpace, before: Any, after: Any) -> None:
    """Write the records that are sought where tasks read them: once, and not with every task.

    Parameters
    ----------
    path
        A file in a private folder, as they are original values.
    space
        What distances are taken in.
    before, after
        The records, and what is released of them.
    """
    points = space.points(before, released=False)
    to_true = squared_distances(points, space.points(after, released=True), len(space.numbers))
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        np.savez(file, points=points, to_true=to_true)


def as_near_in(path: Path, space: LinkageSpace, sought: Path) -> NDArray[np.int64]:
    """Return how many released records of one block are as near as the true one, -1 where one is nearer.

    Parameters
    ----------
    path
        The release of the block.
    space, sought
        What distances are taken in, and the file of the records that are sought.
    """
    import pyarrow

    with np.load(sought) as file:
        points, to_true = file["points"], file["to_true"]
    pieces = [gathered([path], target) for target in targets_in(path)]
    searched = space.points(pyarrow.concat_tables(pieces), released=True)
    return as_near(points, to_true, searched, len(space.numbers))


def linked_share(blocks: Sequence[NDArray[np.int64]]) -> float:
    """Return the percentage of the sought records that are linked: one of the nearest is drawn at random.

    `blocks` are what `as_near_in` found in each.
    """
    ties = ties_of(blocks)
    return float(100 * np.where(ties > 0, 1 / np.maximum(ties, 1), 0.0).mean())


def ties_of(blocks: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return for every record sought how many are as near as its own; 0 where another is nearer. As `linked_share`."""
    found = np.column_stack(blocks)
    return np.where((found < 0).any(axis=1), 0, found.sum(axis=1))
