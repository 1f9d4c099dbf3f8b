"""Labels of points that do not cover each other: each at the first free place around its point."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

__all__ = ["place_labels"]

_SIZE = 8.5  # of the letters, in points
# To the right, to the left, above and below, then farther away with a line to the point.
_NEAR = [(6, 0), (-6, 0), (0, 9), (0, -9), (6, 9), (6, -9), (-6, 9), (-6, -9)]
_PLACES = [(x * far, y * far) for far in (1, 2, 3, 4.5, 6, 8, 10) for x, y in _NEAR]


def place_labels(ax: Axes, labels: Sequence[tuple[str, float, float]], points: Sequence[tuple[float, float]]) -> None:
    """Write the text of every (text, x, y) beside its point, on no other text, no point and not outside the axes.

    The axes have to be drawn already. Where no place is free the text is left out.
    """
    pixel = 72 / ax.figure.dpi
    to_points = ax.transData.transform
    taken = [_box(x * pixel, y * pixel, 7, 7) for x, y in to_points(points)]
    corner, opposite = ax.transAxes.transform([(0, 0), (1, 1)]) * pixel
    for text, x, y in sorted(labels, key=lambda one: (-one[2], one[1], one[0])):
        centre_x, centre_y = to_points((x, y)) * pixel
        width, height = 0.56 * _SIZE * len(text), 1.2 * _SIZE
        for right, up in _PLACES:
            side = 0 if right == 0 else (1 if right > 0 else -1)
            box = _box(centre_x + right + side * width / 2, centre_y + up, width, height)
            inside = corner[0] <= box[0] and box[2] <= opposite[0] and corner[1] <= box[1] and box[3] <= opposite[1]
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                line = {"arrowstyle": "-", "color": "#999999", "linewidth": 0.6} if abs(right) + abs(up) > 15 else None
                align = {0: "center", 1: "left", -1: "right"}[side]
                ax.annotate(
                    text,
                    (x, y),
                    (right, up),
                    textcoords="offset points",
                    fontsize=_SIZE,
                    ha=align,
                    va="center",
                    arrowprops=line,
                )
                break


def _box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
