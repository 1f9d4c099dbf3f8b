"""Fuzzy c-means: time per iteration against scikit-fuzzy, memory, and one GPU beside two CPU cores.

    python benchmarks/fuzzy.py                    against scikit-fuzzy in the same run, and peak memory
    python benchmarks/fuzzy.py --device cuda      one GPU beside two CPU cores; agreement with NumPy

Ten columns. The time of an iteration is that of a run with a few more iterations less that of a short run, so that
preparation does not count; the least of three. Both libraries start from the same memberships and have to arrive at
the same centres. The part with --device needs NumPy, PyTorch and array-api-compat, and nothing else. Memory is read
from /proc (Linux only), in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))  # where shoal is not installed, on a bare machine

COLUMNS = 10
REPEATS = 3


def make_data(n: int, c: int):
    import numpy as np

    rng = np.random.default_rng(0)
    return rng.normal(size=(n, COLUMNS)) + 3 * rng.normal(size=(c, COLUMNS))[rng.integers(c, size=n)]


def seconds_an_iteration(run, iterations: int, repeats: int = REPEATS) -> float:
    """Return the time of one iteration; `run` takes their number."""
    run(1)
    return min(_seconds(run, 1 + iterations) - _seconds(run, 1) for _ in range(repeats)) / iterations


def _seconds(run, iterations: int) -> float:
    start = time.perf_counter()
    run(iterations)
    return time.perf_counter() - start


def against_scikit_fuzzy(n: int, c: int, m: float) -> None:
    import numpy as np
    import skfuzzy

    from shoal.partition.fuzzy.alternating import Fuzzy, alternate, memberships
    from shoal.partition.fuzzy.device import threads_for_blocks

    X = make_data(n, c)
    u = np.ascontiguousarray(memberships(X, 0.9 * X[:c], Fuzzy(m)).T)
    w = u**m
    start = w @ X / w.sum(axis=1, keepdims=True)

    def theirs(iterations: int):
        # The first of their iterations makes the centres ours start from.
        return skfuzzy.cmeans(X.T, c, m, error=0.0, maxiter=iterations + 1, init=u)[0]

    def ours(iterations: int):
        with threads_for_blocks() as threads:
            return alternate(X, start, Fuzzy(m), max_iter=iterations, tol=0.0, threads=threads).centres

    difference = np.abs(theirs(3) - ours(3)).max()
    assert difference < 1e-6, f"the centres differ by {difference:.1e}"
    rival, own = seconds_an_iteration(theirs, 2), seconds_an_iteration(ours, 4)
    print(f"{n:9,} {c:6,} {m:4} {1000 * own:10.1f} {1000 * rival:14.1f} {rival / own:6.1f}x {difference:11.1e}")


def peak_memory(n: int, c: int) -> None:
    """Fit, ask for the memberships, and print the most megabytes the process ever held."""
    from shoal.errors import ConvergenceWarning
    from shoal.partition.fuzzy import FuzzyCMeans

    warnings.simplefilter("ignore", ConvergenceWarning)
    X = make_data(n, c)
    before = megabytes()
    start = time.perf_counter()
    estimator = FuzzyCMeans(c, m=1.5, max_iter=3).fit(X)
    seconds, fitted = time.perf_counter() - start, megabytes()
    size = estimator.memberships_.nbytes / 1e6
    print(f"{n:9,} {c:6,} {seconds:7.1f} {before:9.0f} {fitted:11.0f} {megabytes():16.0f} {size:15.0f}")


def megabytes() -> float:
    """Return the most memory the process has held."""
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) * 1024 / 1e6


def on_device(device: str, n: int, c: int, m: float) -> None:
    import numpy as np
    import torch

    from shoal.partition.fuzzy.alternating import Fuzzy, alternate

    X = make_data(n, c).astype(np.float32)
    start = X[:c] * np.float32(0.99)
    rule = Fuzzy(m)

    def timed(X, start, iterations: int, repeats: int, **settings) -> float:
        def run(steps: int):
            alternate(X, start, rule, max_iter=steps, tol=0.0, **settings)

        return 1000 * seconds_an_iteration(run, iterations, repeats)

    def moved(array):
        return torch.tensor(array, device=device)

    for precision in ("float32", "float64"):
        Y, V = X.astype(precision), start.astype(precision)
        there, start_there = moved(Y), moved(V)
        small, large = (timed(there, start_there, 20, REPEATS, memory=memory) for memory in (256, None))
        cpu = timed(Y, V, 1, 1, threads=2)
        print(
            f"{n:9,} {c:6,} {m:4} {precision:>8} {small:15.1f} {large:15.1f} {cpu:14.0f} {cpu / large:7.0f}x",
            flush=True,
        )


def agreement(device: str, n: int, c: int, m: float) -> None:
    """Compare with NumPy in double precision, where centres stay apart: for m = 2 so many meet in the mean."""
    import numpy as np
    import torch

    from shoal.partition.fuzzy.alternating import Fuzzy, alternate, memberships

    def moved(array):
        return torch.tensor(array, device=device)

    X, rule = make_data(n, c), Fuzzy(m)
    start = 0.99 * X[:c]
    ours = alternate(X, start, rule, max_iter=30)
    theirs = alternate(moved(X), moved(start), rule, max_iter=30)
    off = np.abs(theirs.centres.cpu().numpy() - ours.centres).max()
    u = memberships(X, ours.centres, rule)
    shares_off = np.abs(memberships(moved(X), moved(ours.centres), rule).cpu().numpy() - u).max()
    print(
        f"float64 on both, n={n:,}, c={c:,}, m={m}, 30 iterations: centres (standard deviation "
        f"{ours.centres.std():.1f}) differ by {off:.1e}, memberships (largest {u.max():.2f}) by {shares_off:.1e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", help="a device of PyTorch's: run the part for GPUs")
    parser.add_argument("--n", type=int, help="number of records instead of 100,000, or of 1,000,000 on a device")
    parser.add_argument("--c", type=int, help="number of clusters instead of 50, or of 1,000 on a device")
    parser.add_argument("--memory-case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_case:
        peak_memory(*map(int, options.memory_case.split(",")))
    elif options.device:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads have a block each
        import torch

        is_cuda = options.device.startswith("cuda")
        name = torch.cuda.get_device_name(options.device) if is_cuda else options.device
        print(f"Milliseconds an iteration: {name} (PyTorch {torch.__version__}) beside two CPU cores (NumPy)")
        titles = f"{'memory=256, ms':>15} {'default, ms':>15} {'two cores, ms':>14} {'ratio':>8}"
        print(f"{'n':>9} {'c':>6} {'m':>4} {'':>8} {titles}")
        for m in (2.0, 1.4):
            on_device(options.device, options.n or 1_000_000, options.c or 1_000, m)
        for m in (1.1, 1.4):
            agreement(options.device, 20_000, 100, m)
    else:
        print("Milliseconds an iteration")
        print(f"{'n':>9} {'c':>6} {'m':>4} {'shoal, ms':>10} {'scikit-fuzzy':>14} {'ratio':>7} {'difference':>11}")
        for m in (2.0, 1.5, 1.4):
            against_scikit_fuzzy(options.n or 100_000, options.c or 50, m)
        print("\nThe most megabytes held, three iterations")
        print(f"{'n':>9} {'c':>6} {'s':>7} {'before':>9} {'after fit':>11} {'with memberships':>16} {'their size':>15}")
        command = [sys.executable, __file__, "--memory-case", "20000,2000"]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="")


if __name__ == "__main__":
    main()
