"""The ten figures of the paper, and similarity against PIL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from studies.clustering_similarity.repetitions import ALL_SCALED, FIXED, REFERENCE
from studies.clustering_similarity.similarities import (
    AGAINST_PIL,
    ALPHAS,
    CRISP,
    CUTS,
    FCM,
    FCM2,
    FUZZY_RAND,
    JACCARD,
    NOISE,
    POSSIBILISTIC,
    RAND,
)
from studies.clustering_similarity.synthetic_files import COUNTS, FILES, IPSO, ORDERS, REGRESSION
from studies.clustering_similarity.tables import NAMES, curve
from studies.panels import finish, panels

__all__ = ["loss_and_similarity", "loss_picture", "over_clusters"]

_SYNTHETIC = IPSO + REGRESSION
_COLOURS = dict(zip(_SYNTHETIC, ("#9ecae1", "#4292c6", "#08519c", "#e6550d", "#fdae6b"), strict=True))
_MARKERS = dict(zip(_SYNTHETIC, ("v", "s", "D", "o", "^"), strict=True))
_STYLES: dict[str, dict[str, Any]] = {
    **{name: {"color": _COLOURS[name], "marker": _MARKERS[name], "lw": 1.4, "ms": 3.5} for name in _SYNTHETIC},
    "same file": {"color": "black", "lw": 1.0, "ls": (0, (5, 2))},
    "at random": {"color": "grey", "lw": 1.0, "ls": (0, (1, 1.5))},
}
_LEGEND = (*_SYNTHETIC, *REFERENCE)


def loss_picture(rows: pd.DataFrame) -> Figure:
    """Draw PIL over the number of models, a row for each order of the columns."""
    figure, grid = panels(len(ORDERS), 2, (8, 5.6), sharex=True, sharey=True)
    for line, order in zip(grid, ORDERS, strict=True):
        for axes, file in zip(line, FILES, strict=True):
            of_file = rows[(rows.order == order) & (rows.file == file)]
            for release in IPSO:
                style = _STYLES[release] | {"marker": None}
                axes.axhline(curve(of_file, release, "", "PIL", 0).iloc[0], label=release, **style)
            for release in REGRESSION:
                values = curve(of_file, release, "", "PIL", 0)
                axes.plot(values.index, values, label=release, **_STYLES[release])
            axes.set(title=f"{file}, order {order}", xticks=COUNTS)
        line[0].set_ylabel("PIL, % (lower is better)")
    for axes in grid[-1]:
        axes.set_xlabel("models of the regression, c")
    grid[0, 0].set_ylim(bottom=0)
    return finish(figure, _SYNTHETIC)


def _curves(rows: pd.DataFrame, measured: list[tuple[str, str]]) -> Figure:
    """Draw similarities over k, a row for each clustering and measure, a column for each file."""
    figure, grid = panels(len(measured), 2, (8, 1.2 + 2.2 * len(measured)), sharex=True, sharey="row")
    for line, (clustering, what) in zip(grid, measured, strict=True):
        for axes, file in zip(line, FILES, strict=True):
            _over_clusters(axes, rows[rows.file == file], NAMES, clustering, what)
            axes.set_title(f"{file}, {clustering}")
        line[0].set_ylabel(f"{what}\n(higher is better)")
    for axes in grid[-1]:
        axes.set_xlabel("clusters, k")
    return finish(figure, _LEGEND)


def _shapes(rows: pd.DataFrame) -> Figure:
    """Draw the fuzzy Rand index over k after each fuzzy clustering, orig4 as in the paper."""
    figure, grid = panels(1, 3, (9, 3.4), sharey=True)
    names = (*REFERENCE, "IPSO-C", REGRESSION[0])
    for axes, clustering in zip(grid[0], (FCM, NOISE, POSSIBILISTIC), strict=True):
        _over_clusters(axes, rows[rows.file == "orig4"], names, clustering, FUZZY_RAND)
        axes.set(title=f"orig4, {clustering}", xlabel="clusters, k")
    grid[0, 0].set_ylabel("fuzzy Rand index\n(higher is better)")
    return finish(figure, _LEGEND)


def _cuts(rows: pd.DataFrame, clustering: str, regression: str) -> Figure:
    """Draw distances of alpha-cuts over k, a row for each file, a column for each alpha."""
    names = ("IPSO-C", regression, *REFERENCE)
    figure, grid = panels(2, 4, (10, 5), sharex=True, sharey="col")
    for line, file in zip(grid, FILES, strict=True):
        for axes, alpha in zip(line, ALPHAS, strict=True):
            some = rows[(rows.file == file) & (rows.alpha == alpha)]
            _over_clusters(axes, some, names, clustering, CUTS)
            axes.set(title=f"{file}, alpha = {alpha}", xticks=COUNTS[1::2])
            axes.set_ylim(bottom=0)
        line[0].set_ylabel("distance of alpha-cuts\n(lower is better)")
    for axes in grid[-1]:
        axes.set_xlabel("clusters, k")
    return finish(figure, names)


def _over_clusters(axes: Any, rows: pd.DataFrame, names: tuple[str, ...], clustering: str, what: str) -> None:
    for name in names:
        values = curve(rows, name, clustering, what)
        axes.plot(values.index, values, label=name, **_STYLES[name])
    axes.set_xticks(COUNTS)


def loss_and_similarity(points: pd.DataFrame) -> Figure:
    """Draw similarities against PIL, with k = c and with k fixed; filled for orig4, hollow for orig9."""
    figure, grid = panels(3, 3, (9, 8), sharex=True, sharey="row")
    for line, (clustering, (what,)) in zip(grid, AGAINST_PIL.items(), strict=True):
        of_measure = points[points.clustering == clustering]
        for axes, k in zip(line, ("c", *FIXED[1:]), strict=True):
            some = of_measure[of_measure.k == (of_measure.c if k == "c" else k)]
            for (file, release), one in some.groupby(["file", "release"], sort=False):
                fill = "full" if file == "orig4" else "none"
                label = release if file == "orig4" else None
                style = {"color": _COLOURS[release], "fillstyle": fill, "ms": 4.5, "label": label}
                axes.plot(one.PIL, one.value, _MARKERS[release], **style)
            axes.set_title(f"{clustering}: k = {k}")
        line[0].set_ylabel(f"{what}\n({'lower' if what == CUTS else 'higher'} is better)")
    for axes in grid[-1]:
        axes.set_xlabel("PIL, % (lower is better)")
    for file, fill in (("orig4", "full"), ("orig9", "none")):
        grid[0, 0].plot([], [], "o", color="grey", fillstyle=fill, ms=4.5, label=file)
    return finish(figure, (*_SYNTHETIC, *FILES))


def over_clusters(rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
    """Yield the names and pictures of figures 2 to 10, with the columns in one order."""
    rows = rows[rows.reading == ALL_SCALED]
    yield "figures_2_3", _curves(rows, [(CRISP, RAND), (CRISP, JACCARD)])
    yield "figures_4_5", _cuts(rows, FCM2, REGRESSION[1])
    yield "figures_6_7", _curves(rows, [(FCM, FUZZY_RAND)])
    yield "figures_8_9", _cuts(rows, NOISE, REGRESSION[0])
    yield "figure_10", _shapes(rows)
