"""MDAV: time, memory and growth, and how much faster it is than looking at every record.

    python benchmarks/mdav.py [--sizes 10000,100000] [--data log-normal,normal]

Ten columns, k = 10. The rival is a compiled scan over the records that remain, run in the same process up to
100,000 records; its labels have to be the same. Every case runs in a process of its own, which loads its input from
a file, so that peak memory is that of the case (read from /proc: Linux only).
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
from shoal.partition.exact_sum_kernels import MOST_PARTIALS, add_rows, round_totals
from shoal.partition.tree_search_kernels import _is_worse, _offer, squared_distance

K = 10
COLUMNS = 10
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
LARGEST_SCAN = 100_000


def make_data(kind: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    if kind == "log-normal":
        # Correlation one half between the logarithms.
        X = np.exp(np.sqrt(0.5) * (X + rng.normal(size=(n, 1))))
    return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)


@njit(cache=True)
def scan_mdav(X, k, totals, labels):
    """Classic MDAV by scanning. What remains is kept together in `left`, so that a scan reads it in one go."""
    n, d = X.shape
    left = X.copy()
    rows = np.arange(n)
    place = np.arange(n)
    remaining = n
    point = np.empty(d)
    distances = np.empty(k)
    members = np.empty(k, np.int64)
    group = 0
    while remaining >= 2 * k:
        round_totals(totals, point)
        for j in range(d):
            point[j] = point[j] / remaining
        pair = remaining >= 3 * k
        seeds = [np.int64(-1), np.int64(-1)]
        for which in range(2 if pair else 1):
            best = -1.0
            for i in range(remaining):
                distance = squared_distance(left, i, point)
                if seeds[which] < 0 or _is_worse(distance, seeds[which], best, rows[i]):
                    best = distance
                    seeds[which] = rows[i]
            for j in range(d):
                point[j] = X[seeds[which], j]
        for which in range(2 if pair else 1):
            for j in range(d):
                point[j] = X[seeds[which], j]
            count = np.int64(0)
            for i in range(remaining):
                count = _offer(distances, members, count, squared_distance(left, i, point), rows[i])
            add_rows(totals, X, members, -1.0)
            for row in members:
                labels[row] = group
                remaining -= 1
                last = rows[remaining]
                rows[place[row]] = last
                for j in range(d):
                    left[place[row], j] = left[remaining, j]
                place[last] = place[row]
            group += 1
        if not pair:
            break
    for i in range(remaining):
        labels[rows[i]] = group


def scan(X: np.ndarray) -> np.ndarray:
    labels = np.empty(len(X), dtype=np.int64)
    totals = np.zeros((COLUMNS, MOST_PARTIALS))
    add_rows(totals, X, np.arange(len(X)), 1.0)
    scan_mdav(X, K, totals, labels)
    return labels


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - start


def memory(field: str) -> float:
    """Return VmRSS, what the process holds, or VmHWM, the most it held since `forget_peak`, in megabytes."""
    status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return int(status[field].split()[0]) * 1024 / 1e6


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def run_case(path: str) -> dict[str, float]:
    warm_up = make_data("normal", 1000)
    MDAV(K).fit(warm_up)
    X = np.load(path)
    X.flags.writeable = False
    forget_peak()
    before = memory("VmRSS")
    labels, seconds = timed(lambda: MDAV(K).fit(X).labels_)
    figures = {"seconds": seconds, "megabytes": memory("VmHWM") - before}
    if len(X) <= LARGEST_SCAN:
        warm_up.flags.writeable = False
        scan(warm_up)
        scan_labels, scan_seconds = timed(scan, X)
        assert np.array_equal(labels, scan_labels), "MDAV and the scan disagree"
        figures["scan"] = scan_seconds
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--data", default="log-normal,normal")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(run_case(options.case)))
        return
    print(f"{'data':>10} {'n':>9} {'seconds':>9} {'growth':>8} {'MB above input':>15} {'scan, s':>9} {'ratio':>7}")
    for kind in options.data.split(","):
        previous = None
        for n in map(int, options.sizes.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                path = str(Path(folder) / "input.npy")
                np.save(path, make_data(kind, n))
                command = [sys.executable, __file__, "--case", path]
                answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            figures = json.loads(answer)
            seconds = figures["seconds"]
            growth = f"n^{math.log(seconds / previous[1]) / math.log(n / previous[0]):.2f}" if previous else ""
            rival = f"{figures['scan']:9.2f} {figures['scan'] / seconds:6.1f}x" if "scan" in figures else ""
            print(f"{kind:>10} {n:9,} {seconds:9.3f} {growth:>8} {figures['megabytes']:15.0f} {rival}", flush=True)
            previous = n, seconds


if __name__ == "__main__":
    main()
