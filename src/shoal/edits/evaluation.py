"""Which records a rule holds for: an expression worked out over whole columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Comparison,
    Conditional,
    Every,
    Expression,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    Number,
    Some,
    Term,
    Text,
    Variable,
    XPathTest,
    names_in,
)
from shoal.errors import RuleError, nearest_name_hint
from shoal.read import Table
from shoal.write.csv_files import cells_as_text

__all__ = ["TOLERANCE", "Columns", "Records", "TableRecords", "broken", "holds", "worked_out"]

Doubles = NDArray[np.float64]
Truths = NDArray[np.bool_]

# What counts as rounding where something is computed, as a part of the size of what it is computed from.
TOLERANCE = 1e-9


class Records(Protocol):
    """What rules are checked on: columns by name."""

    def __len__(self) -> int: ...

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers."""

    def numbers(self, name: str) -> Doubles:
        """Return a column of numbers, NaN for a gap."""

    def texts(self, name: str) -> NDArray[Any]:
        """Return a column as texts; numbers as a file has them, "" for a gap."""

    def gaps(self, name: str) -> Truths:
        """Return where a column has no value."""

    def original(self, name: str) -> NDArray[Any] | None:
        """Return the values of the original file, as numbers or as texts; None if nobody named it."""


@dataclass(frozen=True, eq=False)
class TableRecords:
    """The records of a table, and the original table if there is one."""

    table: Table
    original_table: Table | None = None

    def __post_init__(self) -> None:
        for name in ("is_numeric", "numbers", "texts", "gaps"):  # asked for by every rule that names the column
            object.__setattr__(self, name, cache(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.table)

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers, or truth values, which are 1 and 0."""
        return self.table.is_numeric(name) or isinstance(self.table.frame.schema[name], nw.Boolean)

    def numbers(self, name: str) -> Doubles:
        """Return a column of numbers, NaN for a gap."""
        return self.table.numbers(name)

    def texts(self, name: str) -> NDArray[Any]:
        """Return a column as texts; numbers as a file has them, "" for a gap."""
        return _texts(self.table, name)

    def gaps(self, name: str) -> Truths:
        """Return where a column has no value."""
        return self.table.missing(name)

    def original(self, name: str) -> NDArray[Any] | None:
        """Return the values of the original file, as numbers if both files have numbers; None if nobody named it."""
        if self.original_table is None:
            return None
        known = TableRecords(self.original_table)
        both = (self, known)
        # Beyond 2**53 floats no longer tell whole numbers apart, but texts do.
        are_numbers = all(one.is_numeric(name) and not (np.abs(one.numbers(name)) >= 2**53).any() for one in both)
        return (known.numbers(name) if are_numbers else known.texts(name))[~known.gaps(name)]


@dataclass(frozen=True, eq=False)
class Columns:
    """Records that are columns of numbers: representatives that are being worked on."""

    values: Mapping[str, Doubles]

    def __len__(self) -> int:
        return len(next(iter(self.values.values())))

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers: all do."""
        return True

    def numbers(self, name: str) -> Doubles:
        """Return a column."""
        return self.values[name]

    def texts(self, name: str) -> NDArray[Any]:
        """Return a column as texts."""
        return np.array(["" if np.isnan(one) else _shown(one) for one in self.values[name].tolist()], dtype=object)

    def gaps(self, name: str) -> Truths:
        """Return where a column has no value."""
        return np.isnan(self.values[name])

    def original(self, name: str) -> NDArray[Any] | None:
        """Return nothing: representatives have no original."""
        return None


def broken(expression: Expression, records: Records, tolerance: float = TOLERANCE) -> Truths:
    """Return which records break a rule; one with a gap in any of its variables does not.

    Parameters
    ----------
    expression
        What the rule says.
    records
        The columns.
    tolerance
        Two sides of which one is computed are equal if they differ by no more than this part of the size of their
        terms. A variable beside a number or another variable is compared as it is.
    """
    found = ~holds(expression, records, tolerance)
    for name in names_in(expression):
        found &= ~records.gaps(name)
    return found


def holds(expression: Expression, records: Records, tolerance: float = TOLERANCE) -> Truths:
    """Return which records an expression is true for; what cannot be computed (1 / 0) is not."""
    match expression:
        case Every(parts=parts):
            return np.asarray(np.logical_and.reduce([holds(part, records, tolerance) for part in parts]))
        case Some(parts=parts):
            return np.asarray(np.logical_or.reduce([holds(part, records, tolerance) for part in parts]))
        case Not(part=part):
            return ~holds(part, records, tolerance)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            applies = holds(condition, records, tolerance)
            other = True if otherwise is None else holds(otherwise, records, tolerance)
            return np.where(applies, holds(then, records, tolerance), other).astype(bool)
        case Comparison():
            return _compared(expression, records, tolerance)
        case Among(variable=Variable(name=name), values=values):
            return _among(name, values, records)
        case IsInteger(variable=Variable(name=name)):
            numbers = records.numbers(name)
            return np.asarray(np.isfinite(numbers) & (np.floor(numbers) == numbers))
        case InOriginal(variable=Variable(name=name)):
            known = records.original(name)
            if known is None:
                raise RuleError(
                    f'"{name}" is to be looked up in the original file: name it with original (--original FILE).'
                )
            if known.dtype == object:
                return _are_among(records.texts(name), known.tolist())
            return np.isin(records.numbers(name), known)
        case XPathTest():
            from shoal.edits.xpath.reading import holds_by_record

            return holds_by_record(expression, records)


def worked_out(term: Term, records: Records) -> tuple[Doubles, Doubles | None]:
    """Return a term's value for every record, and the size of what was computed; None if nothing had to be.

    What has no finite value, such as 1 / 0, is NaN, and so is whatever is computed from it.
    """
    with np.errstate(all="ignore"):
        return _worked_out(term, records)


def refuse_unknown(expression: Expression, text: str, names: list[str]) -> None:
    """Raise RuleError if a rule speaks of a column that is not there."""
    for name in names_in(expression):
        if name not in names:
            raise RuleError(f'The rule "{text}" names "{name}", which is no column.{nearest_name_hint(name, names)}')


def _worked_out(term: Term, records: Records) -> tuple[Doubles, Doubles | None]:
    match term:
        case Number(value=number):
            return np.full(len(records), number), None
        case Variable(name=name):
            return records.numbers(name), None
        case Negative(term=inner):
            value, size = _worked_out(inner, records)
            return -value, size
        case Arithmetic(sign=sign, left=left, right=right):
            (one, one_size), (other, other_size) = _worked_out(left, records), _worked_out(right, records)
            one_size = np.abs(one) if one_size is None else one_size
            other_size = np.abs(other) if other_size is None else other_size
            match sign:
                case "+":
                    return _finite(one + other), one_size + other_size
                case "-":
                    return _finite(one - other), one_size + other_size
                case "*":
                    return _finite(one * other), one_size * other_size
                case "/":
                    size = one_size / np.abs(other) * np.maximum(1.0, other_size / np.abs(other))
                    return _finite(one / other), size
                case "**":  # for NumPy, NaN to the power of 0 is 1
                    value = np.where(np.isnan(one) | np.isnan(other), np.nan, _finite(np.power(one, other)))
                    return value, np.abs(value) * np.maximum(1.0, other_size)
    raise RuleError("A text cannot be computed with.")


def _finite(values: Doubles) -> Doubles:
    return np.where(np.isfinite(values), values, np.nan)


def _compared(comparison: Comparison, records: Records, tolerance: float) -> Truths:
    left, right = comparison.left, comparison.right
    if _is_text(left, records) or _is_text(right, records):
        if comparison.relation not in ("==", "!="):
            raise RuleError("Texts are equal or not; they are not compared by size.")
        same = np.broadcast_to(_as_texts(left, records) == _as_texts(right, records), len(records)).astype(bool)
        return same if comparison.relation == "==" else ~same
    with np.errstate(all="ignore"):
        (one, one_size), (other, other_size) = _worked_out(left, records), _worked_out(right, records)
        equal: Truths = one == other
        if one_size is not None or other_size is not None:
            size = (np.abs(one) if one_size is None else one_size) + (
                np.abs(other) if other_size is None else other_size
            )
            equal |= np.abs(one - other) <= np.where(np.isfinite(size), tolerance * size, 0.0)
        match comparison.relation:
            case "==":
                return equal
            case "!=":
                return ~equal & ~np.isnan(one) & ~np.isnan(other)
            case "<":
                return (one < other) & ~equal
            case "<=":
                return (one < other) | equal
            case ">":
                return (one > other) & ~equal
            case ">=":
                return (one > other) | equal


def _among(name: str, values: tuple[Number | Text, ...], records: Records) -> Truths:
    if records.is_numeric(name) and all(isinstance(value, Number) for value in values):
        return np.isin(records.numbers(name), [value.value for value in values])
    wanted = [value.value if isinstance(value, Text) else _shown(value.value) for value in values]
    return _are_among(records.texts(name), wanted)


def _are_among(texts: NDArray[Any], wanted: list[str]) -> Truths:
    known = set(wanted)  # np.isin sorts, and compares every pair
    return np.fromiter((text in known for text in texts.tolist()), bool, len(texts))


def _is_text(term: Term, records: Records) -> bool:
    return isinstance(term, Text) or (isinstance(term, Variable) and not records.is_numeric(term.name))


def _as_texts(term: Term, records: Records) -> Any:
    match term:
        case Text(value=value):
            return value
        case Variable(name=name):
            return records.texts(name)
        case Number(value=value):
            return _shown(value)
        case Negative(term=Number(value=value)):
            return _shown(-value)
    raise RuleError("A text is compared with a text or a variable, not with something computed.")


def _shown(number: float | Decimal) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def _texts(table: Table, name: str) -> NDArray[Any]:
    column = table.frame[name]
    if column.dtype.is_temporal():
        cells = cells_as_text(column).to_pylist()
    elif isinstance(column.dtype, nw.String):
        cells = column.to_list()
    else:
        cells = [
            _shown(cell) if isinstance(cell, int | float | Decimal) and not isinstance(cell, bool) else str(cell)
            for cell in column.to_list()
        ]
    texts = np.array(cells, dtype=object)
    texts[table.missing(name)] = ""
    return texts
