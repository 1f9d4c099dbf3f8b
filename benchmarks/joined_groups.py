"""Groups joined until no record dominates a sum: processor seconds for 20,000 and for 200,000 groups of five.

    python benchmarks/joined_groups.py

A third zeros, or 2 % of the records with anything; "ties" has all centres in one place.
"""

from __future__ import annotations

import time

import numpy as np

from shoal.replace.contributions import Contributions, TooLargeShareError, joined_to_shares

SIZE, MOST = 5, 0.5


def main() -> None:
    rng = np.random.default_rng(0)
    print(f"{'groups':>8} {'non-zero':>9} {'centres':>8} {'dominated':>10} {'joined':>8} {'seconds':>8}")
    for groups in (20_000, 200_000):
        labels, records = np.repeat(np.arange(groups), SIZE), SIZE * groups
        for share in (0.7, 0.02):
            values = np.where(rng.random(records) < share, rng.lognormal(3, 1, records), 0.0)
            amounts = Contributions.of(values, np.ones(records, dtype=bool), MOST)
            dominated = int(amounts.totals(labels, groups).above(MOST).sum())
            for name, centres in (("spread", rng.normal(size=(groups, 4))), ("ties", np.zeros((groups, 1)))):
                start = time.process_time()
                try:
                    found = joined_to_shares(labels, [amounts], centres, np.zeros(groups, dtype=np.int64))
                    joined = f"{groups - len(np.unique(found)):,}"
                except TooLargeShareError:
                    joined = "refused"
                seconds = time.process_time() - start
                print(f"{groups:8,} {share:9.0%} {name:>8} {dominated:10,} {joined:>8} {seconds:8.2f}", flush=True)


if __name__ == "__main__":
    main()
