"""The third pass over two files: how far apart ranks are, moments about the means, and values around quantiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.measure.utility.joint_moments import JointMoments
from shoal.scale.measured.passes.counted_values import CountedBelow, read_boundaries
from shoal.scale.measured.passes.intervals import ROUNDING, Interval, RankInterval
from shoal.scale.measured.passes.second_pass import PairMeans, scaled_sides
from shoal.scale.measured.passes.sides import ComparedFiles, NumberedChunk, Sides, read_sides

__all__ = [
    "CentralSums",
    "ThirdAsked",
    "ThirdPass",
    "Within",
    "compare_finally",
    "joint_moments_of",
    "ranks_apart",
    "third_pass",
]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]

_ROWS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class Within:
    """How many cells of one column are within intervals.

    Attributes
    ----------
    cells
        The cells with a value in both files.
    inside
        By width, how many are known to be inside.
    open_cells
        Pairs of values whose ranks are not known well enough, and how often each pair occurs.
    """

    cells: int
    inside: Whole64
    open_cells: tuple[Doubles, Doubles, Whole64]


@dataclass(frozen=True)
class CentralSums:
    """Sums over products of deviations from means, for every two columns of a file; as in `JointMoments`."""

    deviations: Doubles
    seconds: Doubles
    products: Doubles
    fourths: Doubles
    squares: Doubles
    cubes: Doubles
    thirds: Doubles  # of single columns

    def __add__(self, other: CentralSums) -> CentralSums:
        return CentralSums(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True)
class ThirdAsked:
    """What the third pass counts.

    Attributes
    ----------
    names, scales
        The columns of numbers, and their scales.
    means
        For both files, by pair of columns, the rows that have both and the sum of the first over these.
    intervals
        By column, which values are near each other; of how many per cent in `widths`.
    cells
        By file ("before", "after") and column, the cells between boundaries whose values are wanted, each by the
        boundaries around it.
    folder
        Where the boundaries are, and what was counted between them.
    """

    names: tuple[str, ...]
    scales: Mapping[str, Scale]
    means: tuple[PairMeans, PairMeans]
    intervals: Mapping[str, RankInterval | Interval]
    widths: tuple[float, ...]
    cells: Mapping[tuple[str, str], Sequence[tuple[float, float]]]
    folder: Path


@dataclass(frozen=True)
class ThirdPass:
    """What the third pass sums up and finds."""

    before: CentralSums
    after: CentralSums
    within: Mapping[str, Within]
    values: Mapping[tuple[str, str, float], Doubles]  # by file, column and lower boundary


def compare_finally(chunk: NumberedChunk, compared: ComparedFiles, asked: ThirdAsked) -> ThirdPass:
    """Compare both sides of one chunk with what is known of the whole file."""
    sides = read_sides(chunk, compared)
    before, after = scaled_sides(sides, asked.scales, asked.names)
    found: dict[tuple[str, str, float], Doubles] = {}
    for (which, name), cells in asked.cells.items():
        values = sides.values(name)[which == "after"]
        for low, high in cells:
            found[which, name, low] = values[(values > low) & (values < high)]
    return ThirdPass(
        _central_sums(before, asked.means[0]),
        _central_sums(after, asked.means[1]),
        {name: _within(sides, name, one, asked) for name, one in asked.intervals.items()},
        found,
    )


def third_pass(passes: Sequence[ThirdPass]) -> ThirdPass:
    """Put together what chunks show."""
    return ThirdPass(
        reduce(add, (one.before for one in passes)),
        reduce(add, (one.after for one in passes)),
        {name: _joined([one.within[name] for one in passes]) for name in passes[0].within},
        {place: np.sort(np.concatenate([one.values[place] for one in passes])) for place in passes[0].values},
    )


def joint_moments_of(means: PairMeans, sums: CentralSums) -> JointMoments:
    """Return the moments of a file from what was summed up about centres that are its means but for rounding."""
    n = np.maximum(means.counts, 1)
    shift = sums.deviations / n
    return JointMoments(
        counts=means.counts,
        means=means.centres + shift,
        variances=np.maximum(sums.seconds / n - shift**2, 0.0),
        products=sums.products / n - shift * shift.T,
        fourths=sums.fourths / n,
        squares=sums.squares / n,
        cubes=sums.cubes / n,
    )


def _central_sums(values: Doubles, means: PairMeans) -> CentralSums:
    """Sum up products of deviations, pair by pair where values are missing, otherwise as products of matrices."""
    p, centres, whole = values.shape[1], means.centres, means.are_whole
    pairs = [np.zeros((p, p)) for _ in range(6)]
    sums = CentralSums(*pairs, np.zeros(p))  # type: ignore[call-arg]  # six of them
    places = np.flatnonzero(whole)
    own = np.ix_(places, places)
    for start in range(0, len(values), _ROWS_AT_ONCE):
        # Columns without a missing value have one centre in all pairs with each other.
        first = values[start : start + _ROWS_AT_ONCE][:, places] - centres[places, places]
        second = first**2
        sums.deviations[own] += first.sum(axis=0)[:, None]
        sums.seconds[own] += second.sum(axis=0)[:, None]
        sums.products[own] += first.T @ first
        sums.fourths[own] += (second * second).sum(axis=0)[:, None]
        sums.squares[own] += second.T @ second
        sums.cubes[own] += (second * first).T @ first
        sums.thirds[places] += (second * first).sum(axis=0)
    observed = ~np.isnan(values)
    for i, j in np.argwhere(~np.logical_and.outer(whole, whole)).tolist():
        rows = observed[:, i] & observed[:, j]
        _add_pair(sums, i, j, values[rows, i] - centres[i, j], values[rows, j] - centres[j, i])
    return sums


def _add_pair(sums: CentralSums, i: int, j: int, one: Doubles, other: Doubles) -> None:
    second = one**2
    sums.deviations[i, j] = one.sum()
    sums.seconds[i, j] = second.sum()
    sums.products[i, j] = one @ other
    sums.fourths[i, j] = second @ second
    sums.squares[i, j] = second @ other**2
    sums.cubes[i, j] = (second * one) @ other
    if i == j:
        sums.thirds[i] = second @ one


def _within(sides: Sides, name: str, interval: RankInterval | Interval, asked: ThirdAsked) -> Within:
    before, after = sides.values(name)
    both = ~(np.isnan(before) | np.isnan(after))
    before, after = before[both], after[both]
    if isinstance(interval, RankInterval):
        place = sides.compared.ranked.index(name)
        return _within_ranks(before, after, interval, _counted(asked.folder, place), asked.widths)
    one, other = interval.scale.apply(before), interval.scale.apply(after)
    apart = np.abs(one - other)
    each = np.abs(one) / 100 if interval.per_cent is None else np.full(len(apart), interval.per_cent)
    inside = [int(np.count_nonzero(apart <= width * each + interval.rounding)) for width in asked.widths]
    nothing = np.zeros(0)
    return Within(len(apart), np.array(inside), (nothing, nothing, np.zeros(0, dtype=np.int64)))


def _counted(folder: Path, place: int) -> CountedBelow:
    with np.load(folder / f"below-before-{place}.npz") as counted:
        less, up_to = counted["less"], counted["up_to"]
        return CountedBelow(read_boundaries(folder / f"before-{place}.npy"), less, up_to, int(counted["records"]))


def ranks_apart(
    before: Doubles, after: Doubles, interval: RankInterval, counted: CountedBelow
) -> tuple[Doubles, Doubles]:
    """Return how far apart the ranks of two columns are, at least and at most."""
    ranks = []
    for values in (before, after):
        low, high = counted.below(values - interval.tied, equal=False)
        low_up_to, high_up_to = counted.below(values + interval.tied, equal=True)
        ranks.append(((low + low_up_to) / 2, (high + high_up_to) / 2))
    least, most = ranks[0][0] - ranks[1][1], ranks[0][1] - ranks[1][0]
    return np.maximum(np.maximum(least, -most), 0.0), np.maximum(np.abs(least), np.abs(most))


def _within_ranks(
    before: Doubles, after: Doubles, interval: RankInterval, counted: CountedBelow, widths: Sequence[float]
) -> Within:
    import pandas as pd

    least, most = ranks_apart(before, after, interval, counted)
    is_open = np.zeros(len(before), dtype=bool)
    reaches = [width * interval.per_cent + ROUNDING for width in widths]
    for reach in reaches:
        is_open |= (least <= reach) & (most > reach)
    inside = [int(np.count_nonzero(most[~is_open] <= reach)) for reach in reaches]
    pairs = pd.DataFrame({"before": before[is_open], "after": after[is_open]})
    counts = pairs.groupby(["before", "after"], sort=True).size().reset_index(name="count")
    open_cells = counts["before"].to_numpy(), counts["after"].to_numpy(), counts["count"].to_numpy().astype(np.int64)
    return Within(len(before), np.array(inside), open_cells)


def _joined(within: Sequence[Within]) -> Within:
    one, other, counts = (np.concatenate([each.open_cells[place] for each in within]) for place in range(3))
    return Within(
        sum(each.cells for each in within),
        np.sum([each.inside for each in within], axis=0),
        (one, other, counts.astype(np.int64)),
    )
