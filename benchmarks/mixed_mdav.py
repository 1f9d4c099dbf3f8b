"""MDAV of mixed tables: codes in the tree, beside indicators in the tree and beside looking at every record.

    python benchmarks/mixed_mdav.py [--records 100000] [--k 3,5,10] [--scan 0.04]

Six numbers and six nominal variables of 2 to 20 categories: "related", which go together as those of surveys do, and
"independent", which a tree can do least for. Codes and indicators have to give the same labels. A scan is ended when
this share of the records has a group (1 for all of them, and the same labels); its seconds for all are those of what it
did, by the number of records it has looked at. All are seconds of the processor, of all threads together, which other
work on the machine hardly changes; ratios are to the tree with codes.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from mixed_distance import simulated
from shoal.partition import MDAV, MDAVGeneric
from shoal.partition.mdav import generic
from shoal.progress import listening

CATEGORIES = (2, 3, 5, 8, 12, 20)
NOMINAL = tuple(range(6, 12))


class EnoughError(Exception):
    """Ends a scan."""


def related(records: int) -> np.ndarray:
    table = simulated(records)
    numbers = table.iloc[:, :6].to_numpy()
    codes = [np.unique(table.iloc[:, column], return_inverse=True)[1] for column in NOMINAL]
    return np.column_stack([(numbers - numbers.mean(axis=0)) / numbers.std(axis=0, ddof=1), *codes])


def independent(records: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, categories, records) for categories in CATEGORIES]
    return np.column_stack([rng.normal(size=(records, 6)), *codes])


def with_indicators(X: np.ndarray) -> np.ndarray:
    columns = [X[:, :6], *((X[:, [column]] == np.unique(X[:, column])).astype(float) for column in NOMINAL)]
    return np.column_stack(columns)


def timed(method: MDAV | MDAVGeneric, X: np.ndarray) -> tuple[np.ndarray, float]:
    start = time.process_time()
    return method.fit(X).labels_, time.process_time() - start


def scan(X: np.ndarray, k: int, share: float, labels: np.ndarray) -> tuple[float, float]:
    """Return the seconds that a scan takes for the first groups, and what share of all its work that is."""
    parts: list[float] = []

    def listen(part: float) -> None:
        parts.append(part)
        if share < 1 and sum(parts) >= share:
            raise EnoughError

    most = generic._MOST_TO_SCAN
    generic._MOST_TO_SCAN = 2**62
    start = time.process_time()
    try:
        with listening(listen):
            assert np.array_equal(MDAVGeneric(k, nominal=NOMINAL).fit(X).labels_, labels)
    except EnoughError:
        pass
    finally:
        generic._MOST_TO_SCAN = most
    seconds = time.process_time() - start
    left = max(1 - sum(parts), 0.0)
    return seconds, 1 - left * left  # a step looks at all that remain, so that the work left is a square


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--k", default="3,5,10")
    parser.add_argument("--scan", type=float, default=0.04)
    options = parser.parse_args()
    for make in (related, independent):  # the kernels are compiled and loaded
        X = make(4_000)
        MDAV(5).fit(with_indicators(X))
        scan(X, 5, 1.0, MDAVGeneric(5, nominal=NOMINAL).fit(X).labels_)
    print(f"{'':>12} {'':>9} {'':>4} {'codes':>8} {'indicators':>19} {'scan':>17}")
    for make in (related, independent):
        for k in map(int, options.k.split(",")):
            X = make(options.records)
            labels, by_codes = timed(MDAVGeneric(k, nominal=NOMINAL), X)
            other, by_indicators = timed(MDAV(k), with_indicators(X))
            assert np.array_equal(labels, other)
            seconds, done = scan(X, k, options.scan, labels)
            print(
                f"{make.__name__:>12} {options.records:>9,} {k:>4} {by_codes:>6.2f} s"
                f" {by_indicators:>8.2f} s {by_indicators / by_codes:>6.1f} x"
                f" {seconds / done:>8.1f} s {seconds / done / by_codes:>4.0f} x  (scan: {done:.0%} done)",
                flush=True,
            )


if __name__ == "__main__":
    main()
