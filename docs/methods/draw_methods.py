"""Draw the picture of every method: 60 records of two variables, their groups, and what is released.

    python docs/methods/draw_methods.py [mdav rank-swap ...]

The pictures are drawn with shoal itself, on made-up records, so that they show what it does. They are kept beside the
pages in `images/`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from method_panels import (
    COOL,
    INK,
    LIGHT,
    RECORDS,
    SHADES,
    WARM,
    Doubles,
    K,
    beside_mdav,
    groups_of,
    hulls,
    memberships,
    moved,
    pair,
    plain,
    points,
    released,
)
from scipy.cluster.hierarchy import dendrogram
from scipy.cluster.hierarchy import linkage as linked
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist, pdist, squareform

from shoal import partition, recode, replace
from shoal.partition import fuzzy

IMAGES = Path(__file__).parent / "images"
CUT = {"color": WARM, "linewidth": 1.4, "linestyle": (0, (2.5, 1.5))}

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


def md() -> Figure:
    figure = beside_mdav(partition.MD(K), "MD: groups of 5 around those farthest apart")
    apart = list(np.unravel_index(np.argmax(cdist(RECORDS, RECORDS)), (len(RECORDS), len(RECORDS))))
    figure.axes[1].plot(*RECORDS[apart].T, "o--", color=WARM, linewidth=1, markersize=8, markerfacecolor="none")
    return figure


def small_clouds() -> Doubles:
    """Return clouds of 6 to 9 records, well apart; in each, records lie around one in the middle."""
    random = np.random.default_rng(0)
    places = [(0, 0), (3.2, 0.3), (6.2, 0), (0.2, 2.8), (3, 3), (6, 2.7), (1.5, 5.4), (4.8, 5.5)]
    clouds = []
    for place, size in zip(places, [7, 9, 6, 8, 7, 6, 8, 9], strict=True):
        angles = 2 * np.pi * np.arange(size - 1) / (size - 1) + random.uniform(0, 2 * np.pi)
        around = np.stack([np.cos(angles), np.sin(angles)], axis=1) * random.uniform(0.48, 0.8, (size - 1, 1))
        clouds.append(np.vstack([[0, 0], around]) + place)
    X = np.vstack(clouds)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def tfrp() -> Figure:
    figure, left, right = pair(("two fixed reference points", "groups of 5 and more"))
    points(left, RECORDS, "#999999")
    low, high = RECORDS.min(axis=0), RECORDS.max(axis=0)
    for corner, words, down, side in ((low, "minimum", -13, "left"), (high, "maximum", 7, "right")):
        far = RECORDS[np.argmax(((RECORDS - corner) ** 2).sum(axis=1))]
        left.plot(*corner, "s", color=WARM, markersize=5)
        left.annotate("", far, corner, arrowprops={"arrowstyle": "->", "color": COOL})
        left.annotate(
            f"{words} of every variable", corner, xytext=(0, down), textcoords="offset points", fontsize=8, color=WARM,
            ha=side,
        )  # fmt: skip
    left.set_ylim(low[1] - 0.5, high[1] + 0.5)
    hulls(right, RECORDS, groups_of(partition.TFRP(K)))
    return figure


def k_means() -> Figure:
    figure, left, right = pair(("split in two by 2-means", "and again, as long as both parts have 5"))
    # The first split is the one that 2-means finds; a group that may be half of the file is never split again.
    hulls(left, RECORDS, partition.KMeansMicro(len(RECORDS) // 3).fit(RECORDS).labels_)
    hulls(right, RECORDS, groups_of(partition.KMeansMicro(K)))
    return figure


def mst() -> Figure:
    figure, left, right = pair(("spanning tree; dashed: between groups", "groups of 5 to 9"))
    labels = groups_of(partition.MST(K))
    for one, two in zip(*minimum_spanning_tree(squareform(pdist(RECORDS))).nonzero(), strict=True):
        is_cut = labels[one] != labels[two]
        left.plot(*RECORDS[[one, two]].T, **(CUT if is_cut else {"color": "#999999", "linewidth": 1}))
    points(left, RECORDS)
    hulls(right, RECORDS, labels)
    return figure


def mhm() -> Figure:
    figure, left, right = pair(("a path through MDAV's groups", "the path cut (dashed) in the best way"))
    method = partition.MHM(K)
    path, labels = method._path(RECORDS), groups_of(method)
    left.plot(*RECORDS[path].T, "-", color="#999999", linewidth=1)
    left.plot(*RECORDS[path[0]], "s", color=WARM, markersize=5)
    left.annotate("start", RECORDS[path[0]], xytext=(7, -3), textcoords="offset points", fontsize=8, color=WARM)
    points(left, RECORDS)
    hulls(right, RECORDS, labels)
    for one, two in pairwise(path):
        is_cut = labels[one] != labels[two]
        right.plot(*RECORDS[[one, two]].T, **(CUT if is_cut else {"color": "#777777", "linewidth": 0.8}))
    return figure


def hac() -> Figure:
    figure = Figure(figsize=(6.4, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    plain(left, "the two closest clusters are merged")
    plain(right, "as long as their union has at most 5")
    dendrogram(linked(RECORDS, "ward"), ax=left, no_labels=True, color_threshold=0, above_threshold_color="#777777")
    left.set_yticks([])
    hulls(right, RECORDS, groups_of(partition.HAC(K)))
    return figure


def optimal_univariate() -> Figure:
    figure = Figure(figsize=(6.4, 1.7), layout="constrained")
    axes = figure.subplots()
    plain(axes, "one variable in order: groups of 3 to 5, and the cuts between them (dashed)")
    x = np.sort(np.random.default_rng(74).gamma(2.0, size=22))
    labels = partition.OptimalUnivariate(3).fit(x[:, None]).labels_
    ends = np.flatnonzero(np.diff(labels))
    cuts = (x[ends] + x[ends + 1]) / 2
    borders = [x[0] - 0.1, *cuts, x[-1] + 0.1]
    for place, (low, high) in enumerate(pairwise(borders)):
        axes.add_patch(Rectangle((low, -0.45), high - low, 0.9, facecolor=SHADES[place % len(SHADES)], alpha=0.6))
    for cut in cuts:
        axes.plot([cut, cut], [-0.8, 0.8], **CUT)
    axes.plot(x, 0 * x, ".", color=INK, markersize=5)
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


# Replacements: before and after.


def rewritten(
    replacement: object, title: str, method: object = "one-group", k: int = K, names: tuple[str, str] = ("Y", "X")
) -> Figure:
    """Draw what a replacement makes of the variable on the vertical axis, X by default, given the other."""
    figure = moved(released(k, method, replacement, confidential=["y"]), title)
    for axes in figure.axes:
        axes.set_xlabel(f"{names[0]}, kept")
    figure.axes[0].set_ylabel(f"{names[1]}, confidential")
    return figure


def membership_draw() -> Figure:
    draw = replace.MembershipDraw(m2=1.5)
    masked = released(method="fuzzy", replacement=draw)
    centres = np.unique(masked.round(9), axis=0)
    nearest = cdist(RECORDS, centres).argmin(axis=1)
    is_other = cdist(masked, centres).argmin(axis=1) != nearest
    figure = moved(masked, "a centre each, m2 = 1.5 (dashed: not the nearest)")
    for before, after in zip(RECORDS[is_other], masked[is_other], strict=True):
        figure.axes[1].plot(*np.array([before, after]).T, **CUT)
    points(figure.axes[1], RECORDS, COOL, markersize=2)
    return figure


def representatives() -> Figure:
    figure, left, right = pair(("one group of five values", "what is released instead"))
    values = np.array([1.0, 2.0, 2.0, 4.0, 11.0])
    for axes in (left, right):
        axes.set_ylim(-0.6, 4.6)
        axes.set_xlim(0, 12)
        axes.set_xticks([1, 2, 4, 11])
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
    figure, left, right = pair(("households in four places (red: at risk)", "those at risk exchange places"))
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


def suppression() -> Figure:
    """Draw a table of two keys, combination by combination, before and after, with k = 3."""
    table = pd.DataFrame(SUPPRESSED, columns=["region", "job"])
    table = table.loc[table.index.repeat(COUNTS)].reset_index(drop=True)
    released = recode.suppress(table, ["region", "job"], k=3).data
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    for axes, shown, title in zip(
        figure.subplots(1, 2), (table, released), ("records, k = 3", "what each keeps, 3 or more have"), strict=True
    ):
        plain(axes, title)
        for row, (values, before) in enumerate(zip(shown.to_numpy(), table.to_numpy(), strict=True)):
            for place, (value, original) in enumerate(zip(values, before, strict=True)):
                gone = pd.isna(value)
                shade = WARM if gone else SHADES[KEY_VALUES.index(original)]
                axes.add_patch(Rectangle((place, -row), 0.96, 0.9, facecolor=shade, alpha=0.9 if gone else 0.55))
                text = "missing" if gone else original
                axes.text(
                    place + 0.48, 0.45 - row, text, ha="center", va="center", fontsize=7, color="w" if gone else INK
                )
        axes.set(xlim=(-0.05, 2.01), ylim=(-len(table) + 0.95, 1.0))
    return figure


SUPPRESSED = [("North", "nurse"), ("North", "cook"), ("South", "nurse"), ("South", "cook"), ("South", "judge")]
COUNTS = [4, 3, 3, 1, 1]
KEY_VALUES = ["North", "South", "nurse", "cook", "judge"]

PICTURES: dict[str, Callable[[], Figure]] = {
    "mdav": mdav,
    "vmdav": lambda: beside_mdav(
        partition.VMDAV(K, gamma=1.1), "V-MDAV, gamma = 1.1: groups of 5 to 9", small_clouds()
    ),
    "md": md,
    "cbfs": lambda: beside_mdav(partition.CBFS(K), "CBFS: one group of 5 at a time"),
    "tfrp": tfrp,
    "k-means": k_means,
    "mu-approx": lambda: beside_mdav(partition.MuApprox(K), "μ-Approx: groups of 5 to 9"),
    "mst": mst,
    "mhm": mhm,
    "hac": hac,
    "optimal-univariate": optimal_univariate,
    "at-least-k": lambda: beside_mdav(fuzzy.AtLeastK(K), "from fuzzy clusters: groups of 5 to 9"),
    "refine": refine,
    "one-group": one_group,
    "fuzzy": lambda: memberships(
        fuzzy.FuzzyCMeans(n_clusters=3, m=2.0, random_state=0).fit(RECORDS), "records and three fuzzy centres, m = 2"
    ),
    "entropy": lambda: memberships(
        fuzzy.EntropyFuzzyCMeans(n_clusters=3, lam=2.0, random_state=0).fit(RECORDS),
        "records and three fuzzy centres, lam = 2",
    ),
    "representatives": representatives,
    "mean": lambda: moved(released(), "groups of 5: every record gets the mean"),
    "membership-draw": membership_draw,
    "ipso": lambda: rewritten("ipso", "X drawn anew: same means and covariances"),
    "hybrid": lambda: rewritten("hybrid", "X drawn anew inside every group", "mdav", 8),
    "muralidhar-sarathy": lambda: rewritten(replace.MuralidharSarathy(alpha=0.7), "0.7 of the residual of X stays"),
    "fuzzy-regression": lambda: rewritten(
        replace.FuzzyRegression(n_clusters=3), "y from one of three regressions on x", names=("x", "y")
    ),
    "rank-swap": lambda: moved(released(method="one-group", replacement="rank-swap"), "ranks swapped within 15 %"),
    "noise": lambda: moved(released(method="one-group", replacement="noise"), "noise added, alpha = 0.1"),
    "shuffle": lambda: rewritten("shuffle", "X shuffled: the same values, other records"),
    "pram": pram,
    "record-swap": record_swap,
    "suppression": suppression,
}


def main() -> None:
    """Draw the pictures that are named, or all of them."""
    IMAGES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        with mpl.rc_context({"svg.hashsalt": name, "font.size": 9, "svg.fonttype": "path"}):
            PICTURES[name]().savefig(IMAGES / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
