"""A lower bound says how it was proven, and how far from the best a partition can be."""

from __future__ import annotations

import math
import pickle

import pytest

from shoal.partition import LowerBound


def test_a_bound_is_a_number_with_its_method():
    bound = LowerBound({"neighbours": 3.0, "linear program": 4.0})
    assert (bound, bound.method, bound.note) == (4.0, "linear program", "")
    again = pickle.loads(pickle.dumps(bound))
    assert (again, again.method, again.by_method) == (4.0, "linear program", {"neighbours": 3.0, "linear program": 4.0})


@pytest.mark.parametrize(("error", "gap", "above"), [(5.0, 0.2, 0.25), (4.0, 0.0, 0.0), (3.0, 0.0, 0.0)])
def test_the_gap_of_a_partition(error, gap, above):
    bound = LowerBound({"neighbours": 4.0})
    assert bound.gap(error) == pytest.approx(gap)
    assert bound.above(error) == pytest.approx(above)


def test_a_bound_of_zero_proves_nothing_above_zero():
    bound = LowerBound({"neighbours": 0.0})
    assert (bound.gap(0.0), bound.above(0.0)) == (0.0, 0.0)
    assert (bound.gap(2.0), bound.above(2.0)) == (1.0, math.inf)
