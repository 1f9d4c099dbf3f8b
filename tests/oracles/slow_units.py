"""Units counted one by one, with sets and nothing of shoal."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd


def units_by_group(labels: Sequence[Any], units: Sequence[Any]) -> dict[Any, int]:
    """How many different units the records of each group are of."""
    found: dict[Any, set[Any]] = defaultdict(set)
    for label, unit in zip(labels, units, strict=True):
        found[label].add(unit)
    return {label: len(own) for label, own in found.items()}


def rows_of(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """The records as tuples that can be compared, a missing value being equal to itself."""
    return [tuple("?" if cell != cell or cell is None else cell for cell in row) for row in frame.to_numpy().tolist()]


def fewest_units_alike(released: pd.DataFrame, units: Iterable[Any]) -> int:
    """The fewest different units behind any set of identical records; `units` are those of the original."""
    return min(units_by_group(rows_of(released), list(units)).values())


def unique_compositions(released: pd.DataFrame, units: Iterable[Any]) -> int:
    """How many units no other is like in the set of their records."""
    records: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for row, unit in zip(rows_of(released), units, strict=True):
        records[unit].append(row)
    seen = Counter(tuple(sorted(own, key=repr)) for own in records.values())
    return sum(times == 1 for times in seen.values())


def can_have_groups(sizes: Sequence[int], groups: int, k: int) -> bool:
    """Whether so many groups can each have records of k units of these sizes: units are given out, largest first."""
    left = list(sizes)
    for _ in range(groups):
        taken = sorted(range(len(left)), key=lambda unit: -left[unit])[:k]
        if len(taken) < k or left[taken[-1]] == 0:
            return False
        for unit in taken:
            left[unit] -= 1
    return True


def least_sse_of_two(X: np.ndarray, units: np.ndarray, k: int) -> float:
    """The least squared error of one group, or of two that each have records of k units."""
    everyone = range(len(X))
    best = float(((X - X.mean(axis=0)) ** 2).sum())
    for size in range(k, len(X) - k + 1):
        for one in combinations(everyone, size):
            parts = [list(one), [row for row in everyone if row not in one]]
            if all(len(set(units[part].tolist())) >= k for part in parts):
                best = min(best, float(sum(((X[part] - X[part].mean(axis=0)) ** 2).sum() for part in parts)))
    return best
