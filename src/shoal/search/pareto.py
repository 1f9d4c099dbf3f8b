"""The Pareto front: points that no other point beats in one coordinate without losing in the other."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["pareto_front"]


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of the points that no other point dominates, by their first coordinate; lower is better.

    One point dominates another if it is as low in both coordinates and lower in one. Of equal points the first is
    taken.
    """
    front: list[int] = []
    lowest = float("inf")
    for place in sorted(range(len(points)), key=lambda one: (*points[one], one)):
        if points[place][1] < lowest:
            lowest = points[place][1]
            front.append(place)
    return front
