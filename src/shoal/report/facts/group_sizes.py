"""The sizes of groups: as a masked file shows them, and in few enough bins to be drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import combinations_of
from shoal.flow.plan import Plan
from shoal.read import Table
from shoal.report.facts.summary import GroupFacts

__all__ = ["binned", "group_facts", "sizes_shown"]

_MOST_SIZES = 30


def sizes_shown(masked: Table, plan: Plan) -> list[NDArray[np.int64]]:
    """Return the sizes of the groups in each block, counted as records with the same values.

    Nothing is returned if the file does not show the groups: missing or synthetic values hide them, perturbed ones
    have none, and two groups may have the same values. The file shows them if it has as many as the plan says.
    """
    if plan.outcome is None or not plan.family.shows_groups or any(name not in masked for name in plan.columns):
        return []
    sizes = []
    for block in plan.blocks:
        if any(masked.missing(name).any() for name in block if name not in plan.categories):
            return []
        columns = [*block, *(name for name in plan.strata if name in masked and name not in block)]
        sizes.append(np.bincount(combinations_of(masked, columns)))
    shown = [len(own) for own in sizes] == plan.outcome.groups
    return sizes if shown and min(own.min() for own in sizes) >= plan.k else []


def group_facts(plan: Plan | None, sizes: Sequence[NDArray[np.int64]], *, internal: bool) -> list[GroupFacts]:
    """Return the groups of every block, given their sizes; in public nothing where some are below k."""
    if plan is None or plan.outcome is None or not plan.family.makes_groups:
        return []
    if not internal and any(block.min() < plan.k for block in sizes):
        return []
    return [
        GroupFacts(
            columns=columns,
            groups=len(block),
            smallest=int(block.min()),
            largest=int(block.max()),
            sizes=binned(block) if internal else None,
        )
        for columns, block in zip(plan.blocks, sizes, strict=False)
    ]


def binned(sizes: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Return the bins of sizes, from ... to ... records, and how many groups are in each."""
    values, counts = np.unique(sizes, return_counts=True)
    if len(values) <= _MOST_SIZES:
        return [(int(value), int(value), int(count)) for value, count in zip(values, counts, strict=True)]
    edges = np.unique(np.linspace(values[0], values[-1] + 1, _MOST_SIZES + 1).astype(np.int64))
    counts, _ = np.histogram(sizes, edges)
    return [
        (int(low), int(high) - 1, int(count)) for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
