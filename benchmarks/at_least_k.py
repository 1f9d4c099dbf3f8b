"""At-least-k fuzzy c-means on the public reference files: its repair and its draw.

    python benchmarks/at_least_k.py [--files census,tarragona,eia] [--ks 3,5,10]

First groups: the information loss and the share of the records that was left to MDAV, beside the same without repair
(as it was before clusters below k were dissolved and filled). Then centres drawn by membership: how many records come
out unchanged, and the fewest records that carry a centre and that are behind one.
What an intruder finds is measured by `python -m studies.at_least_k`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd

import shoal
from partition_quality import EIA, FOLDER, loss, standardised
from shoal.partition.fuzzy import AtLeastK

# Loss and share left to MDAV, in percent, when a set was left to it as soon as no number of clusters had k in each.
WITHOUT_REPAIR = {
    ("census", 3): (6.6916, 66.2),
    ("census", 5): (9.9627, 64.2),
    ("census", 10): (14.9698, 52.4),
    ("tarragona", 3): (18.7293, 80.6),
    ("tarragona", 5): (23.1169, 85.5),
    ("tarragona", 10): (35.0082, 94.4),
    ("eia", 3): (0.4506, 47.8),
    ("eia", 5): (1.2011, 54.4),
    ("eia", 10): (3.1039, 37.1),
}
UNCHANGED = 1e-3  # standard deviations, in all variables


def groups(file: str, ks: list[int]) -> None:
    X = standardised(file)
    for k in ks:
        start = time.perf_counter()
        found = AtLeastK(k).fit(X)
        seconds = time.perf_counter() - start
        sizes = np.bincount(found.labels_)
        before, left = WITHOUT_REPAIR.get((file, k), (np.nan, np.nan))
        now = loss(X, found.labels_)
        print(
            f"{file:10} {k:3} {now:9.4f} {before:9.4f} {100 * (now / before - 1):+8.1f} "
            f"{100 * found.fallback_share_:8.1f} {left:8.1f} {sizes.min():9} {sizes.max():8} {seconds:7.1f}"
        )


def table_of(file: str) -> pd.DataFrame:
    table = shoal.read_table(FOLDER / f"{file}.csv")
    return table[EIA.split()] if file == "eia" else table


def released(table: pd.DataFrame, k: int, **how: Any) -> tuple[Any, float]:
    """Return a release and its information loss."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = shoal.protect(table, k, seed=1, **how)
    apart = (table - release.data) / table.std()
    return release, 100 * float((apart**2).to_numpy().sum()) / ((len(table) - 1) * table.shape[1])


def draws(file: str, ks: list[int]) -> None:
    table = table_of(file)
    for k in ks:
        start = time.perf_counter()
        release, lost = released(table, k, method="at-least-k", replace="membership-draw")
        seconds = time.perf_counter() - start
        same = int((((table - release.data) / table.std()).abs() <= UNCHANGED).all(axis=1).sum())
        carried = int(release.data.groupby(list(table.columns)).size().min())
        behind = release.plan.outcome.smallest_support
        print(f"{file:10} {k:3} {lost:9.4f} {same:10} {carried:8} {behind:8} {seconds:7.1f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", default="census,tarragona,eia")
    parser.add_argument("--ks", default="3,5,10")
    given = parser.parse_args()
    files, ks = given.files.split(","), [int(k) for k in given.ks.split(",")]
    print("Groups: loss, loss without repair, difference; left to MDAV, without repair; smallest, largest; seconds (%)")
    for file in files:
        groups(file, ks)
    print("\nDrawn: loss (%), unchanged records, fewest that carry a centre, fewest behind one, seconds")
    for file in files:
        draws(file, ks)


if __name__ == "__main__":
    main()
