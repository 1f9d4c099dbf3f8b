"""Risk over key variables: seconds for large files, with and without missing values.

    python benchmarks/key_risk.py [--records 1000000] [--suda 100000] [--keys 8]

Keys are drawn with 2 to 20 categories, some far more frequent than others. "key risk" is frequencies in the sample and
the population, individual and global risk; with missing values a missing one agrees with every value. SUDA looks at all
sets of keys.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd

from shoal.measure import individual_risk, key_frequencies, suda

SIZES = (2, 5, 10, 20)


def drawn(records: int, keys: int, missing: float = 0.0, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    for place in range(keys):
        size = SIZES[place % len(SIZES)]
        shares = 1 / np.arange(1, size + 1)
        values = rng.choice(size, records, p=shares / shares.sum())
        columns[f"key{place + 1}"] = np.where(rng.random(records) < missing, np.nan, values) if missing else values
    return pd.DataFrame(columns | {"weight": rng.uniform(50, 150, records)})


def timed(function, *arguments, **options) -> tuple[str, object]:
    start = time.perf_counter(), time.process_time()
    found = function(*arguments, **options)
    return f"{time.perf_counter() - start[0]:>8.2f} {time.process_time() - start[1]:>10.2f}", found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--suda", type=int, default=100_000)
    parser.add_argument("--keys", type=int, default=8)
    options = parser.parse_args()
    keys = [f"key{place + 1}" for place in range(options.keys)]
    key_frequencies(drawn(100, options.keys), keys)  # libraries are loaded
    print("what                 records  keys   missing  seconds  processor")
    for missing in (0.0, 0.02, 0.05):
        frame = drawn(options.records, options.keys, missing)
        seconds, risk = timed(individual_risk, frame, keys, weights="weight", missing="wildcard")
        print(f"{'key risk':16} {options.records:>11,} {options.keys:>5} {missing:>9.0%} {seconds}", end="  ")
        print(f"{risk:,.0f} re-identifications expected", flush=True)
    texts = drawn(options.records, options.keys)
    texts[keys] = texts[keys].astype(str)
    seconds, risk = timed(individual_risk, texts, keys, weights="weight")
    print(f"{'key risk, texts':16} {options.records:>11,} {options.keys:>5} {0:>9.0%} {seconds}", flush=True)
    for missing in (0.0, 0.02):
        frame = drawn(options.suda, options.keys, missing)
        for way in ("category", "wildcard") if missing else ("category",):
            seconds, found = timed(suda, frame, keys, missing=way)
            print(f"{f'SUDA, {way}':16} {options.suda:>11,} {options.keys:>5} {missing:>9.0%} {seconds}", end="  ")
            print(f"{found.records:,} records with a score", flush=True)


if __name__ == "__main__":
    main()
