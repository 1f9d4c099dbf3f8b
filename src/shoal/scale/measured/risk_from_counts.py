"""Measures of risk from counts over two files, as the measures of `shoal.measure` compute them from the files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import NotApplicableError
from shoal.measure.headline import Alike
from shoal.measure.measure import MeasuredValue
from shoal.scale.measured.passes.counted_rows import AlikeRows
from shoal.scale.measured.passes.counted_values import CountedBelow
from shoal.scale.measured.passes.first_pass import FirstPass
from shoal.scale.measured.passes.intervals import ROUNDING, Interval, IntervalOptions, RankInterval
from shoal.scale.measured.passes.third_pass import Within, ranks_apart

__all__ = ["alike_of", "interval_disclosure_of", "k_of", "unchanged_of"]


def alike_of(rows: AlikeRows, units: int | None) -> Alike:
    """Return how alike records are, or units where there are some."""
    if units is None:
        return Alike(rows.fewest, rows.alone, None)
    return Alike(rows.fewest_units, rows.lone_units, units)


def k_of(counted: AlikeRows, blocks: Sequence[AlikeRows], k: int | None, wildcard: int | None) -> MeasuredValue:
    """Return the k of whole records, with that of each block.

    Parameters
    ----------
    counted, blocks
        How alike records are in all columns, and in those of every block.
    k
        The k of the release, if it is known.
    wildcard
        The k if a missing value agrees with every value; None where that was not counted.
    """
    short = counted.at_fewest if k is None else counted.below
    return MeasuredValue(
        counted.fewest, by_block=[one.fewest for one in blocks], records_short=short, wildcard=wildcard
    )


def unchanged_of(first: FirstPass, columns: Sequence[str], which: str) -> MeasuredValue:
    """Return the percentage of cells released unchanged in some columns."""
    cells = {name: first.cells[name] for name in columns if first.cells[name].both}
    if not cells:
        raise NotApplicableError("No cell has a value in both files, so that there is nothing to compare.")
    return MeasuredValue(
        100 * (sum(one.same for one in cells.values()) / sum(one.both for one in cells.values())),
        by_column={name: 100 * (one.same / one.both) for name, one in cells.items()},
        records=first.unchanged[which],
    )


def interval_disclosure_of(
    within: Mapping[str, Within],
    intervals: Mapping[str, RankInterval | Interval],
    counted: Mapping[str, CountedBelow],
    columns: Sequence[str],
    options: IntervalOptions,
) -> MeasuredValue:
    """Return the percentage of cells disclosed.

    Parameters
    ----------
    within, intervals
        What the third pass counted, and the intervals it counted with.
    counted
        By column with open cells, how many values are below those that the ranks of these cells depend on.
    columns
        The columns that count, in their order.
    options
        How intervals are made.
    """
    by_column = {name: _disclosed(within[name], intervals[name], counted.get(name), options.widths)
                 for name in columns if name in within}  # fmt: skip
    if not by_column:
        among = "numeric variable or one with ordered categories" if options.kind == "rank" else "numeric variable"
        raise NotApplicableError(f"Interval disclosure needs a {among} that varies and has values in both files.")
    parts: dict[str, Any] = {"by_column": by_column, "kind": options.kind, "width": options.width}
    return MeasuredValue(math.fsum(by_column.values()) / len(by_column), **parts)


def _disclosed(
    within: Within, interval: RankInterval | Interval, counted: CountedBelow | None, widths: Sequence[float]
) -> float:
    inside = int(within.inside.sum())
    before, after, times = within.open_cells
    if len(before):
        assert isinstance(interval, RankInterval), "only ranks leave cells open"
        assert counted is not None, "their values were counted"
        least, most = ranks_apart(before, after, interval, counted)
        assert (least == most).all(), "the ranks of these values are known"
        inside += sum(int(times[most <= width * interval.per_cent + ROUNDING].sum()) for width in widths)
    return 100 * inside / (len(widths) * within.cells)
