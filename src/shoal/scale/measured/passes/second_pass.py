"""The second pass over two files: errors on the scale of the original, and values counted between boundaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.measure.utility.joint_moments import scaled
from shoal.measure.utility.mean_variation import changes_of_cells
from shoal.scale.input.exact_sums import ExactSum, exact_sum
from shoal.scale.measured.passes.counted_values import CountedBelow, cells_of, read_boundaries, sum_cells
from shoal.scale.measured.passes.sides import ComparedFiles, NumberedChunk, Sides, read_sides

__all__ = [
    "ColumnErrors",
    "PairMeans",
    "SecondPass",
    "compare_again",
    "count_values",
    "counted_column",
    "scaled_sides",
    "second_pass",
]

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnErrors:
    """Sums over the cells of one column, on the scale of the original.

    Attributes
    ----------
    squared, absolute
        Of (before - after) ** 2 and |before - after|, over the cells with a value in the original; one that was
        suppressed counts as the mean.
    squares
        Of before ** 2.
    before, after
        Of the values themselves.
    changes
        Of |after - before| / |before| of the values as they are.
    """

    squared: ExactSum
    absolute: ExactSum
    squares: ExactSum
    before: ExactSum
    after: ExactSum
    changes: ExactSum

    def __add__(self, other: ColumnErrors) -> ColumnErrors:
        return ColumnErrors(
            self.squared + other.squared,
            self.absolute + other.absolute,
            self.squares + other.squares,
            self.before + other.before,
            self.after + other.after,
            self.changes + other.changes,
        )


@dataclass(frozen=True)
class PairMeans:
    """For every two columns of a file, how many rows have both, and the sum of the first over these rows."""

    counts: Doubles
    sums: Doubles
    records: int

    def __add__(self, other: PairMeans) -> PairMeans:
        return PairMeans(self.counts + other.counts, self.sums + other.sums, self.records + other.records)

    @property
    def centres(self) -> Doubles:
        """The mean of the first, but for rounding."""
        return np.asarray(self.sums / np.maximum(self.counts, 1))

    @property
    def are_whole(self) -> NDArray[np.bool_]:
        """Which columns have no missing value."""
        return np.asarray(self.counts.diagonal() == self.records)


@dataclass(frozen=True)
class SecondPass:
    """What the second pass sums up: errors by column, and means by pair of columns, of both files."""

    errors: Mapping[str, ColumnErrors]
    before: PairMeans
    after: PairMeans


def compare_again(
    chunk: NumberedChunk, compared: ComparedFiles, scales: Mapping[str, Scale], names: Sequence[str], folder: Path
) -> SecondPass:
    """Compare both sides of one chunk on the scales of the original, and count values between boundaries."""
    sides = read_sides(chunk, compared)
    _write_cells(chunk, sides, folder)
    before, after = scaled_sides(sides, scales, names)
    errors = {}
    for place, name in enumerate(names):
        one, other = before[:, place], after[:, place]
        change = one - np.where(np.isnan(other), 0.0, other)  # on this scale the mean is 0
        values = sides.values(name)
        both = ~(np.isnan(values[0]) | np.isnan(values[1]))
        changes = changes_of_cells(values[0][both], values[1][both], 0.0)
        errors[name] = ColumnErrors(
            exact_sum(change * change),
            exact_sum(np.abs(change)),
            exact_sum(one * one),
            exact_sum(one),
            exact_sum(other),
            exact_sum(changes),
        )
    return SecondPass(errors, _pair_means(before), _pair_means(after))


def second_pass(passes: Sequence[SecondPass]) -> SecondPass:
    """Put together what chunks show."""
    errors = {name: reduce(add, (one.errors[name] for one in passes)) for name in passes[0].errors}
    return SecondPass(errors, reduce(add, (one.before for one in passes)), reduce(add, (one.after for one in passes)))


def scaled_sides(sides: Sides, scales: Mapping[str, Scale], names: Sequence[str]) -> tuple[Doubles, Doubles]:
    """Return the columns of both files on the scale of the original, NaN for a missing value."""
    both = [sides.values(name) for name in names]
    shape = (len(sides.rows), len(names))
    before, after = np.empty(shape, order="F"), np.empty(shape, order="F")
    for place, name in enumerate(names):
        before[:, place] = scales[name].apply(both[place][0])
        after[:, place] = scaled(both[place][1], scales[name])
    return before, after


def count_values(chunk: NumberedChunk, compared: ComparedFiles, folder: Path) -> None:
    """Count the values of one chunk between the boundaries that are in a folder."""
    _write_cells(chunk, read_sides(chunk, compared), folder)


def counted_column(column: tuple[str, int], chunks: int, folder: Path) -> CountedBelow:
    """Put together what all chunks counted of one column of the original ("before") or of the release ("after").

    It is written beside its boundaries too.
    """
    which, place = column
    points = read_boundaries(folder / f"{which}-{place}.npy")
    total = np.zeros(2 * len(points) + 1, dtype=np.int64)
    for number in range(chunks):
        with np.load(folder / f"{number:06}.npz") as counted:
            total += counted[f"{which}-{place}"]
    below = sum_cells(points, [total])
    np.savez(folder / f"below-{which}-{place}.npz", less=below.less, up_to=below.up_to, records=below.records)
    return below


def _write_cells(chunk: NumberedChunk, sides: Sides, folder: Path) -> None:
    """Write how many values of the chunk are in every cell; a task that is carried out again writes the same."""
    cells = {}
    for place, name in enumerate(sides.compared.ranked):
        for which, values in zip(("before", "after"), sides.values(name), strict=True):
            path = folder / f"{which}-{place}.npy"
            if path.exists():
                cells[f"{which}-{place}"] = cells_of(values, read_boundaries(path)).astype(np.int32)
    temporary = folder / f".{chunk[0]:06}.npz"
    np.savez(temporary, **cells)  # type: ignore[arg-type]
    temporary.replace(folder / f"{chunk[0]:06}.npz")


def _pair_means(values: Doubles) -> PairMeans:
    observed = ~np.isnan(values)
    known = observed.astype(np.float64)
    return PairMeans(known.T @ known, np.where(observed, values, 0.0).T @ known, len(values))
