"""Categories as columns of a regression: an indicator each, those of few records taken together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["indicators", "pooled"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]


def pooled(codes: Labels, least: int) -> Labels:
    """Number categories anew, 0 to c-1; those that fewer than `least` records have are one.

    Where that one has too few records all the same, the next smallest category joins it.
    """
    numbered, sizes = np.unique(codes, return_inverse=True, return_counts=True)[1:]
    order = np.argsort(sizes, kind="stable")
    ascending = sizes[order]
    rare = int((ascending < least).sum())
    if rare and ascending[:rare].sum() < least:
        rare += 1  # a category that is not rare is enough
    number = np.empty(len(sizes), dtype=np.int64)
    number[order] = np.maximum(np.arange(len(sizes)) - max(rare - 1, 0), 0)
    return np.asarray(number[numbered.ravel()], dtype=np.int64)


def indicators(codes: Labels) -> Doubles:
    """Return an indicator of every category but the last, n x (c - 1); the codes are 0 to c-1."""
    return np.asarray(codes[:, None] == np.arange(int(codes.max())), dtype=np.float64)
