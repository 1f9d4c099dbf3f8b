"""Folders of Parquet files with what real files have, protected on a cluster and read back."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd


def persons(records: int, seed: int = 0) -> pd.DataFrame:
    """Return a mixed table with ties and missing values."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"income": random.normal(50, 10, records), "rent": random.gamma(2, 3, records).round(1)})
    table["age"] = random.integers(0, 95, records)
    table["spent"] = table["income"] * 0.5 + random.normal(0, 3, records)
    table["sex"] = random.choice(["m", "f"], records)
    levels = ["low", "mid", "high"]
    table["level"] = pd.Categorical(random.choice(levels, records), levels, ordered=True)
    table["code"] = random.integers(1, 6, records)
    table["weight"] = random.gamma(2, 8, records) + 1.3
    table["home"] = random.integers(0, records // 3, records)
    for name in ("income", "rent", "sex"):
        table.loc[random.random(records) < 0.07, name] = None
    return table


def write_parts(table: pd.DataFrame, folder: Path, cuts: list[int], row_group: int = 1_000_000) -> Path:
    """Write a table as a folder of Parquet files that are cut at some rows."""
    folder.mkdir()
    ends = [0, *cuts, len(table)]
    for number, (start, end) in enumerate(pairwise(ends)):
        table.iloc[start:end].to_parquet(folder / f"part{number}.parquet", index=False, row_group_size=row_group)
    return folder


def protected(cluster, source: Path, output: Path, block_records: int = 300, **options):
    """Protect a folder on the cluster, in small blocks."""
    from shoal.scale.protect import protect_parts

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return protect_parts(source, output, cluster, k=5, options={"seed": 1, **options}, block_records=block_records)


def in_original_order(release, records: int) -> pd.DataFrame:
    """Return a release in the order of its input, by drawing the order of all rows at once."""
    from shoal.scale.random_order import Leaving

    plan, rows = release.plan, np.arange(records)
    table = pd.read_parquet(release.path)
    if not plan.output.keep_order:
        parts = max(1, round(records / plan.divided.block_records))
        leaving = Leaving(f"{plan.key} order {plan.input.sha256}", parts, records, rows[:0])
        table.index = np.lexsort((rows, leaving.place(rows), leaving.part(rows)))
        table = table.sort_index()
    return table


def flat(plain, path=""):
    """Yield every number of a JSON document with where it stands."""
    if isinstance(plain, dict):
        for name, own in plain.items():
            yield from flat(own, f"{path}/{name}")
    elif isinstance(plain, list):
        for place, own in enumerate(plain):
            yield from flat(own, f"{path}/{place}")
    else:
        yield path, plain


def assert_same(measured, expected):
    """Compare two documents: texts and counts exactly, other numbers to 1e-9."""
    ours, theirs = dict(flat(measured)), dict(flat(expected))
    assert ours.keys() == theirs.keys()
    differ = {
        name: (ours[name], theirs[name])
        for name in ours
        if ours[name] != theirs[name]
        and not (
            isinstance(ours[name], float)
            and isinstance(theirs[name], float)
            and math.isclose(ours[name], theirs[name], rel_tol=1e-9, abs_tol=1e-9)
        )
    }
    assert differ == {}
