"""Refine: information loss on the reference files beside MDAV, the bar, the best known and the lower bound.

    python benchmarks/refine.py [--seconds 60] [--files census,eia] [--k 3,10] [--seeds 1] [--large]

Columns are standardised; the loss is 100 SSE / ((n-1) p). The files are looked up in ../shared/data beside the
repository, or where SHOAL_REFERENCE_DATA points. --large: 100,000 records of correlated log-normal data, ten columns,
k = 10, where half a minute has to make MDAV's SSE at least 8 % smaller.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from mdav import make_data
from partition_quality import KNOWN, KS, standardised
from shoal.partition import MDAV, Refine, lower_bound

BARS = {
    "census": (4.82, 6.23, 7.46, 11.75),
    "tarragona": (14.55, 17.12, 20.20, 30.26),
    "eia": (0.351, 0.485, 0.740, 1.98),
}


def reference_files(files: list[str], sizes: list[int], seconds: float, seeds: int) -> None:
    print(
        f"{'file':>10} {'k':>3} {'MDAV':>8} {'bar':>8} {'known':>8} {'Refine':>8} {'worst seed':>10} "
        f"{'over known':>10} {'bound':>8} {'gap':>6} {'trials/s':>9}"
    )
    for name in files:
        X = standardised(name)
        percent = 100 / ((len(X) - 1) * X.shape[1])
        for k in sizes:
            fits = [Refine(k, seconds=seconds, random_state=seed).fit(X) for seed in range(seeds)]
            losses = [fit.sse_ * percent for fit in fits]
            place = KS.index(k)
            bar, known = BARS[name][place], KNOWN[name]["refine"][place]
            bound = lower_bound(X, k) * percent
            print(
                f"{name:>10} {k:3} {fits[0].start_sse_ * percent:8.4f} {bar:8.3f} {known:8.4f} {losses[0]:8.4f} "
                f"{max(losses):10.4f} {losses[0] / known - 1:10.2%} {bound:8.4f} {1 - bound / losses[0]:6.1%} "
                f"{fits[0].steps_ / seconds:9,.0f}",
                flush=True,
            )


def large_file(seconds: float, n: int = 100_000, k: int = 10) -> None:
    X = make_data("log-normal", n)
    began = time.perf_counter()
    MDAV(k).fit(X)
    alone = time.perf_counter() - began
    began = time.perf_counter()
    fit = Refine(k, seconds=seconds).fit(X)
    whole = time.perf_counter() - began
    print(
        f"{n:,} x {X.shape[1]}, k = {k}: SSE {1 - fit.sse_ / fit.start_sse_:.2%} below MDAV's after {seconds:g} s "
        f"({fit.steps_:,} trials, {fit.steps_ / seconds:,.0f}/s; {whole:.1f} s with the start, {alone:.1f} s, the "
        f"lists of neighbours and the bound); gap {fit.gap_:.1%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, help="60, or 30 with --large")
    parser.add_argument("--files", default=",".join(BARS))
    parser.add_argument("--k", default=",".join(map(str, KS)))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    Refine(3, steps=1).fit(np.random.default_rng(0).normal(size=(50, 3)))  # compiles
    if options.large:
        large_file(options.seconds or 30)
    else:
        sizes = [int(k) for k in options.k.split(",")]
        reference_files(options.files.split(","), sizes, options.seconds or 60, options.seeds)


if __name__ == "__main__":
    main()
