"""Columns of numbers compared on a cluster: errors, moments, quantiles, and how far apart ranks are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.measure.utility.joint_moments import JointMoments, original_scale, quantile_places, scaled
from shoal.measure.utility.probabilistic_information_loss import QuantileChange, reach_of_density
from shoal.progress import share
from shoal.scale.cluster import Cluster
from shoal.scale.input.moments import ExactMoments
from shoal.scale.measured.passes.counted_values import CountedBelow, boundaries, write_boundaries
from shoal.scale.measured.passes.first_pass import FirstPass
from shoal.scale.measured.passes.intervals import Interval, IntervalOptions, RankInterval, intervals_of
from shoal.scale.measured.passes.second_pass import (
    ColumnErrors,
    compare_again,
    count_values,
    counted_column,
    second_pass,
)
from shoal.scale.measured.passes.sides import ComparedFiles, NumberedChunk
from shoal.scale.measured.passes.third_pass import (
    CentralSums,
    ThirdAsked,
    ThirdPass,
    Within,
    compare_finally,
    joint_moments_of,
    third_pass,
)

__all__ = ["BOUNDARIES", "ComparedNumbers", "compare_numbers"]

Doubles = NDArray[np.float64]

BOUNDARIES = 65_536
_FEWER = 32  # times fewer boundaries do for the quantiles of the release


@dataclass(frozen=True)
class ComparedNumbers:
    """What was found of the columns of numbers.

    Attributes
    ----------
    names, scales
        The columns that are compared, and the scale of each in the original.
    errors, central, moments, quantiles
        What was summed up and counted of them; `central` and `moments` of both files.
    intervals, within, counted
        Of every column with ranks, which values are near each other, how many cells are, and how many values are below
        those on which the other cells depend.
    """

    names: tuple[str, ...]
    scales: Mapping[str, Scale]
    errors: Mapping[str, ColumnErrors]
    central: tuple[CentralSums, CentralSums]
    moments: tuple[JointMoments, JointMoments]
    quantiles: Mapping[str, QuantileChange]
    intervals: Mapping[str, RankInterval | Interval]
    within: Mapping[str, Within]
    counted: Mapping[str, CountedBelow]


def compare_numbers(
    cluster: Cluster,
    sides: ComparedFiles,
    chunks: Sequence[NumberedChunk],
    first: FirstPass,
    names: tuple[str, ...],
    options: IntervalOptions | None,
    most: int,
    folder: Path,
) -> ComparedNumbers:
    """Compare the columns of numbers in three passes.

    Parameters
    ----------
    cluster, sides, chunks
        The workers, how both files are read, and their chunks.
    first
        What the first pass found, with samples of all columns.
    names
        The columns of numbers that are compared; ranks are taken of others too.
    options
        How intervals are made; None where they are not asked for.
    most
        How many boundaries a column gets at most.
    folder
        A private folder that the workers share.
    """
    scales = {name: _scale(first.before[name], first.after[name]) for name in names}
    cells, queries = folder / "cells", folder / "queries"
    cells.mkdir()
    queries.mkdir()
    for place, name in enumerate(sides.ranked):
        for which, own, allowed in zip(
            ("before", "after"), first.samples[name], (most, max(most // _FEWER, 8)), strict=True
        ):
            points = boundaries([own])
            write_boundaries(cells / f"{which}-{place}.npy", points[:: -(-len(points) // allowed) or 1])
    with share(0.4):
        second = second_pass(
            cluster.map(compare_again, chunks, sides, scales, names, cells, doing="comparing both files")
        )
    both = [(which, place) for place in range(len(sides.ranked)) for which in ("before", "after")]
    counted = cluster.map(counted_column, both, len(chunks), cells, doing="counting values")
    below = {(which, sides.ranked[place]): one for (which, place), one in zip(both, counted, strict=True)}
    ranked = sides.ranked if options is not None and options.kind == "rank" else sides.numbers
    intervals = {} if options is None else intervals_of(first, ranked, options.kind)
    sought = _Quantiles(names, first, below)
    asked = ThirdAsked(
        names,
        scales,
        (second.before, second.after),
        intervals,
        () if options is None else options.widths,
        sought.cells,
        cells,
    )
    with share(0.4):
        third = third_pass(cluster.map(compare_finally, chunks, sides, asked, doing="comparing both files"))
    quantiles = sought.found(third)
    points_of = _points(third, intervals, quantiles, first, scales)
    for name, points in points_of.items():
        write_boundaries(queries / f"before-{sides.ranked.index(name)}.npy", points)
    exact: dict[str, CountedBelow] = {}
    with share(0.2):
        if points_of:
            cluster.map(count_values, chunks, sides, queries, doing="counting values")
            asked_for = [("before", sides.ranked.index(name)) for name in points_of]
            again = cluster.map(counted_column, asked_for, len(chunks), queries, doing="counting values")
            exact = dict(zip(points_of, again, strict=True))
    return ComparedNumbers(
        names,
        scales,
        second.errors,
        (third.before, third.after),
        (joint_moments_of(second.before, third.before), joint_moments_of(second.after, third.after)),
        {name: _change(own, first.before[name], scales[name], exact[name]) for name, own in quantiles.items()},
        intervals,
        third.within,
        exact,
    )


def _scale(before: ExactMoments, after: ExactMoments) -> Scale:
    if before.varies:
        return before.scale
    own = np.array([before.lowest] if before.counted else [])
    return original_scale(own, np.array([after.lowest, after.highest] if after.counted else []))


class _Quantiles:
    """The quantiles of both files: boundaries, or to be looked for among the values of a cell."""

    def __init__(self, names: Sequence[str], first: FirstPass, below: Mapping[tuple[str, str], CountedBelow]) -> None:
        self._places: dict[tuple[str, str], list[tuple[float | None, float, int]]] = {}
        self.cells: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for name in names:
            if first.before[name].varies and first.after[name].counted:
                for which in ("before", "after"):
                    self._find(which, name, below[which, name])

    def _find(self, which: str, name: str, counted: CountedBelow) -> None:
        ends = np.concatenate([[-np.inf], counted.boundaries, [np.inf]])
        up_to = np.append(0, counted.up_to)
        wanted = dict[float, float]()
        found: list[tuple[float | None, float, int]] = []
        for place in quantile_places(counted.records).tolist():
            value, at = counted.cell_of(place)
            found.append((value, float(ends[at]), int(place - up_to[at])))
            if value is None:
                wanted[float(ends[at])] = float(ends[at + 1])
        self._places[which, name] = found
        self.cells[which, name] = list(wanted.items())

    def found(self, third: ThirdPass) -> dict[str, tuple[Doubles, Doubles]]:
        """Return the quantiles of every column, in both files, once the values of the cells are known."""
        known = {
            (which, name): np.array(
                [third.values[which, name, low][place] if value is None else value for value, low, place in places]
            )
            for (which, name), places in self._places.items()
        }
        return {name: (known["before", name], known["after", name]) for which, name in known if which == "before"}


def _ends(quantiles: Doubles, moments: ExactMoments, scale: Scale) -> tuple[float, Doubles, Doubles]:
    """Return the range of a variable on its scale, and the ends of the intervals around quantiles as values."""
    low, high = scale.apply(np.array([moments.lowest, moments.highest])).tolist()
    reach = reach_of_density(high - low)
    own = scale.apply(quantiles)
    return high - low, scale.undo(own - reach), scale.undo(own + reach)


def _points(
    third: ThirdPass,
    intervals: Mapping[str, RankInterval | Interval],
    quantiles: Mapping[str, tuple[Doubles, Doubles]],
    first: FirstPass,
    scales: Mapping[str, Scale],
) -> dict[str, Doubles]:
    """Return by column the points whose number of values below is needed exactly."""
    points: dict[str, list[Doubles]] = {}
    for name, (before, _) in quantiles.items():
        points[name] = list(_ends(before, first.before[name], scales[name])[1:])
    for name, within in third.within.items():
        interval = intervals[name]
        if isinstance(interval, RankInterval) and len(within.open_cells[0]):
            for values in within.open_cells[:2]:
                points.setdefault(name, []).extend([values - interval.tied, values + interval.tied])
    return {name: boundaries(own) for name, own in points.items()}


def _change(own: tuple[Doubles, Doubles], moments: ExactMoments, scale: Scale, exact: CountedBelow) -> QuantileChange:
    span, low, high = _ends(own[0], moments, scale)
    inside = exact.below(high, equal=False)[0] - exact.below(low, equal=True)[0]
    return QuantileChange(scale.apply(own[0]), scaled(own[1], scale), moments.counted, span, inside)
