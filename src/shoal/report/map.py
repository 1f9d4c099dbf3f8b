"""The map of risk and loss: every release a point, the lower and the more to the left the better."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.ground import FAMILIES
from shoal.report.svg import INK, MUTED, RULE, SIZE, new_axes, svg_of, text_width
from shoal.search.pareto import pareto_front

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shoal.comparison import Comparison
    from shoal.tuning import Tuning

__all__ = ["comparison_map", "comparison_points", "drawn_map", "standalone", "tuning_map"]

Doubles = NDArray[np.float64]

# Shape and colour of each family; the colours of Okabe and Ito, which most people can tell apart.
_MARKS = {
    "microaggregation": ("o", "#0072b2"),
    "fuzzy": ("^", "#e69f00"),
    "entropy": ("v", "#009e73"),
    "hybrid": ("s", "#d55e00"),
    "synthetic": ("D", "#cc79a7"),
}
_LINES: dict[str, dict[str, Any]] = {
    "Pareto front": {"color": INK, "linewidth": 1.4, "zorder": 1.5},
    "highest risk": {"color": MUTED, "linewidth": 1.4, "linestyle": (0, (5, 3)), "zorder": 1},
}
_LEADER: dict[str, Any] = {"color": MUTED, "linewidth": 1}
_WIDTH, _LEFT, _RIGHT, _TOP, _BELOW = 400.0, 46.0, 12.0, 10.0, 44.0
_SIDE = _WIDTH - _LEFT - _RIGHT
_EDGE = 4.0  # per cent beyond 0 and 100, so that no mark is cut
_LINE, _KEY_LINE, _KEYS_A_LINE = SIZE * 1.25, 20.0, 3
_LETTERS = 24  # in a line of a label
_RING = 8.0  # pixels from the middle of a mark to its edge
_COLOURS = {"--ink": "#1d2530", "--muted": "#555f6d", "--rule": "#d9dee4"}  # of a page in daylight


@dataclass(frozen=True)
class Point:
    """One release."""

    risk: float
    loss: float
    family: str


@dataclass(frozen=True)
class Mark:
    """What is said about one of the points."""

    point: tuple[float, float]
    label: str
    more: str = ""
    chosen: bool = False


def tuning_map(tuning: Tuning) -> str:
    """Draw what a search found, as an `svg` element of a page."""
    points = [Point(*trial.point, trial.family) for trial in tuning.measured]
    chosen, fixed = tuning.chosen, tuning.best_fixed
    marks = []
    if chosen is not None:
        marks.append(Mark(chosen.point, "chosen", f"{chosen.method}, {chosen.dials}", chosen=True))
    if fixed is not None and fixed != chosen:
        marks.append(Mark(fixed.point, "best fixed choice"))
    return drawn_map(points, marks, tuning.unmasked_risk, tuning.max_risk)


def comparison_points(comparison: Comparison) -> list[Point]:
    """Return the rows that have a place on the map."""
    return [Point(row.risk, row.loss, row.family) for row in comparison.rows if row.risk is not None is not row.loss]


def comparison_map(comparison: Comparison) -> str:
    """Draw the rows of a comparison, as an `svg` element of a page."""
    best = next((row for row in comparison.rows if row.score is not None), None)
    marks = []
    if best is not None and best.risk is not None and best.loss is not None:
        marks.append(Mark((best.risk, best.loss), "lowest score", f"{best.method}, k={best.k}", chosen=True))
    return drawn_map(comparison_points(comparison), marks, comparison.unmasked_risk, None)


def drawn_map(
    points: Sequence[Point], marks: Sequence[Mark], unmasked_risk: float | None, max_risk: float | None
) -> str:
    """Draw points, the front of those that nothing beats, and labels that cover none of them.

    Parameters
    ----------
    points
        Risk, loss and family of every release.
    marks
        Which of them are labelled.
    unmasked_risk
        The risk of the file as it is, which loses nothing.
    max_risk
        The highest risk that was asked for.
    """
    families = [family for family in FAMILIES if any(point.family == family for point in points)]
    keys = [*families, "Pareto front", *["highest risk"] * (max_risk is not None)]
    bottom = _BELOW + -(-len(keys) // _KEYS_A_LINE) * _KEY_LINE
    figure, axes = new_axes(_WIDTH, _TOP + _SIDE + bottom, _LEFT, _RIGHT, _TOP, bottom)
    _draw_ground(axes)
    for family in families:
        own = [(point.risk, point.loss) for point in points if point.family == family]
        axes.plot(*zip(*own, strict=True), **_looks(*_MARKS[family]) | {"alpha": 0.8})
    places = [(point.risk, point.loss) for point in points]
    front = [places[place] for place in pareto_front(places)]
    drawn = [_pixels(places)]
    if front:
        stairs = [one for (risk, loss), (then, _) in pairwise(front) for one in ((risk, loss), (then, loss))]
        stairs.append(front[-1])
        axes.plot(*zip(*stairs, strict=True), **_LINES["Pareto front"])
        drawn.append(_dense(_pixels(stairs)))
    if max_risk is not None:
        limit = [(max_risk, 0.0), (max_risk, 100.0)]
        axes.plot(*zip(*limit, strict=True), **_LINES["highest risk"])
        drawn.append(_dense(_pixels(limit)))
    said = list(marks)
    for mark in marks:
        looks: dict[str, Any] = (
            {"markersize": 15, "markeredgewidth": 2.2} if mark.chosen else {"markersize": 12, "markeredgewidth": 1.4}
        )
        axes.plot(*mark.point, marker="o", color=INK, fillstyle="none", **looks)
    if unmasked_risk is not None:
        axes.plot(unmasked_risk, 0, **_looks("X", MUTED) | {"markersize": 8})
        said.append(Mark((unmasked_risk, 0.0), "unmasked file"))
    _draw_labels(axes, said, np.vstack(drawn))
    _draw_key(axes, keys)
    return svg_of(figure, "map", _in_words(points, families, front, said))


def _looks(shape: str, colour: str) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": shape,
        "color": colour,
        "markersize": 6,
        "markeredgewidth": 0,
        "clip_on": False,
    }


def _draw_ground(axes: Axes) -> None:
    """Draw the scales, and lines of equal score."""
    axes.set_xlim(-_EDGE, 100 + _EDGE)
    axes.set_ylim(-_EDGE, 100 + _EDGE)
    ticks = range(0, 101, 20)
    axes.set_xticks(ticks, [f"{tick}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick}" for tick in ticks])
    axes.set_xlabel("disclosure risk, %", labelpad=4)
    axes.set_ylabel("information loss, %", labelpad=4)
    for score in range(10, 100, 10):
        ends = max(0, 2 * score - 100), min(100, 2 * score)
        axes.plot(ends, ends[::-1], color=RULE, linewidth=1, linestyle=(0, (1, 3)), zorder=0.5)
    axes.plot([0, 0, 100, 100, 0], [0, 100, 100, 0, 0], color=RULE, linewidth=1, zorder=0.6, clip_on=False)


def _draw_key(axes: Axes, keys: Sequence[str]) -> None:
    """Say below the map what its marks and lines are."""
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
    """Put every label where it covers nothing, as near to its point as that allows, with a line to it."""
    rings = _pixels([mark.point for mark in marks])
    boxes = np.vstack([_around(taken, 5), _around(rings, _RING)])
    for mark, target in zip(marks, rings, strict=True):
        lines = [mark.label, *textwrap.wrap(mark.more, _LETTERS)]
        wide, high = max(text_width(line) for line in lines), len(lines) * _LINE
        others = boxes[~(np.abs(boxes - np.tile(target, 2)) <= _RING).all(axis=1)]
        x, y = _free_place(target, wide, high, boxes, others)
        near, away = _to_label(target, np.array([[x, y, x + wide, y + high]]))
        if away[0] > _RING + 6:
            start = target + (near[0] - target) / away[0] * _RING
            axes.plot(*zip(start / _SIDE, near[0] / _SIDE, strict=True), transform=axes.transAxes, **_LEADER)
            boxes = np.vstack([boxes, _around(_dense(np.array([start, near[0]])), 2)])
        for number, line in enumerate(lines):
            _write(axes, line, x, y + high - (number + 0.5) * _LINE, bold=mark.chosen and number == 0)
        boxes = np.vstack([boxes, [[x, y, x + wide, y + high]]])


def _around(places: Doubles, margin: float) -> Doubles:
    """Return boxes around places: left, low, right, high."""
    return np.hstack([places - margin, places + margin])


def _dense(path: Doubles) -> Doubles:
    """Return points along a path, a few pixels apart."""
    pairs = list(pairwise(path))
    return np.vstack(
        [path[:1], *(np.linspace(*pair, max(2, int(np.hypot(*(pair[1] - pair[0])) / 5))) for pair in pairs)]
    )


def _to_label(target: Doubles, labels: Doubles) -> tuple[Doubles, Doubles]:
    """Return the point of every label that is nearest to a target, and how far it is."""
    near = np.clip(target, labels[:, :2] - 3, labels[:, 2:] + 3)
    return near, np.hypot(*(near - target).T)


def _free_place(target: Doubles, wide: float, high: float, boxes: Doubles, others: Doubles) -> tuple[float, float]:
    """Return the lower left corner of a label that covers no box, near to its point, its line over little."""
    low, end = _pixels([(0, 0), (100, 100)])[:, 0]
    reach = [np.arange(low + 6, max(end - size - 6, low + 6) + 1e-9, 4.0) for size in (wide, high)]
    x, y = (grid.ravel() for grid in np.meshgrid(*reach))
    labels = np.column_stack([x, y, x + wide, y + high])
    near, away = _to_label(target, labels)
    parts = np.linspace(0.1, 1.0, 16)
    crossed = sum((_overlaps(_around(target + part * (near - target), 1), others) > 0 for part in parts), 0 * away)
    cost = 100 * _overlaps(labels + np.array([-4, -3, 4, 3]), boxes) + away * (0.2 + crossed / len(parts))
    best = int(np.argmin(cost))
    return float(x[best]), float(y[best])


def _overlaps(labels: Doubles, boxes: Doubles) -> NDArray[np.int64]:
    """Count for every label the boxes it overlaps."""
    apart = (labels[:, None, :2] > boxes[None, :, 2:]) | (labels[:, None, 2:] < boxes[None, :, :2])
    count: NDArray[np.int64] = (~apart.any(axis=2)).sum(axis=1)
    return count


def _in_words(
    points: Sequence[Point], families: Sequence[str], front: Sequence[tuple[float, float]], marks: Sequence[Mark]
) -> str:
    """Say in words what is drawn."""
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
