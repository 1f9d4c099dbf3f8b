"""What the pictures of the methods are made of: 60 records of two variables, and panels with groups and moves."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.distance import cdist
from scipy.stats.contingency import crosstab

import shoal
from shoal import partition
from shoal.errors import ShoalWarning

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

K = 5
INK, LIGHT, WARM, COOL = "#333333", "#d9d9d9", "#b5542d", "#1f6f8b"
SHADES = ("#9ecae1", "#fdae6b", "#a1d99b", "#bcbddc", "#fc9272", "#c7c7c7", "#e7ba52", "#ce6dbd")
MANY_SHADES = (*SHADES, "#66c2a5", "#8da0cb", "#e5c494", "#f2a6d0", "#bdd94c", "#9c755f", "#5ab4d6", "#e0e07a")


def some_records() -> Doubles:
    """Return three clouds and a few outliers, standardised."""
    random = np.random.default_rng(7)
    clouds = [random.normal(at, size, (number, 2)) for at, size, number in CLOUDS]
    X = np.vstack([*clouds, [[7.5, 5.0], [-0.5, 5.0]]])
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


CLOUDS = [((1.0, 1.0), 0.8, 26), ((5.0, 2.0), 0.9, 19), ((3.0, 5.5), 0.7, 13)]
RECORDS = some_records()


def pair(titles: tuple[str, str] = ("records", "")) -> tuple[Figure, Axes, Axes]:
    """Return a figure with two plots side by side, without ticks, on the same scale."""
    figure = Figure(figsize=(6.4, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, title in zip((left, right), titles, strict=True):
        plain(axes, title)
    return figure, left, right


def plain(axes: Axes, title: str = "") -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title, fontsize=9, color=INK)
    for side in axes.spines.values():
        side.set_color(LIGHT)


def points(axes: Axes, X: Doubles, colour: str = INK, **look: object) -> None:
    axes.plot(X[:, 0], X[:, 1], ".", color=colour, **{"markersize": 4, **look})


def hulls(
    axes: Axes,
    X: Doubles,
    labels: Labels,
    numbers: bool = False,
    shades: dict[int, str] | None = None,
) -> None:
    """Draw every group as a patch around its records, with its number."""
    for label in np.unique(labels):
        members = X[labels == label]
        try:
            corners = members[ConvexHull(members).vertices]
        except QhullError:  # all on one line
            corners = members
        shade = shades[label] if shades else MANY_SHADES[label % len(MANY_SHADES)]
        axes.fill(*corners.T, facecolor=shade, edgecolor=shade, alpha=0.55, linewidth=5, joinstyle="round")
    points(axes, X)
    if numbers:
        for label, (at, end) in free_places(X, labels).items():
            axes.plot(*np.array([at, end]).T, "-", color="#777777", linewidth=0.6, zorder=0)
            axes.annotate(str(label + 1), at, fontsize=8, ha="center", va="center", weight="bold")


def free_places(X: Doubles, labels: Labels, clear: float = 0.19) -> dict[int, tuple[Doubles, Doubles]]:
    """Return for every group the place nearest to its mean that is free of records, and its record nearest to that."""
    taken = X
    places = {}
    steps = np.linspace(-1.2, 1.2, 61)
    around = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    around = around[np.argsort((around**2).sum(axis=1), kind="stable")]
    for label in np.unique(labels):
        members = X[labels == label]
        candidates = members.mean(axis=0) + around
        nearest = cdist(candidates, X).argmin(axis=1)  # the number is read as that of the record next to it
        is_free = (cdist(candidates, taken).min(axis=1) > clear) & (labels[nearest] == label)
        at = candidates[np.argmax(is_free)]
        taken = np.vstack([taken, at])
        places[int(label)] = (at, members[np.argmin(((members - at) ** 2).sum(axis=1))])
    return places


def alike(labels: Labels, other: Labels) -> dict[int, str]:
    """Return a shade for every group of `other`: that of the group of `labels` with which it has most in common."""
    common = crosstab(labels, other).count
    pairs = dict(zip(*linear_sum_assignment(-common)[::-1], strict=True))
    spare = iter(set(range(len(MANY_SHADES))) - set(pairs.values()))
    return {label: MANY_SHADES[pairs[label] if label in pairs else next(spare)] for label in range(common.shape[1])}


def groups_of(method: object) -> Labels:
    return method.fit(RECORDS).labels_


def beside_mdav(method: object, title: str, X: Doubles | None = None) -> Figure:
    """Draw the groups of MDAV and of another method; groups with most records in common have the same colour."""
    X = RECORDS if X is None else X
    labels, other = partition.MDAV(K).fit(X).labels_, method.fit(X).labels_
    figure, left, right = pair(("MDAV", title))
    hulls(left, X, labels, shades=dict(enumerate(MANY_SHADES)))
    hulls(right, X, other, shades=alike(labels, other))
    return figure


def memberships(fitted: object, title: str) -> Figure:
    """Draw centres, and how much every record belongs to the one on the right."""
    figure, left, right = pair((title, "memberships in the centre on the right"))
    centres, U = fitted.cluster_centers_, fitted.memberships_
    one = int(np.argmax(centres[:, 0]))
    points(left, RECORDS, "#777777")
    drawn = right.scatter(*RECORDS.T, s=8 + 40 * U[:, one], c=U[:, one], cmap="YlGnBu", vmin=0, vmax=1,
                          edgecolors="#777777", linewidths=0.4)  # fmt: skip
    for axes in (left, right):
        cross = axes.plot(*centres.T, "x", color=WARM, markersize=8, markeredgewidth=2, zorder=3)
        cross[0].set_path_effects([withStroke(linewidth=4, foreground="white")])
    far = int(np.argmax(RECORDS[:, 0]))
    right.annotate(
        f"{U[far, one]:.2f}", RECORDS[far], xytext=(-8, 4), textcoords="offset points", fontsize=8, ha="right"
    )
    key = figure.colorbar(drawn, ax=right, ticks=[0, 0.5, 1], fraction=0.05)
    key.outline.set_visible(False)
    key.ax.set_ylabel("colour and size: membership", fontsize=7)
    key.ax.tick_params(labelsize=7, length=2)
    return figure


def moved(masked: Doubles, title: str, arrows: bool = True) -> Figure:
    """Draw the records, and where each of them goes."""
    figure, left, right = pair(("original", title))
    points(left, RECORDS, COOL)
    if arrows:
        for before, after in zip(RECORDS, masked, strict=True):
            right.plot(*np.array([before, after]).T, "-", color=LIGHT, linewidth=0.8, zorder=0)
    points(right, masked, WARM, markersize=5)
    return figure


def released(k: int = K, method: object = "mdav", replacement: object = "mean", **options: object) -> Doubles:
    """Return what `protect` releases of the records."""
    frame = pd.DataFrame(RECORDS, columns=["x", "y"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        return shoal.protect(frame, k, method=method, replace=replacement, seed=1, **options).data.to_numpy()
