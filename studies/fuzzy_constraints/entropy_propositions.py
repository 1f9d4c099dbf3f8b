"""Propositions 3 and 8 for the form with entropy: where centres go for small lambda, and the information loss.

Small lambda1 and lambda2 stand for large m1 and m2. The expected loss is that of `propositions.py`.
"""

from __future__ import annotations

import warnings
from concurrent.futures import Executor
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from shoal.errors import ShoalWarning
from shoal.partition.fuzzy import EntropyFuzzyCMeans
from shoal.partition.fuzzy.alternating import Entropic
from studies.fuzzy_constraints.propositions import (
    CLUSTERS,
    SIZES_C,
    Doubles,
    drawn,
    expected_loss,
    sizes,
    standardised,
    tables_of,
)

LAMBDA1 = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
LAMBDA2 = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0)
SIZES_LAMBDA1, SIZES_LAMBDA2 = 10.0, (10.0, 1.0, 0.1, 0.01, 0.001)
SMALL_LAMBDA = (10.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.01)


def centres_of(Z: Doubles, setting: tuple[int, float], max_iter: int = 300) -> Doubles:
    warnings.simplefilter("ignore", ShoalWarning)  # a fit that has not ended is near enough
    clusters, lam = setting
    return EntropyFuzzyCMeans(clusters, lam=lam, max_iter=max_iter, random_state=0).fit(Z).cluster_centers_


def expected_losses(Z: Doubles, setting: tuple[int, float]) -> list[dict[str, float]]:
    """Return the expected loss with every lambda2, for a number of clusters and a lambda1."""
    centres = centres_of(Z, setting)
    own = {"c": setting[0], "lambda1": setting[1]}
    return [own | {"lambda2": lam, "loss": expected_loss(Z, centres, Entropic(lam))} for lam in LAMBDA2]


def losses(pool: Executor, census: pd.DataFrame) -> pd.DataFrame:
    """Return the expected loss over c, lambda1 and lambda2."""
    settings = [(c, lam) for c in reversed(CLUSTERS) for lam in LAMBDA1]  # the slow ones first
    rows = [row for some in pool.map(partial(expected_losses, standardised(census)), settings) for row in some]
    return pd.DataFrame(rows).sort_values(["c", "lambda1", "lambda2"], ignore_index=True)


def expected_sizes(census: pd.DataFrame) -> pd.DataFrame:
    """Return how many records each centre is expected to get as lambda2 falls, with n / k centres and k = 3."""
    Z = standardised(census)
    centres = centres_of(Z, (SIZES_C, SIZES_LAMBDA1))
    return pd.DataFrame([{"lambda2": lam} | sizes(Z, centres, Entropic(lam)) for lam in SIZES_LAMBDA2])


def small_lambda(census: pd.DataFrame) -> pd.DataFrame:
    """Return how far the farthest coordinate of four centres is from the mean, in standard deviations."""
    tables = tables_of(census)
    rows = []
    for lam in SMALL_LAMBDA:
        fitted = {name: centres_of(Z, (4, lam), max_iter=5000) for name, Z in tables.items()}
        rows.append({"lambda": lam} | {name: np.abs(centres).max().round(4) for name, centres in fitted.items()})
    return pd.DataFrame(rows)


def picture(table: pd.DataFrame) -> Figure:
    """Draw the loss over lambda1, for a large and a small lambda2, over lambda2 and over c; lambdas fall."""
    clusters, lambdas = (13, 54, 108, 216, 360), (10.0, 1.0, 0.2, 0.05, 0.001)
    panels = [
        ("lambda1", "c", clusters, "lambda2", 10.0),
        ("lambda1", "c", clusters, "lambda2", 0.05),
        ("lambda2", "c", clusters, "lambda1", 10.0),
        ("c", "lambda2", lambdas, "lambda1", 10.0),
    ]
    ticks = {
        "lambda1": (50, 10, 2, 0.5, 0.1, 0.02),
        "lambda2": (50, 10, 1, 0.1, 0.01, 0.001),
        "c": (1, 4, 13, 54, 108, 360),
    }
    return drawn(table, panels, ticks)
