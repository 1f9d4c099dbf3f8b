"""How long HAC takes: the thesis's seconds beside ours, and how the time grows with the number of records."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal.partition import HAC
from studies.hierarchical_clustering.printed import PRINTED, SIZES

__all__ = ["growth", "printed_and_ours"]

_RECORDS = (1_000, 2_000, 4_000, 8_000)


def printed_and_ours(X: NDArray[np.float64]) -> pd.DataFrame:
    """Return the seconds that the thesis prints, those of the processor here, and how many times quicker that is."""
    rows = []
    for column in PRINTED:
        for k, printed in zip(SIZES, column.seconds, strict=True):
            ours = _seconds(HAC(k, completion="thesis", **column.parameters).fit, X)
            values = {"printed": printed, "ours": round(ours, 3), "times": round(printed / ours, -2)}
            rows.append({"table": column.table, "method": column.method, "k": k, **values})
    return pd.DataFrame(rows)


def growth() -> pd.DataFrame:
    """Return the processor's seconds for normal data of ten columns, k = 5, without the priority and with it."""
    rows = []
    for records in _RECORDS:
        X = np.random.default_rng(records).normal(size=(records, 10))
        for name, parameters in {"single": {"linkage": "single"}, "centroid": {"linkage": "centroid"}}.items():
            for priority in (0.0, 1.0):
                fit = HAC(5, priority=priority, completion="thesis", **parameters).fit
                rows.append(
                    {"records": records, "linkage": name, "priority": priority, "seconds": round(_seconds(fit, X), 2)}
                )
    return pd.DataFrame(rows)


def _seconds(fit: Callable[[Any], Any], X: NDArray[np.float64]) -> float:
    """Return the processor's seconds of the second run; the first one loads what is compiled."""
    fit(X)
    begin = time.process_time()
    fit(X)
    return max(time.process_time() - begin, 0.001)
