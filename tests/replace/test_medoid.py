"""The medoid, against the sums of distances written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.replace import Medoid
from shoal.replace.members import members

MISMATCH = 2.0


def slow_medoids(points, nominal, labels, weights):
    """The record of every group with the least weighted sum of squared distances; the first among equals."""
    chosen = []
    for group in sorted(set(labels)):
        rows = [row for row, label in enumerate(labels) if label == group]

        def distance(one, other):
            return sum(
                MISMATCH * (x != y) if place in nominal else (x - y) ** 2
                for place, (x, y) in enumerate(zip(points[one], points[other], strict=True))
            )

        totals = {row: sum(weights[other] * distance(row, other) for other in rows) for row in rows}
        chosen.append(min(rows, key=lambda row: (round(totals[row], 9), row)))
    return chosen


@given(seed=st.integers(0, 10_000), records=st.integers(3, 25), weighted=st.booleans())
def test_the_medoid_is_the_record_with_the_least_weighted_sum_of_distances(seed, records, weighted):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, records)
    labels = np.unique(labels, return_inverse=True)[1]
    points = np.column_stack([rng.integers(0, 50, records), rng.integers(0, 50, records), rng.integers(0, 3, records)])
    weights = rng.integers(1, 9, records).astype(float) if weighted else None
    chosen = Medoid().records(
        points.astype(float), (2,), members(labels, np.ones(records, dtype=bool)), MISMATCH, weights
    )
    assert chosen.tolist() == slow_medoids(
        points.tolist(), {2}, labels.tolist(), [1] * records if weights is None else weights.tolist()
    )


def test_a_heavy_record_draws_the_medoid_to_itself():
    points, everyone = np.array([[0.0], [1.0], [9.0]]), members(np.zeros(3, np.int64), np.ones(3, dtype=bool))
    assert Medoid().records(points, (), everyone).tolist() == [1]
    assert Medoid().records(points, (), everyone, weights=np.array([1.0, 1.0, 3.0])).tolist() == [2]


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_weights_are_positive(bad):
    everyone = members(np.zeros(3, np.int64), np.ones(3, dtype=bool))
    with pytest.raises(DataError, match="Weights must be positive"):
        Medoid().records(np.zeros((3, 1)), (), everyone, weights=np.array([1.0, 1.0, bad]))
