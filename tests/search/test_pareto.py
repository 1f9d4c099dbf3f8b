"""The Pareto front against its definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal.search.tuning import pareto_front

FIGURES = st.tuples(st.integers(0, 6), st.integers(0, 6))


def dominates(one, other) -> bool:
    return one[0] <= other[0] and one[1] <= other[1] and one != other


@given(st.lists(FIGURES, max_size=30))
def test_the_front_is_what_nothing_dominates(points):
    front = pareto_front(points)
    undominated = {point for point in points if not any(dominates(other, point) for other in points)}
    assert {points[place] for place in front} == undominated
    assert front == sorted(front, key=lambda place: points[place])
    assert all(place == points.index(points[place]) for place in front)
