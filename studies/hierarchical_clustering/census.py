"""Tables 5.3 to 8.1: the squared errors on Census, printed and ours."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal.partition import HAC, MDAV
from studies.hierarchical_clustering.errors import squared_error
from studies.hierarchical_clustering.printed import AGAINST_MDAV, MDAV_ERRORS, PRINTED, SIZES

__all__ = [
    "against_mdav",
    "centroid_readings",
    "left_incomplete",
    "linkages_and_completions",
    "printed_and_ours",
    "row_orders",
]

_LINKAGES = ("single", "complete", "centroid", "average", "minimum-energy")


def printed_and_ours(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return every printed value beside ours, and what the completion that takes distances into account gives."""
    rows = []
    for k, printed in zip(SIZES, MDAV_ERRORS, strict=True):
        ours = squared_error(X, MDAV(k, variant="thesis").fit(X).labels_)
        rows.append({"table": "5.3", "method": "MDAV", "k": k, "printed": printed, "ours": ours})
    for column in PRINTED:
        for k, printed in zip(SIZES, column.errors, strict=True):
            ours, nearest = (
                squared_error(X, HAC(k, completion=completion, **column.parameters).fit(X).labels_)
                for completion in ("thesis", "nearest")
            )
            values = {"printed": printed, "ours": ours, "nearest_completion": nearest}
            rows.append({"table": column.table, "method": column.method, "k": k, **values, "note": column.notes.get(k)})
    frame = pd.DataFrame(rows)
    same = frame["ours"].round(2) == frame["printed"]
    frame["note"] = frame["note"].where(~same, "equal")
    return frame.round(3)


def against_mdav(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return Table 8.1: MDAV and the thesis's improved HAC, with the default of shoal beside them."""
    improved = PRINTED[-1]
    rows = []
    for place, k in enumerate(SIZES):
        mdav = squared_error(X, MDAV(k).fit(X).labels_)
        hac = squared_error(X, HAC(k, completion="thesis", **improved.parameters).fit(X).labels_)
        default = squared_error(X, HAC(k).fit(X).labels_)
        rows.append(
            {
                "k": k,
                "mdav_printed": MDAV_ERRORS[place],
                "mdav": mdav,
                "improved_printed": improved.errors[place],
                "improved": hac,
                "difference_printed": AGAINST_MDAV[place],
                "difference": hac - mdav,
                "default": default,
                "default_difference": default - mdav,
            }
        )
    return pd.DataFrame(rows).round(3)


def linkages_and_completions(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return the squared error of every linkage with both completions; merging ends at k records."""
    return pd.DataFrame(
        {
            "linkage": linkage,
            "completion": completion,
            **{
                f"k={k}": round(squared_error(X, HAC(k, linkage=linkage, completion=completion).fit(X).labels_), 2)
                for k in SIZES
            },
        }
        for completion in ("thesis", "nearest")
        for linkage in _LINKAGES
    )


def centroid_readings(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return the squared errors of other readings of centroid linkage, beside the printed ones; rows as in the file."""
    centroid = PRINTED[3]
    readings = {
        "as in the table": {},
        "squared distances": {"distance": "squared-euclidean"},
        "merged to 2k-1": {"cap": "2k-1"},
        "with the priority": {"priority": 1.0},
    }
    rows = [{"reading": "printed", **{f"k={k}": error for k, error in zip(SIZES, centroid.errors, strict=True)}}]
    for name, other in readings.items():
        parameters = {**centroid.parameters, "completion": "thesis", **other}
        errors = {f"k={k}": squared_error(X, HAC(k, **parameters).fit(X).labels_) for k in SIZES}
        rows.append({"reading": name, **errors})
    return pd.DataFrame(rows).round(2)


def left_incomplete(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return how many records are in clusters smaller than k when no more can be merged; merging ends at k records."""
    ways = {linkage: {"linkage": linkage} for linkage in _LINKAGES} | {"single, priority": PRINTED[-1].parameters}
    return pd.DataFrame(
        {"linkage": name, **{f"k={k}": _records_below(HAC(k, **parameters).fit(X), k) for k in SIZES}}
        for name, parameters in ways.items()
    )


def _records_below(merged: HAC, k: int) -> int:
    """Return how many records are in clusters smaller than k after the merges of a fitted estimator."""
    sizes = [1] * len(merged.labels_)
    for a, b in merged.children_:
        sizes.append(sizes[a] + sizes[b])
    last = set(range(len(sizes))) - set(merged.children_.ravel().tolist())
    return sum(sizes[cluster] for cluster in last if sizes[cluster] < k)


def row_orders(X: NDArray[np.float64], orders: int = 50) -> pd.DataFrame:
    """Return the range of the squared error over orders of the rows, for the linkage that is not reproduced.

    The merges are the same in every order. The thesis's completion takes records and equally small clusters in an order
    that follows the rows.
    """
    centroid = PRINTED[3]
    rows = []
    for k, printed in zip(SIZES, centroid.errors, strict=True):
        draws = np.random.default_rng(k)
        found = []
        for _ in range(orders):
            Y = X[draws.permutation(len(X))]
            found.append(squared_error(Y, HAC(k, completion="thesis", **centroid.parameters).fit(Y).labels_))
        equal = int(np.sum(np.round(found, 2) == printed))
        inside = "yes" if min(found) <= printed <= max(found) else "no"
        rows.append(
            {"k": k, "printed": printed, "least": min(found), "largest": max(found), "inside": inside, "equal": equal}
        )
    return pd.DataFrame(rows).round(2)
