"""Two numbers together as a picture: how many records are where, in squares, the more the darker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.report.page.svg import MASKED, MUTED, ORIGINAL, RULE, new_axes, svg_of
from shoal.report.wording import compact, shortened

__all__ = ["joint_edges", "joint_plot"]

Doubles = NDArray[np.float64]

_SQUARES = 32  # along each side
_TAIL = 0.005  # share of the records beyond either end, which the outermost squares hold
_LEVELS = 10
_SIDE, _LEFT, _BOTTOM, _ROOM = 250.0, 52.0, 44.0, 12.0


def joint_edges(columns: list[Doubles]) -> Doubles:
    """Return the edges of squares that hold the values of a variable in both files, but for its tails."""
    values = np.concatenate([one[np.isfinite(one)] for one in columns])
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL]) if len(values) else (0.0, 1.0)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, _SQUARES + 1)


def joint_plot(
    name: str, description: str, pair: tuple[Doubles, Doubles], edges: tuple[Doubles, Doubles], names: tuple[str, str]
) -> str:
    """Draw how many records are in every square, as an `svg` element.

    Parameters
    ----------
    name, description
        As in `shoal.report.page.plots`; a name that begins with "before" is drawn in the colour of the original.
    pair
        The two variables.
    edges
        The edges of the squares, for each.
    names
        What the variables are called.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    figure, axes = new_axes(_SIDE + _LEFT + _ROOM, _SIDE + _BOTTOM + _ROOM, _LEFT, _ROOM, _ROOM, _BOTTOM)
    levels = _levels(pair, edges)
    colour = ORIGINAL if name.startswith("before") else MASKED
    for level in range(1, _LEVELS + 1):
        places = np.argwhere(levels == level)
        if len(places):
            squares = Path.make_compound_path(*(_square(edges, x, y) for x, y in places))
            axes.add_patch(PathPatch(squares, facecolor=colour, alpha=round(level / _LEVELS, 2), linewidth=0))
    for axis, text in zip((axes.xaxis, axes.yaxis), names, strict=True):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: compact(value)))
        axis.set_label_text(shortened(text, 30))
        axis.label.set_color(MUTED)
    axes.grid(linewidth=1, color=RULE)
    axes.set_axisbelow(True)
    axes.set_xlim(edges[0][0], edges[0][-1])
    axes.set_ylim(edges[1][0], edges[1][-1])
    return svg_of(figure, name, description, crisp=True)


def _levels(pair: tuple[Doubles, Doubles], edges: tuple[Doubles, Doubles]) -> NDArray[np.int64]:
    """Return how dark every square is, from 0 for no record, by the logarithm of its records."""
    known = np.isfinite(pair[0]) & np.isfinite(pair[1])
    within = [np.clip(one[known], edge[0], edge[-1]) for one, edge in zip(pair, edges, strict=True)]
    counts: Doubles = np.histogram2d(within[0], within[1], bins=[edges[0], edges[1]])[0]
    most = float(np.log1p(counts.max(initial=1.0)))
    levels: NDArray[np.int64] = np.ceil(np.log1p(counts) / most * _LEVELS).astype(np.int64)
    return levels


def _square(edges: tuple[Doubles, Doubles], x: int, y: int) -> Any:
    from matplotlib.path import Path

    (left, right), (low, high) = edges[0][x : x + 2], edges[1][y : y + 2]
    corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
    return Path(corners, [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY])
