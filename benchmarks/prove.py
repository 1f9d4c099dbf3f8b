"""Proofs: the loss that Refine reaches with prove=True, the loss that no partition can be below, and the gap between.

    python benchmarks/prove.py [--seconds 600] [--files census,eia] [--k 3,10] [--picture closing_in.svg]

Columns are standardised; the loss is 100 SSE / ((n-1) p). The files are looked up in ../shared/data beside the
repository, or where SHOAL_REFERENCE_DATA points; iris and wine come with scikit-learn. A run ends early when the
partition is proven to be the best. --picture draws how the last of them closed in.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from partition_quality import KS, standardised
from shoal.partition import Refine

FILES = ("census", "tarragona", "eia")


def records_of(name: str) -> NDArray[np.float64]:
    if name in FILES:
        return standardised(name)
    X = getattr(datasets, f"load_{name}")().data
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


def draw(fit: Refine, percent: float, title: str, path: Path) -> None:
    """Draw the loss and the bound against the seconds of the proof."""
    seconds, sse, bound = np.array(fit.history_).T
    percent *= fit.sse_ / sse[-1]
    plt.rcParams |= {"svg.hashsalt": "shoal", "font.size": 9}
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    axes.step(seconds, sse * percent, where="post", color="#1f6f8b", label="loss of the best partition so far")
    axes.step(seconds, bound * percent, where="post", color="#b5542d", label="no partition is below")
    known = bound[bound > 0] if bound.any() else sse
    axes.fill_between(seconds, bound * percent, sse * percent, step="post", color="#d9d9d9", alpha=0.5)
    axes.set_ylim(known.min() * percent * 0.998, sse.max() * percent * 1.003)
    axes.set(xlabel="seconds", ylabel="information loss, %", title=title)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--files", default=",".join(FILES))
    parser.add_argument("--k", default=",".join(map(str, KS)))
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    Refine(3, steps=2_000, prove=True).fit(np.random.default_rng(0).normal(size=(50, 3)))  # compiles
    print(
        f"{'file':>10} {'k':>3} {'loss %':>9} {'bound %':>9} {'gap %':>8} {'SSE':>11} {'bound':>11} "
        f"{'by neighbours':>13} {'steps':>7} {'seconds':>8}"
    )
    for name in options.files.split(","):
        X = records_of(name)
        percent = 100 / ((len(X) - 1) * X.shape[1])
        for k in map(int, options.k.split(",")):
            began = time.perf_counter()
            fit = Refine(k, seconds=options.seconds, prove=True).fit(X)
            bound = fit.lower_bound_
            print(
                f"{name:>10} {k:3} {fit.sse_ * percent:9.5f} {bound * percent:9.5f} {100 * fit.gap_:8.4f} "
                f"{fit.sse_:11.4f} {bound:11.4f} {bound.by_method['neighbours']:13.4f} {fit.steps_:7,} "
                f"{time.perf_counter() - began:8.1f}",
                flush=True,
            )
            if options.picture is not None:
                draw(fit, percent, f"{name.capitalize()}, k = {k}", options.picture)


if __name__ == "__main__":
    main()
