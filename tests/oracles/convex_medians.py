"""Whether the values of a release are convex medians of their groups, from the definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

from oracles.cases import Case

__all__ = ["groups_behind_convex_medians"]

ROUNDING = Fraction(1e-12)  # sums of weights that differ by less are equal
MOST_TRIED = 5_000  # ways to join groups; beyond that nobody can tell

Rows = frozenset[int]


def groups_behind_convex_medians(
    case: Case, name: str, labels: list[int], groups_with_value: Mapping[tuple[Any, Any], set[int]]
) -> list[tuple[frozenset[int], Rows]] | None:
    """Return which groups were joined for each released value, and their observed records; None if there is no way.

    Groups with fewer than k observed values are joined to others. Unlike means, medians and modes, the convex median
    of two groups that have the same one need not be that of both together.
    """
    observed = case.variable(name).observed
    counts = Counter(case.variable(name).cells[row] for row in observed if labels[row] >= 0)
    for least in range(case.k, case.records + 1):
        scale = {cell for cell, count in counts.items() if count >= least}
        found: list[tuple[frozenset[int], Rows]] = []
        for (_, value), groups in groups_with_value.items():
            rows = {group: frozenset(row for row in observed if labels[row] == group) for group in sorted(groups)}
            ways = _ways_to_join(case, name, value, rows, scale, iter(range(MOST_TRIED)))
            found += next(ways, [(frozenset(), frozenset())])
        if min((len(rows) for _, rows in found), default=least) == least:
            return found
    return None


def _ways_to_join(
    case: Case, name: str, value: Any, rows: Mapping[int, Rows], scale: set[Any], tries: Iterator[int]
) -> Iterator[list[tuple[frozenset[int], Rows]]]:
    """Give the ways to join groups so that each has at least k observed values and the convex median.

    No record has more than half of the weight of such a group.
    """
    if not rows:
        yield []
        return
    first, *others = rows
    for joined in chain.from_iterable(combinations(others, count) for count in range(len(others) + 1)):
        if next(tries, None) is None:
            yield [(frozenset(rows), frozenset().union(*rows.values()))]
            return
        together = frozenset().union(rows[first], *(rows[group] for group in joined))
        enough = len(together) >= case.k and not _is_of_one(case, together)
        if enough and _is_convex_median(case, name, value, together, scale):
            rest = {group: of for group, of in rows.items() if group != first and group not in joined}
            for way in _ways_to_join(case, name, value, rest, scale, tries):
                yield [(frozenset({first, *joined}), together), *way]


def _is_of_one(case: Case, rows: Iterable[int]) -> bool:
    weights = [Fraction(1 if case.weights is None else case.variable(case.weights).cells[row]) for row in rows]
    return max(weights) > sum(weights) * (Fraction(1, 2) + ROUNDING)


def _is_convex_median(case: Case, name: str, value: Any, rows: Iterable[int], scale: set[Any]) -> bool:
    variable = case.variable(name)
    place = list(variable.categories).index if variable.categories else lambda cell: cell
    frequency: dict[Any, Fraction] = dict.fromkeys(scale, Fraction(0))
    for row in rows:
        weight = Fraction(1) if case.weights is None else Fraction(case.variable(case.weights).cells[row])
        frequency[variable.cells[row]] = frequency.get(variable.cells[row], Fraction(0)) + weight
    if value not in frequency:
        return False
    counted = {
        cell: min(
            max(total for other, total in frequency.items() if place(other) <= place(cell)),
            max(total for other, total in frequency.items() if place(other) >= place(cell)),
        )
        for cell in frequency
    }
    half, slack = sum(counted.values()) / 2, sum(counted.values()) * ROUNDING
    below = sum(total for cell, total in counted.items() if place(cell) < place(value))
    return below < half + slack and below + counted[value] >= half - slack
