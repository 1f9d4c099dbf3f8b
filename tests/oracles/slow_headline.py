"""The headline counted one record after the other, which knows nothing of shoal."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

MISMATCH = 2  # what two different categories add to a squared distance


def is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def comparable(cell: Any) -> Hashable:
    """Return a cell that equals another if and only if they are alike; a missing value is a value."""
    return "missing" if is_missing(cell) else ("value", repr(cell) if isinstance(cell, list) else cell)


def counted(rows: Sequence[Sequence[Any]], units: Sequence[Any] | None = None) -> tuple[int, int]:
    """Return k and uniques: of records, or of units if there are some."""
    alike = [tuple(map(comparable, row)) for row in rows]
    owners = list(range(len(rows))) if units is None else list(units)
    behind = [len({owner for owner, other in zip(owners, alike, strict=True) if other == one}) for one in alike]
    return min(behind), len({owner for owner, count in zip(owners, behind, strict=True) if count == 1})


def agreeing(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Return how many records agree with each, where a missing value agrees with every value."""

    def agree(one: Sequence[Any], other: Sequence[Any]) -> bool:
        return all(is_missing(a) or is_missing(b) or a == b for a, b in zip(one, other, strict=True))

    return [sum(agree(one, other) for other in rows) for one in rows]


def linkage(original: Sequence[Sequence[Any]], masked: Sequence[Sequence[Any]], numeric: Sequence[bool]) -> float:
    """Return the percentage of original records linked to their own, one of equally near ones drawn."""
    before, after = _scored(original, original, numeric), _scored(masked, original, numeric)
    total = 0.0
    for place, sought in enumerate(before):
        distances = [
            math.fsum(_apart(a, b, number) for a, b, number in zip(sought, found, numeric, strict=True))
            for found in after
        ]
        reach = min(distances) * (1 + 1e-9) + 1e-12
        if distances[place] <= reach:
            total += 1 / sum(distance <= reach for distance in distances)
    return 100 * total / len(original)


def _apart(one: Any, other: Any, number: bool) -> float:
    if not number:
        return MISMATCH * (comparable(one) != comparable(other))
    value = (0.0 if is_missing(one) else one) - (0.0 if is_missing(other) else other)
    return value**2 + MISMATCH * (is_missing(one) != is_missing(other))


def _scored(rows: Sequence[Sequence[Any]], original: Sequence[Sequence[Any]], numeric: Sequence[bool]) -> list[list]:
    """Return the rows with numbers as scores of their own file; what is constant in the original tells nothing."""
    columns = []
    for place, number in enumerate(numeric):
        column, first = [row[place] for row in rows], [row[place] for row in original]
        if len(set(map(comparable, first))) == 1:
            column = [None for _ in column]  # alike for all, in both files
        elif number:
            column = _scores(column, first)
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]


def _scores(column: list, first: list) -> list:
    observed, before = ([cell for cell in one if not is_missing(cell)] for one in (column, first))
    if len(set(before)) < 2:  # only what is missing tells records apart
        return [None if is_missing(cell) else 0.0 for cell in column]
    if len(set(observed)) < 2:  # no spread of its own
        observed = before
    mean = math.fsum(observed) / len(observed)
    spread = math.sqrt(math.fsum((cell - mean) ** 2 for cell in observed) / (len(observed) - 1))
    return [None if is_missing(cell) else (cell - mean) / spread for cell in column]
