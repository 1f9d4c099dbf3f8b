"""The key variables of a table, its sampling weights and its units, checked and numbered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes, numbers_of_values
from shoal.describe.missing import refuse_missing
from shoal.describe.weights import positive_weights
from shoal.errors import ColumnError, DataError, ParameterError, nearest_name_hint
from shoal.parameters.limits import Limit, OneOf
from shoal.parameters.of_columns import as_names
from shoal.read import Table, as_table

__all__ = [
    "MISSING",
    "KeyValues",
    "Missing",
    "key_names",
    "key_values",
    "refuse_large_population",
    "refuse_weight_as_key",
    "role_column",
    "sampling_weights",
    "unit_codes",
]

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]

Missing = Literal["wildcard", "category"]
_MOST_PEOPLE = 1e15  # that weights may sum to: beyond it, sums and shares of them are no longer exact
MISSING: Limit = OneOf(("wildcard", "category"))


@dataclass(frozen=True, eq=False)
class KeyValues:
    """The key variables of a table.

    Attributes
    ----------
    table
        The table.
    names
        The names of the key variables.
    columns
        Their values, numbered as they come, -1 for a missing value.
    """

    table: Table
    names: tuple[str, ...]
    columns: tuple[Whole64, ...]

    @cached_property
    def combinations(self) -> Whole64:
        """The combination of values of every record, numbered as they come; a missing value counts as a value."""
        return joined_codes(self.columns, len(self.table))

    @property
    def are_complete(self) -> bool:
        """Whether no value is missing."""
        return all(bool((column >= 0).all()) for column in self.columns)


def key_values(data: Any, keys: Iterable[Any] | str) -> KeyValues:
    """Return the key variables of anything that is a table; ColumnError for keys that are not there, or twice."""
    if isinstance(data, KeyValues):
        return data
    table = as_table(data)
    names = key_names(table, keys)
    return KeyValues(table, names, tuple(numbers_of_values(table, name) for name in names))


def key_names(table: Table, keys: Iterable[Any] | str) -> tuple[str, ...]:
    """Return the names of key variables; ColumnError if there are none, or one is not there or named twice."""
    names = [str(name) for name in as_names(keys, "keys")]
    if not names:
        raise ColumnError("keys names no column. Name those that an intruder may know, such as sex and region.")
    for name, times in Counter(names).items():
        if name not in table:
            raise ColumnError(f'keys: There is no column "{name}".{nearest_name_hint(name, table.names)}', column=name)
        if times > 1:
            raise ColumnError(f'keys names "{name}" twice. Name it once.', column=name)
    return tuple(names)


def sampling_weights(table: Table, weights: Any, keys: Iterable[str]) -> Doubles | None:
    """Return the sampling weight of every record; None without weights, an error unless all are above zero."""
    if weights is None:
        return None
    name = role_column(table, weights, "weights")
    refuse_weight_as_key(name, keys)
    values = positive_weights(table, name)
    refuse_large_population(float(np.minimum(values, _MOST_PEOPLE).sum()), name)
    return values


def refuse_weight_as_key(name: str, keys: Iterable[str]) -> None:
    """Raise ColumnError if the sampling weight is a key too."""
    if name in keys:
        raise ColumnError(f'"{name}" is a key and the sampling weight. Make it one of them.', column=name)


def refuse_large_population(total: float, name: str) -> None:
    """Raise DataError if weights sum to more people than any population has."""
    if total >= _MOST_PEOPLE:
        raise DataError(
            f'Weights say how many of the population a record stands for; those of "{name}" sum to {_MOST_PEOPLE:.0e} '
            "or more, which no population has. Correct them, or divide all by the same number."
        )


def unit_codes(table: Table, unit: Any) -> Whole64:
    """Return the unit of every record, numbered as they come; MissingValuesError if some records have none."""
    name = role_column(table, unit, "unit")
    refuse_missing(table, [name], "Every record needs its unit. Fill them, or leave those records out.")
    return numbers_of_values(table, name)


def role_column(table: Table, name: Any, what: str) -> str:
    """Return the name of a column of weights or units; ColumnError if there is none."""
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise ParameterError(f"{what} must be the name of a column; got {type(name).__name__}.", parameter=what)
    if str(name) not in table:
        hint = nearest_name_hint(str(name), table.names)
        raise ColumnError(f'{what}: There is no column "{name}".{hint}', column=str(name))
    return str(name)
