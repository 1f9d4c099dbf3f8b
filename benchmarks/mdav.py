"""MDAV: time, memory and growth, and how much faster it is than looking at every record.

    python benchmarks/mdav.py [--sizes 10000,100000] [--data log-normal,outlier]

Kinds of data: log-normal and normal; one outlier, outliers of several scales, a tight cluster and far records, two far
clusters, Cauchy (long tails), and the corners of a cube.

Ten columns (twenty for the corners), k = 10. Up to 100,000 records two rivals run in the same process, both compiled,
and their labels have to be the same: a plain scan, which looks at all records each time and skips those that have a
group, and a compacting scan, which keeps those that remain together. Growth and ratios are of the CPU time of
the thread, which other work on the machine hardly changes; nothing here uses a second thread. Every case runs in a
process of its own, which loads its input from a file, so that peak memory is that of the case (read from /proc: Linux
only).
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import njit

from shoal.partition import MDAV
from shoal.partition.kernels.exact_sum import MOST_PARTIALS, add_rows, round_totals, total_columns
from shoal.partition.kernels.squared_distance import squared_distance
from shoal.partition.kernels.tree_search import is_worse, offer

K = 10
COLUMNS = 10
KINDS = ("log-normal", "normal", "outlier", "outliers", "cluster", "clusters", "cauchy", "corners")
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
LARGEST_SCAN = 100_000
RIVALS = ("plain scan", "compacting scan")


def make_data(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    if kind == "log-normal":
        # Correlation one half between the logarithms.
        X = np.exp(np.sqrt(0.5) * (X + rng.normal(size=(n, 1))))
    elif kind == "outlier":
        X[n // 3, 0] = 999_999_999_999.0
    elif kind == "outliers":
        X[:12] *= np.repeat([[1e3], [1e6], [1e9], [1e12]], 3, axis=0)
    elif kind == "cluster":
        X[: n // 200] *= 1e9
    elif kind == "clusters":
        X[::2] += 1e12
    elif kind == "cauchy":
        X = rng.standard_cauchy(size=(n, COLUMNS))
    elif kind == "corners":
        X = rng.integers(0, 2, size=(n, 20)).astype(float)
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


@njit(cache=True)
def scan_mdav(X, k, compacts, totals, labels):
    """Classic MDAV by scanning: the first `count` records of `left`, those without a group."""
    n, d = X.shape
    left = X.copy()
    rows = np.arange(n)
    place = np.arange(n)
    count = n
    remaining = n
    point = np.empty(d)
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    labels[:] = -1
    group = 0
    while remaining >= 2 * k:
        round_totals(totals, point)
        for j in range(d):
            point[j] = point[j] / remaining
        pair = remaining >= 3 * k
        seeds = [np.int64(-1), np.int64(-1)]
        for which in range(2 if pair else 1):
            best = -1.0
            for i in range(count):
                if not compacts and labels[i] >= 0:
                    continue
                distance = squared_distance(left, i, point)
                if seeds[which] < 0 or is_worse(distance, seeds[which], best, rows[i]):
                    best = distance
                    seeds[which] = rows[i]
            for j in range(d):
                point[j] = X[seeds[which], j]
        for which in range(2 if pair else 1):
            for j in range(d):
                point[j] = X[seeds[which], j]
            found = np.int64(0)
            for i in range(count):
                if not compacts and labels[i] >= 0:
                    continue
                distance = squared_distance(left, i, point)
                if found < k or is_worse(distances[0], members[0], distance, rows[i]):
                    found = offer(distances, members, found, distance, rows[i])
            add_rows(totals, X, members, -1.0)
            for row in members:
                labels[row] = group
                remaining -= 1
                if compacts:
                    count -= 1
                    last = rows[count]
                    rows[place[row]] = last
                    for j in range(d):
                        left[place[row], j] = left[count, j]
                    place[last] = place[row]
            group += 1
        if not pair:
            break
    for i in range(n):
        if labels[i] < 0:
            labels[i] = group


def scan(X: np.ndarray, compacts: bool) -> np.ndarray:
    labels = np.empty(len(X), dtype=np.int64)
    totals = np.zeros((X.shape[1], MOST_PARTIALS))
    total_columns(X, totals)
    scan_mdav(X, K, compacts, totals, labels)
    return labels


def timed(function, *arguments):
    """Return the result, wall seconds, and seconds of CPU time of this thread."""
    wall, cpu = time.perf_counter(), time.thread_time()
    result = function(*arguments)
    return result, time.perf_counter() - wall, time.thread_time() - cpu


def memory(field: str) -> float:
    """Return VmRSS, what the process holds, or VmHWM, the most it held since `forget_peak`, in megabytes."""
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(status[field].split()[0]) * 1024 / 1e6


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def run_case(path: str) -> dict[str, float]:
    warm_up = make_data("normal", 5000)
    warm_up.flags.writeable = False
    MDAV(K).fit(warm_up)
    X = np.load(path)
    X.flags.writeable = False
    forget_peak()
    before = memory("VmRSS")
    labels, wall, cpu = timed(lambda: MDAV(K).fit(X).labels_)
    figures = {"wall": wall, "cpu": cpu, "megabytes": memory("VmHWM") - before}
    if len(X) <= LARGEST_SCAN:
        scan(warm_up, compacts=True)
        for rival in RIVALS:
            rival_labels, _, figures[rival] = timed(scan, X, rival == "compacting scan")
            assert np.array_equal(labels, rival_labels), f"MDAV and the {rival} disagree"
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--data", default=",".join(KINDS))
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(run_case(options.case)))
        return
    print(f"{'data':>10} {'n':>9} {'wall, s':>8} {'CPU, s':>8} {'growth':>7} {'MB':>5}", *(f"{r:>16}" for r in RIVALS))
    for kind in options.data.split(","):
        previous = None
        for n in map(int, options.sizes.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                path = str(Path(folder) / "input.npy")
                np.save(path, make_data(kind, n))
                command = [sys.executable, __file__, "--case", path]
                answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            figures = json.loads(answer)
            cpu = figures["cpu"]
            growth = f"n^{math.log(cpu / previous[1]) / math.log(n / previous[0]):.2f}" if previous else ""
            ratios = (f"{figures[r]:7.2f} {figures[r] / cpu:7.1f}x" for r in RIVALS if r in figures)
            row = f"{kind:>10} {n:9,} {figures['wall']:8.2f} {cpu:8.3f} {growth:>7} {figures['megabytes']:5.0f}"
            print(row, *ratios, flush=True)
            previous = n, cpu


if __name__ == "__main__":
    main()
