"""Draw the picture of every method: 60 records of two variables, their groups, and what is released.

    python docs/methods/draw_methods.py [mdav rank-swap ...]

The pictures are drawn with shoal itself, on made-up records, so that they show what it does. They are kept beside the
pages in `images/`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.cluster.hierarchy import dendrogram
from scipy.cluster.hierarchy import linkage as linked
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.distance import pdist, squareform

import shoal
from shoal import partition, replace
from shoal.errors import ShoalWarning
from shoal.partition import fuzzy

IMAGES = Path(__file__).parent / "images"
K = 5
INK, LIGHT, WARM, COOL = "#333333", "#d9d9d9", "#b5542d", "#1f6f8b"
SHADES = ("#9ecae1", "#fdae6b", "#a1d99b", "#bcbddc", "#fc9272", "#c7c7c7", "#e7ba52", "#ce6dbd")

Doubles = NDArray[np.float64]


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


def hulls(axes: Axes, X: Doubles, labels: NDArray[np.int64], numbers: bool = False) -> None:
    """Draw every group as a patch around its records, with its mean."""
    for label in np.unique(labels):
        members = X[labels == label]
        try:
            corners = members[ConvexHull(members).vertices]
        except QhullError:  # all on one line
            corners = members
        shade = SHADES[label % len(SHADES)]
        axes.fill(*corners.T, facecolor=shade, edgecolor=shade, alpha=0.55, linewidth=5, joinstyle="round")
        if numbers:
            axes.annotate(str(label + 1), members.mean(axis=0), fontsize=8, ha="center", va="center", weight="bold")
    points(axes, X)


def groups_of(method: object) -> NDArray[np.int64]:
    return method.fit(RECORDS).labels_


# Partitions.


def mdav() -> Figure:
    figure, left, right = pair(("the first step", "groups of 5, in the order they are made"))
    centre = RECORDS.mean(axis=0)
    far = int(np.argmax(((RECORDS - centre) ** 2).sum(axis=1)))
    other = int(np.argmax(((RECORDS - RECORDS[far]) ** 2).sum(axis=1)))
    points(left, RECORDS, "#999999")
    first = np.argsort(((RECORDS - RECORDS[far]) ** 2).sum(axis=1), kind="stable")[:K]
    second = [one for one in np.argsort(((RECORDS - RECORDS[other]) ** 2).sum(axis=1)) if one not in first][:K]
    for members, shade in ((first, SHADES[0]), (second, SHADES[1])):
        points(left, RECORDS[members], shade, markersize=9)
    left.annotate("", RECORDS[far], centre, arrowprops={"arrowstyle": "->", "color": WARM})
    left.annotate("", RECORDS[other], RECORDS[far], arrowprops={"arrowstyle": "->", "color": COOL})
    left.plot(*centre, "x", color=WARM)
    left.annotate("mean", centre, xytext=(4, -10), textcoords="offset points", fontsize=8, color=WARM)
    hulls(right, RECORDS, groups_of(partition.MDAV(K)), numbers=True)
    return figure


def beside_mdav(method: object, title: str) -> Figure:
    figure, left, right = pair(("MDAV", title))
    hulls(left, RECORDS, groups_of(partition.MDAV(K)))
    hulls(right, RECORDS, groups_of(method))
    return figure


def tfrp() -> Figure:
    figure, left, right = pair(("two fixed reference points", "groups of 5 and more"))
    points(left, RECORDS, "#999999")
    for corner, way in ((RECORDS.min(axis=0), "minimum of every variable"), (RECORDS.max(axis=0), "maximum")):
        far = RECORDS[np.argmax(((RECORDS - corner) ** 2).sum(axis=1))]
        left.plot(*corner, "s", color=WARM, markersize=5)
        left.annotate("", far, corner, arrowprops={"arrowstyle": "->", "color": COOL})
        low = corner[0] < 0
        left.annotate(
            way, corner, xytext=(5 if low else -5, 5 if low else -10), textcoords="offset points", fontsize=8,
            color=WARM, ha="left" if low else "right",
        )  # fmt: skip
    hulls(right, RECORDS, groups_of(partition.TFRP(K)))
    return figure


def k_means() -> Figure:
    figure, left, right = pair(("split in two by 2-means", "and again, as long as both parts have 5"))
    # The first split is the one that 2-means finds; a group that may be half of the file is never split again.
    hulls(left, RECORDS, partition.KMeansMicro(len(RECORDS) // 3).fit(RECORDS).labels_)
    hulls(right, RECORDS, groups_of(partition.KMeansMicro(K)))
    return figure


def mst() -> Figure:
    figure, left, right = pair(("minimum spanning tree, cut edges dashed", "groups of 5 to 9"))
    labels = groups_of(partition.MST(K))
    for one, two in zip(*minimum_spanning_tree(squareform(pdist(RECORDS))).nonzero(), strict=True):
        is_cut = labels[one] != labels[two]
        left.plot(*RECORDS[[one, two]].T, ":" if is_cut else "-", color=WARM if is_cut else "#999999", linewidth=1)
    points(left, RECORDS)
    hulls(right, RECORDS, labels)
    return figure


def mhm() -> Figure:
    figure, left, right = pair(("a path from record to record", "the path cut in the best way"))
    path = nearest_point_next()
    left.plot(*RECORDS[path].T, "-", color="#999999", linewidth=1)
    points(left, RECORDS)
    hulls(right, RECORDS, groups_of(partition.MHM(K, order="npn")))
    return figure


def nearest_point_next() -> list[int]:
    """Return the order that starts far from the mean and goes to the nearest record that is left."""
    path = [int(np.argmax(((RECORDS - RECORDS.mean(axis=0)) ** 2).sum(axis=1)))]
    while len(path) < len(RECORDS):
        distances = ((RECORDS - RECORDS[path[-1]]) ** 2).sum(axis=1)
        distances[path] = np.inf
        path.append(int(np.argmin(distances)))
    return path


def hac() -> Figure:
    figure = Figure(figsize=(6.4, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    plain(left, "the two closest clusters are merged")
    plain(right, "as long as the union is not too large")
    dendrogram(linked(RECORDS, "ward"), ax=left, no_labels=True, color_threshold=0, above_threshold_color="#777777")
    left.set_yticks([])
    hulls(right, RECORDS, groups_of(partition.HAC(K)))
    return figure


def optimal_univariate() -> Figure:
    figure = Figure(figsize=(6.4, 1.7), layout="constrained")
    axes = figure.subplots()
    plain(axes, "one variable, in order; the cuts with the least squared error")
    x = np.sort(np.random.default_rng(3).gamma(2.0, size=34))
    labels = partition.OptimalUnivariate(3).fit(x[:, None]).labels_
    for label in np.unique(labels):
        members = x[labels == label]
        shade = SHADES[label % len(SHADES)]
        axes.plot([members.min(), members.max()], [0, 0], color=shade, linewidth=12, solid_capstyle="round", alpha=0.6)
        axes.plot(members.mean(), 0, "|", color=WARM, markersize=14)
    axes.plot(x, 0 * x, ".", color=INK, markersize=4)
    axes.set_ylim(-1, 1)
    return figure


def refine() -> Figure:
    figure, left, right = pair(("MDAV: where the search starts", "after the search"))
    hulls(left, RECORDS, groups_of(partition.MDAV(K)))
    hulls(right, RECORDS, partition.Refine(K, steps=3_000, random_state=1).fit(RECORDS).labels_)
    return figure


def one_group() -> Figure:
    figure, left, right = pair(("records", "one group"))
    points(left, RECORDS)
    hulls(right, RECORDS, np.zeros(len(RECORDS), dtype=np.int64))
    return figure


def memberships(fitted: object, title: str) -> Figure:
    """Draw centres, and how much every record belongs to one of them."""
    figure, left, right = pair((title, "memberships in one of them"))
    centres, U = fitted.cluster_centers_, fitted.memberships_
    points(left, RECORDS, "#777777")
    left.plot(*centres.T, "x", color=WARM, markersize=7, markeredgewidth=2)
    one = int(np.argmin((centres**2).sum(axis=1)))
    right.scatter(*RECORDS.T, s=8 + 40 * U[:, one], c=U[:, one], cmap="YlGnBu", vmin=-0.2, vmax=1, edgecolors="#777777",
                  linewidths=0.4)  # fmt: skip
    right.plot(*centres[one], "x", color=WARM, markersize=8, markeredgewidth=2)
    return figure


# Replacements: before and after.


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


def rewritten(replacement: object, title: str, method: object = "one-group", k: int = K) -> Figure:
    return moved(released(k, method, replacement, confidential=["y"]), title)


def representatives() -> Figure:
    figure, left, right = pair(("one group of five values", "what is released instead"))
    values = np.array([1.0, 2.0, 2.0, 4.0, 11.0])
    for axes in (left, right):
        axes.set_ylim(-0.6, 4.6)
        axes.set_xlim(0, 12)
    left.plot(values, [2, 2, 2.35, 2, 2], ".", color=INK, markersize=10)  # one of two equal values above the other
    counted = (
        ("mean", values.mean()),
        ("geometric mean", float(np.exp(np.log(values).mean()))),
        ("median", float(np.median(values))),
        ("mode", 2.0),
    )
    for place, (name, value) in enumerate(counted):
        right.plot(value, 3 - place + 0.5, "|", color=WARM, markersize=18, markeredgewidth=3)
        right.annotate(f"{name} {value:.1f}", (value + 0.5, 3 - place + 0.5), fontsize=8, va="center")
    return figure


def pram() -> Figure:
    figure = Figure(figsize=(6.4, 2.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    codes = np.repeat([0, 1, 2, 3], [40, 30, 20, 10])
    R = replace.PRAM().transition(codes)
    left.imshow(R, cmap="YlGnBu", vmin=0, vmax=1)
    for row in range(4):
        for column in range(4):
            dark = R[row, column] > 0.6
            left.annotate(f"{R[row, column]:.2f}", (column, row), ha="center", va="center", fontsize=8,
                          color="white" if dark else INK)  # fmt: skip
    left.set(xticks=range(4), yticks=range(4), xlabel="drawn", ylabel="original")
    left.set_xticklabels("ABCD")
    left.set_yticklabels("ABCD")
    left.set_title("chances", fontsize=9)
    before = np.bincount(codes, minlength=4)
    right.bar(np.arange(4) - 0.2, before, 0.4, color=COOL, label="original")
    right.bar(np.arange(4) + 0.2, before @ R, 0.4, color=WARM, label="expected after")
    right.set_xticks(range(4), list("ABCD"))
    right.set_yticks([])
    right.set_title("frequencies stay", fontsize=9)
    right.legend(frameon=False, fontsize=8)
    return figure


def record_swap() -> Figure:
    figure, left, right = pair(("households in four places", "those at risk exchange places"))
    random = np.random.default_rng(5)
    places = np.repeat(np.arange(4), 12)
    corner = np.array([(0, 0), (1, 0), (0, 1), (1, 1)])[places]
    at = corner + random.uniform(0.1, 0.9, (48, 2))
    kind = np.where(np.arange(48) % 12 == 0, 1, 0)
    swaps = [(0, 13), (12, 26), (24, 37), (36, 1)]
    for axes in (left, right):
        axes.axhline(1, color=LIGHT)
        axes.axvline(1, color=LIGHT)
        points(axes, at[kind == 0], "#777777")
        points(axes, at[kind == 1], WARM, markersize=9)
    for one, two in swaps:
        right.annotate("", at[two], at[one], arrowprops={"arrowstyle": "<->", "color": COOL})
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "mdav": mdav,
    "vmdav": lambda: beside_mdav(partition.VMDAV(K, gamma=1.1), "V-MDAV: groups of 5 to 9"),
    "md": lambda: beside_mdav(partition.MD(K), "MD: around the two records farthest apart"),
    "cbfs": lambda: beside_mdav(partition.CBFS(K), "CBFS: one group at a time"),
    "tfrp": tfrp,
    "k-means": k_means,
    "mu-approx": lambda: beside_mdav(partition.MuApprox(K), "mu-Approx: groups of 5 to 9"),
    "mst": mst,
    "mhm": mhm,
    "hac": hac,
    "optimal-univariate": optimal_univariate,
    "at-least-k": lambda: beside_mdav(fuzzy.AtLeastK(K), "from fuzzy clusters"),
    "refine": refine,
    "one-group": one_group,
    "fuzzy": lambda: memberships(
        fuzzy.FuzzyCMeans(n_clusters=8, m=1.5, random_state=0).fit(RECORDS), "records and eight fuzzy centres"
    ),
    "entropy": lambda: memberships(
        fuzzy.EntropyFuzzyCMeans(n_clusters=8, lam=4.0, random_state=0).fit(RECORDS), "records and eight fuzzy centres"
    ),
    "representatives": representatives,
    "mean": lambda: moved(released(), "groups of 5: every record gets the mean"),
    "membership-draw": lambda: moved(
        released(method="fuzzy", replacement="membership-draw"), "every record gets a centre, drawn"
    ),
    "ipso": lambda: rewritten("ipso", "y drawn anew: same means and covariances"),
    "hybrid": lambda: rewritten("hybrid", "y drawn anew inside every group", "mdav", 8),
    "muralidhar-sarathy": lambda: rewritten(replace.MuralidharSarathy(alpha=0.7), "0.7 of the residual of y stays"),
    "fuzzy-regression": lambda: rewritten(
        replace.FuzzyRegression(n_clusters=3), "y from one of three regressions on x"
    ),
    "rank-swap": lambda: moved(released(method="one-group", replacement="rank-swap"), "ranks swapped within 15 %"),
    "noise": lambda: moved(released(method="one-group", replacement="noise"), "noise added, alpha = 0.1"),
    "shuffle": lambda: rewritten("shuffle", "y shuffled: the same values, other records"),
    "pram": pram,
    "record-swap": record_swap,
}


def main() -> None:
    """Draw the pictures that are named, or all of them."""
    IMAGES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        with mpl.rc_context({"svg.hashsalt": name, "font.size": 9, "svg.fonttype": "path"}):
            PICTURES[name]().savefig(IMAGES / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
