"""Slow, obviously right versions of replacements without groups, and what their definitions ask of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracles.cases import Case, Fault

__all__ = ["fewest_ranks_apart", "perturbed_values", "slow_pairs"]


def slow_pairs(window: int, random: Sequence[float]) -> list[int]:
    """Pair ranks one after the other: each with one of those left among the `window` after it."""
    n = len(random)
    partners: dict[int, int] = {}
    for rank in range(n):
        if rank in partners:
            continue
        left = [one for one in range(rank + 1, min(n, rank + window + 1)) if one not in partners]
        partner = left[int(random[rank] * len(left))] if left else rank
        partners[rank], partners[partner] = partner, rank
    return [partners[rank] for rank in range(n)]


def fewest_ranks_apart(values: NDArray[np.float64], before: float, after: float) -> int:
    """Return the fewest ranks by which two values can be apart, whatever the order of equal ones is."""
    if before == after:
        return 0
    low, high = sorted((before, after))
    return int((values < high).sum() - (values <= low).sum()) + 1


def perturbed_values(case: Case, block: list[str], after: dict[str, list[Any]]) -> Iterator[Fault]:
    """Say which released values of a block cannot have come from the replacement of their column."""
    strata = case.stratum_of_record
    for stratum in dict.fromkeys(strata):
        rows = [row for row in range(case.records) if strata[row] == stratum]
        for name in block:
            before = [case.variable(name).cells[row] for row in rows]
            yield from _values_of_column(case, name, before, [after[name][row] for row in rows])
        swapped = [name for name in block if case.way_of(name).startswith("record-swap")]
        both = ({one.name: one.cells for one in case.variables}, after)
        places = [Counter(tuple(cells[name][row] for name in swapped) for row in rows) for cells in both]
        if case.unit is None and places[0] != places[1]:
            yield Fault("whole places are exchanged", f"{case.replace}: {swapped}")


def _values_of_column(case: Case, name: str, before: list[Any], after: list[Any]) -> Iterator[Fault]:
    way = case.way_of(name).split(":")[0]
    if way in ("rank-swap", "shuffle") and Counter(before) != Counter(after):
        yield Fault("exchanged values are those of the stratum", f"{case.replace}: {name}")
    if way in ("pram", "record-swap") and not set(after) <= set(before):
        yield Fault("categories are those of the stratum", f"{case.replace}: {name}")
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old is not None]
    if way == "rank-swap" and case.variable(name).kind == "continuous":
        p = float(case.way_of(name).partition("p=")[2] or 15)
        values = np.array([float(old) for old, _ in pairs])
        if any(fewest_ranks_apart(values, float(old), float(new)) > p * len(pairs) / 100 for old, new in pairs):
            yield Fault("values are exchanged within p % of the ranks", f"{case.replace}: {name}")
    if way == "noise" and len(pairs) > 1 and case.weights is None:
        largest = max(abs(float(old)) for old, _ in pairs) or 1.0
        spread = stdev(float(old) / largest for old, _ in pairs)
        moved = max(abs(float(new) / largest - float(old) / largest) for old, new in pairs)
        if moved > 20 * spread + 1e-6 or (spread == 0 and moved > 0):
            yield Fault("noise has the size asked for", f"{case.replace}: {name} by {moved} of {spread}")
