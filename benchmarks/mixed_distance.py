"""Mixed tables: time and loss of the mixed distance beside Gower's, and how long a large file takes.

    python benchmarks/mixed_distance.py                     testdata.csv of the reference files, and simulated files
    python benchmarks/mixed_distance.py --records 1000000   another size of the largest

Loss is the mean, over the numbers, of the squared error as a percentage of the variance; "changed" is the percentage of
categories that are not what they were. Times are those of `protect`, as ratios to `mdav` on the same file too. Of the
largest file the measures are taken as `shoal measure` takes them.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import shoal

DATA = Path(os.environ.get("SHOAL_REFERENCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
CATEGORIES = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "hhcivil"]
NUMBERS = ["age", "expend", "income", "savings"]
METHODS = ["mdav", "mdav:distance=gower", "vmdav", "cbfs", "tfrp", "refine:seconds=5"]
K = 5


def simulated(records: int, seed: int = 1) -> pd.DataFrame:
    """Return six numbers, two of them skewed, and six nominal variables of 2 to 20 categories, which go together."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(records, 2))
    table = {}
    for number in range(6):
        values = factors @ rng.normal(size=2) + 0.6 * rng.normal(size=records)
        table[f"x{number}"] = np.exp(values) if number < 2 else values
    for categories in (2, 3, 5, 8, 12, 20):
        values = factors @ rng.normal(size=2) + rng.normal(size=records)
        cuts = np.quantile(values, np.linspace(0, 1, categories + 1)[1:-1] ** 1.5)
        table[f"c{categories}"] = [f"category {code}" for code in np.searchsorted(cuts, values)]
    return pd.DataFrame(table)


def protected(table: pd.DataFrame, method: str) -> tuple[pd.DataFrame, float]:
    """Return the table protected by a method, and the seconds it took."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        masked = shoal.protect(table, K, columns=list(table), method=method, seed=1).data
    return masked, time.perf_counter() - start


def losses(table: pd.DataFrame, masked: pd.DataFrame) -> tuple[float, float]:
    """Return the mean loss of the numbers and the share of categories that changed, in percent."""
    numbers = table.select_dtypes("number").columns
    others = [name for name in table if name not in set(numbers)]
    squares = ((table[numbers] - masked[numbers]) ** 2).sum() / ((table[numbers] - table[numbers].mean()) ** 2).sum()
    changed = (table[others].astype(str) != masked[others].astype(str)).to_numpy()
    return 100 * float(squares.mean()), 100 * float(changed.mean())


def compare(name: str, table: pd.DataFrame) -> None:
    """Print a line for every method."""
    print(f"\n{name}: {len(table):,} x {table.shape[1]}, k = {K}")
    print(f"{'method':<22} {'seconds':>8} {'to mdav':>8} {'loss %':>8} {'changed %':>10}")
    by_mdav = 0.0
    for method in METHODS:
        masked, seconds = protected(table, method)
        by_mdav = by_mdav or seconds
        loss, changed = losses(table, masked)
        print(f"{method:<22} {seconds:>8.2f} {seconds / by_mdav:>8.1f} {loss:>8.2f} {changed:>10.2f}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    records = parser.parse_args().records
    for method in METHODS:  # the kernels are compiled and loaded
        protected(simulated(4_000), method.replace("seconds=5", "seconds=1"))
    if (DATA / "testdata.csv").exists():
        table = pd.read_csv(DATA / "testdata.csv")[[*CATEGORIES, *NUMBERS]]
        compare("testdata", table.assign(**{name: "c" + table[name].astype(str) for name in CATEGORIES}))
    compare("simulated", simulated(20_000))
    table = simulated(records)
    masked, seconds = protected(table, "mdav")
    print(f"\n{records:,} x {table.shape[1]}, k = {K}: protected in {seconds:.1f} s", end="", flush=True)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluation = shoal.evaluate(table, masked)
    print(f", measured in {time.perf_counter() - start:.1f} s: {evaluation.to_dict()['risk']}")


if __name__ == "__main__":
    main()
