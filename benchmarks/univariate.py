"""The best groups for one variable: time beside numpy.argsort of the same values, and beside looking at everything.

    python benchmarks/univariate.py [--records 10000000] [--k 2,3,10,100,1000,100000] [--data normal,cents]

`argsort` is NumPy's default, which does not keep equal values in the order of their rows; `fit` is all of
``OptimalUnivariate(k).fit(X)``. `O(nk)` is the recursion that looks at k last groups for every value, sorting not
counted, where k is at most 10. Times are the least of three taken in turns, with the
ratio of seconds and that of seconds of the processor.

Kinds of values: normal, cents (log-normal amounts, rounded to a hundredth), whole (a thousand whole numbers),
offset (normal around 1e15, where 1/8 is the least difference), constant, sorted and reversed. Of sorted values argsort
takes 2 ns a value, about as long as writing their labels: twice that is out of reach for sums with all digits. For
ten million values that are not sorted the ratio was 0.3 to 1.4 for every k up to 100,000, where argsort, in the
processor's wide registers, took 0.45 s; with k = 2,000,000, for which the processor's cache is too small, 1.8 to 3.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from shoal.partition import OptimalUnivariate
from shoal.partition.mhm import cut_path

LARGEST_SCAN = 10


def make_values(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return {
        "normal": lambda: rng.normal(size=n),
        "cents": lambda: np.round(np.exp(rng.normal(8, 1, n)), 2),
        "whole": lambda: rng.integers(0, 1000, n).astype(float),
        "offset": lambda: rng.normal(size=n) * 1e6 + 1e15,
        "constant": lambda: np.full(n, 3.5),
        "sorted": lambda: np.sort(rng.normal(size=n)),
        "reversed": lambda: np.sort(rng.normal(size=n))[::-1].copy(),
    }[kind]()


def seconds(work: Callable[..., object], *arguments: object) -> tuple[float, float]:
    """Return how long the work takes, and how much of the processors' time."""
    start, processor = time.perf_counter(), time.process_time()
    work(*arguments)
    return time.perf_counter() - start, time.process_time() - processor


def measure(x: np.ndarray, k: int) -> str:
    """Return the times for one k as a line of the table."""
    X = x[:, None]
    times = np.array([(seconds(np.argsort, x), seconds(OptimalUnivariate(k).fit, X)) for _ in range(3)])
    argsort, fit = times.min(axis=0)
    line = f"{k:7} {argsort[0]:10.2f} {fit[0]:7.2f} {fit[0] / argsort[0]:6.2f} {fit[1] / argsort[1]:9.2f}"
    if k <= LARGEST_SCAN:
        line += f" {seconds(cut_path, np.sort(X, axis=0), np.arange(len(X)), k)[0]:8.2f}"
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--k", default="2,3,10,100,1000,100000")
    parser.add_argument("--data", default="normal")
    arguments = parser.parse_args()
    measure(np.arange(9.0)[::-1].copy(), 2)  # compiles
    print(f"{arguments.records:,} values")
    print(f"{'values':8} {'k':>7} {'argsort s':>10} {'fit s':>7} {'ratio':>6} {'processor':>9} {'O(nk) s':>8}")
    for kind in arguments.data.split(","):
        x = make_values(kind, arguments.records)
        for k in arguments.k.split(","):
            print(f"{kind:8} {measure(x, int(k))}", flush=True)


if __name__ == "__main__":
    main()
