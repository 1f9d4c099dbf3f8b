"""The pictures of the study: points in groups, the tree, squared errors over k, and the weight of the priority."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.cluster.hierarchy import dendrogram

from shoal.datasets import nineteen_points
from studies.hierarchical_clustering.printed import MDAV_ERRORS, PRINTED, SIZES
from studies.hierarchical_clustering.priority import WEIGHTS

__all__ = ["errors_over_k", "groups_of_points", "tree_of_points", "weights_of_priority"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
_MARKERS = ("o", "s", "^", "D", "v")


def groups_of_points(partitions: pd.DataFrame, labels: dict[str, NDArray[np.int64]]) -> Figure:
    """Draw the nineteen points, one panel a partition, one colour and shape a group, with the means of the groups."""
    points = nineteen_points().to_numpy(float)
    figure = Figure(figsize=(9, 8), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True).flat
    for ax, (title, groups), row in zip(axes, labels.items(), partitions.itertuples(), strict=True):
        for group in range(groups.max() + 1):
            x, y = points[groups == group].T
            style = {"color": _COLOURS[group], "marker": _MARKERS[group]}
            ax.scatter(x, y, s=60, **style)
            ax.scatter(x.mean(), y.mean(), s=90, marker="+", color=_COLOURS[group])
            for a, b in zip(x, y, strict=True):
                ax.plot([a, x.mean()], [b, y.mean()], color=_COLOURS[group], linewidth=0.6)
        printed = "" if pd.isna(row.printed) else f", printed {row.printed:.2f}"
        ax.set_title(f"{title}\nsquared error {row.ours:.3f}{printed}", fontsize=11)
        ax.grid(alpha=0.25)
    for ax in figure.axes[2:]:
        ax.set_xlabel("Var1")
    for ax in figure.axes[::2]:
        ax.set_ylabel("Var2")
    return figure


def tree_of_points(links: NDArray[np.float64], groups: NDArray[np.int64]) -> Figure:
    """Draw the tree of merges (Figure 6.1), with the records in the colours of the groups of Figure 6.2."""
    drawn = dendrogram(links, no_plot=True)
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    ax = figure.subplots()
    for x, y in zip(drawn["icoord"], drawn["dcoord"], strict=True):
        ax.plot(x, y, color="#444444", linewidth=1.2)
    places = [5 + 10 * place for place in range(len(groups))]
    ax.set_xticks(places, [str(leaf + 1) for leaf in drawn["leaves"]])
    for tick, leaf in zip(ax.get_xticklabels(), drawn["leaves"], strict=True):
        tick.set_color(_COLOURS[groups[leaf]])
        tick.set_fontweight("bold")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("record of Table 5.1, in the colour of its group in Figure 6.2")
    ax.set_ylabel("distance of the two clusters")
    return figure


def errors_over_k(census: pd.DataFrame, default: pd.DataFrame) -> Figure:
    """Draw the squared errors of Census over k: lines are ours, crosses what is printed."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    ax = figure.subplots()
    columns = [("MDAV", MDAV_ERRORS), *((one.method, one.errors) for one in PRINTED)]
    colours = ("#000000", *_COLOURS)
    for (method, printed), colour in zip(columns, colours, strict=True):
        ours = census[census["method"] == method].set_index("k")["ours"]
        ax.plot(SIZES, ours[list(SIZES)], color=colour, marker="o", markersize=4, label=f"{method}")
        ax.plot(SIZES, printed, color=colour, marker="x", markersize=9, linestyle="none")
    ax.plot(default["k"], default["default"], color="#777777", linestyle="--", label="HAC as shoal has it")
    ax.plot([], [], color="#000000", marker="x", linestyle="none", markersize=9, label="as printed")
    ax.set_xticks(SIZES)
    ax.set_xlabel("k")
    ax.set_ylabel("sum of squared errors, Census")
    ax.set_ylim(bottom=0)
    ax.grid(alpha=0.25)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def weights_of_priority(errors: pd.DataFrame) -> Figure:
    """Draw the squared error over MDAV's for every weight, a panel for each file and way, the best weight marked."""
    files, ways = list(errors["file"].unique()), list(errors["way"].unique())
    titles = {"thesis": "as in the thesis", "nearest": "nearest completion", "default": "minimum energy"}
    columns = [f"{weight:g}" for weight in WEIGHTS]
    figure = Figure(figsize=(10, 6.5), layout="constrained")
    axes = figure.subplots(len(files), len(ways), sharey="row", squeeze=False)
    shown = (0, 2, 4, 6, 7)
    for row, file in zip(axes, files, strict=True):
        for ax, way in zip(row, ways, strict=True):
            part = errors[(errors["file"] == file) & (errors["way"] == way)]
            ratio = part[columns].div(part["mdav"], axis=0)
            for colour, place in zip(("#000000", *_COLOURS[:4]), shown, strict=True):
                ax.plot(part["k"], ratio[columns[place]], color=colour, label=columns[place], linewidth=1.4)
            ax.axhline(1, color="#999999", linewidth=0.8, linestyle=":")
            ax.set_title(f"{file}, {titles[way]}", fontsize=11)
            ax.grid(alpha=0.25)
    for ax in axes[:, 0]:
        ax.set_ylabel("squared error / MDAV's")
    for ax in axes[-1]:
        ax.set_xlabel("k")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), title="weight", loc="outside right upper", frameon=False)
    return figure
