"""Propositions 2 and 8: what happens to centres for large m, and to the information loss over m1, m2 and c, on Census.

The loss is the expected one of the algorithm as published, the sum over records and centres of membership times squared
distance, in percent of the variance: no draw and no seed of a draw is in it. Census satisfies its rule, so that the
constrained centres are the free ones (Proposition 5).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from shoal.datasets import expenditure
from shoal.errors import ShoalWarning
from shoal.partition.fuzzy import EntropyFuzzyCMeans, FuzzyCMeans
from shoal.partition.fuzzy.alternating import MembershipRule, c_means_rule, memberships
from studies.fuzzy_constraints.one_step import PARTS, TOTAL, with_errors

Doubles = NDArray[np.float64]
M1 = (1.05, 1.1, 1.2, 1.35, 1.5, 2.0)
M2 = (1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 2.0, 3.0, 5.0, 10.0)
CLUSTERS = (1, 4, 13, 54, 108, 216, 360)
SIZES_C, SIZES_M1, SIZES_M2 = 360, 1.1, (1.1, 1.5, 2.0, 10.0, 100.0)
ROUNDING = 1e-9  # what is less differs by rounding alone
LARGE_M = (2.0, 5.0, 10.0, 100.0, 1e3, 1e5)


def standardised(table: pd.DataFrame) -> Doubles:
    return ((table - table.mean()) / table.std()).to_numpy()


def centres_of(Z: Doubles, setting: tuple[int, float]) -> Doubles:
    clusters, m1 = setting
    return FuzzyCMeans(clusters, m=m1, max_iter=100, random_state=0).fit(Z).cluster_centers_


def expected_losses(Z: Doubles, setting: tuple[int, float]) -> list[dict[str, float]]:
    """Return the expected loss with every m2, for a number of clusters and an m1."""
    centres = centres_of(Z, setting)
    return [
        {"c": setting[0], "m1": setting[1], "m2": m2, "loss": expected_loss(Z, centres, c_means_rule(m2))} for m2 in M2
    ]


def expected_loss(Z: Doubles, centres: Doubles, rule: MembershipRule) -> float:
    """Return the expected loss in percent when records draw from some centres."""
    shares = np.asarray(memberships(Z, centres, rule))
    return 100 * (shares * cdist(Z, centres, "sqeuclidean")).sum() / (Z**2).sum()


def losses(pool: Executor, census: pd.DataFrame) -> pd.DataFrame:
    """Return the expected loss over c, m1 and m2."""
    every_record = (len(census), M1[0])  # "each data has its own cluster (and with m1 and m2 near to one)"
    settings = [every_record, *((c, m1) for c in reversed(CLUSTERS) for m1 in M1)]  # the slow ones first
    rows = [row for some in pool.map(partial(expected_losses, standardised(census)), settings) for row in some]
    return pd.DataFrame(rows).sort_values(["c", "m1", "m2"], ignore_index=True)


def expected_sizes(census: pd.DataFrame) -> pd.DataFrame:
    """Return how many records each centre is expected to get as m2 grows, with n / k centres and k = 3."""
    Z = standardised(census)
    centres = centres_of(Z, (SIZES_C, SIZES_M1))
    return pd.DataFrame([{"m2": m2} | sizes(Z, centres, c_means_rule(m2)) for m2 in SIZES_M2])


def sizes(Z: Doubles, centres: Doubles, rule: MembershipRule) -> dict[str, float]:
    """Return the least, the median and the most records that a centre is expected to get, and how many get below 3."""
    expected = np.asarray(memberships(Z, centres, rule)).sum(axis=0)
    below = 100 * (expected < 3).mean()
    return {"least": expected.min(), "median": np.median(expected), "most": expected.max(), "below 3, %": below}


def tables_of(census: pd.DataFrame) -> dict[str, Doubles]:
    """Return the tables whose centres are followed to the mean."""
    return {
        "Table 1": standardised(expenditure()),
        "Census": standardised(census),
        "500 records of a standard normal": standardised(pd.DataFrame(np.random.default_rng(0).normal(size=(500, 3)))),
    }


def large_m(census: pd.DataFrame) -> pd.DataFrame:
    """Return how far the farthest coordinate of four centres is from the mean, in standard deviations."""
    tables = tables_of(census)
    rows = []
    for m in LARGE_M:
        fitted = {name: FuzzyCMeans(4, m=m, max_iter=2000, random_state=0).fit(Z) for name, Z in tables.items()}
        rows.append({"m": m} | {name: np.abs(one.cluster_centers_).max() for name, one in fitted.items()})
    return pd.DataFrame(rows)


def stays_at_the_mean(census: pd.DataFrame) -> pd.DataFrame:
    """Return whether all centres can stay at the mean for large m, by the theorem of Yu, Cheng and Huang (2004).

    They can if m is at least 1 / (1 - 2 l), with l the largest eigenvalue of the mean of (z z') / (z' z) over the
    records, and cannot for any m if l is a half or more.
    """
    rows = []
    for name, Z in tables_of(census).items():
        units = Z / np.sqrt((Z**2).sum(axis=1, keepdims=True))
        largest = float(np.linalg.eigvalsh(units.T @ units / len(Z))[-1])
        least = f"{1 / (1 - 2 * largest):.1f}" if largest < 0.5 else "none"
        rows.append({"file": name, "largest": largest, "m from": least})
    return pd.DataFrame(rows)


def constrained_and_free(census: pd.DataFrame) -> pd.DataFrame:
    """Return how far constrained centres are from free ones, in sd, where the data satisfy the constraint and not."""
    warnings.simplefilter("ignore", ShoalWarning)  # both stop after the same number of steps
    rows = []
    for name, table in (("Census", census), ("Census with errors", with_errors(census, 0))):
        Z, sds = standardised(table), table.std()
        weights = pd.Series(0.0, index=table.columns)
        weights[[TOTAL, *PARTS]] = 1.0, -1.0, -1.0
        rule = ((weights * sds).to_numpy()[None, :], np.array([-float(weights @ table.mean())]))
        for method, kind, parameter in (
            ("fuzzy", FuzzyCMeans, {"m": 1.2}),
            ("entropy", EntropyFuzzyCMeans, {"lam": 10}),
        ):
            free, bound = (
                kind(108, **parameter, constraints=constraints, max_iter=300, tol=1e-9, random_state=0).fit(Z)
                for constraints in (None, rule)
            )
            apart = float(np.abs(free.cluster_centers_ - bound.cluster_centers_).max())
            rows.append({"file": name, "method": method, "centres apart by": max(apart, ROUNDING)})
    return pd.DataFrame(rows)


def picture(table: pd.DataFrame) -> Figure:
    """Draw the loss over m1, for a small and a large m2, over m2 and over c."""
    clusters, exponents = (13, 54, 108, 216, 360), (1.05, 1.5, 2.0, 3.0, 10.0)
    panels = [
        ("m1", "c", clusters, "m2", 1.1),
        ("m1", "c", clusters, "m2", 2.0),
        ("m2", "c", clusters, "m1", 1.1),
        ("c", "m2", exponents, "m1", 1.1),
    ]
    ticks = {"m1": (1.05, 1.2, 1.35, 1.5, 2), "m2": (1.1, 1.5, 2, 3, 5, 10), "c": (1, 4, 13, 54, 108, 360)}
    return drawn(table, panels, ticks)


def drawn(table: pd.DataFrame, panels: Sequence[tuple], ticks: dict[str, tuple[float, ...]]) -> Figure:
    """Draw four panels: a line for each value of one parameter over another, the third fixed; axes run as the ticks."""
    figure = Figure(figsize=(9, 7.4))
    for place, (across, lines, values, fixed, at) in enumerate(panels):
        axes = figure.add_subplot(2, 2, place + 1)
        for value in values:
            some = table[(table[lines] == value) & (table[fixed] == at)]
            axes.plot(some[across], some["loss"], "o-", markersize=4, label=f"{lines} = {value:g}")
        axes.axhline(100, color="black", linewidth=0.8)
        axes.set(xlabel=f"{across}, with {fixed} = {at:g}", xscale="log")
        axes.set_xticks(ticks[across], [f"{tick:g}" for tick in ticks[across]])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, ncols=2, loc="upper left")
        axes.set_ylim(0, 1.35 * max(100.0, axes.get_ylim()[1]))
        if ticks[across][0] > ticks[across][-1]:
            axes.invert_xaxis()
    for axes in figure.axes[::2]:
        axes.set_ylabel("expected information loss, %")
    return figure
