"""Matrices that make ties likely, and what tests ask of every partition."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from shoal.progress import listening

few_values = st.integers(-2, 2).map(float)
# Rounded, because the square of 1e-200 is zero unless it is scaled, and what the tests compare with does not scale.
plain_values = st.floats(-1e3, 1e3).map(lambda value: round(value, 3))


@st.composite
def small_matrices(draw, most_records=40, most_columns=30):
    """Matrices with ties, duplicates, constant columns, or none of these."""
    n = draw(st.integers(2, most_records))
    d = draw(st.integers(1, most_columns))
    elements = draw(st.sampled_from([few_values, plain_values]))
    X = draw(hnp.arrays(np.float64, (n, d), elements=elements, fill=st.nothing() if n * d < 80 else None))
    if draw(st.booleans()):
        X[:, draw(st.integers(0, d - 1))] = draw(elements)
    if draw(st.booleans()):
        X = X[draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))]
    return X


def squared_errors(X, labels) -> float:
    """Return the sum of squared distances of the records to the mean of their group."""
    X, labels = np.asarray(X), np.asarray(labels)
    return sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))


def progress_of(estimator, X) -> float:
    """Return the sum of all advances that a fit reports; none of them goes back."""
    parts: list[float] = []
    with listening(parts.append):
        estimator.fit(X)
    assert min(parts) >= -1e-12
    return math.fsum(parts)


def stretches(group_sizes) -> list[range]:
    """Return the places that groups of these sizes take, one after the other."""
    ends = np.concatenate([[0], np.cumsum(group_sizes)]).tolist()
    return [range(a, b) for a, b in pairwise(ends)]
