"""Labels of points that do not cover each other: each at the first free place around its point."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

__all__ = ["place_labels"]

_SIZE = 8.5  # of the letters, in points
# To the right, to the left, above and below, then farther away with a line to the point.
_NEAR = [(6, 0), (-6, 0), (0, 9), (0, -9), (6, 9), (6, -9), (-6, 9), (-6, -9)]
_PLACES = [(x * far, y * far) for far in (1, 2, 3, 4.5, 6, 8, 10) for x, y in _NEAR]

Place = tuple[float, float]
Box = tuple[float, float, float, float]
Label = tuple[str, Place, Place, bool]  # text, its point, how far it is from it, whether a line leads there


def place_labels(ax: Axes, labels: Sequence[tuple[str, float, float]], points: Sequence[Place]) -> None:
    """Write the text of every (text, x, y) beside its point, so that it can be told whose it is.

    A text is on no other text, no point and not outside the axes; no other point is as near to it, no line from a
    text to its point passes near another, and none between another text and its point. The axes have to be drawn
    already. Where no place is free in any of a few orders of the texts, the text is left out.
    """
    pixel = 72 / ax.figure.dpi
    places = [_scaled(one, pixel) for one in ax.transData.transform(points)]
    corner, opposite = (_scaled(one, pixel) for one in ax.transAxes.transform([(0, 0), (1, 1)]))
    texts = [(text, _scaled(ax.transData.transform((x, y)), pixel), (x, y)) for text, x, y in labels]
    order = sorted(texts, key=lambda one: _room(one[1], places))
    arranged: list[Label] = []
    for _ in range(10):
        found = _arranged(order, places, (*corner, *opposite))
        arranged = max(arranged, found, key=len)
        written = {label[0] for label in found}
        order.sort(key=lambda one: one[0] in written)  # texts without a place choose first
    for text, point, (right, up), has_line in arranged:
        side = _side(right)
        relative = {0: (0.5, 0.5), 1: (0, 0.5), -1: (1, 0.5)}[side]
        line = {"arrowstyle": "-", "color": "#555555", "linewidth": 0.8, "shrinkA": 0, "relpos": relative}
        ax.annotate(
            text,
            point,
            (right, up),
            textcoords="offset points",
            fontsize=_SIZE,
            ha={0: "center", 1: "left", -1: "right"}[side],
            va="center",
            arrowprops=line if has_line else None,
        )


def _arranged(order: Sequence[tuple[str, Place, Place]], places: Sequence[Place], inside: Box) -> list[Label]:
    """Return the texts that have a place: each the first that those before it leave free."""
    taken = [_box(*one, 7, 7) for one in places]  # by points and texts, and below by the ways from text to point
    ways: list[Box] = []
    arranged: list[Label] = []
    for text, centre, point in order:
        width, height = 0.64 * _SIZE * len(text), 1.2 * _SIZE
        for right, up in _PLACES:
            end = centre[0] + right, centre[1] + up
            box = _box(end[0] + _side(right) * width / 2, end[1], width, height)
            is_inside = inside[0] <= box[0] and box[2] <= inside[2] and inside[1] <= box[1] and box[3] <= inside[3]
            way = [_box(*one, 1, 1) for one in _way(centre, end)]  # kept free, with a line in it or without
            is_free = not any(_overlap(box, other) for other in (*taken, *ways))
            crosses = any(_overlap(one, other) for one in way for other in (*ways, *taken[len(places) :]))
            if is_inside and is_free and not crosses and _is_plain(box, centre, end, places):
                taken.append(box)
                ways += way
                arranged.append((text, point, (right, up), bool(_line(centre, end))))
                break
    return arranged


def _side(right: float) -> int:
    return 0 if right == 0 else (1 if right > 0 else -1)


def _scaled(at: Sequence[float], pixel: float) -> Place:
    return float(at[0]) * pixel, float(at[1]) * pixel


def _others(own: Place, places: Sequence[Place]) -> list[Place]:
    return [one for one in places if math.dist(one, own) > 0.01]


def _room(own: Place, places: Sequence[Place]) -> float:
    """Return how far the nearest other point is: crowded points choose first."""
    return min((math.dist(one, own) for one in _others(own, places)), default=0.0)


def _line(centre: Place, end: Place) -> list[Place]:
    """Return places along the line from a point to its text; none where the text is beside the point."""
    return [] if abs(end[0] - centre[0]) + abs(end[1] - centre[1]) <= 15 else _way(centre, end)


def _way(centre: Place, end: Place) -> list[Place]:
    """Return places on the straight way from the edge of a point to its text."""
    parts = [part / 40 for part in range(1, 41)]
    way = [(centre[0] + (end[0] - centre[0]) * part, centre[1] + (end[1] - centre[1]) * part) for part in parts]
    return [one for one in way if math.dist(one, centre) > 3]


def _is_plain(box: Box, centre: Place, end: Place, places: Sequence[Place]) -> bool:
    """Return whether it can be told whose label this is."""
    others, steps = _others(centre, places), _line(centre, end)
    if not steps:
        return all(_distance(box, one) > _distance(box, centre) + 2.5 for one in others)
    return all(math.dist(one, step) > min(4.5, math.dist(one, centre)) for one in others for step in steps)


def _distance(box: Box, place: Place) -> float:
    """Return how far a place is from a box."""
    x, y = place
    return math.hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))


def _box(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
