"""What a plan records beside its decisions: its input, its output, and what carrying it out did."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = [
    "Divided",
    "Input",
    "Outcome",
    "Output",
    "PlanSection",
    "ProvenLoss",
    "Reading",
    "RecodedColumn",
    "ReportFile",
    "installed_versions",
]


class PlanSection(BaseModel):
    """A section of a plan: unknown keys are errors, and nothing changes after it was made."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _without_nul(path: str) -> str:
    if "\0" in path:
        raise ValueError("no file can have that name")
    return path


_PathText = Annotated[str, AfterValidator(_without_nul)]


class Reading(PlanSection):
    """The options that were needed to read the input file."""

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    orders: dict[str, list[str]] | None = None
    budget: float | None = None


class Divided(PlanSection):
    """How a file is divided between the workers of a cluster, which decides its groups too."""

    block_records: int = Field(ge=4)  # that a block should have
    refine_borders: bool = False  # whether groups near the cuts are searched through once more

    def parts(self, records: int) -> int:
        """Return in how many files a release of so many records is written."""
        return max(1, round(records / self.block_records))


class Input(PlanSection):
    """The table the plan was made for."""

    path: _PathText | None = None
    sha256: str
    records: int
    reading: Reading = Field(default_factory=lambda: Reading())


class Output(PlanSection):
    """Where the release was written, and in which order its rows are."""

    path: _PathText
    keep_order: bool = False  # the order of the input; otherwise one that the plan's key draws
    sha256: str | None = None  # of the file, to know it again
    extra_decimals: Annotated[int, Field(ge=0, le=15)] | None = None  # in text, beyond those of its column; None: all
    decimals: dict[str, int] = Field(default_factory=dict)  # of the columns that were rounded for that
    order: str | None = None  # the SHA-256 of the order of the rows, by which a changed plan is known
    shuffle: bool | None = None  # only in plans from before there was a key: whether the seed drew the order

    @property
    def in_input_order(self) -> bool:
        """Whether the rows are in the order of the input."""
        return self.keep_order or self.shuffle is False


class ReportFile(PlanSection):
    """The report that a job had written with the release, to know it again."""

    path: _PathText
    sha256: str


class RecodedColumn(PlanSection):
    """What the recodes of one column did: its different values, and records below k over the keys."""

    values_before: int
    values_after: int
    below_k_before: int
    below_k_after: int
    below_k_together: int  # with all recodes
    is_key: bool = True  # whether the column is among the keys: if not, its recodes cannot change what is below k


class ProvenLoss(PlanSection):
    """How near the groups of a block are to the best: their squared error, and one that no groups can be below.

    In the matrix that was grouped: standard scores, and 0 or 1 for every category. The bound is on all groups of at
    least k records, or units, that mix no strata and no kept categories, whatever else the release has to keep.
    """

    squared_error: float | None = None
    lower_bound: float | None = None
    method: str | None = None  # what proved the bound
    note: str | None = None  # why it is not better, where a better one is out of reach; never in a plan
    no_bound: str | None = None  # why there can be none

    @property
    def above_best(self) -> float | None:
        """How far the squared error is above the best possible one at most, in %; None where nothing is proven.

        A bound that is less than a millionth of the squared error, as where many records are alike, proves nothing.
        """
        if self.squared_error is None or self.lower_bound is None:
            return None
        if self.squared_error <= self.lower_bound:
            return 0.0
        is_worth_it = self.lower_bound > self.squared_error / 1_000_000
        return 100 * (self.squared_error / self.lower_bound - 1) if is_worth_it else None


class Outcome(PlanSection):
    """What carrying out the plan did, beyond its decisions."""

    groups: list[int]  # per block
    smallest_group: int
    largest_group: int
    smallest_support: int  # the fewest records behind any released value
    became_float: list[str] = Field(default_factory=list)
    constant: list[str] = Field(default_factory=list)  # left out of distances
    # per column, groups joined to a neighbour to reach k observed values, or so that no record counts too much
    joined: dict[str, int] = Field(default_factory=dict)
    suppressed: dict[str, int] = Field(default_factory=dict)  # per column that keeps its values, cells made missing
    filled: dict[str, int] = Field(default_factory=dict)  # per column, missing values that got that of their group
    effective_number: float | None = None  # with weights, (sum w)^2 / sum w^2 behind a value, the smallest
    lone: dict[str, int] = Field(default_factory=dict)  # per column, groups in which one record makes up the whole sum
    dominated: dict[str, int] = Field(default_factory=dict)  # in which one is more than `dominance`, or 80 %, of it
    held_by_one: dict[str, int] = Field(default_factory=dict)  # per column, groups that get the value of one record
    alike: dict[str, int] = Field(default_factory=dict)  # per confidential column, groups with one value of it only
    closeness: float | None = None  # the largest distance of a group to the file in a confidential column, if asked for
    outside: dict[str, int] = Field(default_factory=dict)  # per column, values outside the range of the original
    unchanged: list[str] = Field(default_factory=list)  # released as they are; weights and strata are not among them
    unique_by_unchanged: int = 0  # records that no other is like in these
    # Over everything released but weights: the fewest records alike, and records that no other is like. With a unit:
    # the fewest units behind a combination of values, and units with a record that only they have.
    k: int | None = None
    uniques: int | None = None
    units: int | None = None
    unique_units: int | None = None  # units that no other is like in the set of their released records
    uniques_with_weights: int | None = None  # the same if the sampling weights are known too
    notes: list[str] = Field(default_factory=list)  # what a reader should know
    empty_records: int = 0  # no observed value in some block
    proven: list[ProvenLoss] = Field(default_factory=list)  # per block; a bound where the search for groups proved one
    recoded: dict[str, RecodedColumn] = Field(default_factory=dict)  # per column
    lost_by_recoding: dict[str, float] = Field(default_factory=dict)  # per column, of its entropy, in %


def installed_versions() -> dict[str, str]:
    """Return the versions that can change the digits of a release."""
    parts: tuple[str, ...] = ("shoal", "numpy", "scipy", "numba", "scikit-learn", "narwhals", "pandas", "pyarrow")
    if find_spec("highspy") is not None:
        parts += ("highspy",)
    return {"python": platform.python_version()} | {part: _version(part) for part in parts}


_version = cache(version)  # which reads a file each time
