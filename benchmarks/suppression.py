"""Local suppression: cells, proven bound and seconds, on testdata and on 100,000 records with 6 keys.

    python benchmarks/suppression.py

testdata.csv is looked for in ../shared/data. sdcMicro 5.8.1 suppressed 157, 293 and 500 cells there at k = 2, 3, 5,
with a missing value as wildcard, in 1.4, 2.0 and 3.6 s on a like machine; 100,000 records with 6 keys took it 96 s. The
first line of "category" has the time to import scipy.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

from shoal.recode.suppression import suppressed_cells

TESTDATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "testdata.csv"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
RECORDS = 100_000


def main() -> None:
    print(f"{'file':>12}  k   missing  violators    cells    bound  gap %      s    MB")
    if TESTDATA.exists():
        table = pd.read_csv(TESTDATA)
        columns = [np.unique(table[key], return_inverse=True)[1] for key in KEYS]  # in their order, as `suppress` does
        for missing in ("wildcard", "category"):
            for k in (2, 3, 5):
                measure("testdata", columns, k, missing)
    for name, sizes in (("some short", [2, 4, 5, 6, 8, 10]), ("most short", [2, 5, 9, 12, 20, 30])):
        rng = np.random.default_rng(1)
        columns = [np.minimum(rng.geometric(min(0.7, 3 / size), RECORDS) - 1, size - 1) for size in sizes]
        for missing in ("wildcard", "category"):
            measure(name, columns, 5, missing)


def measure(name: str, columns: list[np.ndarray], k: int, missing: str) -> None:
    _, place, counts = np.unique(np.column_stack(columns), axis=0, return_inverse=True, return_counts=True)
    violators = int((counts[place.reshape(-1)] < k).sum())
    start = time.perf_counter()
    found = suppressed_cells(columns, k, missing=missing)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{name:>12} {k:2} {missing:>9} {violators:10,} {found.count:8,} {found.lower_bound:8,.0f} {found.gap:6.2f} "
        f"{seconds:6.2f} {memory:5}",
        flush=True,
    )


if __name__ == "__main__":
    main()
