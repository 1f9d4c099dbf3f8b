"""The first pass over two files: moments, cells that changed, and what is alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.scale.input.moments import ExactMoments, joined_moments, moments_of
from shoal.scale.input.row_hashes import Hashes, hashed_numbers, hashed_values
from shoal.scale.measured.passes.counted_rows import scatter_alike_rows, scatter_tables
from shoal.scale.measured.passes.counted_values import thinned
from shoal.scale.measured.passes.sides import ComparedFiles, NumberedChunk, Sides, is_missing, read_sides

__all__ = ["CellCounts", "FirstAsked", "FirstPass", "compare_first", "first_pass"]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class FirstAsked:
    """What is counted in the first pass.

    Attributes
    ----------
    columns
        By name of a set, columns that both files have: "compared" and "everything".
    alike
        The sets of released columns in which rows are compared.
    tables
        The columns whose frequencies are compared.
    unit
        The column of units.
    step
        Each so many-th value of a column becomes a boundary.
    buckets, folder
        In how many buckets rows are counted, and the folder that tasks share.
    """

    columns: Mapping[str, tuple[str, ...]]
    alike: Sequence[Sequence[str]]
    tables: Sequence[str]
    unit: str | None
    step: int
    buckets: int
    folder: Path


@dataclass(frozen=True)
class CellCounts:
    """The cells of one column.

    Attributes
    ----------
    before, after
        How many have a value in the original, and in the release.
    both, same
        How many have one in both, and how many of these the same.
    """

    before: int = 0
    after: int = 0
    both: int = 0
    same: int = 0

    def __add__(self, other: CellCounts) -> CellCounts:
        return CellCounts(
            self.before + other.before, self.after + other.after, self.both + other.both, self.same + other.same
        )


@dataclass(frozen=True)
class FirstPass:
    """What the first pass counts.

    Attributes
    ----------
    records, complete
        All records, and those without a missing value in any compared column.
    before, after
        The moments of every column that has ranks.
    cells
        The cells of every column that both files have.
    unchanged
        By set of columns, the records with a value in both files in some cell, and the same in all such cells.
    hashes
        By column, the smallest and the largest hash in the original: whether it has several values.
    samples
        By column that has ranks, some of its values in both files.
    """

    records: int
    complete: int
    before: Mapping[str, ExactMoments]
    after: Mapping[str, ExactMoments]
    cells: Mapping[str, CellCounts]
    unchanged: Mapping[str, int]
    hashes: Mapping[str, tuple[int, int]]
    samples: Mapping[str, tuple[Doubles, Doubles]]


def compare_first(chunk: NumberedChunk, compared: ComparedFiles, asked: FirstAsked) -> FirstPass:
    """Compare both sides of one chunk."""
    sides = read_sides(chunk, compared)
    shared = [name for name in compared.before.names if name in compared.after.names]
    before = {name: hashed_values(sides.before[name]) for name in shared}
    after = {name: hashed_values(sides.after[name]) for name in compared.after.names}
    missing = {name: (is_missing(sides.before[name]), is_missing(sides.after[name])) for name in shared}
    number = f"{chunk[0]:06}.arrow"
    units = _units(sides, asked.unit)
    scatter_alike_rows(after, asked.alike, units, asked.buckets, asked.folder / "alike" / number)
    if asked.tables:
        scatter_tables(before, after, asked.tables, asked.buckets, asked.folder / "tables" / number)
    values = {name: sides.values(name) for name in compared.ranked}
    origins = compared.setting.origins
    incomplete = np.zeros(len(sides.rows), dtype=bool)
    for name in asked.columns["compared"]:
        incomplete |= missing[name][0] | missing[name][1]
    return FirstPass(
        len(sides.rows),
        int((~incomplete).sum()),
        {name: moments_of(one, origins[name]) for name, (one, _) in values.items()},
        {name: moments_of(other, origins[name]) for name, (_, other) in values.items()},
        {name: _cells(before[name], after[name], missing[name]) for name in shared},
        {which: _unchanged(names, before, after, missing) for which, names in asked.columns.items()},
        {name: (int(own.min()), int(own.max())) for name, own in before.items()},
        {name: (thinned(one, asked.step), thinned(other, asked.step)) for name, (one, other) in values.items()},
    )


def first_pass(passes: Sequence[FirstPass]) -> FirstPass:
    """Put together what chunks show; the samples stay apart."""
    cells = {name: sum((one.cells[name] for one in passes), CellCounts()) for name in passes[0].cells}
    return FirstPass(
        sum(one.records for one in passes),
        sum(one.complete for one in passes),
        joined_moments([one.before for one in passes]),
        joined_moments([one.after for one in passes]),
        cells,
        {which: sum(one.unchanged[which] for one in passes) for which in passes[0].unchanged},
        {
            name: (min(one.hashes[name][0] for one in passes), max(one.hashes[name][1] for one in passes))
            for name in passes[0].hashes
        },
        {},
    )


def _units(sides: Sides, unit: str | None) -> Hashes:
    """Return the unit of every row, hashed, never 0; a row without one is its own. All are 0 where there are none."""
    if unit is None:
        return np.zeros(len(sides.rows), dtype=np.uint64)
    rows = sides.before if unit in sides.before.column_names else sides.after
    own = np.where(is_missing(rows[unit]), hashed_numbers(sides.rows, 17), hashed_values(rows[unit]))
    return np.maximum(own, np.uint64(1))


def _cells(before: Hashes, after: Hashes, missing: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> CellCounts:
    known = ~missing[0] & ~missing[1]
    return CellCounts(
        int((~missing[0]).sum()), int((~missing[1]).sum()), int(known.sum()), int((known & (before == after)).sum())
    )


def _unchanged(
    names: Sequence[str],
    before: Mapping[str, Hashes],
    after: Mapping[str, Hashes],
    missing: Mapping[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]],
) -> int:
    first = next(iter(missing.values()))[0]
    some, all_same = np.zeros(len(first), dtype=bool), np.ones(len(first), dtype=bool)
    for name in names:
        known = ~missing[name][0] & ~missing[name][1]
        some |= known
        all_same &= ~known | (before[name] == after[name])
    return int((some & all_same).sum())
