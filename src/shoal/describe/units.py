"""Units: the households or firms that several records belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.missing import refuse_missing
from shoal.describe.variables import codes, has_fractions, kind_of, words_of
from shoal.read import Table

__all__ = ["columns_within", "likely_unit", "units_of"]

# The names of columns that say which unit a record belongs to: "hid", "household", "FirmId", "id_unit", "employer_nr".
_ALONE = "households?|hh|dwelling|firm|enterprise|establishment|company|employer"
_UNIT = rf"{_ALONE}|famil(?:y|ies)|fam|school|unit|hospital|clinic|patient|plant|business"
_NUMBER = "id|nr|no|num|number|code"
_UNIT_NAME = re.compile(rf"^(?:{_ALONE})$|(?:^| )(?:h|{_UNIT}) ?(?:{_NUMBER})$|(?:^| )(?:{_NUMBER}) ?(?:{_UNIT})$")

_FEWEST_RECORDS, _FEWEST_UNITS = 20, 10
_MOST_RECORDS_A_UNIT = 10  # on average; of a column without such a name
_FEWEST_UNITS_UNNAMED = 20


def units_of(table: Table, name: str) -> NDArray[np.int64]:
    """Return the unit of every record, 0 to U - 1; MissingValuesError if some records have none."""
    refuse_missing(table, [name], "Every record needs its unit. Fill them, or leave those records out.")
    return np.unique(codes(table, name), return_inverse=True)[1].reshape(-1)  # some categories may be nobody's


def columns_within(table: Table, units: NDArray[np.int64], names: Iterable[str]) -> list[str]:
    """Return the columns that have one value within every unit; a missing value counts as a value."""
    first = np.unique(units, return_index=True)[1][units]
    constant = []
    for name in names:
        values = codes(table, name)
        if np.array_equal(values[first], values):
            constant.append(name)
    return constant


def likely_unit(table: Table) -> str:
    """Return the column that seems to say which unit a record belongs to, or an empty string.

    One that is named so and whose values are repeated; or one whose equal values follow each other, a few at a time,
    with another column that has one value within each of them. Of several, the one with most different values.
    """
    found = ""
    most = 0
    for name in table.names if len(table) >= _FEWEST_RECORDS else ():
        values = _repeated_values(table, name)
        if values is None:
            continue
        units = int(values.max()) + 1
        if units > most and (_is_named_so(name) or _is_in_runs(table, name, values)):
            found, most = name, units
    return found


def _repeated_values(table: Table, name: str) -> NDArray[np.int64] | None:
    """Return the values of a column, numbered, if they may be those of units: many, none missing, repeated."""
    kind = kind_of(table, name)
    if (
        kind is None
        or isinstance(table.type_of(name), nw.Object)
        or (kind == "continuous" and has_fractions(table, name))
    ):
        return None
    if table.missing(name).any():
        return None
    values = codes(table, name)
    sizes = np.bincount(values)
    repeated = int((sizes > 1).sum())
    return values if len(sizes) >= _FEWEST_UNITS and 3 * repeated >= len(sizes) else None


def _is_named_so(name: str) -> bool:
    """Whether a column is named as one of units: "household" is, and "ori_hid"; "household_income" is not."""
    return _UNIT_NAME.search(" ".join(words_of(name))) is not None


def _is_in_runs(table: Table, name: str, values: NDArray[np.int64]) -> bool:
    """Whether equal values follow each other, a few at a time, and another column has one value in each run."""
    units = int(values.max()) + 1
    runs = 1 + int(np.count_nonzero(values[1:] != values[:-1]))
    if units < _FEWEST_UNITS_UNNAMED or runs != units or len(values) > _MOST_RECORDS_A_UNIT * units:
        return False
    if table.is_numeric(name) and (values[1:] >= values[:-1]).all():
        numbers = table.numbers(name)
        if numbers.max() - numbers.min() >= 2 * units:  # a file that is sorted by an amount
            return False
    others = [other for other in table.names if other != name and not isinstance(table.type_of(other), nw.Object)]
    others = [other for other in others if kind_of(table, other) is not None]
    return any(1 < len(np.unique(codes(table, other))) < units for other in columns_within(table, values, others))
