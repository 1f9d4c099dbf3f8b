"""Exact ranks and quantiles of a column that nobody holds: values are counted between boundaries.

Boundaries are some of the values, sorted. Every chunk counts its values that equal a boundary and those between two.
Summed over all chunks, that says exactly how many values are below each boundary, and between which numbers the rank of
any other value lies. Where that does not suffice, the values in question become boundaries themselves, and are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["CountedBelow", "boundaries", "cells_of", "read_boundaries", "sum_cells", "thinned", "write_boundaries"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]


@dataclass(frozen=True)
class CountedBelow:
    """How many of the values of a column are below boundaries, and up to them.

    Attributes
    ----------
    boundaries
        Different numbers, sorted.
    less, up_to
        By boundary, how many values are less than it, and how many are not more.
    records
        How many values there are.
    """

    boundaries: Doubles
    less: Whole64
    up_to: Whole64
    records: int

    def below(self, points: Doubles, *, equal: bool) -> tuple[Whole64, Whole64]:
        """Return the least and the most values that can be less than each point, or not more where `equal` counts."""
        place = np.searchsorted(self.boundaries, points, "left")
        at = np.append(self.boundaries, np.nan)[place] == points
        known = np.append(self.up_to if equal else self.less, self.records)[place]
        least, most = np.append(0, self.up_to)[place], np.append(self.less, self.records)[place]
        return np.where(at, known, least), np.where(at, known, most)

    def cell_of(self, place: int) -> tuple[float | None, int]:
        """Return the value at a place of the sorted values, if it is a boundary; otherwise the cell it is in.

        The second number is how many boundaries are below the cell.
        """
        at = int(np.searchsorted(self.up_to, place, "right"))  # the first boundary with more values up to it
        if at < len(self.less) and self.less[at] <= place:
            return float(self.boundaries[at]), at
        return None, at


def thinned(values: Doubles, step: int) -> Doubles:
    """Return some of the values of a chunk that could be boundaries: each `step`-th of them, sorted."""
    observed = np.sort(values[~np.isnan(values)])
    return observed[step // 2 :: step] if len(observed) > step // 2 else observed[:1]


def boundaries(samples: Sequence[Doubles]) -> Doubles:
    """Return the different values of all samples, sorted."""
    return np.unique(np.concatenate([*samples, np.zeros(0)]) + 0.0)


def cells_of(values: Doubles, points: Doubles) -> Whole64:
    """Count the values in every cell: below the first boundary, equal to it, between it and the next, and so on."""
    observed = values[~np.isnan(values)]
    place = np.searchsorted(points, observed, "left") + np.searchsorted(points, observed, "right")
    return np.bincount(place, minlength=2 * len(points) + 1).astype(np.int64)


def write_boundaries(path: Path, points: Doubles) -> None:
    """Write boundaries where the workers find them."""
    np.save(path, points)


def read_boundaries(path: Path) -> Doubles:
    """Return the boundaries that were written."""
    return np.asarray(np.load(path), dtype=np.float64)


def sum_cells(points: Doubles, cells: Sequence[Whole64]) -> CountedBelow:
    """Return how many values are below each boundary, from what every chunk counted."""
    total = np.cumsum(np.sum(cells, axis=0, dtype=np.int64))
    return CountedBelow(points, total[0:-1:2], total[1::2], int(total[-1]))
