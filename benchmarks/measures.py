"""The measures: time of each and peak memory, on Census and on large files masked by MDAV at k = 10.

    python benchmarks/measures.py ../shared/data/census.csv [--records 100000] [--quick] [--blocks 5]

Census is measured in this process after one run that loads libraries and compiles kernels. A large file (ten
correlated log-normal columns) is masked and measured in a process of its own, so that peak memory is that of the case
(read from /proc: Linux only).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import shoal
from shoal.measure import MEASURES


def time_each(original, masked, **options) -> dict[str, float]:
    """Return the seconds of every measure that `evaluate` computes with these options."""
    everything = shoal.evaluate(original, masked, **options)
    seconds = {}
    for name in everything.measured:
        begin = time.perf_counter()
        shoal.evaluate(original, masked, measures=[name], **(options | {"quick": False}))
        seconds[name] = time.perf_counter() - begin
    return seconds


def census(path: Path) -> None:
    frame = shoal.read_table(path)
    release = shoal.protect(frame, 3)
    release.evaluate()
    begin = time.perf_counter()
    release.evaluate()
    whole = time.perf_counter() - begin
    seconds = time_each(frame, release.data, method="mdav", k=3)
    for name, second in seconds.items():
        print(f"  {name:<34}{second:8.3f} s")
    without = [name for name in MEASURES if name not in ("linkage_over_subsets", "transparency_attack")]
    begin = time.perf_counter()
    shoal.evaluate(frame, release.data, measures=without)
    print(f"  everything at once                {whole:8.3f} s")
    print(f"  ... but the averages over subsets {time.perf_counter() - begin:8.3f} s")


def large(folder: Path, quick: bool) -> None:
    original, masked = np.load(folder / "original.npy"), np.load(folder / "masked.npy")
    before = peak()
    begin = time.perf_counter()
    found = shoal.evaluate(original, masked, method="mdav", k=10, quick=quick)
    seconds = time.perf_counter() - begin
    print(json.dumps({"seconds": seconds, "gb": (peak() - before) / 1e6, "of": found.to_dict()}))


def peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("census", type=Path, nargs="?")
    parser.add_argument("--records", type=int, action="append", default=[])
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--large", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.large:
        large(given.large, given.quick)
        return
    if given.census:
        print("Census, MDAV, k = 3")
        census(given.census)
    for records in given.records:
        rng = np.random.default_rng(0)
        X = np.exp(np.sqrt(0.5) * (rng.normal(size=(records, 10)) + rng.normal(size=(records, 1))))
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "original.npy", X)
            np.save(Path(folder) / "masked.npy", shoal.protect(X, 10, blocks=given.blocks).data)
            command = [sys.executable, __file__, "--large", folder, *(["--quick"] if given.quick else [])]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{records:,} x 10, MDAV, k = 10, blocks of {given.blocks}{', quick' if given.quick else ''}")
        print(f"  {found['seconds']:.1f} s, {found['gb']:.2f} GB above the two files and the libraries")
        for side in ("utility", "risk"):
            for name, value in found["of"][side].items():
                print(f"  {name:<34}{'not applicable' if value is None else f'{value:12.4f}'}")
        print(f"  {'score':<34}{found['of']['score']:12.4f}")
        for name, why in found["of"]["left_out"].items():
            print(f"  left out: {name}, {why}")


if __name__ == "__main__":
    main()
