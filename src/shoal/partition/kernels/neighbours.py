"""The kernel that finds the nearest records of many records."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, kernel
from shoal.partition.kernels.tree import Tree
from shoal.partition.kernels.tree_search import nearest, to_tree


@kernel
def find_nearest(tree: Tree, X: Doubles, wanted: Integers, rows: Integers, distances: Doubles) -> None:
    """Fill one line for each of the records `wanted`: the nearest records, itself among them, in no order."""
    d = X.shape[1]
    point = np.empty(d)
    image = np.empty(d, tree.points.dtype)
    for t in range(wanted.shape[0]):
        for j in range(d):
            point[j] = X[wanted[t], j]
        to_tree(tree, point, image)
        nearest(tree, X, point, image, distances[t], rows[t])
