"""The loop of MDAV with trees, which find the nearest and the farthest of the records that remain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.partition.geometry.tree import (
    Tree,
    category_starts,
    count_categories,
    find_twins,
    plant,
    replant,
)
from shoal.progress import advance

__all__ = ["loop_with_trees"]

# Fewer records than this are one step, and one tree lasts to the end.
_SMALL = 2_000
_STEPS = 50
_NEARER = 2.0**-8  # squared: all that remain are 16 times as near


def loop_with_trees(
    X: NDArray[np.float64],
    labels: NDArray[np.int64],
    k: int,
    needed: int,
    is_nominal: NDArray[np.bool_] | None = None,
) -> None:
    """Make groups, two at a time, as long as `needed` records remain; nominal columns have codes from 0 on."""
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.exact_sum import MOST_PARTIALS, total_columns
    from shoal.partition.kernels.mdav import make_pairs_of_groups
    from shoal.partition.kernels.mdav_mixed import make_pairs_of_mixed_groups

    n, d = X.shape
    totals = np.zeros((d, MOST_PARTIALS))
    total_columns(X, totals)
    make_pairs: Any = make_pairs_of_groups
    state: tuple[NDArray[Any], ...] = (totals, labels)
    if is_nominal is not None:
        make_pairs = make_pairs_of_mixed_groups
        state = (totals, count_categories(X, is_nominal, category_starts(X, is_nominal)), labels)
    tree = plant(X, *find_twins(X), is_nominal)
    worn_out = _worn_out(tree)
    step = n if n < _SMALL else n // _STEPS
    group, remaining = 0, n
    while remaining >= needed:
        before = remaining
        pause = max(needed - 1, remaining - step)
        group, remaining = make_pairs(tree, X, *state, k, group, remaining, pause, *worn_out)
        advance((before - remaining) / n)
        if remaining > pause:
            tree = replant(tree, X)
            worn_out = _worn_out(tree)


def _worn_out(tree: Tree) -> tuple[int, float]:
    """Return how many records are left in a tree, or how near they all are (squared), when a new one is worth building.

    A tree is exact, and slower, for the sake of a few far records: without them the next one need not be.
    """
    planted = int(tree.left[0])
    last = planted // 4 if planted >= _SMALL else 0
    return last, float(tree.reach[-1].max()) * _NEARER if tree.is_exact else -1.0
