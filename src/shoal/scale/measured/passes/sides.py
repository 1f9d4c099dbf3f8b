"""Both sides of a chunk: rows of the original, prepared as the plan says, and what is released of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.scale.input.chunks import read_rows
from shoal.scale.input.parts import Chunk
from shoal.scale.measured.passes.aligned_parts import cast_rows
from shoal.scale.scattered import gathered, row_numbers
from shoal.scale.setting import RunSetting, prepared_rows

__all__ = ["ComparedFiles", "NumberedChunk", "Sides", "common_schemas", "is_missing", "read_sides"]

# pyarrow is imported inside functions, to keep start-up quick.

Doubles = NDArray[np.float64]
NumberedChunk = tuple[int, Chunk]


@dataclass(frozen=True)
class ComparedFiles:
    """What all tasks share that compare two files.

    Attributes
    ----------
    setting
        How rows of the original are prepared.
    paths
        Files with the rows of the release, by chunk of the original.
    before, after
        The Arrow types of the columns of both files; what both have is of one type.
    numbers
        The columns that are compared as numbers.
    ordered
        The other columns with an order: their categories, or None where their values are numbers.
    categories
        The columns that are compared by equality.
    """

    setting: RunSetting
    paths: tuple[Path, ...]
    before: Any
    after: Any
    numbers: tuple[str, ...] = ()
    ordered: Mapping[str, Sequence[Any] | None] | None = None
    categories: tuple[str, ...] = ()

    @property
    def ranked(self) -> tuple[str, ...]:
        """The columns whose values have ranks: numbers, and categories with an order."""
        return (*self.numbers, *(self.ordered or {}))


@dataclass(frozen=True)
class Sides:
    """The same rows of both files, in the order of the original."""

    before: Any
    after: Any
    compared: ComparedFiles

    @property
    def rows(self) -> NDArray[np.int64]:
        """Their numbers in the original."""
        return row_numbers(self.before)

    def values(self, name: str) -> tuple[Doubles, Doubles]:
        """Return a column that has ranks as numbers, NaN for a missing value, of both files."""
        order = (self.compared.ordered or {}).get(name)
        one, other = (_numbers(rows[name], order) for rows in (self.before, self.after))
        return one, other


def read_sides(chunk: NumberedChunk, compared: ComparedFiles) -> Sides:
    """Return both sides of one chunk of the original."""
    import pyarrow

    number, own = chunk
    before = cast_rows(prepared_rows(read_rows(own), compared.setting), compared.before)
    after = gathered(compared.paths, number)
    if after is None or len(after) != len(before):
        raise DataError("The release does not have every row of the original once. Name the plan of the release.")
    after = after.take(pyarrow.array(np.argsort(row_numbers(after), kind="stable")))
    return Sides(before, after, compared)


def is_missing(column: Any) -> NDArray[np.bool_]:
    """Return in which rows an Arrow column has no value."""
    import pyarrow

    return np.asarray(column.is_null(nan_is_null=pyarrow.types.is_floating(column.type)))


def common_schemas(prepared: Any, released: Any, unit: str | None) -> tuple[Any, Any]:
    """Return the Arrow types of the columns of both files: what both have gets one type in which it can be compared.

    Parameters
    ----------
    prepared, released
        The schemas of the original, prepared, and of the release.
    unit
        The column of units, which is kept of the original whether it is released or not.
    """
    import pyarrow

    plain = {field.name: _value_type(field.type) for field in released}
    after = {name: _common(prepared.field(name).type, kind) if name in prepared.names else kind
             for name, kind in plain.items()}  # fmt: skip
    before = {field.name: after.get(field.name, field.type) for field in prepared
              if field.name in after or field.name == unit}  # fmt: skip
    return pyarrow.schema([*before.items()]), pyarrow.schema([*after.items()])


def _value_type(kind: Any) -> Any:
    import pyarrow

    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind


def _common(one: Any, other: Any) -> Any:
    """Return a type that holds the values of both, so that equal ones are equal."""
    import pyarrow

    types = pyarrow.types
    if one == other or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    numbers = [types.is_integer(kind) or types.is_floating(kind) for kind in (one, other)]
    if all(numbers):
        return pyarrow.int64() if types.is_integer(one) and types.is_integer(other) else pyarrow.float64()
    return pyarrow.string() if not types.is_binary(one) else one


def _numbers(column: Any, order: Sequence[Any] | None) -> Doubles:
    import pyarrow
    import pyarrow.compute

    if order is not None:
        places = pyarrow.compute.index_in(column, value_set=pyarrow.array(list(order), column.type))
        values = places.cast(pyarrow.float64()).to_numpy()
        return np.where(is_missing(column), np.nan, values)
    return np.asarray(column.cast(pyarrow.float64(), safe=False).to_numpy(), dtype=np.float64)
