"""Draw the pictures of the docs: the flow, the house, groups before and after, the decision tree, a map, a report.

    python docs/draw_pictures.py [map report ...]

Writes flow.svg, house.svg, groups.svg, choosing.svg and map.svg into docs/images; the same bytes every time, with the
same matplotlib.
A browser takes report.png (chromium, by playwright).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from scipy.spatial import ConvexHull

import shoal
from shoal.errors import ShoalWarning
from shoal.search.tuning import Tuning

IMAGES = Path(__file__).parent / "images"
INK, SOFT, SEA, SAND, FOAM = "#1f2d3a", "#7a8894", "#1b6e8c", "#c8702a", "#e8f1f4"

STEPS = [
    ("read", "a file or a frame,\nits labels kept", False),
    ("describe", "what each column is:\nkind and role", False),
    ("recode", "bands, top codes,\nmerged categories", True),
    ("edits", "rules that hold\nin every record", True),
    ("partition", "groups of at\nleast k records", False),
    ("replace", "one set of values\nfor each group", False),
    ("measure", "disclosure risk\nand utility", False),
    ("report", "one page, internal\nor public", False),
]

# The house from the roof down; a folder imports only from those below it and to its left.
FLOORS = [
    ("what people touch", ["cli", "studio"]),
    ("what runs the steps", ["flow", "search", "report", "scale"]),
    ("the steps", ["read", "write", "describe", "recode", "edits", "partition", "replace", "measure"]),
    ("the ground", ["errors", "progress", "parameters"]),
]

# Question or leaf: what it says, and what comes below it, by the answer.
TREE = (
    "Does everybody\nget the file?",
    [
        (
            "yes, or nearly:\nk over whole records",
            (
                "What do users\nneed most?",
                [
                    ("numbers", ("mdav\nrefine if there is time", None)),
                    ("true categories", ("categories: suppress\nkeys recoded first", None)),
                    ("both, of households\nor firms", ("unit: k counts units\ncategories of units: suppress", None)),
                    ("one variable", ("optimal-univariate", None)),
                ],
            ),
        ),
        (
            "users under contract:\nno k, risk is measured",
            (
                "What has to\nstay as it was?",
                [
                    ("means and covariances", ("hybrid or ipso", None)),
                    ("each distribution", ("rank-swap or shuffle", None)),
                    ("frequencies of\ncategories", ("pram", None)),
                    ("the records, not\ntheir places", ("record-swap", None)),
                    ("little: an intruder knows\nthe method", ("fuzzy", None)),
                ],
            ),
        ),
    ],
)


def main() -> None:
    """Draw the pictures that are named, or all of them."""
    wanted = sys.argv[1:] or ["flow", "house", "groups", "choosing", "map", "report"]
    mpl.rcParams.update({"svg.hashsalt": "shoal", "font.size": 11, "text.color": INK, "axes.edgecolor": SOFT})
    IMAGES.mkdir(exist_ok=True)
    for name, draw in (("flow", flow), ("house", house), ("groups", groups), ("choosing", choosing)):
        if name in wanted:
            figure = draw()
            figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None}, facecolor="white")
            plt.close(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        if "map" in wanted:
            search().map(IMAGES / "map.svg")
            (IMAGES / "map.svg").chmod(0o644)  # a file of shoal is private until somebody says otherwise
        if "report" in wanted:
            take_report(IMAGES / "report.png")


def flow() -> Figure:
    """Return the steps of the flow, four in a row; those that can be left out are dashed."""
    figure, axes = _canvas(8.4, 3.3)
    for number, (name, text, can_be_left_out) in enumerate(STEPS):
        row, place = divmod(number, 4)
        x, y = 0.02 + 0.25 * place, 0.55 - 0.5 * row
        _box(axes, x, y, 0.2, 0.38, dashed=can_be_left_out)
        axes.text(x + 0.1, y + 0.28, name, ha="center", va="center", weight="bold", color=SEA, size=13)
        axes.text(x + 0.1, y + 0.12, text, ha="center", va="center", size=10)
        if place < 3:
            _arrow(axes, (x + 0.205, y + 0.19), (x + 0.245, y + 0.19))
    axes.plot([0.97, 0.985, 0.985, 0.005, 0.005], [0.74, 0.74, 0.49, 0.49, 0.24], color=SOFT, lw=1.3)
    _arrow(axes, (0.005, 0.24), (0.02, 0.24))
    return figure


def house() -> Figure:
    """Return the floors of the house, a folder a room."""
    figure, axes = _canvas(8.4, 3.6)
    for floor, (name, rooms) in enumerate(FLOORS):
        y = 0.77 - 0.245 * floor
        axes.text(0.0, y + 0.09, name, ha="left", va="center", color=SOFT, size=10)
        width = 0.81 / len(rooms)
        for place, room in enumerate(rooms):
            x = 0.19 + width * place
            _box(axes, x, y, width - 0.012, 0.18)
            axes.text(
                x + (width - 0.012) / 2, y + 0.09, room, ha="center", va="center", weight="bold", color=SEA, size=10
            )
    return figure


def groups() -> Figure:
    """Return households by age and income, as they are and as they are released."""
    survey = shoal.datasets.households(60, seed=12)[["age", "net_income"]]
    release = shoal.protect(survey, 5, seed=1)
    labels = release.partitions[0].labels
    before, after = (table.to_numpy(float) / (1, 1000) for table in (survey, release.data))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), sharey=True, layout="constrained")
    left.set_title("60 households, each of them unique", size=12, color=INK)
    right.set_title(f"released: {labels.max() + 1} groups, at least 5 alike", size=12, color=INK)
    left.scatter(*before.T, s=22, color=SEA)
    for group in range(labels.max() + 1):
        members, centre = before[labels == group], after[labels == group][0]
        for member in members:
            right.plot(*zip(member, centre, strict=True), color=SOFT, lw=0.7, alpha=0.7)
        if len(members) > 2:
            corners = members[ConvexHull(members).vertices]
            for axes in (left, right):
                axes.fill(*corners.T, color=SEA, alpha=0.10, lw=0)
        right.scatter(*members.T, s=8, color=SOFT, alpha=0.7)
        right.scatter(*centre, s=150, color=SAND, zorder=3)
        right.text(*centre, str(len(members)), ha="center", va="center", color="white", size=9, weight="bold", zorder=4)
    for axes in (left, right):
        axes.set_xlabel("age")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(colors=SOFT)
    left.set_ylabel("net income, thousands a year")
    return figure


def choosing() -> Figure:
    """Return the decision tree."""
    figure, axes = _canvas(9.2, 7.4)
    leaves = _leaves(TREE)
    _branch(axes, TREE, 0, iter(np.linspace(0.95, 0.05, leaves)))
    return figure


def search() -> Tuning:
    """Return a search for a release of the built-in survey, as docs/how-to/tune.md shows it."""
    survey = shoal.datasets.households(600, seed=1)[["age", "household_size", "gross_income", "tax", "housing_cost"]]
    return shoal.tune(survey, kinds={"household_size": "continuous"}, trials=60, seed=1)


def take_report(target: Path) -> None:
    """Take a picture of the top of the report that the quickstart makes, with chromium."""
    from playwright.sync_api import sync_playwright  # nothing else here needs it

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        survey, masked, report = (Path(folder) / name for name in ("survey.csv", "protected.csv", "report.html"))
        shoal.write_table(shoal.datasets.households(2000, seed=1), survey)
        dropped = dict.fromkeys(("household_id", "survey_weight"), "identifier")
        shoal.protect(survey, 5, roles=dropped, seed=1).write(masked)
        typed = ["report", str(survey), str(masked), "-o", str(report)]
        subprocess.run([sys.executable, "-m", "shoal", *typed], check=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 700})
        page.goto(report.as_uri())
        page.screenshot(path=target)
        browser.close()


def _leaves(node) -> int:
    return 1 if node[1] is None else sum(_leaves(below) for _, below in node[1])


def _branch(axes: Axes, node, depth: int, heights) -> float:
    """Draw a node and what is below it, and return its height."""
    text, answers = node
    x, width = (0.0, 0.35, 0.72)[depth], (0.17, 0.17, 0.28)[depth]
    if answers is None:
        y = next(heights)
        _box(axes, x, y - 0.042, width, 0.084, fill="#fbeee3", edge=SAND)
        first, _, rest = text.partition("\n")
        axes.text(x + width / 2, y + (0.014 if rest else 0), first, ha="center", va="center", weight="bold", size=11)
        axes.text(x + width / 2, y - 0.02, rest, ha="center", va="center", size=9)
        return y
    below = [(answer, _branch(axes, child, depth + 1, heights)) for answer, child in answers]
    y = float(np.mean([height for _, height in below]))
    _box(axes, x, y - 0.055, width, 0.11)
    axes.text(x + width / 2, y, text, ha="center", va="center", size=11)
    right, left = x + width, (0.35, 0.72)[depth]
    for answer, height in below:
        axes.plot([right, right + 0.012, right + 0.012, left], [y, y, height, height], color=SOFT, lw=1.2)
        axes.text(right + 0.018, height + 0.006, textwrap.dedent(answer), ha="left", va="bottom", size=9, color=SEA)
    return y


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    figure = plt.figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-0.01, 1.01), ylim=(0, 1))
    axes.axis("off")
    return figure, axes


def _box(axes: Axes, x, y, width, height, *, dashed=False, fill=FOAM, edge=SEA) -> None:
    style = "round,pad=0,rounding_size=0.012"
    line = (0, (4, 3)) if dashed else "solid"
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, fc=fill, ec=edge, lw=1.3, ls=line))


def _arrow(axes: Axes, start, end) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": SOFT, "lw": 1.3})


if __name__ == "__main__":
    main()
