"""The figures of a report, drawn by matplotlib as SVG that is part of the page.

Every function takes a name, with which the identifiers inside the figure begin, and a description for readers who
cannot see it.
matplotlib is imported in the functions, to keep start-up quick.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shoal.report.page.svg import (
    INK,
    MASKED,
    MUTED,
    NEGATIVE,
    ORIGINAL,
    POSITIVE,
    RULE,
    SIZE,
    new_axes,
    svg_of,
    text_width,
)
from shoal.report.wording import compact, percent_text, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shoal.report.facts.summary import Shape

__all__ = ["bars", "categories", "density", "group_sizes", "heat_map", "linkage", "scale"]

_WIDTH = 340.0
_LEVELS = 20  # steps of colour on either side of zero

Matrix = Sequence[Sequence[float | None]]


def density(name: str, description: str, shape: Shape) -> str:
    """Draw how a variable is distributed, the original as an area and the masked file as a line over it."""
    figure, axes = new_axes(_WIDTH, 154, left=44, right=12, top=8, bottom=26)
    if shape.original is not None:
        axes.stairs(shape.original, shape.edges, fill=True, color=ORIGINAL, alpha=0.35, linewidth=0)
        axes.stairs(shape.original, shape.edges, color=ORIGINAL, linewidth=1)
        axes.stairs(shape.masked, shape.edges, color=MASKED, linewidth=1.8)
    else:
        axes.stairs(shape.masked, shape.edges, fill=True, color=MASKED, alpha=0.3, linewidth=0)
        axes.stairs(shape.masked, shape.edges, color=MASKED, linewidth=1.5)
    axes.set_xlim(shape.edges[0], shape.edges[-1])
    axes.set_ylim(0, max(max(shape.masked), *(shape.original or [0])) * 1.08)
    _count_axis(axes, "x", 4)
    axes.tick_params(axis="x", pad=8)  # clear of the 0 % beside it
    _percent_axis(axes, 3, factor=100)
    return svg_of(figure, name, description)


def categories(name: str, description: str, shape: Shape) -> str:
    """Draw the shares of categories, original over masked."""
    pairs = [(MASKED, shape.masked)] if shape.original is None else [(ORIGINAL, shape.original), (MASKED, shape.masked)]
    return _bars(
        name, description, shape.categories, [(colour, [100 * one for one in shares]) for colour, shares in pairs]
    )


def bars(
    name: str,
    description: str,
    names: Sequence[str],
    values: Sequence[float],
    most: float | None = None,
    texts: Sequence[str] | None = None,
) -> str:
    """Draw percentages as bars with their names before and their values behind them, which `texts` may give."""
    return _bars(name, description, names, [(MASKED, values)], most, texts)


def group_sizes(name: str, description: str, sizes: Sequence[tuple[int, int, int]]) -> str:
    """Draw how many groups there are of each size."""
    figure, axes = new_axes(_WIDTH, 190, left=46, right=10, top=16, bottom=40)
    places = range(len(sizes))
    counts = [count for _, _, count in sizes]
    axes.bar(places, counts, width=0.75, color=MASKED)
    axes.set_xlim(-0.6, max(len(sizes), 4) - 0.4)
    axes.set_ylim(0, max(counts) * 1.1)
    _count_axis(axes, "y", 3)
    axes.grid(axis="y", linewidth=1, color=RULE)
    axes.set_axisbelow(True)
    every = math.ceil(len(sizes) * max(text_width(_span(*size[:2])) + 8 for size in sizes) / 284)
    axes.set_xticks(
        [place for place in places if place % every == 0],
        [_span(low, high) for low, high, _ in sizes[::every]],
    )
    axes.set_xlabel("records in a group", labelpad=4)
    return svg_of(figure, name, description)


def linkage(name: str, description: str, points: Sequence[tuple[int, float]]) -> str:
    """Draw the percentage of records linked by the number of variables an intruder knows."""
    figure, axes = new_axes(_WIDTH, 190, left=46, right=14, top=18, bottom=40)
    known, shares = [one for one, _ in points], [share for _, share in points]
    axes.plot(known, shares, color=MASKED, linewidth=1.8, marker="o", markersize=5, clip_on=False)
    axes.set_xlim(min(known) - 0.3, max(known) + 0.3)
    axes.set_ylim(0, max(*shares, 0.5) * 1.12)
    axes.set_xticks(known)
    axes.set_xlabel("variables the intruder knows", labelpad=4)
    _percent_axis(axes, 4)
    return svg_of(figure, name, description)


def heat_map(name: str, description: str, names: Sequence[str], matrix: Matrix, greatest: float) -> str:
    """Draw a matrix of correlations or of their differences, `greatest` in the fullest colour."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    count = len(names)
    wide = count > 20
    side, letters, size = (620.0, 14, 9.5) if wide else (_WIDTH, 11, 11.0)
    labels = [shortened(one, letters) for one in names]
    margin = max(text_width(label, size) for label in labels) + 6
    figure, axes = new_axes(side, side, left=margin, right=4, top=4, bottom=margin)
    cells: dict[int, list[tuple[int, int]]] = {}
    for row, values in enumerate(matrix):
        for column, value in enumerate(values):
            if value is not None:
                level = max(-_LEVELS, min(_LEVELS, round(value / greatest * _LEVELS)))
                cells.setdefault(level, []).append((column, row))
    for level, places in sorted(cells.items()):
        if level:
            squares = Path.make_compound_path(*[_square(*place) for place in places])
            colour = POSITIVE if level > 0 else NEGATIVE
            axes.add_patch(
                PathPatch(squares, facecolor=colour, alpha=round(abs(level) / _LEVELS, 2), linewidth=0, clip_on=False)
            )
    axes.add_patch(PathPatch(Path.unit_rectangle().transformed(_scaled(count)), fill=False, edgecolor=RULE))
    axes.set_xlim(0, count)
    axes.set_ylim(count, 0)
    middles = [place + 0.5 for place in range(count)]
    axes.set_yticks(middles, labels, fontsize=size)
    axes.set_xticks(middles, labels, fontsize=size, rotation=90)
    return svg_of(figure, name, description, crisp=True)


