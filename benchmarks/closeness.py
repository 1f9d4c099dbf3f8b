"""t-close groups: the information loss of plain MDAV, of its groups merged until t holds, and of `closeness`.

    python benchmarks/closeness.py                # Census and testdata
    python benchmarks/closeness.py 100000         # processor seconds for as many records of five columns, k=5, t=0.1

The loss is the share of the variation, in %, of standardised columns. The ways are those of
Soria-Comas and others (2015), each improved by swaps; `closeness` takes the one with the least loss.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal.partition import MDAV
from shoal.partition.closeness import Distributions, close_groups, merged_until_close, squared_error

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
CASES = [  # file, columns, confidential variables, and whether these have an order
    ("census.csv", None, ["FEDTAX"], [True]),
    ("census.csv", ["AGI", "EMCONTRB", "ERNVAL", "FICA", "TAXINC", "WSALVAL"], ["INTVAL", "POTHVAL"], [True, True]),
    ("testdata.csv", ["expend", "income", "savings", "age"], ["income"], [True]),
    ("testdata.csv", ["expend", "savings", "age"], ["hhcivil"], [False]),
]


def standardized(table: pd.DataFrame) -> NDArray[np.float64]:
    values = table.to_numpy(dtype=np.float64)
    return np.ascontiguousarray((values - values.mean(axis=0)) / values.std(axis=0, ddof=1))


def numbered(values: pd.Series) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)


def losses() -> None:
    print(f"{'file':13} {'confidential':18} {'k':>3} {'t':>5} {'mdav':>7} {'merged':>7} {'ours':>7}  way")
    for file, columns, confidential, ordered in CASES:
        table = pd.read_csv(DATA / file)
        X = standardized(table[columns] if columns else table)
        total = squared_error(X, np.zeros(len(X), dtype=np.int64))
        found = Distributions.of([numbered(table[name]) for name in confidential], ordered)
        for k in (3, 5, 10):
            labels = MDAV(k=k).fit(X).labels_.astype(np.int64)
            for t in (0.05, 0.1, 0.2):
                merged, ours = merged_until_close(X, labels, found, t), close_groups(X, labels, found, k, t)
                shares = [100 * squared_error(X, one) / total for one in (labels, merged, ours.labels)]
                columns_of_losses = " ".join(f"{share:7.2f}" for share in shares)
                print(f"{file:13} {','.join(confidential):18} {k:3} {t:5} {columns_of_losses}  {ours.way}", flush=True)


def seconds(records: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(records, 5))
    X[:, 1:] += X[:, :1]
    X = standardized(pd.DataFrame(X))
    for name, values in (
        ("independent", rng.lognormal(size=records)),
        ("correlated", X[:, 0] + rng.normal(size=records)),
    ):
        found = Distributions.of([numbered(pd.Series(values))], [True])
        labels = MDAV(k=5).fit(X).labels_.astype(np.int64)
        start = time.process_time()
        ours = close_groups(X, labels, found, 5, 0.1)
        print(f"{records:,} records, {name}: {time.process_time() - start:.1f} s, {ours.way}", flush=True)


if __name__ == "__main__":
    seconds(int(sys.argv[1])) if len(sys.argv) > 1 else losses()
