"""The records that rules are checked on: those of a table, or columns of numbers that are being computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.read import Table
from shoal.write.csv_files import cells_as_text

__all__ = ["CheckedRecords", "NumericRecords", "TableRecords", "number_as_text", "orders_of"]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]


class CheckedRecords(Protocol):
    """Records that rules are checked on: their columns, by name."""

    def __len__(self) -> int: ...

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers."""

    def numbers(self, name: str) -> Doubles:
        """Return a column of numbers, NaN where a value is missing."""

    def as_stored(self, name: str) -> NDArray[np.floating[Any]]:
        """Return a column of numbers in the precision it is stored in, which decides how a number is written."""

    def texts(self, name: str) -> NDArray[Any]:
        """Return a column as texts; numbers as a file has them, "" where a value is missing."""

    def missing(self, name: str) -> Booleans:
        """Return in which records a column has no value."""

    def order(self, name: str) -> tuple[str, ...] | None:
        """Return the categories of a column in their order, as texts; None if it has no ordered categories."""

    def original(self, name: str) -> NDArray[Any] | None:
        """Return the values of the original file, as numbers or as texts; None without an original file."""


@dataclass(frozen=True, eq=False)
class TableRecords:
    """The records of a table, and the original table if there is one."""

    table: Table
    original_table: Table | None = None

    def __post_init__(self) -> None:
        for name in (
            "is_numeric",
            "numbers",
            "texts",
            "missing",
            "order",
        ):  # asked for by every rule that names the column
            object.__setattr__(self, name, cache(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.table)

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers, or truth values, which are 1 and 0."""
        return self.table.is_numeric(name) or isinstance(self.table.type_of(name), nw.Boolean)

    def numbers(self, name: str) -> Doubles:
        """Return a column of numbers, NaN where a value is missing."""
        return self.table.numbers(name)

    def as_stored(self, name: str) -> NDArray[np.floating[Any]]:
        """Return a column of numbers in the precision it is stored in, which decides how a number is written."""
        is_single = isinstance(self.table.frame.schema[name], nw.Float32)
        return self.numbers(name).astype(np.float32 if is_single else np.float64, copy=False)

    def texts(self, name: str) -> NDArray[Any]:
        """Return a column as texts; numbers as a file has them, "" where a value is missing."""
        return _texts(self.table, name)

    def missing(self, name: str) -> Booleans:
        """Return in which records a column has no value."""
        return self.table.missing(name)

    def order(self, name: str) -> tuple[str, ...] | None:
        """Return the categories of a column in their order, as texts; None if it has no ordered categories.

        A release lists only the categories that occur in it, so that the original file knows more of the order.
        """
        own = _order(self.table, name)
        if own is None or self.original_table is None or name not in self.original_table:
            return own
        known = _order(self.original_table, name)
        return own if known is None or not set(own) <= set(known) else known

    def original(self, name: str) -> NDArray[Any] | None:
        """Return the values of the original file, as numbers if both files have numbers; None without such a file."""
        if self.original_table is None:
            return None
        original = TableRecords(self.original_table)
        both = (self, original)
        # Beyond 2**53 floats no longer tell whole numbers apart, but texts do.
        are_numbers = all(one.is_numeric(name) and not (np.abs(one.numbers(name)) >= 2**53).any() for one in both)
        return (original.numbers(name) if are_numbers else original.texts(name))[~original.missing(name)]


@dataclass(frozen=True, eq=False)
class NumericRecords:
    """Records given as columns of numbers, such as the representatives of groups while they are computed."""

    values: Mapping[str, Doubles]

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers: all do."""
        return True

    def numbers(self, name: str) -> Doubles:
        """Return a column."""
        return self.values[name]

    def as_stored(self, name: str) -> NDArray[np.floating[Any]]:
        """Return a column."""
        return self.values[name]

    def texts(self, name: str) -> NDArray[Any]:
        """Return a column as texts."""
        column = self.values[name].tolist()
        return np.array(["" if np.isnan(number) else number_as_text(number) for number in column], dtype=object)

    def missing(self, name: str) -> Booleans:
        """Return in which records a column has no value."""
        return np.isnan(self.values[name])

    def order(self, name: str) -> tuple[str, ...] | None:
        """Return None: numbers are no categories."""
        return None

    def original(self, name: str) -> NDArray[Any] | None:
        """Return None: there is no original file."""
        return None


def number_as_text(number: float | Decimal) -> str:
    """Write a number as a file has it: whole ones without a point."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def orders_of(table: Table) -> dict[str, tuple[str, ...]]:
    """Return the categories, in their order, of every column that has ordered ones."""
    orders = {name: _order(table, name) for name in table.names}
    return {name: order for name, order in orders.items() if order is not None}


def _order(table: Table, name: str) -> tuple[str, ...] | None:
    dtype = table.type_of(name)
    return tuple(_cell_as_text(one) for one in dtype.categories) if isinstance(dtype, nw.Enum) else None


def _cell_as_text(cell: Any) -> str:
    is_number = isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)
    return number_as_text(cell) if is_number else str(cell)


def _texts(table: Table, name: str) -> NDArray[Any]:
    column = table.column(name)
    if table.holds_texts(name):
        values, places = table.values_and_places(name)
        return np.array([*map(_cell_as_text, values), ""], dtype=object)[places]
    if column.dtype.is_temporal():
        cells = cells_as_text(column).to_pylist()
    else:
        cells = [_cell_as_text(cell) for cell in column.to_list()]
    texts = np.array(cells, dtype=object)
    texts[table.missing(name)] = ""
    return texts
