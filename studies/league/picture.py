"""The R-U map of one file: disclosure risk against information loss, all of it and the crowded part again."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies.league.label_places import place_labels

__all__ = ["STYLES", "risk_and_loss"]

STYLES = {
    "microaggregation": ("#0072b2", "o"),
    "fuzzy": ("#cc79a7", "s"),
    "entropy": ("#e69f00", "s"),
    "hybrid": ("#009e73", "^"),
    "synthetic": ("#d55e00", "D"),
    "perturbation": ("#444444", "v"),
}


def risk_and_loss(rows: pd.DataFrame, title: str) -> Figure:
    """Draw the releases at one k, as their table has them: all, and those that make groups of whole records larger."""
    rows = rows.astype(dict.fromkeys(("linkage", "interval_disclosure", "pil"), float))
    rows = rows.assign(risk=(rows["linkage"] + rows["interval_disclosure"]) / 2)
    near = rows[rows["attack"].notna() & (rows["k_reached"] > 1)]
    near = near[near["pil"] <= near["pil"].median() + 15]
    figure = Figure(figsize=(10, 11.5), layout="constrained")
    whole, part = figure.subplots(2, 1)
    _points(whole, rows)
    _points(part, near)
    whole.set_xlim(left=0)
    whole.set_ylim(bottom=0)
    whole.set_title(f"{title}, k = 5: all releases (the crowd is drawn again below)", fontsize=12)
    part.set_title("Groups of at least 5 whole records", fontsize=12)
    part.margins(0.12)
    whole.legend(frameon=False, fontsize=9)
    figure.draw_without_rendering()  # so that places of points are known
    figure.set_layout_engine("none")  # and labels do not move them
    place_labels(whole, _labels(rows.drop(near.index)), list(zip(rows["risk"], rows["pil"], strict=True)))
    place_labels(part, _labels(near), list(zip(near["risk"], near["pil"], strict=True)))
    return figure


def _labels(rows: pd.DataFrame) -> list[tuple[str, float, float]]:
    return [(row.method, row.risk, row.pil) for row in rows.itertuples()]


def _points(ax: Axes, rows: pd.DataFrame) -> None:
    for family, (colour, marker) in STYLES.items():
        own = rows[rows["family"] == family]
        if len(own):
            ax.scatter(
                own["risk"], own["pil"], color=colour, marker=marker, s=34, label=family, alpha=0.85, clip_on=False
            )
    ax.set_xlabel("disclosure risk: mean of linkage and interval disclosure, %")
    ax.set_ylabel("probabilistic information loss, %")
    ax.grid(alpha=0.25)
