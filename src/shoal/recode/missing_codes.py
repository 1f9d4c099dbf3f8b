"""Missing codes: values such as -9 and 99999 that mean that there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, DescriptionWarning, ParameterError, nearest_name_hint, warn
from shoal.read import Table
from shoal.read.columns import read_as_numbers
from shoal.recode.base import text_of

__all__ = ["EVERY_COLUMN", "coded_missing", "with_missing", "written_missing_codes"]

EVERY_COLUMN = "*"
Booleans = NDArray[np.bool_]


def written_missing_codes(missing_codes: Any) -> dict[str, list[int | float | str]]:
    """Return the codes of every column as a plan holds them; "*" stands for all columns."""
    if missing_codes is None:
        return {}
    if not isinstance(missing_codes, Mapping):
        raise ParameterError(
            'missing_codes must be a mapping from columns, such as {"income": [-9]}; got '
            f"{type(missing_codes).__name__}.",
            parameter="missing_codes",
        )
    written: dict[str, list[int | float | str]] = {}
    for column, codes in missing_codes.items():
        several = list(codes) if isinstance(codes, list | tuple | set | frozenset | range) else [codes]
        if not several or not all(isinstance(code, str | int | float | np.number) for code in several):
            raise ParameterError(
                f'missing_codes of "{column}" must be numbers or texts, at least one.', parameter="missing_codes"
            )
        written[str(column)] = [_written(code) for code in several]
    return written


def _written(code: Any) -> Any:
    plain = code.item() if isinstance(code, np.generic) else code
    return text_of(plain) if isinstance(plain, bool) else plain


def coded_missing(table: Table, missing_codes: Mapping[str, Sequence[Any]]) -> dict[str, Booleans]:
    """Return by column which values are codes for a missing one; columns without any are left out.

    A column that has none of the codes given for it is warned of: what was meant to be missing would be released.
    """
    for column in missing_codes:
        if column != EVERY_COLUMN and column not in table:
            hint = nearest_name_hint(column, table.names)
            raise ColumnError(f'missing_codes names "{column}", which is no column.{hint}', column=column)
    everywhere = {text_of(code) for code in missing_codes.get(EVERY_COLUMN, ())}
    found = {}
    for name in table.names:
        codes = everywhere | {text_of(code) for code in missing_codes.get(name, ())}
        cells = _are(table, name, codes) if codes else None
        if cells is not None and cells.any():
            found[name] = cells
    absent = [name for name in table.names if name in missing_codes and name not in found]
    if absent:
        named = ", ".join(f'"{name}"' for name in absent)
        warn(f"missing_codes: no value of {named} is one of its codes. Check how they are written.", DescriptionWarning)
    return found


def with_missing(table: Table, cells: Mapping[str, Booleans], missing_codes: Mapping[str, Sequence[Any]]) -> Table:
    """Return the table with these cells missing.

    Types stay, but NumPy's integers and truth values become nullable, and texts that are numbers but for the codes
    become numbers: they would have been, had the file not had the codes. (In pandas frames, as which files are read.)
    """
    if not cells:
        return table
    values = {
        name: {
            code: text
            for code, text in labels.items()
            if name not in cells or text_of(code) not in _codes_of(name, missing_codes)
        }
        for name, labels in table.labels.values.items()
    }
    blanked = _with_numbers(table.blanked(cells), cells, comma=table.reading.get("decimal") == ",")
    return replace(blanked, labels=replace(table.labels, values=values), source=table.source)


def _with_numbers(table: Table, names: Iterable[str], *, comma: bool) -> Table:
    """Return a table of pandas in which those of these columns of text that hold plain numbers alone are numbers."""
    texts = [table.column(name) for name in names if isinstance(table.type_of(name), nw.String)]
    if not table.frame.implementation.is_pandas() or not texts:
        return table
    return replace(table, frame=table.frame.with_columns(*(read_as_numbers(text, comma=comma) for text in texts)))


def _codes_of(name: str, missing_codes: Mapping[str, Sequence[Any]]) -> set[str]:
    return {text_of(code) for own in (name, EVERY_COLUMN) for code in missing_codes.get(own, ())}


def _are(table: Table, name: str, codes: set[str]) -> Booleans:
    """Return which values of a column are one of the codes."""
    if table.is_numeric(name):
        numbers = [number for number in map(_number, codes) if number is not None]
        return np.isin(table.numbers(name), numbers)
    cells = table.cells(name)
    known: dict[Any, bool] = {}
    found = np.zeros(len(cells), dtype=bool)
    for row, cell in enumerate(cells.tolist()):
        if isinstance(cell, str | bool | date):
            if cell not in known:
                known[cell] = not codes.isdisjoint(_texts_of(cell))
            found[row] = known[cell]
    return found


def _texts_of(cell: str | bool | date) -> set[str]:
    """Return how a code may be written: a date as 2199-12-31, with its time if it has one."""
    if not isinstance(cell, date):
        return {text_of(cell)}
    texts = {str(cell), cell.isoformat()}
    if isinstance(cell, datetime) and cell.timetz().replace(tzinfo=None) == time():
        texts.add(cell.date().isoformat())
    return texts


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if np.isnan(number) else number
