"""The kernel that finds the nearest records of many records."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, kernel
from shoal.partition.kernels.tree import Tree
from shoal.partition.kernels.tree_search import nearest, to_tree


@kernel
def find_nearest(tree: Tree, X: Doubles, points: Doubles, rows: Integers, distances: Doubles) -> None:
    """Fill one line for each of the points: the nearest records of `X` and their squared distances, in no order."""
    image = np.empty(X.shape[1], tree.points.dtype)
    for t in range(points.shape[0]):
        to_tree(tree, points[t], image)
        nearest(tree, X, points[t], image, distances[t], rows[t])
