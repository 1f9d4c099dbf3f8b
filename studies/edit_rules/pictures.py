"""Figures 6 and 7 of the paper, and the score over k."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from studies.edit_rules.maskings import PAPER
from studies.edit_rules.readings import DEFAULT, SUBSETS
from studies.edit_rules.tables import best
from studies.panels import SMALL, finish, panels

LABELLED = (1, 2, 3, 5, 10, 25, 50, 99)
TITLES = {DEFAULT: "as shoal measures", SUBSETS: "linkage over subsets, sd intervals"}
COLOURS = {"S1": "#08519c", "S2": "#e6550d"}
FIGURES = {"S1": "figure 6", "S2": "figure 7"}


def risk_and_loss(measured: pd.DataFrame) -> Figure:
    """Draw risk against loss, a point for each k; a row for each reading, a column for each scenario."""
    figure, grid = panels(2, 2, (8, 7.6), sharex=True, sharey=True)
    for row, (reading, title) in zip(grid, TITLES.items(), strict=True):
        for axes, (name, (k, score)) in zip(row, PAPER.items(), strict=True):
            rows = measured[measured.masking == name].set_index("k")
            loss, risk = rows[f"{reading}: PIL"], rows[f"{reading}: DR"]
            axes.plot([0, 100], [100, 0], color="0.6", lw=0.8, ls=(0, (4, 3)))
            axes.plot([0, 2 * score], [2 * score, 0], color="0.6", lw=0.8, ls=(0, (1, 1.5)))
            axes.plot(loss, risk, "o", ms=3, color=COLOURS[name], alpha=0.7, mew=0)
            for one in (one for one in LABELLED if one in rows.index):
                near = {"xytext": (4, 4), "textcoords": "offset points", "fontsize": SMALL}
                axes.annotate(f"k = {one}" if one == 1 else f"{one}", (loss[one], risk[one]), **near)
            along = {"color": "0.4", "fontsize": SMALL, "rotation": -45, "rotation_mode": "anchor", "va": "top"}
            axes.text(2, 97, "score 50", **along)
            axes.text(2, 2 * score - 3.5, f"score {score}, the paper's lowest (k = {k})", **along)
            axes.set(title=f"{name} ({FIGURES[name]}): {title}", aspect="equal", xlim=(-2, 100), ylim=(0, 104))
        row[0].set_ylabel("DR (lower is better)")
    for axes in grid[-1]:
        axes.set_xlabel("PIL (lower is better)")
    return finish(figure)


def score(measured: pd.DataFrame) -> Figure:
    """Draw the score over k, with the lowest ones here and in the paper."""
    figure, grid = panels(1, 2, (8, 3.6), sharey=True)
    for axes, (reading, title) in zip(grid[0], TITLES.items(), strict=True):
        for height, (name, (k, printed)) in zip((0.10, 0.03), PAPER.items(), strict=True):
            rows, colour = measured[measured.masking == name], COLOURS[name]
            axes.plot(rows.k, rows[f"{reading}: score"], color=colour, lw=1.4, label=name)
            least = best(rows, reading)
            axes.plot(*least, "o", color=colour, ms=5)
            note = f"{name}: lowest {least[1]:.1f} at k = {least[0]}; paper {printed:.1f} at k = {k}"
            axes.text(0.98, height, note, color=colour, fontsize=SMALL, ha="right", transform=axes.transAxes)
            axes.plot(k, printed, "*", color=colour, ms=9, mec="black", mew=0.5, label=f"{name}, the paper's lowest")
        axes.axhline(50, color="0.6", lw=0.8, ls=(0, (4, 3)))
        axes.set(title=title, xlabel="k", ylim=(27, 62))
    grid[0, 0].set_ylabel("score (lower is better)")
    return finish(figure, ("S1", "S1, the paper's lowest", "S2", "S2, the paper's lowest"))