def scale(name: str, greatest: float) -> str:
    """Draw the colours of a heat map and what they mean."""
    figure, axes = new_axes(220, 34, left=16, right=16, top=2, bottom=18)
    for level in range(-_LEVELS, _LEVELS + 1):
        colour = POSITIVE if level > 0 else NEGATIVE
        if level:
            axes.bar(level, 1, width=1, color=colour, alpha=round(abs(level) / _LEVELS, 2), linewidth=0)
    axes.set_xlim(-_LEVELS - 0.5, _LEVELS + 0.5)
    axes.set_ylim(0, 1)
    end = f"{greatest:g}"
    axes.set_xticks([-_LEVELS, 0, _LEVELS], [f"\N{MINUS SIGN}{end}", "0", f"+{end}"])
    axes.set_yticks([])
    return svg_of(figure, name, f"Colours from minus {end} to plus {end}", crisp=True)


def _bars(
    name: str,
    description: str,
    names: Sequence[str],
    series: Sequence[tuple[str, Sequence[float]]],
    most: float | None = None,
    texts: Sequence[str] | None = None,
) -> str:
    labels = [shortened(one, 20) for one in names]
    left = max(text_width(label) for label in labels) + 6
    step = 12 * len(series) + 9
    height = step * len(labels) + 6
    right = 58.0 if texts is None else max(text_width(text, SIZE - 1) for text in texts) + 10
    figure, axes = new_axes(_WIDTH, height, left=left, right=right, top=3, bottom=3)
    thickness = 10 / step
    longest = most or max(max(values) for _, values in series) or 1.0
    for number, (colour, values) in enumerate(series):
        shift = (number - (len(series) - 1) / 2) * 12 / step
        places = [place + shift for place in range(len(labels))]
        axes.barh(places, values, height=thickness, color=colour)
        for place, value, text in zip(places, values, texts or map(percent_text, values), strict=True):
            axes.annotate(
                text,
                (max(value, 0), place),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=SIZE - 1,
                color=MUTED,
                annotation_clip=False,
            )
    axes.axvline(0, color=RULE, linewidth=1)
    axes.set_xlim(0, longest)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xticks([])
    axes.set_yticks(range(len(labels)), labels, color=INK)
    return svg_of(figure, name, description)


def _count_axis(axes: Axes, which: str, most: int) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis = getattr(axes, f"{which}axis")
    axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10], integer=which == "y"))
    axis.set_major_formatter(FuncFormatter(lambda value, _: compact(value)))


def _percent_axis(axes: Axes, most: int, factor: float = 1.0) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * factor:g} %"))
    axes.grid(axis="y", linewidth=1, color=RULE)
    axes.set_axisbelow(True)


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}\N{EN DASH}{high}"


def _square(column: int, row: int) -> Any:
    from matplotlib.path import Path

    corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1), (column, row)]
    return Path(corners, [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY])


def _scaled(size: float) -> Any:
    from matplotlib.transforms import Affine2D

    return Affine2D().scale(size)
