"""The loop of MDAV with trees, which find the nearest and the farthest of the records that remain."""

from __future__ import annotations

from collections.abc import Callable
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

VARIANTS = ("classic", "two-k", "thesis")


def loop_needs(k: int, variant: str) -> int:
    """Return how many records have to be left for the loop to make another two groups."""
    return 3 * k if variant == "classic" else 2 * k


def first_by_distance(distances: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return the positions of the `count` least distances, of equal ones the first."""
    if count >= len(distances):
        return np.arange(len(distances))
    last = np.partition(distances, count - 1)[count - 1]
    nearer = np.flatnonzero(distances < last)
    equal = np.flatnonzero(distances == last)
    return np.concatenate([nearer, equal[: count - len(nearer)]])


def assign_the_rest(
    X: NDArray[np.float64],
    labels: NDArray[np.int64],
    k: int,
    variant: str,
    centroid_of: Callable[[NDArray[np.float64]], Any],
    distances_to: Callable[[Any, Any], NDArray[np.float64]],
    stacked: Callable[[list[Any]], Any] = np.array,
) -> None:
    """Give the records without a label (-1) one: another group or two, or the group with the nearest centroid.

    Parameters
    ----------
    X, labels
        The records, and their groups so far; `labels` is changed.
    k, variant
        As in `MDAV`.
    centroid_of
        Gives the centroid of some records.
    distances_to
        Gives the distance of every one of some records to a point, or of every one of some centroids to a record.
    stacked
        Puts centroids into the form that `distances_to` takes.
    """
    groups = int(labels.max()) + 1
    left = np.flatnonzero(labels < 0)
    if variant != "thesis" and len(left) >= (2 * k if variant == "classic" else k):
        seed = left[np.argmax(distances_to(X[left], centroid_of(X[left])))]
        members = left[first_by_distance(distances_to(X[left], X[seed]), k)]
        labels[members] = groups
        groups += 1
        left = np.flatnonzero(labels < 0)
    if len(left) == 0:
        return
    if len(left) >= k:  # with the two-k tail they are fewer by now
        labels[left] = groups
        return
    order = np.argsort(labels, kind="stable")[len(left) :]
    starts = np.searchsorted(labels[order], np.arange(1, groups))
    # The centroids of the groups before any of the leftovers joins.
    centroids = stacked([centroid_of(X[rows]) for rows in np.split(order, starts)])
    labels[left] = [np.argmin(distances_to(centroids, X[row])) for row in left]


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
    from shoal.partition.kernels.mdav import make_pairs_of_groups, make_pairs_of_mixed_groups

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
