"""Recodes and counts over keys, one value at a time, from their definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

__all__ = ["slow_band", "slow_counts", "slow_merge"]


def slow_band(
    value: float, width: float, start: float | None, top: float | None, bottom: float | None
) -> tuple[Fraction | None, Fraction | None]:
    """Return where the band of a number begins and ends, None for no end; exact, in fractions of what is written."""
    number = Fraction(repr(float(value)))
    high = None if top is None else Fraction(repr(float(top)))
    low = None if bottom is None else Fraction(repr(float(bottom)))
    if high is not None and number >= high:
        return high, None
    if low is not None and number < low:
        return None, low
    first = Fraction(repr(float(start))) if start is not None else low if low is not None else Fraction(0)
    step = Fraction(repr(float(width)))
    begin = first + math.floor((number - first) / step) * step
    end = begin + step
    return (begin if low is None else max(begin, low)), (end if high is None else min(end, high))


def slow_merge(values: Sequence[Any], groups: Mapping[str, Sequence[str]], rare: int | None, into: str) -> list[Any]:
    """Return merged categories, None staying None."""
    merged = [next((key for key, group in groups.items() if one in group), one) for one in values]
    if rare is None:
        return merged
    counts = Counter(one for one in merged if one is not None)
    few = {one for one, count in counts.items() if count < rare}
    left = sorted((count, one) for one, count in counts.items() if one not in few)
    while few and sum(counts[one] for one in few) < rare and left:
        few.add(left.pop(0)[1])
    return [into if one in few else one for one in merged]


def slow_counts(rows: Sequence[tuple[Any, ...]], k: int, units: Sequence[Any] | None = None) -> tuple[int, int, int]:
    """Return the fewest records (units) that are alike, the records that are unique and those below k."""
    alike: defaultdict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for number, row in enumerate(rows):
        alike[row].add(number if units is None else units[number])
    sizes = [len(alike[row]) for row in rows]
    return min(sizes), sum(size == 1 for size in sizes), sum(size < k for size in sizes)
