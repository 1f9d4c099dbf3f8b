"""Looking at the opened file: its records, filtered and searched, and how its variables are distributed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe import Kind
from shoal.edits import Rule, parse_rule
from shoal.edits.checked_records import TableRecords, number_as_text
from shoal.edits.expressions import NumberLiteral, TermComparison, VariableName
from shoal.read import Table
from shoal.report.facts.shapes import categories_in, shape_of_amounts, shape_of_categories
from shoal.report.page.plots import categories, density
from shoal.studio.tasks.tables import table_of

__all__ = ["Distribution", "Preview", "distribution", "example_condition", "preview"]

Booleans = NDArray[np.bool_]

_DIGITS = 10  # of a number with a fraction


@dataclass(frozen=True)
class Preview:
    """Some records as texts, None where a value is missing, and how many records were asked for.

    Attributes
    ----------
    columns, numeric
        The columns, and which of them hold numbers, by their place.
    rows, numbers
        The records, and their numbers in the file, the first of which is 1.
    start
        The place of the first of them among those that were asked for.
    matching, records
        How many records satisfy the condition and have the text that is searched for, and how many there are in all.
    """

    columns: list[str]
    numeric: list[int]
    rows: list[list[str | None]]
    numbers: list[int]
    start: int
    matching: int
    records: int


@dataclass(frozen=True)
class Distribution:
    """How a column is distributed, as an `svg` element; "" if all values are missing, or all categories different."""

    column: str
    svg: str


def preview(source: dict[str, Any], condition: str = "", search: str = "", start: int = 0, most: int = 50) -> Preview:
    """Return records from a place on, of those that satisfy a condition and have a text in one of their values.

    Parameters
    ----------
    source
        The file.
    condition
        A condition written as a rule. A record with a missing value in one of its variables does not satisfy it.
    search
        A text that a value, as it is shown, has in it; small and capital letters are alike.
    start, most
        The place of the first record among those, and how many at most.
    """
    table = table_of(source)
    wanted = np.ones(len(table), dtype=bool)
    if condition.strip():
        wanted &= _satisfying(table, parse_rule(condition))
    if search.strip():
        wanted &= _having(table, search.strip().casefold(), wanted)
    rows = np.flatnonzero(wanted)
    start = max(0, min(start, len(rows) - 1))
    shown = rows[start : start + most]
    columns = [_texts(table, name, shown) for name in table.names]
    return Preview(
        columns=table.names,
        numeric=[place for place, name in enumerate(table.names) if _is_amount(table, name)],
        rows=[list(row) for row in zip(*columns, strict=True)],
        numbers=(shown + 1).tolist(),
        start=start,
        matching=len(rows),
        records=len(table),
    )


def _satisfying(table: Table, rule: Rule) -> Booleans:
    rule.refuse_unknown(table.names)
    satisfying = ~rule.broken(TableRecords(table, table))
    for name in rule.variables:
        satisfying &= ~table.missing(name)
    return satisfying


def _having(table: Table, text: str, among: Booleans) -> Booleans:
    found = np.zeros(len(table), dtype=bool)
    for name in table.names:
        rows = np.flatnonzero(among & ~found)
        found[rows] = [text in (one or "").casefold() for one in _texts(table, name, rows)]
    return found


def _texts(table: Table, name: str, rows: NDArray[np.intp]) -> list[str | None]:
    """Return the values of some records as texts; a code with its label, None for a missing value."""
    labels = table.labels.values.get(name, {})
    missing = table.missing(name)[rows].tolist()
    cells = table.column(name)[rows].to_list()
    return [None if absent else _text(cell, labels) for cell, absent in zip(cells, missing, strict=True)]


def _text(cell: Any, labels: Mapping[Any, str]) -> str:
    text = _plain(cell)
    label = labels.get(cell) if labels else None
    return f"{label} ({text})" if label else text


def _plain(cell: Any) -> str:
    if not isinstance(cell, float):
        return str(cell)
    return number_as_text(cell) if cell.is_integer() else f"{cell:.{_DIGITS}g}"


def _is_amount(table: Table, name: str) -> bool:
    return table.is_numeric(name) and not table.labels.values.get(name)


def example_condition(table: Table, kinds: Mapping[str, Kind | None]) -> str:
    """Return a condition that some records of a table satisfy, as an example; "" where no column has amounts.

    Parameters
    ----------
    table
        The table.
    kinds
        What its columns are taken as; one of amounts is chosen, age before all others.
    """
    amounts = [name for name, kind in kinds.items() if kind == "continuous" and _is_amount(table, name)]
    varied = [name for name in amounts if len(np.unique(_observed(table, name))) > 1]
    if not varied:
        return ""
    name = next((one for one in varied if one.casefold() == "age"), varied[0])
    bound = float(f"{np.quantile(_observed(table, name), 0.75):.2g}")
    return Rule(TermComparison(">=", VariableName(name), NumberLiteral(bound))).text


def _observed(table: Table, name: str) -> NDArray[np.float64]:
    numbers = table.numbers(name)
    return numbers[np.isfinite(numbers)]


def distribution(source: dict[str, Any], column: str, kind: Kind | None = None) -> Distribution:
    """Draw how a column is distributed: amounts as a histogram, categories as bars."""
    table = table_of(source)
    text = f"How {column} is distributed"
    if table.is_numeric(column) and kind in ("continuous", None):
        shape = shape_of_amounts([table.numbers(column)], 1)
        return Distribution(column, "" if shape is None else density("distribution", text, shape))
    values = categories_in(table, column)
    if len(np.unique(values)) == len(values):
        return Distribution(column, "")
    shape = shape_of_categories([values], table.labels.values.get(column, {}), 1)
    return Distribution(column, "" if shape is None else categories("distribution", text, shape))
