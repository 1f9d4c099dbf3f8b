"""The squared error of released groups, in the matrix that distances were taken in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.describe.matrix import Matrix

__all__ = ["squared_error"]


def squared_error(matrix: Matrix, labels: Sequence[NDArray[np.int64]]) -> float:
    """Return the squared distances of complete records to the means of their groups, added up.

    Parameters
    ----------
    matrix
        What distances were taken between. A category counts as its indicators, 0 or 1.
    labels
        The groups in every column, which differ where neighbouring ones were joined in some. Further columns of the
        matrix, which groups of units have, are not counted.
    """
    total = 0.0
    for place, groups in enumerate(labels):
        column = matrix.values[:, place]
        sizes = np.maximum(np.bincount(groups), 1)
        if place in matrix.nominal:
            codes = np.unique(column, return_inverse=True)[1].reshape(-1)
            width = int(codes.max()) + 1
            pairs, counts = np.unique(groups * width + codes, return_counts=True)
            own = sizes[pairs // width]
            total += float((counts * (own - counts) / own).sum())
        else:
            with np.errstate(over="ignore", invalid="ignore"):  # numbers as they are may be too large
                apart = column - (np.bincount(groups, weights=column) / sizes)[groups]
                total += float((apart * apart).sum())
    return total
