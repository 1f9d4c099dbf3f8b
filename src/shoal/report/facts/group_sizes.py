"""The sizes of groups: as a masked file shows them, and in few enough numbers to be drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.flow.plan import Plan
from shoal.read import Table

__all__ = ["binned", "sizes_shown"]

_MOST_SIZES = 30


def sizes_shown(masked: Table, plan: Plan) -> list[NDArray[np.int64]]:
    """Return the sizes of the groups in each block, as the records that agree show them.

    None at all if the file does not show them: a gap or synthetic values hide them, and two groups may have the same
    values. That there are as many as the plan says is how this is known.
    """
    if plan.outcome is None or plan.is_synthetic or any(name not in masked.names for name in plan.columns):
        return []
    found = []
    for block in plan.blocks:
        if any(masked.missing(name).any() for name in block):
            return []
        columns = [*block, *(name for name in plan.strata if name in masked.names and name not in block)]
        alike = masked.frame.select(columns).to_pandas().groupby(columns, dropna=False, observed=True).size()
        found.append(alike.to_numpy().astype(np.int64))
    shown = [len(sizes) for sizes in found] == plan.outcome.groups
    return found if shown and min(sizes.min() for sizes in found) >= plan.k else []


def binned(sizes: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Return how many groups have from ... to ... records."""
    values, counts = np.unique(sizes, return_counts=True)
    if len(values) <= _MOST_SIZES:
        return [(int(value), int(value), int(count)) for value, count in zip(values, counts, strict=True)]
    edges = np.unique(np.linspace(values[0], values[-1] + 1, _MOST_SIZES + 1).astype(np.int64))
    found, _ = np.histogram(sizes, edges)
    return [
        (int(low), int(high) - 1, int(count)) for low, high, count in zip(edges[:-1], edges[1:], found, strict=True)
    ]
