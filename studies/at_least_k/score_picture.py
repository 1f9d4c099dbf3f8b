"""The picture of the comparison: risk and loss of every method, a line through the releases of all k."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

COLOURS = {
    "mdav": "#4477aa",
    "refine": "#66ccee",
    "at-least-k": "#228833",
    "at-least-k, drawn": "#ccbb44",
    "fuzzy": "#ee6677",
}
MARKERS = {3: "o", 5: "s", 10: "^"}  # by k
TITLES = {"census": "Census", "tarragona": "Tarragona", "eia": "EIA"}


def risk_and_loss(scores: pd.DataFrame) -> Figure:
    """Draw risk against loss, a panel for each file; k is the shape of a point."""
    files = list(dict.fromkeys(scores["file"]))
    figure = Figure(figsize=(4.2 * len(files), 4))
    for place, file in enumerate(files):
        axes = figure.add_subplot(1, len(files), place + 1)
        for method, colour in COLOURS.items():
            rows = scores[(scores["file"] == file) & (scores["method"] == method)]
            axes.plot(rows["IL"], rows["DR"], "-", color=colour, label=method)
            for row in rows.itertuples():
                axes.plot(row.IL, row.DR, MARKERS[row.k], color=colour, markersize=6)
        axes.set(title=TITLES[file], xlabel="information loss of 2001, %", ylim=(0, None))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("disclosure risk of 2001, %")
    methods, _ = figure.axes[0].get_legend_handles_labels()
    shapes = [Line2D([], [], color="#555555", ls="", marker=shape, label=f"k = {k}") for k, shape in MARKERS.items()]
    figure.axes[0].legend(handles=[*methods, *shapes], fontsize=8, loc="lower left")
    return figure
