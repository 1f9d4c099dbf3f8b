"""Lower bounds on the reference files: from neighbours and from prices, beside the least loss known.

    python benchmarks/bounds.py [--seconds 10,60] [--files census,eia] [--k 3,10] [--large]

Columns are standardised; bounds and loss are in per cent of the total, the gap is what the best known partition could
be better at most, in per cent of its loss. The files are looked up in ../shared/data beside the repository, or where
SHOAL_REFERENCE_DATA points. --large: 100,000 records of correlated log-normal data, ten columns, k = 5 and 10, with the
memory the process took.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from mdav import make_data
from partition_quality import KS, standardised
from shoal.partition.bounds.prices import bound_by_prices, bound_of_neighbours
from shoal.partition.geometry.squared_distances import scaled_for_squares

BEST = {
    "census": (4.6684, 6.0356, 7.319, 11.389),
    "tarragona": (14.470, 17.087, 20.154, 30.122),
    "eia": (0.3489, 0.4830, 0.7295, 1.932),
}


def reference_files(files: list[str], sizes: list[int], seconds: list[float]) -> None:
    headings = "".join(f"{f'{limit:g} s':>9} {'gap':>6}" for limit in seconds)
    print(f"{'file':>10} {'k':>3} {'best':>9} {'neighbours':>11} {'gap':>6}{headings}")
    for name in files:
        X, _ = scaled_for_squares(standardised(name))
        percent = 100 / ((X - X.mean(axis=0)) ** 2).sum()
        for k in sizes:
            best = BEST[name][KS.index(k)]
            bounds = [bound_of_neighbours(X, k), *(bound_by_prices(X, k, seconds=limit)[0] for limit in seconds)]
            cells = [f"{bound * percent:9.4f} {100 * (1 - bound * percent / best):6.2f}" for bound in bounds]
            print(f"{name:>10} {k:>3} {best:9.4f}   " + "".join(cells), flush=True)


def large_file(seconds: list[float]) -> None:
    X, _ = scaled_for_squares(np.ascontiguousarray(make_data("log-normal", 100_000)))
    print(f"{'records':>10} {'k':>3} {'limit':>6} {'took':>6} {'prices / neighbours':>20} {'GB':>5}")
    for k in (5, 10):
        neighbours = bound_of_neighbours(X, k)
        for limit in seconds:
            begin = time.perf_counter()
            bound, _ = bound_by_prices(X, k, seconds=limit)
            took = time.perf_counter() - begin
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
            print(f"{len(X):>10} {k:>3} {limit:6g} {took:6.1f} {bound / neighbours:20.4f} {memory:5.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", default="10,60")
    parser.add_argument("--files", default=",".join(BEST))
    parser.add_argument("--k", default=",".join(map(str, KS)))
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    seconds = [float(limit) for limit in options.seconds.split(",")]
    bound_by_prices(np.random.default_rng(0).normal(size=(50, 2)), 3)  # compiled before the clock runs
    if options.large:
        large_file(seconds)
    else:
        reference_files(options.files.split(","), [int(k) for k in options.k.split(",")], seconds)


if __name__ == "__main__":
    main()
