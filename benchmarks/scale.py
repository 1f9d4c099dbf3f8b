"""Files on a cluster: seconds and memory for each million records, and the loss beside that of one machine.

    python benchmarks/scale.py [--millions 5,10,20] [--workers 2] [--memory 2GB] [--folder DIR] [--shape independent]
    python benchmarks/scale.py --losses     # 1,000,000 x 10: blocks of 500,000 and 50,000, borders refined, one machine

The data are 10 normal variables, independent or correlated, written as Parquet files of a million records each. Memory
is the largest that any worker took, and that the client took, as the system counts it. k = 10.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import shoal
from shoal.scale.cluster import Cluster
from shoal.scale.protect import protect_parts

MILLION = 1_000_000
K = 10
NAMES = [f"v{place}" for place in range(10)]


class Watched(Cluster):
    """A cluster that remembers how much memory its workers took, and how long each kind of task did."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.peak = 0.0
        self.seconds: dict[str, float] = {}

    def map(self, function: Any, items: Any, *shared: Any, doing: str = "") -> list[Any]:
        """Return what `Cluster.map` does."""
        began = time.perf_counter()
        results = super().map(function, items, *shared, doing=doing)
        self.seconds[function.__name__] = self.seconds.get(function.__name__, 0) + time.perf_counter() - began
        return results

    def _close(self) -> None:
        if self._client is not None:
            self.peak = max(self._client.run(peak_of_process).values(), default=0.0)
        super()._close()


def peak_of_process() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def write_parts(folder: Path, millions: int, shape: str) -> None:
    random = np.random.default_rng(0)
    mixing = random.normal(size=(10, 10)) if shape == "correlated" else np.eye(10)
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(millions):
        values = np.random.default_rng([1, part]).normal(size=(MILLION, 10)) @ mixing
        table = pa.table({name: values[:, place] for place, name in enumerate(NAMES)})
        pq.write_table(table, folder / f"part-{part:04}.parquet", row_group_size=250_000, compression="none")


def run(source: Path, output: Path, options: argparse.Namespace, **chosen: Any) -> tuple[Any, Watched, float]:
    cluster = Watched(workers=options.workers, memory=options.memory)
    began = time.perf_counter()
    release = protect_parts(source, output, cluster, k=K, options={"seed": 1}, **chosen)
    return release, cluster, time.perf_counter() - began


def sizes(options: argparse.Namespace, folder: Path) -> None:
    print(
        f"{'millions':>8} {'seconds':>8} {'s/million':>9} {'GB a worker':>11} {'GB here':>7} {'k':>3} {'loss %':>7} "
        f"{'linkage %':>9}"
    )
    for millions in map(int, options.millions.split(",")):
        source, output = folder / "in", folder / "out"
        shutil.rmtree(source, ignore_errors=True)
        writer = get_context("spawn").Process(target=write_parts, args=(source, millions, options.shape))
        writer.start()  # elsewhere, as the memory of this process is measured
        writer.join()
        release, cluster, seconds = run(source, output, options)
        head = release.headline
        print(
            f"{millions:8} {seconds:8.1f} {seconds / millions:9.2f} {cluster.peak:11.2f} "
            f"{peak_of_process():7.2f} {head['k']:3} {release.information_loss:7.3f} {head['linkage']:9.2f}",
            flush=True,
        )
        print("         " + ", ".join(f"{name} {took:.1f}" for name, took in cluster.seconds.items()), flush=True)
        shutil.rmtree(output)


def losses(options: argparse.Namespace, folder: Path) -> None:
    print(f"{'shape':>12} {'blocks of':>10} {'borders':>8} {'loss %':>8} {'above one machine %':>19} {'seconds':>8}")
    for shape in ("correlated", "independent"):
        source = folder / shape
        write_parts(source, 1, shape)
        table = pq.read_table(source)
        began = time.perf_counter()
        alone = shoal.protect(table, k=K, seed=1)
        took = time.perf_counter() - began
        loss = float(alone.evaluate(measures=["information_loss"]).information_loss)
        print(f"{shape:>12} {'one machine':>10} {'':>8} {loss:8.4f} {'':>19} {took:8.1f}", flush=True)
        for records, refined in ((500_000, False), (50_000, False), (500_000, True), (50_000, True)):
            release, _, seconds = run(source, folder / "out", options, block_records=records, refine_borders=refined)
            reached = release.information_loss
            print(
                f"{shape:>12} {records:10,} {'refined' if refined else '':>8} {reached:8.4f} "
                f"{100 * (reached / loss - 1):19.2f} {seconds:8.1f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--millions", default="5,10,20")
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--shape", choices=("independent", "correlated"), default="independent")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        (losses if options.losses else sizes)(options, Path(folder))


if __name__ == "__main__":
    main()
