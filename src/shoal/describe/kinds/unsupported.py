"""Columns of types that are of no kind: named, so that none is released without a word."""

from __future__ import annotations

import datetime
from typing import Any, Literal

import narwhals.stable.v2 as nw

from shoal.read import Table

__all__ = ["holds_times", "unsupported_values"]

_TIMES = (nw.Date, nw.Datetime, nw.Time)
_CATEGORIES = (nw.String, nw.Categorical, nw.Enum, nw.Boolean)


def unsupported_values(table: Table, name: str) -> str:
    """Return what a column of a type that is of no kind holds, unless it holds dates; an empty string for others."""
    return _what(table.column(name)) if _holds(table, name) == "others" else ""


def holds_times(table: Table, name: str) -> bool:
    """Whether a column holds dates or times."""
    return _holds(table, name) == "times"


def _holds(table: Table, name: str) -> Literal["supported", "times", "others"]:
    column, dtype = table.column(name), table.type_of(name)
    if table.is_numeric(name) or isinstance(dtype, _CATEGORIES) or table.missing(name).all():
        return "supported"
    types: set[type[Any]] = set()
    if isinstance(dtype, nw.Object):
        cells = zip(column.to_list(), table.missing(name).tolist(), strict=True)
        types = {type(cell) for cell, absent in cells if not absent}
    if types in ({str}, {bool}):
        return "supported"
    of_times = bool(types) and all(issubclass(one, datetime.date | datetime.time) for one in types)
    return "times" if of_times or isinstance(dtype, _TIMES) else "others"


def _what(column: nw.Series[Any]) -> str:
    if isinstance(column.dtype, nw.Object):
        return "values of several types, or objects"
    if not isinstance(column.dtype, nw.Unknown):
        return f"values of type {type(column.dtype).__name__}"
    native = column.to_native()
    return f"values of type {native.type if hasattr(native, 'type') else native.dtype}"
