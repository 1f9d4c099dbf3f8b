"""How alike the records of the whole release are: each block counts its own, and equal ones are brought together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes, numbered
from shoal.scale.input.row_hashes import hashed_rows, hashed_values
from shoal.scale.random_order import part_of
from shoal.scale.released.lone_units import scatter_lone_units
from shoal.scale.scattered import gathered, scatter

__all__ = ["CountedAlike", "count_alike", "scatter_counts"]

# pyarrow is imported inside functions, to keep start-up quick.


@dataclass(frozen=True)
class CountedAlike:
    """How alike some records are: all that have one of a set of hashes.

    Attributes
    ----------
    fewest
        The fewest records, or units, with one combination of values.
    combinations
        How many combinations there are.
    alone
        How many of them one record, or one unit, has alone.
    below
        The records of combinations that fewer than k records, or units, have.
    """

    fewest: int
    combinations: int
    alone: int
    below: int


def scatter_counts(
    rows: Any, columns: Sequence[str], units: NDArray[np.int64] | None, buckets: int, block: int, path: Path
) -> None:
    """Write how many records of a block have each combination of values, by bucket of its hash.

    Parameters
    ----------
    rows
        Arrow rows.
    columns
        The columns that count.
    units
        The unit of every row, which lies in this block with all its rows; None where every row is its own.
    buckets
        How many buckets there are.
    block, path
        The number of the block, and the file to write.
    """
    import pyarrow

    combinations = joined_codes([numbered(hashed_values(rows[name])) for name in columns], len(rows))
    first = np.unique(combinations, return_index=True)[1]
    counts = np.bincount(combinations)
    records, lone = counts, np.zeros(len(first), dtype=np.int64)
    if units is not None:
        pairs = np.unique(combinations * (int(units.max()) + 1) + units)
        counts = np.bincount(pairs // (int(units.max()) + 1))
        own = np.zeros(len(first), dtype=np.int64)
        own[pairs // (int(units.max()) + 1)] = pairs % (int(units.max()) + 1)
        lone = (block << 40) + own + 1
    one, other = hashed_rows([rows[name].take(pyarrow.array(first)) for name in columns], len(first))
    table = pyarrow.table({"one": one, "other": other, "count": counts, "records": records, "lone": lone})
    scatter(table, part_of(one, buckets), path)


def count_alike(
    bucket: int, paths: Sequence[Path], k: int, buckets: int, lone_units: Path | None
) -> CountedAlike | None:
    """Count the combinations of one bucket over all blocks; None where it is empty.

    Parameters
    ----------
    bucket, buckets
        Its number, and how many there are.
    paths
        What blocks have written.
    k
        The k of the plan.
    lone_units
        Where to write which units have a combination alone; None where every record is its own.
    """
    table = gathered(paths, bucket)
    if table is None:
        return None
    one, other, count, records, lone = (table[name].to_numpy() for name in table.column_names)
    order = np.lexsort((other, one))
    one, other = one[order], other[order]
    starts = np.flatnonzero(np.append(True, (one[1:] != one[:-1]) | (other[1:] != other[:-1])))
    counts = np.add.reduceat(count[order], starts)
    alone = counts == 1
    if lone_units is not None and alone.any():
        units = lone[order][starts][alone].astype(np.uint64)
        scatter_lone_units(units, np.zeros(len(units), dtype=np.int64), buckets, bucket, lone_units)
    sizes = np.add.reduceat(records[order], starts)
    return CountedAlike(
        int(counts.min()),
        len(counts),
        int(alone.sum()),
        int(sizes[counts < k].sum()),
    )
