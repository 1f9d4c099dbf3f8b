"""What a plan records beside its decisions: its input, its output, and what carrying it out did."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from shoal.errors import ParameterError, ShoalError
from shoal.flow.plan_content import first_problem
from shoal.parameters.limits import AnyNumber, OrNone, Text, TrueOrFalse, Whole
from shoal.parameters.of_columns import ByColumn, read_names
from shoal.parameters.option import Option

__all__ = [
    "DeclaredSection",
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


class DeclaredSection(PlanSection):
    """A section whose fields are declared options, each within its limit and in the form that a plan holds."""

    @field_validator("*", mode="before")
    @classmethod
    def _plain(cls, value: Any, info: ValidationInfo) -> Any:
        name = str(info.field_name)
        for declared in cls.model_fields[name].metadata:
            if isinstance(declared, Option):
                return declared.limit.plain(value, name)
        return value

    @classmethod
    def settled(cls, **parts: Any) -> Self:
        """Return what is made of parts that were asked for; what is wrong is the error it is, in one line."""
        try:
            return cls(**parts)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            problem = first.get("ctx", {}).get("error")
            if isinstance(problem, ShoalError):
                raise problem from None
            message = first_problem(error, cls)
            raise ParameterError(message[0].upper() + message[1:]) from None


def _without_nul(path: str) -> str:
    if "\0" in path:
        raise ValueError("no file can have that name")
    return path


_PathText = Annotated[str, AfterValidator(_without_nul)]


class _Order(Text):
    """The categories of a column in their order; one that has "<" or "=" in it is put in quotes."""

    def plain(self, value: Any, name: str) -> list[str]:
        if isinstance(value, list | tuple) and len(value) > 1 and all(isinstance(one, str) and one for one in value):
            return list(value)
        raise ParameterError(f"{name} must be a list of categories, the least first.")

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> list[str]:
        categories = [one.strip().strip('"') for one in re.split(r'<(?=(?:[^"]*"[^"]*")*[^"]*$)', texts[-1])]
        if not all(categories) or len(categories) < 2:
            raise ParameterError(f'{called} wants COLUMN=LEAST<...<MOST; got "{texts[-1]}".')
        return categories


class _Orders(ByColumn):
    """The order of some columns."""

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> Any:
        """Return the order of every column; those with the same one are named with commas between."""
        pairs = [re.split('=(?=(?:[^"]*"[^"]*")*[^"]*$)', text, maxsplit=1) for text in texts]  # not within quotes
        single = [(name, "".join(order)) for names, *order in pairs for name in read_names([names])]
        return super().read([f"{name}={order}" for name, order in single], called, [name for name, _ in single])


class _Sheet(Text):
    """A sheet by its name or its number."""

    @property
    def wanted(self) -> str:
        return "the name or the number of a sheet"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str | int) and not isinstance(value, bool)


class Reading(DeclaredSection):
    """The options that were needed to read the input file."""

    delimiter: Annotated[
        str | None,
        Option(limit=OrNone(Text()), help="What separates the cells of a CSV file.", unset="from its header"),
    ] = None
    decimal: Annotated[str | None, Option(limit=OrNone(Text()), help='The decimal mark of a CSV file, "." or ",".')] = (
        None
    )
    encoding: Annotated[str | None, Option(limit=OrNone(Text()), help="The encoding of a CSV file.", unset="utf-8")] = (
        None
    )
    sheet: Annotated[
        str | int | None, Option(limit=OrNone(_Sheet()), help="The sheet of an Excel file.", unset="the first")
    ] = None
    orders: Annotated[
        dict[str, list[str]] | None,
        Option(
            limit=OrNone(_Orders(_Order(), "COLUMN=LEAST<...<MOST", '{"education": ["primary", "secondary"]}')),
            help='The order of a column of text: "education=primary<secondary"; repeat for more.',
            flag="order",
        ),
    ] = None
    budget: Annotated[
        float | None,
        Option(
            limit=OrNone(AnyNumber()),
            help="How many times the usual memory and time reading a file may take.",
            unset="1",
        ),
    ] = None


class Divided(DeclaredSection):
    """How a file is divided between the workers of a cluster, which decides its groups too."""

    block_records: Annotated[
        int, Option(limit=Whole(4), help="Records that a worker protects at once.", unset="500000")
    ]
    refine_borders: Annotated[
        bool,
        Option(limit=TrueOrFalse(), help="Search through groups near the cuts between blocks once more.", unset="no"),
    ] = False

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
