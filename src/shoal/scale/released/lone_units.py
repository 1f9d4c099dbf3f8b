"""Units that have a combination of values alone: each counted once, however many combinations it has alone.

They may be as many as there are units, so that workers count them and nobody has to know all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.scale.cluster import Cluster
from shoal.scale.input.row_hashes import hashed_numbers
from shoal.scale.random_order import part_of
from shoal.scale.scattered import gathered, scatter

__all__ = ["count_lone_units", "scatter_lone_units"]

# pyarrow is imported inside functions, to keep start-up quick.


def scatter_lone_units(
    units: NDArray[np.uint64], sets: NDArray[np.int64], buckets: int, number: int, folder: Path
) -> None:
    """Write the units that one task has found to have a combination alone, those of a unit to one bucket.

    Parameters
    ----------
    units, sets
        The numbers or hashes of the units, and the set of columns that each combination is of.
    buckets
        How many buckets there are.
    number, folder
        The number of the task, and where its file is written.
    """
    import pyarrow

    table = pyarrow.table({"unit": units, "set": sets})
    scatter(table, part_of(hashed_numbers(units, 17), buckets), folder / f"{number:06}.arrow")


def count_lone_units(cluster: Cluster, tasks: int, buckets: int, sets: int, folder: Path) -> list[int]:
    """Return how many different units were found, for each set of columns.

    Parameters
    ----------
    cluster
        The workers.
    tasks, buckets, folder
        How many tasks and buckets there were, and where they have written.
    sets
        How many sets of columns there are.
    """
    paths = [folder / f"{number:06}.arrow" for number in range(tasks)]
    counted = cluster.map(_count, range(buckets), paths, sets, doing="counting units")
    return [int(count) for count in np.sum(counted, axis=0)]


def _count(bucket: int, paths: Sequence[Path], sets: int) -> NDArray[np.int64]:
    table = gathered([path for path in paths if path.exists()], bucket)
    if table is None:
        return np.zeros(sets, dtype=np.int64)
    pairs = np.unique(np.column_stack([table["set"].to_numpy().astype(np.uint64), table["unit"].to_numpy()]), axis=0)
    return np.bincount(pairs[:, 0].astype(np.int64), minlength=sets)
