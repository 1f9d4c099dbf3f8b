"""The weight of the priority: what the thesis leaves as future work, over k and two files."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal.partition import HAC, MDAV
from studies.hierarchical_clustering.errors import squared_error

__all__ = ["WEIGHTS", "best_weights", "errors_by_weight", "summary"]

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
_SIZES = (3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30)
# Name, and the parameters of `HAC` beside k and the weight.
_WAYS = {
    "thesis": {"linkage": "single", "completion": "thesis"},
    "nearest": {"linkage": "single", "completion": "nearest"},
    "default": {},
}


def errors_by_weight(files: dict[str, NDArray[np.float64]]) -> pd.DataFrame:
    """Return the squared error at every k and weight: of the thesis's method, with distances, and of the default."""
    rows = []
    for file, X in files.items():
        for k in _SIZES:
            mdav = squared_error(X, MDAV(k).fit(X).labels_)
            for way, parameters in _WAYS.items():
                found = {
                    f"{weight:g}": squared_error(X, HAC(k, priority=weight, **parameters).fit(X).labels_)
                    for weight in WEIGHTS
                }
                rows.append({"file": file, "way": way, "k": k, "mdav": mdav, **found})
    return pd.DataFrame(rows).round(2)


def best_weights(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the best weight at every k, and the error without, with the thesis's and with the best, over MDAV's."""
    columns = [f"{weight:g}" for weight in WEIGHTS]
    over_mdav = errors[columns].div(errors["mdav"], axis=0)
    frame = errors[["file", "way", "k"]].assign(
        best_weight=errors[columns].idxmin(axis=1).astype(float),
        without=over_mdav["0"],
        thesis=over_mdav["1"],
        best=over_mdav.min(axis=1),
    )
    return frame.round(3)


def summary(best: pd.DataFrame) -> pd.DataFrame:
    """Return, by file and way, at how many k no priority is best and the thesis's helps, and mean errors."""
    of_each = best.assign(none_best=best["best_weight"] == 0, helps=best["thesis"] < best["without"])
    grouped = of_each.groupby(["file", "way"], sort=False)
    means = grouped[["without", "thesis", "best"]].mean().round(3)
    return grouped[["none_best", "helps"]].sum().assign(of=grouped.size()).join(means).reset_index()
