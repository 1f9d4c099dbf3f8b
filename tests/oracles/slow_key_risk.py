"""Risk over key variables by its definitions: every pair of records, set of keys and size of the population."""

from __future__ import annotations

import math
from itertools import combinations

Row = tuple  # of values, None for a missing one


def agree(one: Row, other: Row, missing: str) -> bool:
    if missing == "category":
        return all(first == second for first, second in zip(one, other, strict=True))
    return all(None in (first, second) or first == second for first, second in zip(one, other, strict=True))


def frequencies(rows: list[Row], weights: list[float], missing: str) -> tuple[list[int], list[float]]:
    matches = [[place for place, other in enumerate(rows) if agree(row, other, missing)] for row in rows]
    return [len(own) for own in matches], [math.fsum(weights[place] for place in own) for own in matches]


def expected_share(f: int, F: float) -> float:
    """E(1 / N) over the negative binomial distribution of the size N of the population, given f of it in the sample."""
    p = f / F
    if p >= 1:
        return 1 / f
    total, size, mass = 0.0, f, p**f
    while mass > 1e-22 or size < F * 2:
        total += mass / size
        mass *= (1 - p) * size / (size - f + 1)
        size += 1
    return total


def minimal_uniques(rows: list[Row], most: int, missing: str) -> list[set[tuple[int, ...]]]:
    """For every record the sets of keys on which no other agrees with it, and on no proper subset."""
    found: list[set[tuple[int, ...]]] = []
    for place, row in enumerate(rows):
        own: set[tuple[int, ...]] = set()
        for size in range(1, most + 1):
            for chosen in combinations(range(len(row)), size):
                if any(set(smaller) < set(chosen) for smaller in own):
                    continue
                part = [tuple(other[key] for key in chosen) for other in rows]
                if sum(agree(part[place], other, missing) for other in part) == 1:
                    own.add(chosen)
        found.append(own)
    return found
