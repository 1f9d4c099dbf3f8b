"""Local suppression by trying every set of cells: slow, and obviously right."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

MISSING = -1
Row = tuple[int, ...]


def agrees(one: Row, other: Row) -> bool:
    """Whether two records agree, a missing value with every value."""
    return all(a == b or MISSING in (a, b) for a, b in zip(one, other, strict=True))


def without(rows: Sequence[Row], cells: set[tuple[int, int]]) -> list[Row]:
    """Return the records with some cells missing."""
    return [tuple(MISSING if (i, j) in cells else value for j, value in enumerate(row)) for i, row in enumerate(rows)]


def wildcard_holds(rows: Sequence[Row], released: Sequence[Row], k: int, strata: Sequence[int]) -> bool:
    """Whether with every released record k records of the file agree."""
    return all(
        sum(agrees(mine, row) for row, there in zip(rows, strata, strict=True) if there == here) >= k
        for mine, here in zip(released, strata, strict=True)
    )


def subsets_hold(rows: Sequence[Row], released: Sequence[Row], subsets: dict[int, int], strata: Sequence[int]) -> bool:
    """Whether wildcard k holds on every set of so many keys."""
    for size, k in subsets.items():
        for keys in itertools.combinations(range(len(rows[0])), size):
            cut = [[tuple(row[key] for key in keys) for row in some] for some in (rows, released)]
            if not wildcard_holds(cut[0], cut[1], k, strata):
                return False
    return True


def category_holds(released: Sequence[Row], k: int, strata: Sequence[int], units: Sequence[int]) -> bool:
    """Whether k different units carry every released combination."""
    carriers: dict[tuple[int, Row], set[int]] = {}
    for row, stratum, unit in zip(released, strata, units, strict=True):
        carriers.setdefault((stratum, row), set()).add(unit)
    return all(len(some) >= k for some in carriers.values())


def least_cost(
    rows: Sequence[Row],
    k: int,
    missing: str,
    importance: Sequence[float],
    *,
    strata: Sequence[int] | None = None,
    units: Sequence[int] | None = None,
    fixed: Sequence[bool] | None = None,
    subsets: dict[int, int] | None = None,
) -> float | None:
    """Return the least importance of cells with which k holds; None if it cannot."""
    strata = [0] * len(rows) if strata is None else strata
    units = range(len(rows)) if units is None else units
    free = [
        (i, j)
        for i, row in enumerate(rows)
        for j, value in enumerate(row)
        if value != MISSING and not (fixed and fixed[j])
    ]
    best = None
    for size in range(len(free) + 1):
        for cells in itertools.combinations(free, size):
            cost = sum(importance[j] for _, j in cells)
            if best is not None and cost >= best:
                continue
            released = without(rows, set(cells))
            if missing == "category":
                holds = category_holds(released, k, strata, units)
            else:
                holds = wildcard_holds(rows, released, k, strata) and subsets_hold(
                    rows, released, subsets or {}, strata
                )
            if holds:
                best = cost
    return best
