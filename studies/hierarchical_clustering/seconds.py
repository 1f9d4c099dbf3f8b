"""How long MDAV and HAC take: the thesis's seconds beside ours, and how the time grows with the number of records."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal.partition import HAC, MDAV
from studies.hierarchical_clustering.printed import MDAV_SECONDS, PRINTED, SIZES

__all__ = ["growth", "printed_and_ours"]

_RECORDS = (1_000, 2_000, 4_000, 8_000)
_RUNS = 5


def printed_and_ours(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return the seconds that the thesis prints and those of the processor here, and both over those of MDAV."""
    rows = []
    mdav = {}
    for k, printed in zip(SIZES, MDAV_SECONDS, strict=True):
        mdav[k] = (printed, _seconds(MDAV(k, variant="thesis").fit, X))
        rows.append(_row("5.3", "MDAV", k, mdav[k]))
    for column in PRINTED:
        for k, printed in zip(SIZES, column.seconds, strict=True):
            pair = (printed, _seconds(HAC(k, completion="thesis", **column.parameters).fit, X))
            over_mdav = [round(one / other, 2) for one, other in zip(pair, mdav[k], strict=True)]
            columns = dict(zip(("over_mdav_printed", "over_mdav"), over_mdav, strict=True))
            rows.append(_row(column.table, column.method, k, pair) | columns)
    return pd.DataFrame(rows)


def _row(table: str, method: str, k: int, seconds: tuple[float, float]) -> dict[str, object]:
    """Return the seconds printed and ours, and how many times quicker ours are."""
    printed, ours = seconds
    values = {"printed": printed, "ours": round(ours, 4), "times": round(printed / ours, -2)}
    return {"table": table, "method": method, "k": k, **values}


def growth() -> pd.DataFrame:
    """Return the processor's seconds of MDAV and HAC, k = 5, over the number of records: ten columns of normal data."""
    rows = []
    for records in _RECORDS:
        X = np.random.default_rng(records).normal(size=(records, 10))
        rows.append({"records": records, "method": "MDAV", "seconds": _seconds(MDAV(5).fit, X)})
        for linkage in ("single", "centroid"):
            for priority in (0.0, 1.0):
                fit = HAC(5, linkage=linkage, priority=priority, completion="thesis").fit
                method = f"HAC, {linkage}"
                rows.append({"records": records, "method": method, "priority": priority, "seconds": _seconds(fit, X)})
    return pd.DataFrame(rows).round(3)


def _seconds(fit: Callable[[Any], Any], X: NDArray[np.float64]) -> float:
    """Return the processor's seconds of the quickest of several runs, after one that loads what is compiled."""
    fit(X)
    found = []
    for _ in range(_RUNS):
        begin = time.process_time()
        fit(X)
        found.append(time.process_time() - begin)
    return max(min(found), 0.0001)
