"""The lemmas as curves over k, and hybrid data beside the two methods that the paper compares them with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from studies.hybrid_data.releases import HYBRID, MS, PLAIN, RECORDS
from studies.panels import SMALL, finish, logarithmic, panels

STYLES = {
    HYBRID: {"color": "#08519c", "marker": "o"},
    PLAIN: {"color": "#e6550d", "marker": "s"},
    MS: {"color": "#31a354", "marker": "^"},
}
TICKS = (20, 50, 100, 200, 540, 1080)


def _over_k(axes: Any, means: pd.DataFrame, column: str, **style: Any) -> None:
    """Draw a column over k, a line for each of the two methods that have groups."""
    for method in (HYBRID, PLAIN):
        rows = means[means.method == method]
        axes.plot(rows.k, rows[column], label=method, ms=4, lw=1.3, **STYLES[method] | style)


def _scale(axes: Any, title: str) -> None:
    axes.set(xscale="log", xlabel="k", title=title)
    axes.set_xticks(TICKS, [str(k) for k in TICKS])
    axes.xaxis.minorticks_off()


def lemma_1(means: pd.DataFrame) -> Figure:
    """Draw the largest differences of means and covariances."""
    figure, grid = panels(1, 3, (9, 3.2), sharey=True)
    for axes, column in zip(grid[0], ("means", "covariances", "covariances with others"), strict=True):
        _over_k(axes, means, f"largest of {column}")
        rows = means[means.method == MS]
        axes.axhline(rows[f"largest of {column}"].max(), color=STYLES[MS]["color"], lw=1.1, ls=(0, (4, 2)), label=MS)
        _scale(axes, f"{column}, largest difference")
        axes.set_yscale("log")
    grid[0, 0].set_ylabel("standard deviations")
    return finish(figure, (HYBRID, PLAIN, MS))


def lemma_2(means: pd.DataFrame, unchanged: pd.DataFrame) -> Figure:
    """Draw third moments with their bounds, fourth moments, and the records that stay unchanged for small k."""
    figure, grid = panels(1, 3, (9, 3.4))
    third, fourth, small = grid[0]
    rows = means[means.method == HYBRID]
    third.plot(rows.k, rows["bound of lemma 2"], color="black", lw=1, ls=(0, (5, 2)), label="bound of lemma 2")
    third.plot(rows.k, rows["line before"], color="grey", lw=1, ls=(0, (1, 1.5)), label="the line before it")
    for axes, column in ((third, "third moments"), (fourth, "fourth moments")):
        _over_k(axes, means, column)
        _scale(axes, f"{column}, difference")
        logarithmic(axes)
    third.set_ylabel("standard deviations to the power of 3, of 4")
    small.plot(unchanged.k, unchanged.unchanged, color="#08519c", marker="o", ms=3.5, lw=1.3)
    for k, text, height in (
        (13, "13: shoal asks for it", 0.92),
        (18, "18: 2|X| + |Y| + 1", 0.72),
        (23, "23: the paper's", 0.52),
    ):
        small.axvline(k, color="0.6", lw=0.8, ls=(0, (3, 2)))
        small.text(k + 0.4, 1080 * height, text, fontsize=SMALL - 1, color="0.3", bbox=UNDER)
    small.set(xlabel="k, too small groups accepted", title="records released unchanged", xlim=(1, 34))
    return finish(figure, (HYBRID, PLAIN, "bound of lemma 2", "the line before it"))


UNDER = {"facecolor": "white", "edgecolor": "none", "pad": 1}  # a label, so that lines end beside it


def parts_of_the_file(means: pd.DataFrame) -> Figure:
    """Draw what is preserved in random records, and in tenths of the file by an unchanged variable."""
    figure, grid = panels(2, 4, (10, 5.2), sharex=True)
    labels = {"sub-files": f"{RECORDS} random records", "tenths": "tenths by AGI"}
    for row, (part, label) in zip(grid, labels.items(), strict=True):
        for axes, column in zip(row, ("means", "covariances", "third moments", "fourth moments"), strict=True):
            _over_k(axes, means, f"{column} of {part}")
            for alpha, dashes in ((0.5, (0, (1, 1.5))), (0.9, (0, (5, 2)))):
                value = means[means.parameter == f"alpha = {alpha}"][f"{column} of {part}"].item()
                axes.axhline(value, color=STYLES[MS]["color"], lw=1.1, ls=dashes, label=f"{MS}, alpha = {alpha}")
            _scale(axes, column)
            axes.set_xticks((20, 100, 1080), ("20", "100", "1080"))
            logarithmic(axes)
        row[0].set_ylabel(f"difference in {label}")
    return finish(figure, (HYBRID, PLAIN, f"{MS}, alpha = 0.5", f"{MS}, alpha = 0.9"))


def risk(means: pd.DataFrame) -> Figure:
    """Draw linkage, intervals and PIL over k."""
    figure, grid = panels(1, 3, (9, 3.2))
    titles = {"linkage": "records linked, %", "intervals": "interval disclosure, %", "PIL": "PIL, %"}
    for axes, (column, title) in zip(grid[0], titles.items(), strict=True):
        _over_k(axes, means, column)
        _scale(axes, title)
        axes.set_ylim(bottom=0)
    return finish(figure, (HYBRID, PLAIN))


def same_risk(means: pd.DataFrame) -> Figure:
    """Draw what hybrid data and Muralidhar-Sarathy preserve against the records that are linked."""
    figure, grid = panels(1, 4, (11, 3.4))
    titles = {
        "third moments": "third moments",
        "fourth moments": "fourth moments",
        "covariances of sub-files": "covariances, random records",
        "covariances of tenths": "covariances, tenths by AGI",
    }
    for axes, (column, title) in zip(grid[0], titles.items(), strict=True):
        for method in (HYBRID, MS):
            rows = means[means.method == method]
            axes.plot(rows.linkage, rows[column], label=method, ms=4, lw=1, **STYLES[method])
            for name in ("k = 20", "alpha = 0.9"):
                for _, row in rows[rows.parameter == name].iterrows():
                    left = {"xytext": (-6, -3), "ha": "right"} if method == MS else {"xytext": (5, -2)}
                    place = {"textcoords": "offset points", "fontsize": SMALL - 1} | left
                    axes.annotate(name, (row.linkage, row[column]), **place)
        axes.set(xscale="log", xlabel="records linked, %", title=title)
        logarithmic(axes)
        axes.set_xticks((3, 5, 10, 20, 30), ("3", "5", "10", "20", "30"))
        axes.set_xlim(2.9, 45)
        axes.xaxis.minorticks_off()
    grid[0, 0].set_ylabel("difference (lower is better)")
    return finish(figure, (HYBRID, MS))


def pictures(means: pd.DataFrame, unchanged: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
    """Yield the name of every picture, and the picture."""
    means = means.assign(k=pd.to_numeric(means.parameter.str.removeprefix("k = "), errors="coerce"))
    yield "lemma_1", lemma_1(means)
    yield "lemma_2", lemma_2(means, unchanged)
    yield "subfiles", parts_of_the_file(means)
    yield "risk", risk(means)
    yield "same_risk", same_risk(means)
