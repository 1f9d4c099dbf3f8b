"""The first look at a file: enough rows to decide everything that the whole file would have decided.

Every chunk gives some rows drawn at random and some that stand for what is rare: the first missing value of a column,
its smallest and its largest, its first one that is not whole, and one row for each of its values where they are few.
What chunks give is put together and looked at again, so that the rows do not depend on how the file was cut.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.scale.input.category_orders import Order, joined_orders, orders_in
from shoal.scale.input.chunks import RowSource, read_rows
from shoal.scale.input.row_hashes import hashed_numbers, hashed_rows, hashed_values
from shoal.scale.scattered import decoded, row_numbers

__all__ = ["DRAWN", "FirstLook", "first_look", "look_at"]

# pyarrow is imported inside functions, to keep start-up quick.

DRAWN = 20_000  # rows, unless more are needed
_FEW = 64  # values of a column that each have a row


@dataclass(frozen=True)
class FirstLook:
    """What the first look at some rows shows.

    Attributes
    ----------
    drawn, telling
        Rows drawn at random, and those that stand for what is rare, with their numbers.
    orders
        The categories of the columns that have such a type, in their order, and whether it means something.
    few
        The columns with few values, each of which has a row.
    digest
        Two sums over all rows, which change with any value and any order of the rows.
    """

    drawn: Any
    telling: Any
    orders: dict[str, Order]
    few: frozenset[str]
    digest: tuple[int, int]

    @property
    def rows(self) -> Any:
        """All rows that are known, in the order of the file, each once."""
        import pyarrow

        both = pyarrow.concat_tables([self.drawn, self.telling])
        return both.take(pyarrow.array(np.unique(row_numbers(both), return_index=True)[1]))

    def fingerprint(self, schema: Any) -> str:
        """Return a SHA-256 that another file, or the same in another order, does not have."""
        columns = "\n".join(f"{field.name}\t{field.type}" for field in schema)
        return hashlib.sha256(f"{columns}\n{self.digest[0]} {self.digest[1]}".encode()).hexdigest()


def look_at(source: RowSource, unit: str | None, drawn: int = DRAWN) -> FirstLook:
    """Look at one chunk of a file.

    Parameters
    ----------
    source
        Where its rows are.
    unit
        The column of units, of which none is cut in two; None where every row is its own.
    drawn
        How many rows of the whole file are drawn.
    """
    table = read_rows(source)
    names = table.column_names[:-1]
    rows = row_numbers(table)
    of_row = hashed_rows([table[name] for name in names], len(table))
    digest = tuple(
        int(hashed_numbers(one ^ hashed_numbers(rows, salt)).sum(dtype=np.uint64)) for salt, one in enumerate(of_row)
    )
    orders = orders_in(table)
    plain = decoded(table)
    few = _columns_with_few_values(plain, names)
    return FirstLook(_drawn(plain, unit, drawn), _telling(plain, few, unit), orders, few, (digest[0], digest[1]))


def first_look(looks: Sequence[FirstLook], unit: str | None, drawn: int = DRAWN) -> FirstLook:
    """Put together what chunks show; `unit` and `drawn` as in `look_at`."""
    import pyarrow

    together = replace(
        looks[0],
        drawn=_drawn(pyarrow.concat_tables([one.drawn for one in looks]), unit, drawn),
        orders=joined_orders([one.orders for one in looks]),
        digest=(sum(one.digest[0] for one in looks) % 2**64, sum(one.digest[1] for one in looks) % 2**64),
    )
    telling = pyarrow.concat_tables([one.telling for one in looks])
    few = _columns_with_few_values(telling, frozenset.intersection(*(one.few for one in looks)))
    return replace(together, telling=_telling(telling, few, unit), few=few)


def _drawn(table: Any, unit: str | None, drawn: int) -> Any:
    """Return the rows with the smallest hashes of their numbers, or all rows of the units with the smallest.

    They are in the order of the file, which chunks of whole units are not.
    """
    import pyarrow

    rows = row_numbers(table)
    hashes = hashed_numbers(rows, 7) if unit is None else hashed_numbers(hashed_values(table[unit]), 7)
    order = np.lexsort((rows, hashes))[: drawn + 1]
    if len(order) > drawn:  # the unit that does not fit whole is left out
        beyond = order[-1]
        order = order[:-1] if unit is None else order[hashes[order] != hashes[beyond]]
    return table.take(pyarrow.array(order[np.argsort(rows[order])]))


def _columns_with_few_values(table: Any, names: Iterable[str]) -> frozenset[str]:
    few = [name for name in names if len(np.unique(hashed_values(table[name].slice(0, 1_000)))) <= _FEW]
    return frozenset(name for name in few if len(np.unique(hashed_values(table[name]))) <= _FEW)


def _telling(table: Any, few: Collection[str], unit: str | None) -> Any:
    """Return the rows that stand for what is rare, in the order of the file."""
    import pyarrow

    order = np.unique(row_numbers(table), return_index=True)[1]
    table = table.take(pyarrow.array(order))
    names = table.column_names[:-1]
    found: set[int] = set()
    for name in names:
        found.update(_telling_of(table[name]))
        if name in few:
            found.update(np.unique(hashed_values(table[name]), return_index=True)[1].tolist())
    if unit is not None:
        units = np.unique(hashed_values(table[unit]), return_inverse=True)[1].reshape(-1)
        for name in names:
            found.update(_first_divided(units, hashed_values(table[name])))
    return table.take(pyarrow.array(sorted(found), pyarrow.int64()))


def _telling_of(column: Any) -> list[int]:
    """Return the rows that show the first missing value of a column, its range, and that it is not whole."""
    import pyarrow

    types = pyarrow.types
    missing = np.asarray(column.is_null(nan_is_null=types.is_floating(column.type)))
    found = np.flatnonzero(missing)[:1].tolist()
    if types.is_floating(column.type) or types.is_integer(column.type):
        values = column.fill_null(0).to_numpy().astype(np.float64)
        known = np.flatnonzero(~missing & np.isfinite(values))
        if len(known):
            found += [known[values[known].argmin()], known[values[known].argmax()]]
            found += known[values[known] % 1 != 0][:1].tolist()
        found += np.flatnonzero(np.isinf(values))[:1].tolist()
    return [int(row) for row in found]


def _first_divided(units: NDArray[np.int64], values: NDArray[np.uint64]) -> list[int]:
    """Return the rows of the first unit in which a column has several values."""
    first = np.unique(units, return_index=True)[1][units]
    divided = np.flatnonzero(values[first] != values)
    return [int(row) for row in np.flatnonzero(units == units[divided[0]])] if len(divided) else []
