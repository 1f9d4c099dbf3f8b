"""The map of risk and loss: every release is a point, and the further down and to the left the better."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.flow.masking import FAMILIES
from shoal.report.page.svg import INK, MUTED, RULE, SIZE, new_axes, svg_of, text_width
from shoal.search.tuning import pareto_front

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shoal.search.comparison import Comparison
    from shoal.search.tuning import Tuning

__all__ = [
    "Mark",
    "Point",
    "comparison_map",
    "comparison_points",
    "draw_map",
    "places_on_map",
    "standalone",
    "tuning_map",
]

Doubles = NDArray[np.float64]

# Shape and colour of each family; the colours of Okabe and Ito, which most people can tell apart.
_MARKS = {
    "microaggregation": ("o", "#0072b2"),
    "fuzzy": ("^", "#e69f00"),
    "entropy": ("v", "#009e73"),
    "hybrid": ("s", "#d55e00"),
    "synthetic": ("D", "#cc79a7"),
    "perturbation": ("P", "#56b4e9"),
}
_LINES: dict[str, dict[str, Any]] = {
    "Pareto front": {"color": INK, "linewidth": 1.4, "zorder": 2.5},
    "risk limit": {"color": MUTED, "linewidth": 1.4, "linestyle": (0, (5, 3)), "zorder": 1},
}
_MANY: dict[str, Any] = {"alpha": 0.6, "markersize": 4}
_LEADER: dict[str, Any] = {"color": MUTED, "linewidth": 1}
_WIDTH, _LEFT, _RIGHT, _TOP, _BELOW = 400.0, 46.0, 12.0, 10.0, 44.0
_SIDE = _WIDTH - _LEFT - _RIGHT
_EDGE = 4.0  # percent beyond 0 and 100, so that no mark is cut off
_LINE, _KEY_LINE, _KEYS_A_LINE = SIZE * 1.25, 20.0, 3
_LETTERS = (24, 16)  # at most in a line of a label: the one that finds the better place
_RING = 8.0  # pixels from the middle of a mark to its edge
_COLOURS = {"--ink": "#1d2530", "--muted": "#555f6d", "--rule": "#d9dee4"}  # of a light page


@dataclass(frozen=True)
class Point:
    """One release."""

    risk: float
    loss: float
    family: str


@dataclass(frozen=True)
class Mark:
    """A label on one of the points."""

    point: tuple[float, float]
    label: str
    more: str = ""
    chosen: bool = False


def tuning_map(tuning: Tuning) -> str:
    """Draw the trials of a search, as an `svg` element of a page."""
    points = [Point(*trial.point, trial.family) for trial in tuning.measured]
    chosen, fixed = tuning.chosen, tuning.best_fixed
    marks = []
    if chosen is not None:
        marks.append(Mark(chosen.point, "chosen", f"{chosen.method}, {chosen.settings_text}", chosen=True))
    if fixed is not None and fixed != chosen:
        marks.append(Mark(fixed.point, "best fixed choice"))
    return draw_map(points, marks, tuning.unmasked_risk, tuning.max_risk)


def comparison_points(comparison: Comparison) -> list[Point]:
    """Return the rows that have both a risk and a loss."""
    return [Point(row.risk, row.loss, row.family) for row in comparison.rows if row.risk is not None is not row.loss]


def comparison_map(comparison: Comparison) -> str:
    """Draw the rows of a comparison, as an `svg` element of a page."""
    best = next((row for row in comparison.rows if row.score is not None), None)
    marks = []
    if best is not None and best.risk is not None and best.loss is not None:
        marks.append(Mark((best.risk, best.loss), "lowest score", best.name, chosen=True))
    return draw_map(comparison_points(comparison), marks, comparison.unmasked_risk, None)


def draw_map(
    points: Sequence[Point], marks: Sequence[Mark], unmasked_risk: float | None, max_risk: float | None
) -> str:
    """Draw points, their Pareto front, and labels that cover none of them.

    Parameters
    ----------
    points
        Risk, loss and family of every release. A loss above 100 is drawn at 100.
    marks
        Which of them are labelled.
    unmasked_risk
        The risk of the unmasked file, whose loss is 0.
    max_risk
        The highest risk that was asked for.
    """
    points = [replace(point, loss=min(point.loss, 100.0)) for point in points]
    marks = [replace(mark, point=(mark.point[0], min(mark.point[1], 100.0))) for mark in marks]
    families = [family for family in FAMILIES if any(point.family == family for point in points)]
    places = [(point.risk, point.loss) for point in points]
    front = [places[place] for place in pareto_front(places)]
    keys = [*families, *["Pareto front"] * (len(front) > 1), *["risk limit"] * (max_risk is not None)]
    bottom = _BELOW + -(-len(keys) // _KEYS_A_LINE) * _KEY_LINE
    figure, axes = new_axes(_WIDTH, _TOP + _SIDE + bottom, _LEFT, _RIGHT, _TOP, bottom)
    _draw_scales(axes)
    for family in families:
        own = [(point.risk, point.loss) for point in points if point.family == family]
        axes.plot(*zip(*own, strict=True), **_looks(*_MARKS[family]) | (_MANY if len(points) > 400 else {"alpha": 0.8}))
    drawn = [_pixels(places)]
    if front:
        stairs = [one for (risk, loss), (then, _) in pairwise(front) for one in ((risk, loss), (then, loss))]
        stairs.append(front[-1])
        axes.plot(*zip(*stairs, strict=True), **_LINES["Pareto front"])
        drawn.append(_dense(_pixels(stairs)))
    if max_risk is not None:
        limit = [(max_risk, 0.0), (max_risk, 100.0)]
        axes.plot(*zip(*limit, strict=True), **_LINES["risk limit"])
        drawn.append(_dense(_pixels(limit)))
    labelled = list(marks)
    for mark in marks:
        looks: dict[str, Any] = (
            {"markersize": 15, "markeredgewidth": 2.2} if mark.chosen else {"markersize": 12, "markeredgewidth": 1.4}
        )
        axes.plot(*mark.point, marker="o", color=INK, fillstyle="none", **looks)
    if unmasked_risk is not None:
        axes.plot(unmasked_risk, 0, **_looks("X", MUTED) | {"markersize": 8})
        labelled.append(Mark((unmasked_risk, 0.0), "unmasked file"))
    _draw_labels(axes, labelled, np.vstack(drawn))
    _draw_key(axes, keys)
    return svg_of(figure, "map", _in_words(points, families, front, labelled))


def places_on_map(points: Sequence[Point]) -> list[tuple[float, float]]:
    """Return where points are drawn, in pixels from the upper left corner of the map, which is 400 wide."""
    drawn = _pixels([(point.risk, min(point.loss, 100.0)) for point in points])
    return [(float(_LEFT + x), float(_TOP + _SIDE - y)) for x, y in drawn]


def _looks(shape: str, colour: str) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": shape,
        "color": colour,
        "markersize": 6,
        "markeredgewidth": 0,
        "clip_on": False,
    }


def _draw_scales(axes: Axes) -> None:
    """Draw the scales and the lines of equal score."""
    axes.set_xlim(-_EDGE, 100 + _EDGE)
    axes.set_ylim(-_EDGE, 100 + _EDGE)
    ticks = range(0, 101, 20)
    axes.set_xticks(ticks, [f"{tick}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick}" for tick in ticks])
    axes.set_xlabel("disclosure risk, % (lower is safer)", labelpad=4)
    axes.set_ylabel("information loss, % (lower is better)", labelpad=4)
    for score in range(10, 100, 10):
        ends = max(0, 2 * score - 100), min(100, 2 * score)
        axes.plot(ends, ends[::-1], color=MUTED, linewidth=1, linestyle=(0, (1, 4)), zorder=0.5)
    axes.plot([0, 0, 100, 100, 0], [0, 100, 100, 0, 0], color=RULE, linewidth=1, zorder=0.6, clip_on=False)


def _draw_key(axes: Axes, keys: Sequence[str]) -> None:
    """Draw the legend below the map."""
    widths = [max(map(text_width, keys[column::_KEYS_A_LINE]), default=0) + 40 for column in range(_KEYS_A_LINE)]
    for place, name in enumerate(keys):
        x = 8 + sum(widths[: place % _KEYS_A_LINE]) - _LEFT
        y = -_BELOW - (place // _KEYS_A_LINE + 0.5) * _KEY_LINE
        _write(axes, name, x + 16, y)
        at = {"transform": axes.transAxes, "clip_on": False}
        if name in _MARKS:
            shape, colour = _MARKS[name]
            axes.plot([(x + 4) / _SIDE], [y / _SIDE], **_looks(shape, colour) | at)
        else:
            axes.plot([(x - 3) / _SIDE, (x + 11) / _SIDE], [y / _SIDE] * 2, **_LINES[name] | at)


def _write(axes: Axes, text: str, x: float, y: float, bold: bool = False) -> None:
    """Write a line of text, so many pixels from the lower left corner of the axes."""
    weight = "bold" if bold else "normal"
    axes.annotate(
        text,
        (x, y),
        xycoords="axes pixels",
        va="center",
        fontsize=SIZE,
        fontweight=weight,
        color=INK,
        annotation_clip=False,
    )


def _pixels(points: Sequence[tuple[float, float]]) -> Doubles:
    """Return places in pixels from the lower left corner of the axes."""
    return (np.array(points, dtype=float).reshape(-1, 2) + _EDGE) / (100 + 2 * _EDGE) * _SIDE


def _draw_labels(axes: Axes, marks: Sequence[Mark], taken: Doubles) -> None:
    """Put every label where it covers nothing, as near to its point as possible, with a line between them."""
    rings = _pixels([mark.point for mark in marks])
    room = _Room()
    room.take(taken, 5)
    room.take(rings, _RING, weight=9)
    for mark, target in zip(marks, rings, strict=True):
        ways = [[mark.label, *textwrap.wrap(mark.more, letters)] for letters in _LETTERS]
        sizes = [np.array([max(map(text_width, lines)), len(lines) * _LINE]) for lines in ways]
        places = [room.place(target, size) for size in sizes]
        best = min(range(len(ways)), key=lambda way: places[way][0])
        lines, (wide, high), (_, corner, end) = ways[best], sizes[best], places[best]
        away = float(np.hypot(*(end - target)))
        if away > _RING + 6:
            start = target + (end - target) / away * _RING
            axes.plot(*zip(start / _SIDE, end / _SIDE, strict=True), transform=axes.transAxes, **_LEADER)
            room.take(_dense(np.array([start, end])), 2)
        middle = corner[1] + high / 2
        room.take(_dense(np.array([[corner[0], middle], [corner[0] + wide, middle]])), high / 2)
        for number, line in enumerate(lines):
            at = corner[1] + high - (number + 0.5) * _LINE
            _write(axes, line, corner[0], at, bold=mark.chosen and number == 0)


def _dense(path: Doubles) -> Doubles:
    """Return points along a path, a few pixels apart."""
    pairs = list(pairwise(path))
    return np.vstack(
        [path[:1], *(np.linspace(*pair, max(2, int(np.hypot(*(pair[1] - pair[0])) / 4))) for pair in pairs)]
    )


class _Room:
    """The pixels of the map, and how much it matters not to cover each of them."""

    def __init__(self) -> None:
        self._taken = np.zeros((int(_SIDE) + 1, int(_SIDE) + 1), dtype=np.int64)  # by row, the lowest first

    def take(self, places: Doubles, margin: float, weight: int = 1) -> None:
        """Mark the pixels around places as taken."""
        for x, y in places:
            left, low = max(int(x - margin), 0), max(int(y - margin), 0)
            box = self._taken[low : max(int(y + margin), 0) + 1, left : max(int(x + margin), 0) + 1]
            np.maximum(box, weight, out=box)

    def place(self, target: Doubles, size: Doubles) -> tuple[float, Doubles, Doubles]:
        """Return where a label covers least, with a short line to its target that crosses little.

        These are the cost of the place, the label's lower left corner, and the end of the line at the label.
        """
        low, end = _pixels([(0, 0), (100, 100)])[:, 0]
        reach = [np.arange(low + 6, max(end - side - 6, low + 6) + 1e-9, 3.0) for side in size]
        corners = np.column_stack([grid.ravel() for grid in np.meshgrid(*reach)])
        near = np.clip(target, corners - 3, corners + size + 3)
        away = np.hypot(*(near - target).T)
        crossed = np.zeros(len(corners))
        for part in np.linspace(0, 1, 100):
            x, y = (target + part * (near - target)).astype(int).T
            outside = part * away > _RING + 1  # of the mark itself
            crossed += outside * self._taken[y.clip(0, len(self._taken) - 1), x.clip(0, len(self._taken) - 1)]
        cost = 10 * self._covered(corners, size) + away * (0.5 + 2 * crossed / 100)
        best = int(np.argmin(cost))
        return float(cost[best]), corners[best], near[best]

    def _covered(self, corners: Doubles, size: Doubles) -> Doubles:
        """Count the pixels that labels would cover, with a margin around them."""
        sums = np.pad(self._taken.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
        ends = [corners - 4, corners + size + 4]
        (left, low), (right, top) = (one.astype(int).clip(0, len(self._taken)).T for one in ends)
        return np.asarray(sums[top, right] - sums[low, right] - sums[top, left] + sums[low, left], dtype=float)


def _in_words(
    points: Sequence[Point], families: Sequence[str], front: Sequence[tuple[float, float]], marks: Sequence[Mark]
) -> str:
    """Describe the map in words."""
    counts = ", ".join(f"{sum(point.family == name for point in points)} {name}" for name in families)
    places = "; ".join(
        f"{mark.label}{': ' * bool(mark.more)}{mark.more}, risk {mark.point[0]:.1f}, loss {mark.point[1]:.1f}"
        for mark in marks
    )
    return f"Risk and loss of {len(points)} releases ({counts}), {len(front)} of them on the Pareto front. {places}."


def standalone(svg: str) -> str:
    """Return an `svg` element as a file of its own, dark on white."""
    for name, colour in _COLOURS.items():
        svg = svg.replace(f"var({name})", colour)
    head, _, rest = svg.partition(">")
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n{head} font-family="Helvetica, Arial, sans-serif">'
        f'<rect x="-1" y="-1" width="200%" height="200%" fill="#fff"/>{rest}\n'
    )
