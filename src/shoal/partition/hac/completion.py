"""What happens to clusters that are still smaller than k when no more can be merged."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

__all__ = ["complete_by_distance", "complete_by_size"]


def complete_by_size(labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Dissolve the smallest clusters and give their records to the smallest that remain, whatever the distance.

    Of equally small clusters the oldest is taken; one that gets a record becomes the newest.

    Parameters
    ----------
    labels
        The cluster of every record, 0 to g-1, the oldest first.
    k
        The least number of records in a group.
    """
    labels = labels.copy()
    clusters = [(size, cluster, cluster) for cluster, size in enumerate(np.bincount(labels).tolist())]
    newest = len(clusters)
    heapq.heapify(clusters)
    while clusters[0][0] < k:
        _, _, dissolved = heapq.heappop(clusters)
        for record in np.flatnonzero(labels == dissolved):
            size, _, receiver = clusters[0]
            heapq.heapreplace(clusters, (size + 1, newest, receiver))
            newest += 1
            labels[record] = receiver
    return labels


def complete_by_distance(X: NDArray[np.float64], kind: int, labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Join, dissolve or fill up the smallest cluster, whichever costs least, until none is smaller than k.

    Of equally small clusters the newest is taken, whose records are farthest apart: oldest first loses three percent
    more on the average of the reference files. It goes to the oldest of equally good clusters, and takes the first of
    equally good records.

    Parameters
    ----------
    X
        The records.
    kind
        Their distance, as in `shoal.partition.kernels.hac`.
    labels
        The cluster of every record, 0 to g-1, the oldest first.
    k
        The least number of records in a group.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.hac_completion import GroupCosts, complete

    sizes = np.bincount(labels)
    if sizes.min() < k:
        labels = labels.copy()
        complete(X, kind, GroupCosts(labels, sizes, np.empty(len(sizes)), np.empty(len(labels))), k)
    return labels
