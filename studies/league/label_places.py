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


def place_labels(ax: Axes, labels: Sequence[tuple[str, float, float]], points: Sequence[Place]) -> None:
    """Write the text of every (text, x, y) beside its point, so that it can be told whose it is.

    A text is on no other text, no point and not outside the axes; no other point is as near to it, and no line from a
    text to its point passes near another. The axes have to be drawn already. Where no place is free the text is left
    out.
    """
    pixel = 72 / ax.figure.dpi
    places = [_scaled(one, pixel) for one in ax.transData.transform(points)]
    corner, opposite = (_scaled(one, pixel) for one in ax.transAxes.transform([(0, 0), (1, 1)]))
    texts = [(text, _scaled(ax.transData.transform((x, y)), pixel), (x, y)) for text, x, y in labels]
    taken = [_box(*one, 7, 7) for one in places]  # by points and texts, and below by lines
    lines: list[Box] = []
    for text, centre, point in sorted(texts, key=lambda one: _room(one[1], places)):
        width, height = 0.58 * _SIZE * len(text), 1.2 * _SIZE
        for right, up in _PLACES:
            side = 0 if right == 0 else (1 if right > 0 else -1)
            end = centre[0] + right, centre[1] + up
            box = _box(end[0] + side * width / 2, end[1], width, height)
            inside = corner[0] <= box[0] and box[2] <= opposite[0] and corner[1] <= box[1] and box[3] <= opposite[1]
            line_boxes = [_box(*one, 1, 1) for one in _line(centre, end)]
            is_free = not any(_overlap(box, other) for other in (*taken, *lines))
            crosses = any(_overlap(one, other) for one in line_boxes for other in (*lines, *taken[len(places) :]))
            if inside and is_free and not crosses and _is_plain(box, centre, end, places):
                taken.append(box)
                lines += line_boxes
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
                    arrowprops=line if line_boxes else None,
                )
                break


def _scaled(at: Sequence[float], pixel: float) -> Place:
    return float(at[0]) * pixel, float(at[1]) * pixel


def _others(own: Place, places: Sequence[Place]) -> list[Place]:
    return [one for one in places if math.dist(one, own) > 0.01]


def _room(own: Place, places: Sequence[Place]) -> float:
    """Return how far the nearest other point is: crowded points choose first."""
    return min((math.dist(one, own) for one in _others(own, places)), default=0.0)


def _line(centre: Place, end: Place) -> list[Place]:
    """Return places along the line from a point to its text; none where the text is beside the point."""
    if abs(end[0] - centre[0]) + abs(end[1] - centre[1]) <= 15:
        return []
    ways = [part / 40 for part in range(1, 41)]
    return [(centre[0] + (end[0] - centre[0]) * way, centre[1] + (end[1] - centre[1]) * way) for way in ways]


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
