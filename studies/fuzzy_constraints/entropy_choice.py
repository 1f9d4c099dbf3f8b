"""The choice of lambda1, lambda2 and c in the form with entropy: Census as it is, and with errors and the rule."""

from __future__ import annotations

import warnings
from concurrent.futures import Executor
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from studies.fuzzy_constraints.one_step import RULE, with_errors
from studies.fuzzy_constraints.parameter_choice import FILES, SIZES

__all__ = ["best_with_entropy", "entropy_grid", "entropy_influence"]

_LAMBDAS, _PARTS = (5.0, 10.0, 20.0, 50.0), (0.25, 1.0)
_SEED, _OTHER_SEEDS = 0, range(11, 14)
_DEFAULT = {"lambda1": 10.0, "lambda2": 10.0, "c of n / k": 1.0}


def _measured(census: pd.DataFrame, case: tuple[str, int, float, float, float, int]) -> dict[str, Any]:
    """Make one release and measure it against the file without errors."""
    warnings.simplefilter("ignore", ShoalWarning)
    file, k, first, second, part, seed = case
    clusters = round(part * (len(census) // k))
    how = {"method": f"entropy:lam={first},n_clusters={clusters}", "replace": f"membership-draw:lam2={second}"}
    truth = census.astype(float)
    if file == FILES[0]:
        release = shoal.protect(truth, k, seed=seed, **how)
    else:
        release = shoal.protect(with_errors(census, seed), k, seed=seed, edits=[RULE], **how)
    score = shoal.evaluate(truth, release.data, measures=["score"]).score
    setting = dict(zip(("file", "k", *_DEFAULT), case, strict=False))
    return setting | {"clusters": clusters, "score": float(score), "risk": score.risk, "loss": score.loss}


def entropy_grid(pool: Executor, census: pd.DataFrame) -> pd.DataFrame:
    """Return the score of every setting of the grid."""
    cases = list(product(FILES, SIZES, _LAMBDAS, _LAMBDAS, _PARTS, [_SEED]))
    return pd.DataFrame(pool.map(partial(_measured, census), cases, chunksize=8))


def best_with_entropy(pool: Executor, census: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the default and the best setting, released again with other seeds."""
    rows = []
    for file, k in product(FILES, SIZES):
        own = trials[(trials["file"] == file) & (trials["k"] == k)]
        default = own[(own[list(_DEFAULT)] == pd.Series(_DEFAULT)).all(axis=1)].iloc[0]
        for title, setting in (("default", default), ("best", own.loc[own["score"].idxmin()])):
            values = {name: setting[name] for name in _DEFAULT}
            cases = [(file, k, *values.values(), seed) for seed in _OTHER_SEEDS]
            again = pd.DataFrame(pool.map(partial(_measured, census), cases))[["score", "risk", "loss"]].mean()
            row = {"file": file, "k": k, "setting": title, **values, "clusters": setting["clusters"]}
            rows.append(row | {"score in the grid": setting["score"], **again})
    return pd.DataFrame(rows)


def entropy_influence(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest score with one parameter fixed and the others free."""
    rows = []
    for name, values in zip(_DEFAULT, (_LAMBDAS, _LAMBDAS, _PARTS), strict=True):
        for value in values:
            row: dict[str, Any] = {"parameter": name, "value": value}
            for file, k in product(FILES, SIZES):
                own = trials[(trials["file"] == file) & (trials["k"] == k) & (trials[name] == value)]
                row[f"k = {k}, {file}"] = own["score"].min()
            rows.append(row)
    return pd.DataFrame(rows)
