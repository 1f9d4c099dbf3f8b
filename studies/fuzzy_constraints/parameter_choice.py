"""The choice of m1, m2 and c: a small grid on Census, as it is and with errors and the rule that they break.

With errors the rule decides where centres may lie; the score is that of the release against the file without errors.
`long_search.py` (--long) has the whole grid of `shoal tune`, without rules.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

import shoal
from shoal.errors import ShoalWarning
from studies.fuzzy_constraints.one_step import RULE, with_errors

SIZES = (5, 10)
M1, M2, PARTS = (1.05, 1.1, 1.2, 1.5), (1.02, 1.05, 1.2, 1.35), (0.125, 0.25, 0.5, 1.0)
FILES = ("as it is", "with errors and the rule")
SEEDS, OTHER_SEEDS = (0, 1), range(11, 16)
DEFAULT = {"m1": 1.2, "m2": 1.2, "c of n / k": 1.0}
SETTING = ["file", "k", "m1", "m2", "c of n / k"]


def measured(census: pd.DataFrame, case: tuple[str, int, float, float, float, int]) -> dict[str, Any]:
    """Make one release and measure it; m1 = 0 is MDAV."""
    warnings.simplefilter("ignore", ShoalWarning)
    file, k, m1, m2, part, seed = case
    clusters = max(1, round(part * (len(census) // k)))
    how: dict[str, Any] = {}
    if m1:
        how = {"method": f"fuzzy:m={m1},n_clusters={clusters}", "replace": f"membership-draw:m2={m2}"}
    truth = census.astype(float)
    if file == "as it is":
        release = shoal.protect(truth, k, seed=seed, **how)
    else:
        release = shoal.protect(with_errors(census, seed), k, seed=seed, edits=[RULE], repair=not m1, **how)
    score = shoal.evaluate(truth, release.data, measures=["score"]).score
    values = {"score": float(score), "risk": score.risk, "loss": score.loss}
    return dict(zip(SETTING, case, strict=False)) | {"clusters": clusters, "seed": seed} | values


def grid(pool: Executor, census: pd.DataFrame) -> pd.DataFrame:
    """Return the mean score of every setting of the grid."""
    cases = list(product(FILES, SIZES, M1, M2, PARTS, SEEDS))
    rows = pd.DataFrame(pool.map(partial(measured, census), cases, chunksize=8))
    return rows.groupby([*SETTING, "clusters"], sort=False)[["score", "risk", "loss"]].mean().reset_index()


def best(pool: Executor, census: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the default, the best of the grid and MDAV, released again with other seeds."""
    rows = []
    for file, k in product(FILES, SIZES):
        own = trials[(trials["file"] == file) & (trials["k"] == k)]
        default = own[(own[list(DEFAULT)] == pd.Series(DEFAULT)).all(axis=1)].iloc[0]
        lowest = own.loc[own["score"].idxmin()]
        for title, setting in (("default", default), ("best", lowest), ("MDAV", None)):
            values = (0.0, 0.0, 1.0) if setting is None else tuple(setting[name] for name in DEFAULT)
            cases = [(file, k, *values, seed) for seed in OTHER_SEEDS]
            again = pd.DataFrame(pool.map(partial(measured, census), cases))
            chosen = {} if setting is None else {name: setting[name] for name in (*DEFAULT, "clusters")}
            found = {} if setting is None else {"score in the grid": setting["score"]}
            rows.append(
                {"file": file, "k": k, "setting": title}
                | chosen
                | found
                | {name: again[name].mean() for name in ("score", "risk", "loss")}
                | {"lowest": again["score"].min(), "highest": again["score"].max()}
            )
    return pd.DataFrame(rows)


def influence(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest score with one parameter fixed and the others free."""
    rows = []
    for name, values in zip(DEFAULT, (M1, M2, PARTS), strict=True):
        for value in values:
            row: dict[str, Any] = {"parameter": name, "value": value}
            for file, k in product(FILES, SIZES):
                own = trials[(trials["file"] == file) & (trials["k"] == k) & (trials[name] == value)]
                row[f"k = {k}, {file}"] = own["score"].min()
            rows.append(row)
    return pd.DataFrame(rows)


def picture(trials: pd.DataFrame, chosen: pd.DataFrame) -> Figure:
    """Draw risk and loss of the grid, a colour for each number of clusters, with MDAV."""
    figure = Figure(figsize=(9, 4))
    colours: Sequence[str] = ("#4477aa", "#66ccee", "#ccbb44", "#ee6677")
    for place, file in enumerate(FILES):
        axes = figure.add_subplot(1, 2, place + 1)
        for part, colour in zip(PARTS, colours, strict=True):
            for k, marker in zip(SIZES, ("o", "^"), strict=True):
                some = trials[(trials["file"] == file) & (trials["k"] == k) & (trials["c of n / k"] == part)]
                label = f"c = {part:g} n / k" if k == SIZES[0] else None
                axes.plot(some["loss"], some["risk"], marker, color=colour, markersize=4, label=label)
        for k, marker in zip(SIZES, ("o", "^"), strict=True):
            mdav = chosen[(chosen["file"] == file) & (chosen["k"] == k) & (chosen["setting"] == "MDAV")]
            axes.plot(mdav["loss"], mdav["risk"], marker, color="black", markersize=8, label=f"MDAV, k = {k}")
        axes.set(title=f"Census {file}", xlabel="loss (PIL), %", ylim=(0, None))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("disclosure risk, %")
    figure.axes[0].legend(fontsize=8)
    return figure
