"""Slow, obviously right versions of replacements without groups, and what their definitions ask of a release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["fewest_ranks_apart", "slow_pairs"]


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
