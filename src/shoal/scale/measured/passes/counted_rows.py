"""Rows of the whole release that are alike, and tables of frequencies: counted by bucket of their hashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.scale.input.row_hashes import Hashes, hashed_numbers, joined_hashes
from shoal.scale.random_order import part_of
from shoal.scale.released.lone_units import scatter_lone_units
from shoal.scale.scattered import gathered, scatter

__all__ = [
    "AlikeRows",
    "count_alike_rows",
    "count_tables",
    "joined_alike",
    "scatter_alike_rows",
    "scatter_tables",
    "tables_of",
]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

_MOST_PAIRED = 100  # columns in tables of two, as in `measure.utility.frequencies`


@dataclass(frozen=True)
class AlikeRows:
    """How alike the records of a release are in some columns.

    Attributes
    ----------
    combinations
        How many combinations of values there are.
    fewest, at_fewest
        The fewest records with one combination of values, and the records of all such combinations.
    below
        The records of combinations that fewer than k records have.
    alone
        How many records have a combination that no other has.
    fewest_units, lone_units
        The fewest units with one combination of values, and how many have one alone; in a bucket, none are counted yet.
    """

    combinations: int
    fewest: int
    at_fewest: int
    below: int
    alone: int
    fewest_units: int
    lone_units: int


def scatter_alike_rows(
    hashes: Mapping[str, Hashes],
    sets: Sequence[Sequence[str]],
    units: Hashes,
    buckets: int,
    path: Path,
) -> None:
    """Write how many rows of a chunk have each combination of values, for several sets of columns.

    One set more, the last, is of the units themselves.

    Parameters
    ----------
    hashes
        The hashed values of every column of the release.
    sets
        The columns that count.
    units
        The unit of every row, hashed; all 0 where rows are their own.
    buckets, path
        How many buckets there are, and the file to write.
    """
    import pandas as pd
    import pyarrow

    frames = []
    for number, columns in enumerate(sets):
        one, other = joined_hashes([hashes[name] for name in columns], len(units))
        frame = pd.DataFrame({"set": number, "one": one, "other": other, "unit": units})
        frames.append(frame.groupby(list(frame.columns), sort=False).size().rename("records").reset_index())
    found, counts = np.unique(units, return_counts=True)
    frames.append(pd.DataFrame({"set": len(sets), "one": found, "other": found, "unit": found, "records": counts}))
    table = pd.concat(frames, ignore_index=True)
    scatter(
        pyarrow.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None),
        part_of(table["one"].to_numpy(), buckets),
        path,
    )


def count_alike_rows(
    bucket: int, paths: Sequence[Path], k: int | None, sets: int, buckets: int, lone_units: Path | None
) -> dict[int, AlikeRows]:
    """Count the combinations of one bucket over all chunks, by the number of their set.

    Parameters
    ----------
    bucket, buckets
        Its number, and how many there are.
    paths
        What was written of every chunk.
    k
        The k of the release, if it is known.
    sets
        How many sets of columns there are.
    lone_units
        Where to write which units have a combination alone; None where rows are their own.
    """
    table = gathered(paths, bucket)
    if table is None:
        return {}
    frame = table.to_pandas()
    by_unit = frame.groupby(["set", "one", "other", "unit"], sort=False)["records"].sum().reset_index()
    rows = by_unit.groupby(["set", "one", "other"], sort=False).agg(
        records=("records", "sum"), units=("unit", "size"), unit=("unit", "first")
    )
    if lone_units is not None:
        lone = rows[rows["units"] == 1]
        lone = lone[lone.index.get_level_values("set") < sets]  # the last is of the units themselves
        of_sets = lone.index.get_level_values("set").to_numpy(dtype=np.int64)
        scatter_lone_units(lone["unit"].to_numpy(dtype=np.uint64), of_sets, buckets, bucket, lone_units)
    return {int(number): _alike(own, k) for number, own in rows.groupby(level="set")}


def _alike(rows: Any, k: int | None) -> AlikeRows:
    records, units = rows["records"].to_numpy(), rows["units"].to_numpy()
    fewest = int(records.min())
    return AlikeRows(
        len(rows),
        fewest,
        int(records[records == fewest].sum()),
        int(records[records < (0 if k is None else k)].sum()),
        int((records == 1).sum()),
        int(units.min()),
        0,
    )


def joined_alike(buckets: Sequence[Mapping[int, AlikeRows]], number: int, lone_units: int) -> AlikeRows:
    """Return how alike records are in one set of columns, from what was counted in every bucket.

    `lone_units` is how many units have a combination of values alone.
    """
    own = [one[number] for one in buckets if number in one]
    fewest = min(one.fewest for one in own)
    return AlikeRows(
        sum(one.combinations for one in own),
        fewest,
        sum(one.at_fewest for one in own if one.fewest == fewest),
        sum(one.below for one in own),
        sum(one.alone for one in own),
        min(one.fewest_units for one in own),
        lone_units,
    )


def tables_of(columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the tables of frequencies: of every column, and of every two of at most a hundred."""
    count = len(columns)
    taken = range(count) if count <= _MOST_PAIRED else [j * count // _MOST_PAIRED for j in range(_MOST_PAIRED)]
    return [*((name,) for name in columns), *((columns[i], columns[j]) for i, j in combinations(taken, 2))]


def scatter_tables(
    before: Mapping[str, Hashes], after: Mapping[str, Hashes], columns: Sequence[str], buckets: int, path: Path
) -> None:
    """Write how often every cell of the tables of frequencies occurs in a chunk of both files."""
    import pyarrow

    tables, cells, counts = [], [], []
    for number, names in enumerate(tables_of(columns)):
        both = [joined_hashes([file[name] for name in names], len(file[names[0]]))[0] for file in (before, after)]
        found, codes = np.unique(np.concatenate(both), return_inverse=True)
        first, second = np.split(codes.reshape(-1), [len(both[0])])
        counts.append(np.bincount(first, minlength=len(found)) - np.bincount(second, minlength=len(found)))
        cells.append(found)
        tables.append(np.full(len(found), number))
    table = pyarrow.table(
        {"table": np.concatenate(tables), "cell": np.concatenate(cells), "change": np.concatenate(counts)}
    )
    scatter(table, part_of(hashed_numbers(table["cell"].to_numpy(), 19), buckets), path)


def count_tables(bucket: int, paths: Sequence[Path], tables: int) -> NDArray[np.int64]:
    """Return for every table the sum of changes of its cells, without their signs, over one bucket."""
    table = gathered(paths, bucket)
    if table is None:
        return np.zeros(tables, dtype=np.int64)
    changes = table.to_pandas().groupby(["table", "cell"], sort=False)["change"].sum().reset_index()
    return np.bincount(changes["table"], np.abs(changes["change"]), minlength=tables).astype(np.int64)
