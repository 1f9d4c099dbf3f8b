"""Local suppression: single values of key variables are made missing until k holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.describe.combinations import numbers_of_values
from shoal.describe.variables import codes, kind_of
from shoal.errors import ColumnError, ParameterError, nearest_name_hint
from shoal.parameters.of_columns import as_names
from shoal.read import Table
from shoal.read.tables import as_table
from shoal.recode.suppression import suppressed_cells
from shoal.recode.suppression.cells import Missing, Whole64

__all__ = ["Suppression", "suppress"]


@dataclass(frozen=True, eq=False)
class Suppression:
    """A table with suppressed cells, and how many they are.

    Attributes
    ----------
    data
        The table in the type that was passed, with the cells missing.
    cells
        How many cells were made missing.
    by_key
        How many of each key.
    records
        How many records lost a cell.
    cost
        The importance of the cells, summed; their number where none was given.
    lower_bound
        The cost that no choice of cells goes below.
    gap
        How much of the cost may be more than needed, in per cent; 0 where it is proven to be the least.
    """

    data: Any = field(repr=False)
    cells: int
    by_key: Mapping[str, int]
    records: int
    cost: float
    lower_bound: float
    gap: float


def suppress(
    data: Any,
    keys: Sequence[str],
    k: int,
    *,
    importance: Mapping[str, float] | Sequence[float] | None = None,
    missing: Missing = "wildcard",
    subsets: Mapping[int, int] | None = None,
) -> Suppression:
    """Make the fewest cells of the key variables missing so that k holds over them.

    Parameters
    ----------
    data : pandas, polars or Arrow table, 2-D array, str or PathLike
        The table, or the path of a file. It is not changed.
    keys : sequence of column names
        The key variables, whose combinations of values are known to others.
    k : int
        How many records have to be alike on the keys.
    importance : mapping or sequence, optional
        The cost of a suppressed cell of each key; the higher, the more of a key is kept. A key that a mapping leaves
        out has 1, as all have by default.
    missing : "wildcard" or "category"
        "wildcard": on the values that a record keeps, at least k records agree with it; a value that was missing before
        agrees with every value. No record needs the suppression of another to be safe. "category": at least k records
        have the same combination in the end, and a missing value agrees with a missing value only. That is stricter and
        costs more.
    subsets : mapping of int to int, optional
        Of a number of keys, the k that holds over every set of so many keys too: ``{3: 10}``. Only with "wildcard".

    Returns
    -------
    Suppression
        The table, the cells counted, and how near to the fewest they are proven to be.

    Raises
    ------
    TooFewRecordsError
        The file has fewer than k records.
    ColumnError
        A key is not there, or is there twice.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"region": ["N", "N", "N", "S"], "sex": ["f", "f", "m", "m"]})
    >>> found = suppress(table, ["region", "sex"], k=2)
    >>> found.cells, found.by_key
    (2, {'region': 1, 'sex': 1})
    """
    table = as_table(data)
    names = _key_names(table, keys)
    costs = _importance_of(importance, names)
    found = suppressed_cells(
        [_codes_of(table, name) for name in names], k, importance=costs, missing=missing, subsets=subsets
    )
    by_key = dict(zip(names, found.cells.sum(axis=0).tolist(), strict=True))
    blank = {name: found.cells[:, place] for place, name in enumerate(names) if by_key[name]}
    return Suppression(
        data=(table.blanked(blank).only_present() if blank else table).written_alike().to_native(),
        cells=found.count,
        by_key=by_key,
        records=int(found.cells.any(axis=1).sum()),
        cost=found.cost,
        lower_bound=found.lower_bound,
        gap=found.gap,
    )


def _key_names(table: Table, keys: Sequence[str]) -> list[str]:
    """Return the names of the keys, all of them there and none of them twice."""
    if isinstance(keys, str):
        raise ParameterError(f'keys must be a list of columns; got a text. Write ["{keys}"].', parameter="keys")
    names = [str(name) for name in as_names(keys, "keys")]
    if not names:
        raise ParameterError("keys must name at least one column; got none.", parameter="keys")
    for name in names:
        table.column(name)
        if names.count(name) > 1:
            raise ColumnError(f'The key "{name}" is given twice; give every key once.', column=name)
    return names


def _importance_of(importance: Mapping[str, float] | Sequence[float] | None, names: Sequence[str]) -> list[float]:
    if importance is None:
        return [1.0] * len(names)
    if isinstance(importance, Mapping):
        for name in importance:
            if name not in names:
                hint = nearest_name_hint(name, names)
                raise ColumnError(f'importance is given for "{name}", which is no key.{hint}', column=name)
        return [importance.get(name, 1.0) for name in names]
    if isinstance(importance, str) or not isinstance(importance, Sequence | np.ndarray):
        raise ParameterError(
            'importance must be a mapping from keys to numbers, such as {"sex": 5}, or one number a key; got '
            f"{type(importance).__name__}.",
            parameter="importance",
        )
    if len(importance) != len(names):
        raise ParameterError(
            f"importance must have one number a key, {len(names)}; got {len(importance)}.", parameter="importance"
        )
    return list(importance)


def _codes_of(table: Table, name: str) -> Whole64:
    """Number the values of a key in their order, or as they come where they have none; -1 for a missing value."""
    if kind_of(table, name) is None:
        return numbers_of_values(table, name)
    return codes(table, name)
