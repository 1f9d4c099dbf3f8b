"""What at least k different units in every group cost, beside groups of k records.

    python benchmarks/units.py [--ks 3,5,10] [--methods mdav,vmdav,hac] [--households 2000] [--file FILE --unit COLUMN]

By default on drawn households of one to six persons: rent, rooms and income are those of the household, age and wage
those of the person, and members of a household are alike. With --file the numeric columns without missing values are
protected. `units below k` counts the groups of k records that have fewer than k units. Losses are percentages of the
variation: of the groups of k records; of these, joined until they have k units, in which members of a household get
different values of its rent; and of `unit=`, in which they get the same. `unique` are the units that no other is like
in the set of their released records. Last, how long a large file takes.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from shoal.partition.geometry.different_units import count_units

COLUMNS = ["rent", "rooms", "income", "age", "wage"]


def households(count: int, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(count), rng.choice([1, 2, 3, 4, 5, 6], count, p=[0.3, 0.3, 0.15, 0.15, 0.07, 0.03]))
    income = rng.gamma(3.0, 900.0, count)
    oldest = rng.integers(22, 90, count)[unit]
    place = np.arange(len(unit)) - np.searchsorted(unit, unit)
    age = np.where(place < 2, oldest - rng.integers(0, 6, len(unit)) * place, rng.integers(0, 20, len(unit)))
    return pd.DataFrame(
        {
            "unit": unit + 1,
            "rent": (income * rng.uniform(0.2, 0.5, count)).round()[unit],
            "rooms": (rng.integers(1, 4, count) + np.bincount(unit) // 2)[unit],
            "income": income.round()[unit],
            "age": age,
            "wage": np.where(age > 17, income[unit] * rng.uniform(0.2, 0.8, len(unit)), 0.0).round(),
        }
    )


def loss(original: pd.DataFrame, masked: pd.DataFrame) -> float:
    scale = original.std()
    return float(
        100
        * (((masked - original) / scale) ** 2).sum().sum()
        / (((original - original.mean()) / scale) ** 2).sum().sum()
    )


def joined(frame: pd.DataFrame, labels: np.ndarray, units: np.ndarray, k: int) -> pd.DataFrame:
    """The group means after groups with too few units were joined to the group with the nearest centre."""
    scaled = ((frame - frame.mean()) / frame.std()).to_numpy()
    labels = labels.copy()
    while True:
        labels = np.unique(labels, return_inverse=True)[1]
        counts = count_units(labels, units)
        if counts.min() >= k:
            return frame.groupby(labels).transform("mean")
        sizes = np.bincount(labels)
        centres = np.column_stack([np.bincount(labels, weights=column) / sizes for column in scaled.T])
        short = int(counts.argmin())
        distance = ((centres - centres[short]) ** 2).sum(axis=1)
        distance[short] = np.inf
        labels[labels == short] = int(distance.argmin())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ks", default="3,5,10")
    parser.add_argument("--methods", default="mdav,vmdav,hac")
    parser.add_argument("--households", type=int, default=2000)
    parser.add_argument("--large", type=int, default=40_000, help="households of the large file; 0 for none")
    parser.add_argument("--file")
    parser.add_argument("--unit", default="unit")
    parser.add_argument("--columns", help="separated by commas; by default all numeric ones without missing values")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ShoalWarning)
    frame = households(options.households) if options.file is None else shoal.read_table(options.file)
    unit = options.unit
    columns = COLUMNS
    if options.file is not None:
        complete = frame.dropna(axis=1).select_dtypes("number").columns
        columns = options.columns.split(",") if options.columns else [name for name in complete if name != unit]
    frame = frame[[unit, *columns]]
    frame[columns] = frame[columns].astype(float)
    units = np.unique(frame[unit], return_inverse=True)[1]
    print(f"{len(frame):,} records in {units.max() + 1:,} units, {len(columns)} variables")
    print("method     k    units below k  records   joined    unit=  unique  seconds")
    for method in options.methods.split(","):
        for k in map(int, options.ks.split(",")):
            plain = shoal.protect(frame[columns], k, method=method, seed=1)
            labels = plain.partitions[0].labels
            few = count_units(labels, units)
            start = time.perf_counter()
            release = shoal.protect(frame, k, columns=columns, unit=unit, method=method, seed=1)
            seconds = time.perf_counter() - start
            numbers = frame[columns]
            tables = (plain.data, joined(numbers, labels, units, k), release.data[columns])
            losses = " ".join(f"{loss(numbers, table):>8.2f}" for table in tables)
            print(
                f"{method:8} {k:>3} {f'{(few < k).sum():,} of {len(few):,}':>16} {losses} "
                f"{release.plan.outcome.unique_units:>7,} {seconds:>8.1f}"
            )
    if options.large:
        large = households(options.large)
        for names in (COLUMNS, ["age", "wage"]):
            start = time.perf_counter()
            shoal.protect(large[["unit", *names]].astype(float), 5, columns=names, unit="unit", seed=1)
            seconds = time.perf_counter() - start
            print(f"{len(large):,} persons in {options.large:,} households, {', '.join(names)}: {seconds:.1f} s")


if __name__ == "__main__":
    main()
