"""Table 4 over many draws: how often constrained centres are nearer to the original ones than free centres are.

The paper has one draw at each of three noise levels. Here are many, in both modes: "project", free centres moved once
to the nearest points that satisfy the rule, and "alternate", the algorithm of Proposition 4; on the values as they are,
and on standard scores with distances measured on the values.
"""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from shoal.datasets import expenditure
from shoal.partition.fuzzy import FuzzyCMeans
from studies.fuzzy_constraints.published import ALPHA, NOISES, ORIGINAL_CENTRES, A

Doubles = NDArray[np.float64]
DRAWS = 400
EXPONENTS = (1.2, 1.3, 1.5, 2.0)
UNITS = ("values", "standard scores")
PICTURED, DRAWN = (1.5, 1.5, "values"), 200  # noise, m, units; and how many of the draws
ROUNDING = 1e-6  # by which a centre may be farther: free centres that satisfy the rule are not moved


def centres(X: Doubles, m: float, start: Doubles, **options: object) -> Doubles:
    return FuzzyCMeans(4, m=m, init=start, max_iter=3000, tol=1e-7, **options).fit(X).cluster_centers_


def draw_distances(setting: tuple[float, float, str]) -> pd.DataFrame:
    """Return the distances from the centres of the original data, a row for every draw and centre."""
    noise, m, units = setting
    original = expenditure().to_numpy()
    standard = units == "standard scores"
    shift, scale = (original.mean(axis=0), original.std(axis=0, ddof=1)) if standard else (np.zeros(3), np.ones(3))
    alpha, constant = ALPHA * scale, A - ALPHA @ shift
    before = centres((original - shift) / scale, m, (ORIGINAL_CENTRES - shift) / scale)
    rng = np.random.default_rng(round(10 * noise))  # the same noise for every m and unit
    rows = []
    for draw in range(DRAWS):
        Z = (original + rng.normal(0, noise, original.shape) - shift) / scale
        free = centres(Z, m, before)
        found = {
            "free": free,
            "project": free - np.outer((free @ alpha - constant) / (alpha @ alpha), alpha),
            "alternate": centres(Z, m, before, constraints=(alpha, constant)),
        }
        apart = {name: np.linalg.norm((one - before) * scale, axis=1) for name, one in found.items()}
        rows.append(pd.DataFrame(apart).assign(draw=draw))
    return pd.concat(rows).assign(noise=noise, m=m, units=units)


def all_distances(pool: Executor) -> pd.DataFrame:
    """Return the distances of all draws."""
    settings = [(noise, m, units) for units in UNITS for noise in NOISES for m in EXPONENTS]
    return pd.concat(pool.map(draw_distances, settings), ignore_index=True)


def shares(distances: pd.DataFrame) -> pd.DataFrame:
    """Return in how many of the draws all four centres are nearer, and how many centres are, in percent."""
    keys = ["units", "noise", "m"]
    rows = []
    for setting, some in distances.groupby(keys, sort=False):
        row: dict[str, object] = dict(zip(keys, setting, strict=True))
        for mode in ("project", "alternate"):
            nearer = some[mode] <= some["free"] + ROUNDING
            row[f"{mode}: all four nearer"] = 100 * nearer.groupby(some["draw"]).all().mean()
            row[f"{mode}: centres nearer"] = 100 * nearer.mean()
            row[f"{mode}: mean distance"] = some[mode].mean()
        rows.append(row | {"free: mean distance": some["free"].mean()})
    return pd.DataFrame(rows)


def picture(distances: pd.DataFrame) -> Figure:
    """Draw how much nearer every constrained centre is than the free one, a panel for each mode."""
    noise, m, units = PICTURED
    some = distances[(distances["noise"] == noise) & (distances["m"] == m) & (distances["units"] == units)]
    figure = Figure(figsize=(9, 3.8))
    for place, (mode, title) in enumerate(
        (("project", "projected once"), ("alternate", "alternating (Proposition 4)"))
    ):
        axes = figure.add_subplot(1, 2, place + 1)
        nearer = some[mode] <= some["free"] + ROUNDING
        for part, colour, label in ((nearer, "#4477aa", "nearer"), (~nearer, "#ee6677", "farther")):
            shown = some[part & (some["draw"] < DRAWN)]
            count = f"{label}: {100 * part.mean():.1f} %"
            axes.plot(shown["free"], shown[mode] - shown["free"], ".", color=colour, markersize=4, label=count)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(title=title, xlabel="distance of the free centre", xlim=(0, 8), ylim=(-2.5, 1))
        axes.legend(fontsize=8, loc="lower right")
    figure.axes[0].set_ylabel("distance of the constrained centre,\nless that of the free one")
    return figure
