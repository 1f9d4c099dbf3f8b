"""What helps where groups are to stay within categories, and combinations of these have fewer than k records."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes
from shoal.parameters.typed import listed, typed
from shoal.partition.geometry.different_units import count_units
from shoal.read import Table
from shoal.recode.base import text_of
from shoal.recode.merge import Merge, rare_categories

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["what_helps_within"]

Integers = NDArray[np.int64]

_MOST_MERGES = 2  # that a message names


@dataclass(frozen=True, eq=False)
class _Rows:
    """The different rows of strata and categories, each with how many records have it; with units, for each unit.

    Attributes
    ----------
    k
        How many records, or units, a combination needs.
    strata, within
        The stratum of every row, and by column its category, -1 for a missing value.
    records, units
        How many records have the row, and their unit where units are counted.
    """

    k: int
    strata: Integers
    within: Mapping[str, Integers]
    records: Integers
    units: Integers | None

    def besides(self, name: str) -> Integers:
        """Return the combination of all but one column."""
        others = [own for one, own in self.within.items() if one != name]
        return joined_codes([self.strata, *others], len(self.strata))

    def below(self, *columns: Integers) -> int:
        """Return the records whose combination of these columns has fewer than k records, or units."""
        combinations = joined_codes(columns, len(self.strata))
        if self.units is None:
            sizes = np.bincount(combinations, weights=self.records)
        else:
            sizes = count_units(combinations, self.units)
        return int(self.records[sizes[combinations] < self.k].sum())


@dataclass(frozen=True)
class _Merging:
    """A merge of the rare categories of one column: what is typed, how many records it leaves below k, new codes."""

    left: int
    rare: int
    column: str
    codes: Integers

    def advice(self, plan: Plan) -> str:
        # Where categories are merged that are not neighbours, the order is lost.
        kind = f" {typed('--kind', self.column, 'nominal')}" if plan.kinds[self.column] == "ordinal" else ""
        # A job's recodes of a column give way to those of the command line, and the merge is of what they have made.
        before = ", ".join(recode["name"] for recode in plan.recodes.get(self.column, []))
        after = f" (after {before}, not instead)" if before else ""
        return f"{typed('--recode', self.column, f'{Merge.name}:rare={self.rare}')}{kind}{after}"


def what_helps_within(
    plan: Plan, table: Table, within: Mapping[str, Integers], strata: Integers, units: Integers | None, *, inside: bool
) -> str:
    """Say which merges of rare categories leave fewest records below k, and how columns are left to "suppress".

    The numbers are those of the release that follows. Inside groups of units they are not known, because merges change
    these, and nothing but "suppress" is advised.

    Parameters
    ----------
    plan, table
        The plan, and the table it is for, once recoded.
    within, strata, units
        By column that groups stay within, the code of every record; its stratum; its unit where units are counted.
    inside
        Whether groups stay within the columns inside groups of units.
    """
    if inside:
        return f"Leave {_left_to_suppress(plan, tuple(within))}"
    start = rows = _rows_of(plan.k, within, strata, units)
    texts = {name: _texts(table, name, own) for name, own in within.items()}
    sizes = {name: np.bincount(own[own >= 0]) for name, own in within.items()}
    merges: list[_Merging] = []
    left = rows.below(rows.strata, *rows.within.values())
    while left and len(merges) < _MOST_MERGES:
        merged = {one.column for one in merges}
        free = [name for name in within if name not in merged]
        best: _Merging | None = None
        for name in free:
            own = _best_merge(rows, name, texts[name], sizes[name], left - 1 if best is None else best.left)
            if own is not None and (best is None or (own.left, own.rare) < (best.left, best.rare)):
                best = own
        if best is None:
            break
        merges.append(best)
        left = best.left
        rows = _Rows(rows.k, rows.strata, {**rows.within, best.column: best.codes}, rows.records, rows.units)
    if left:
        return f"{_that_help(plan, merges)}{'For the rest, leave' if merges else 'Leave'} {_suppressing(plan, rows)}"
    return f"{_that_help(plan, merges)}Or leave {_suppressing(plan, start)}"


def _rows_of(k: int, within: Mapping[str, Integers], strata: Integers, units: Integers | None) -> _Rows:
    columns = [strata, *within.values(), *(() if units is None else (units,))]
    row_of = joined_codes(columns, len(strata))
    first = np.unique(row_of, return_index=True)[1]
    own = {name: values[first] for name, values in within.items()}
    return _Rows(k, strata[first], own, np.bincount(row_of), None if units is None else units[first])


def _texts(table: Table, name: str, own: Integers) -> dict[int, str]:
    """Return the text of every code, by which `Merge` orders categories with as many records."""
    codes, first = np.unique(own, return_index=True)
    cells = table.cells(name)
    return {code: text_of(cells[row]) for code, row in zip(codes.tolist(), first.tolist(), strict=True) if code >= 0}


def _best_merge(rows: _Rows, name: str, texts: Mapping[int, str], sizes: Integers, most: int) -> _Merging | None:
    """Return the merge of one column that leaves fewest records, of these the finest; None if it leaves more than most.

    The more categories are merged, the fewer records are left.
    """
    merges = list(_merged_codes(rows.k, texts, sizes))
    if not merges:
        return None
    own, besides = rows.within[name], rows.besides(name)

    def made(place: int) -> _Merging:
        rare, joined = merges[place]
        new = np.where(np.isin(own, joined), joined[0], own)
        return _Merging(rows.below(besides, new), rare, name, new)

    best = made(len(merges) - 1)
    if best.left > most:
        return None
    place = bisect_left(range(len(merges) - 1), True, key=lambda place: made(place).left == best.left)
    return made(place)


def _merged_codes(k: int, texts: Mapping[int, str], sizes: Integers) -> Iterator[tuple[int, list[int]]]:
    """Return rising numbers of records, each with the codes that `Merge` makes one, while two categories are left."""
    counts = {text: int(sizes[code]) for code, text in texts.items()}
    before = 0
    for rare in (k * step * 10**power for power in count() for step in (1, 2, 5)):
        merged = rare_categories(counts, rare)
        if not set(counts) - merged - {Merge.into}:
            return
        if len(merged) > before:
            yield rare, [code for code, text in texts.items() if text in merged or text == Merge.into]
        before = len(merged)


def _that_help(plan: Plan, merges: list[_Merging]) -> str:
    if not merges:
        return "Merging rare categories of these columns does not help. "
    told = [f"{merges[0].advice(plan)} leaves {_records(merges[0].left)}"]
    told += [f"with {one.advice(plan)} too, {_records(one.left)}" for one in merges[1:]]
    return f"{'; '.join(told)}. "


def _suppressing(plan: Plan, rows: _Rows) -> str:
    """Say how columns are left to "suppress": one, if that leaves no combination below k, or else all."""
    names = tuple(rows.within)
    enough = [name for name in names if len(names) > 1 and not rows.below(rows.besides(name))]
    return _left_to_suppress(plan, tuple(enough[:1]) or names)


def _left_to_suppress(plan: Plan, names: tuple[str, ...]) -> str:
    words = listed(f"{one}={'suppress' if one in names else way}" for one, way in plan.categories.items())
    them = "them" if len(names) > 1 else names[0]
    return f'{them} to "suppress" ({typed("--categories", words)}){", or lower k" if plan.k > 2 else ""}.'


def _records(number: int) -> str:
    return "none" if not number else f"{number:,} record{'s' * (number != 1)}"
