"""The categories of columns that have such a type, put together from all chunks of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from shoal.errors import ReadError

__all__ = ["Order", "joined_orders", "orders_in"]

# pyarrow is imported inside functions, to keep start-up quick.

Order = tuple[list[Any], bool]  # the categories, and whether their order means something


def orders_in(table: Any) -> dict[str, Order]:
    """Return the categories of the columns of an Arrow table that have such a type."""
    import pyarrow

    named = {name: table[name] for name in table.column_names if pyarrow.types.is_dictionary(table[name].type)}
    return {name: _order(column) for name, column in named.items()}


def _order(column: Any) -> Order:
    """Return the categories of one column, whose pieces may each have others."""
    is_ordered = bool(column.type.ordered)
    found: list[Any] = []
    for piece in column.chunks:
        if not any(piece.dictionary.equals(one) for one in found):
            found.append(piece.dictionary)
    return reduce(_joined, ((one.to_pylist(), is_ordered) for one in found)) if found else ([], is_ordered)


def joined_orders(of_chunks: Sequence[Mapping[str, Order]]) -> dict[str, Order]:
    """Return the categories of the whole file, by column, from those of its chunks.

    The result does not depend on how the file was cut.

    Raises
    ------
    ReadError
        An order that means something is another one in another chunk.
    """
    return {name: reduce(_joined, (one[name] for one in of_chunks)) for name in of_chunks[0]}


def _joined(one: Order, other: Order) -> Order:
    """Return all categories of both.

    Where an order means something, it is the longer one, with what only the shorter one has after it. Where it means
    nothing, parts are often written with the categories in the order in which they occur: those are sorted.
    """
    if one[0] == other[0]:
        return one
    if not one[1]:
        return sorted({*one[0], *other[0]}, key=lambda category: (str(type(category)), category)), False
    longer, shorter = (one[0], other[0]) if len(one[0]) >= len(other[0]) else (other[0], one[0])
    place = {category: number for number, category in enumerate(longer)}
    known = [place[category] for category in shorter if category in place]
    if known != sorted(known):
        raise ReadError("Parts of the file have the same categories in different orders. Write them with one order.")
    return [*longer, *sorted((category for category in shorter if category not in place), key=str)], True
