"""Levenshtein's distance between texts."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel


@inner_kernel
def edits_between(one: Integers, other: Integers, row: Integers) -> Scalar:
    """Return how many characters have to be inserted, deleted or replaced to make one text of another.

    `row` is room for one number more than `other` has characters: after i characters of `one`, the distances from
    them to every beginning of `other`.
    """
    for j in range(other.shape[0] + 1):
        row[j] = j
    for i in range(one.shape[0]):
        diagonal = row[0]
        row[0] = i + 1
        for j in range(other.shape[0]):
            replaced = diagonal + (one[i] != other[j])
            diagonal = row[j + 1]
            row[j + 1] = min(replaced, min(diagonal, row[j]) + 1)
    return row[other.shape[0]]


@kernel
def fill_text_distances(characters: Integers, starts: Integers, matrix: Doubles) -> None:
    """Fill `matrix` with the distances of all pairs of texts, each divided by the length of the longer one.

    Text i is ``characters[starts[i]:starts[i + 1]]``.
    """
    longest = 0
    for i in range(starts.shape[0] - 1):
        longest = max(longest, starts[i + 1] - starts[i])
    row = np.empty(longest + 1, np.int64)
    for i in range(starts.shape[0] - 1):
        matrix[i, i] = 0.0
        one = characters[starts[i] : starts[i + 1]]
        for j in range(i):
            other = characters[starts[j] : starts[j + 1]]
            edits = edits_between(one, other, row)
            matrix[i, j] = matrix[j, i] = edits / max(one.shape[0], other.shape[0], 1)
