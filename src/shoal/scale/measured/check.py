"""Rules checked on a folder, on a cluster: exactly how many records break each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.edits.check import (
    Check,
    RuleStatus,
    check,
    looked_up_in_original,
    refuse_unknown_in_original,
    refuse_without_original,
)
from shoal.edits.evaluation import TOLERANCE
from shoal.edits.rules import Rule
from shoal.edits.source import read_edits
from shoal.errors import RuleError
from shoal.read import Table
from shoal.read.arrow_files import labels_in_schema
from shoal.scale.cluster import Cluster
from shoal.scale.input.category_orders import Order, joined_orders, orders_in
from shoal.scale.input.parts import CHUNK, Chunk, Parts, parts_of, read_chunk
from shoal.scale.setting import table_of_rows

__all__ = ["broken_rules", "check_parts"]

# pyarrow is imported inside functions, to keep start-up quick.


@dataclass(frozen=True)
class _Checking:
    """What all tasks share that check rules."""

    rules: tuple[Rule, ...]
    orders: Mapping[str, Order]
    labels: Any
    original: Table | None
    tolerance: float
    first: int
    values: bool


def check_parts(
    source: str | os.PathLike[str],
    edits: str | os.PathLike[str] | Rule | Iterable[str | Rule],
    cluster: Cluster,
    *,
    original: str | os.PathLike[str] | None = None,
    tolerance: float = TOLERANCE,
    first: int = 10,
    values: bool = False,
    chunk_rows: int = CHUNK,
) -> Check:
    """Check whether every record of a folder of Parquet files keeps the rules; as `shoal.edits.check`.

    Parameters
    ----------
    source
        The folder, or a single file.
    edits
        The rules, or the path of a file of rules.
    cluster
        The workers.
    original
        The folder in which rules such as ``town in original`` look values up.
    tolerance, first, values
        As in `shoal.edits.check`. Records are numbered through all parts, in the order of their names.
    chunk_rows
        How many rows a worker reads at once.
    """
    rules = tuple(read_edits(edits))
    if not rules:
        raise RuleError("There is no rule to check.")
    if original is None:
        refuse_without_original(rules)
    parts = parts_of(source, chunk_rows)
    for rule in rules:
        rule.refuse_unknown(parts.names)
    before = None if original is None else parts_of(original, chunk_rows)
    with cluster:
        return _checked(cluster, parts, before, rules, tolerance, first, values)


def broken_rules(
    cluster: Cluster,
    source: str | os.PathLike[str],
    original: str | os.PathLike[str],
    rules: Iterable[Rule],
    chunk_rows: int = CHUNK,
) -> list[str]:
    """Return the texts of the rules that some record breaks, on workers that have started."""
    rules = tuple(rules)
    if not rules:
        return []
    parts, before = parts_of(source, chunk_rows), parts_of(original, chunk_rows)
    return [one.rule for one in _checked(cluster, parts, before, rules, TOLERANCE, 0, False).rules if not one.holds]


def _checked(
    cluster: Cluster,
    parts: Parts,
    before: Parts | None,
    rules: tuple[Rule, ...],
    tolerance: float,
    first: int,
    values: bool,
) -> Check:
    known = None if before is None else _looked_up(cluster, before, rules)
    orders = _orders(cluster, parts)
    labels = labels_in_schema(parts.schema).only(parts.names)
    checking = _Checking(rules, orders, labels, known, tolerance, first, values)
    checks: list[Check] = cluster.map(_check_chunk, parts.chunks, checking, doing="checking rules")
    return Check(
        parts.records,
        float(tolerance),
        tuple(_joined([one.rules[place] for one in checks], first) for place in range(len(rules))),
    )


def _check_chunk(chunk: Chunk, checking: _Checking) -> Check:
    """Check the rules on one chunk; its records have their numbers in the whole file."""
    table = table_of_rows(read_chunk(chunk), checking.labels, checking.orders)
    found = check(
        table,
        checking.rules,
        original=checking.original,
        tolerance=checking.tolerance,
        first=checking.first,
        values=checking.values,
    )
    rules = [replace(one, first=tuple(row + chunk.first for row in one.first)) for one in found.rules]
    return replace(found, rules=tuple(rules))


def _joined(statuses: Sequence[RuleStatus], first: int) -> RuleStatus:
    listed = tuple(row for one in statuses for row in one.first)
    values = tuple(own for one in statuses for own in one.values or ())
    return replace(
        statuses[0],
        broken=sum(one.broken for one in statuses),
        missing=sum(one.missing for one in statuses),
        first=listed[:first],
        values=None if statuses[0].values is None else values[:first],
    )


def _orders(cluster: Cluster, parts: Parts, columns: Sequence[str] | None = None) -> dict[str, Order]:
    """Return the categories, in their order, of the columns that have such a type, over all parts."""
    import pyarrow

    names = [name for name in columns or parts.names if pyarrow.types.is_dictionary(parts.schema.field(name).type)]
    if not names:
        return {}
    of_chunks = cluster.map(_orders_in, parts.chunks, names, doing="looking at categories")
    return joined_orders(of_chunks)


def _orders_in(chunk: Chunk, names: Sequence[str]) -> dict[str, Order]:
    return orders_in(read_chunk(chunk, names))


def _looked_up(cluster: Cluster, original: Parts, rules: Sequence[Rule]) -> Table | None:
    """Return a table with every value of the columns that rules look up in the original."""
    import pyarrow

    names = list(dict.fromkeys(name for rule in rules for name in looked_up_in_original(rule)))
    for rule in rules:
        refuse_unknown_in_original(rule, original.names)
    if not names:
        return None
    found = cluster.map(_values_in, original.chunks, names, doing="looking at the original")
    columns = {name: pyarrow.concat_arrays([one[name] for one in found]).unique() for name in names}
    longest = max(len(own) for own in columns.values())
    # A column has as many values as the longest: the last again and again.
    padded = {
        name: own.take(pyarrow.array([min(row, len(own) - 1) for row in range(longest)]))
        for name, own in columns.items()
    }
    labels = labels_in_schema(original.schema).only(names)
    return table_of_rows(pyarrow.table(padded), labels, _orders(cluster, original, names))


def _values_in(chunk: Chunk, names: Sequence[str]) -> dict[str, Any]:
    from shoal.scale.scattered import decoded

    rows = decoded(read_chunk(chunk, names))
    return {name: rows[name].combine_chunks().unique() for name in names}
