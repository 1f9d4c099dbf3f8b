"""The tail of MDAV: what happens to the last records, too few for another two groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["VARIANTS", "assign_the_rest", "first_by_distance", "loop_needs"]

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
