"""One table and how it is to be protected, in plain Python."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any

from oracles.native_tables import Cells, Engine, native_table

__all__ = ["KEEPS_VALUES", "SINGLE", "Case", "Fault", "Variable"]

SERVES = {
    "mean": {"continuous"},
    "geometric-mean": {"continuous"},
    "median": {"continuous", "ordinal"},
    "order-statistic": {"continuous", "ordinal"},
    "convex-median": {"ordinal"},
    "rank-swap": {"continuous", "ordinal"},
    "shuffle": {"continuous", "ordinal"},
    "noise": {"continuous"},
    "pram": {"ordinal", "nominal"},
}
PERTURBING = {"rank-swap", "noise", "shuffle", "pram", "record-swap"}
PERTURBED_INSTEAD = {"continuous": "rank-swap", "ordinal": "pram", "nominal": "pram"}
KEEPS_VALUES = {"median", "convex-median", "order-statistic", "mode", "medoid", *(PERTURBING - {"noise"})}
SINGLE = ("float32", "Float32", "float")  # storages of single precision
INSTEAD = {"continuous": "mean", "ordinal": "median", "nominal": "mode"}


@dataclass(frozen=True)
class Variable:
    """One column, in plain Python.

    Attributes
    ----------
    cells
        The values; None where one is missing.
    storage
        How the library holds it, a name in `STORAGES`.
    kind
        What it is treated as: "continuous", "ordinal" or "nominal".
    categories
        The categories of a categorical type in their order, those that no record has included; else empty.
    stated
        Whether the kind is stated: it has to be where it is not the one that such a column is taken for.
    is_numeric
        Whether its type is one of numbers, whatever they are treated as.
    """

    name: str
    cells: Cells
    storage: str
    kind: str
    categories: tuple[Any, ...] = ()
    stated: bool = False
    is_numeric: bool = False

    @property
    def observed(self) -> set[int]:
        """The records in which it is observed."""
        return {record for record, cell in enumerate(self.cells) if cell is not None}

    @property
    def is_constant(self) -> bool:
        """Whether all observed values are the same."""
        return len({self.cells[record] for record in self.observed}) <= 1


@dataclass
class Case:
    """One table and how it is to be protected.

    Attributes
    ----------
    protected
        The names of the columns to protect, block by block; empty where shoal chooses.
    tied
        Sets of variables that one linear relation joins.
    labels
        What the table calls each column, where that is not its name.
    unit
        The column of the unit that each record belongs to; without one, every record is its own.
    asked_blocks
        How many blocks there are before those with a unit are split.
    bounds
        Whether synthetic numbers stay in the range of the original.
    categories
        The columns of categories that keep their true values: "suppress", cells of them go missing; or "within".
    raw
        The columns that are recoded, as they are in the table; `variables` has them recoded.
    closeness
        How far a group may be from the file in a confidential variable.
    """

    seed: int
    engine: Engine
    variables: list[Variable]
    k: int
    method: str = "mdav"
    replace: Any = "mean"
    missing: str = "error"
    dominance: float | None = None
    standardize: bool = True
    blocks: list[list[str]] = field(default_factory=list)
    strata: list[str] = field(default_factory=list)
    weights: str | None = None
    unit: str | None = None
    drop_unit: bool = False
    asked_blocks: int = 1
    bounds: bool = False
    categories: dict[str, str] = field(default_factory=dict)
    identifiers: list[str] = field(default_factory=list)
    as_is: list[str] = field(default_factory=list)
    confidential: list[str] = field(default_factory=list)
    tied: list[tuple[str, ...]] = field(default_factory=list)
    labels: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    raw: dict[str, Variable] = field(default_factory=dict)
    closeness: float | None = None

    @property
    def records(self) -> int:
        """How many records the table has."""
        return len(self.variables[0].cells)

    @property
    def is_soft(self) -> bool:
        """Whether centres are drawn by membership."""
        return self.method.split(":")[0] in ("fuzzy", "entropy") or self.replace == "membership-draw"

    @property
    def is_perturbed(self) -> bool:
        """Whether values are changed record by record."""
        return isinstance(self.replace, str) and self.replace.split(":")[0] in PERTURBING

    @property
    def rewritten(self) -> list[str]:
        """The columns that get new values."""
        return self.confidential or [name for block in self.blocks for name in block if name not in self.categories]

    @property
    def unchanged(self) -> list[str]:
        """The columns that are released as they are and have a value, but for strata and weights."""
        own = {*self.rewritten, *self.categories, *self.strata, self.weights, self.unit, *self.identifiers}
        return [one.name for one in self.variables if one.name not in own and one.observed]

    @property
    def stratum_of_record(self) -> list[tuple[Any, ...]]:
        """The stratum of every record; a missing value is one of its own."""
        columns = [self.variable(name).cells for name in self.strata]
        return [tuple(column[record] for column in columns) for record in range(self.records)]

    @property
    def unit_of_record(self) -> list[Any]:
        """The unit of every record."""
        return list(range(self.records)) if self.unit is None else self.variable(self.unit).cells

    def is_of_units(self, name: str) -> bool:
        """Whether a column has one value within every unit, and more than one in the file; None is a value."""
        cells = self.variable(name).cells
        pairs = set(zip(self.unit_of_record, cells, strict=True))
        return self.unit is not None and len(set(cells)) > 1 and len(pairs) == len(set(self.unit_of_record))

    def only_units(self) -> tuple[Case, list[int]]:
        """Return the table with one record for each unit, with the mean of its weights; and which these are."""
        units = self.unit_of_record
        rows = sorted({unit: row for row, unit in reversed(list(enumerate(units)))}.values())
        variables = []
        for one in self.variables:
            cells = [one.cells[row] for row in rows]
            if one.name == self.weights:
                of_unit = [[one.cells[row] for row in range(self.records) if units[row] == units[own]] for own in rows]
                cells = [sum(Fraction(weight or 0) for weight in weights) / len(weights) for weights in of_unit]
            variables.append(replace(one, cells=cells))
        return replace(self, variables=variables), rows

    def way_of(self, name: str) -> str:
        """Return how the values of a column are replaced: as asked for, or what serves its kind."""
        asked = self.replace
        if isinstance(asked, dict):
            asked = asked.get(self.labels[name], "mean")
        kind = self.variable(name).kind
        instead = PERTURBED_INSTEAD if self.is_perturbed else INSTEAD
        return asked if kind in SERVES.get(asked.split(":")[0], {kind}) else instead[kind]

    def variable(self, name: str) -> Variable:
        """Return the variable of this name."""
        return next(one for one in self.variables if one.name == name)

    def data(self) -> Any:
        """Return the table as its library holds it; equal every time."""
        variables = [self.raw.get(one.name, one) for one in self.variables]
        return native_table(self.engine, variables, self.labels, Random(self.seed))

    def __str__(self) -> str:
        """Return all that is needed to see what was protected."""
        columns = "".join(f"\n    {one.name} {one.kind} {one.storage}: {list(one.cells)}" for one in self.variables)
        columns += "".join(f"\n    {one.name} raw: {list(one.cells)}" for one in self.raw.values())
        return f"seed {self.seed}, {self.engine}, k={self.k}, {self.options}{columns}"


@dataclass(frozen=True)
class Fault:
    """One promise that a release broke, and where."""

    promise: str
    where: str
