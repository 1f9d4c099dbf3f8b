"""Pictures of several panels, in one style, with one legend below them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

SMALL = 8  # points, of notes inside a panel


def panels(rows: int, columns: int, size: tuple[float, float], **shared: Any) -> tuple[Figure, np.ndarray]:
    """Return a figure and its axes, always as a grid of rows and columns."""
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def finish(figure: Figure, names: Sequence[str] = (), columns: int = 5) -> Figure:
    """Draw faint grids, and one legend with these names, in their order, below all panels."""
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        handles |= dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
        axes.title.set_fontsize(9)
        axes.xaxis.label.set_fontsize(9)
        axes.yaxis.label.set_fontsize(9)
        axes.tick_params(labelsize=SMALL)
        axes.grid(color="0.92", lw=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    shown = [name for name in names if name in handles]
    if shown:
        columns = min(columns, len(shown))
        # A legend is filled column by column; it is read row by row.
        shown = [name for column in range(columns) for name in shown[column::columns]]
        places = [handles[name] for name in shown]
        figure.legend(places, shown, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)
    return figure


def logarithmic(axes: Any) -> None:
    """Give the vertical axis a logarithmic scale with plain numbers beside it."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())
