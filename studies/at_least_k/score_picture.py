"""The picture of the comparison: risk and loss of every method, a line from the smallest k to the largest."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

COLOURS = {
    "mdav": "#4477aa",
    "refine": "#66ccee",
    "at-least-k": "#228833",
    "at-least-k, drawn": "#ccbb44",
    "fuzzy": "#ee6677",
}
TITLES = {"census": "Census", "tarragona": "Tarragona", "eia": "EIA"}


def risk_and_loss(scores: pd.DataFrame) -> Figure:
    """Draw risk against loss, a panel for each file; the k stands beside the points of one method."""
    files = list(dict.fromkeys(scores["file"]))
    figure = Figure(figsize=(4.2 * len(files), 4))
    for place, file in enumerate(files):
        axes = figure.add_subplot(1, len(files), place + 1)
        for method, colour in COLOURS.items():
            rows = scores[(scores["file"] == file) & (scores["method"] == method)]
            axes.plot(rows["IL"], rows["DR"], "o-", color=colour, label=method, markersize=5)
        for row in scores[(scores["file"] == file) & (scores["method"] == "mdav")].itertuples():
            axes.annotate(f"k = {row.k}", (row.IL, row.DR), (4, 5), textcoords="offset points", fontsize=8)
        axes.set(title=TITLES[file], xlabel="information loss of 2001, %", ylim=(0, None))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("disclosure risk of 2001, %")
    figure.axes[0].legend(fontsize=8)
    return figure
