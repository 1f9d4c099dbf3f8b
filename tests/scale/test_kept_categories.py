"""Categories that keep their values on a cluster: cells suppressed in blocks, counted over the whole released file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import shoal
from scale.running import alike, on_cluster

K = 4
RECORDS = 1_500


def persons(*, holes: bool = False) -> pd.DataFrame:
    """Return categories of which some are rare, numbers, homes of a few persons, and weights."""
    random = np.random.default_rng(3)
    levels = ["low", "mid", "high"]
    frame = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], RECORDS),
            "level": pd.Categorical(random.choice(levels, RECORDS, p=[0.5, 0.3, 0.2]), levels, ordered=True),
            "region": random.choice(["n", "s", "e", "w"], RECORDS, p=[0.5, 0.3, 0.15, 0.05]),
            "job": random.choice([f"j{number}" for number in range(12)], RECORDS, p=np.arange(12, 0, -1) / 78),
            "age": random.integers(18, 95, RECORDS),
            "income": random.lognormal(10, 1, RECORDS),
            "home": random.integers(0, RECORDS // 2, RECORDS),
            "weight": random.gamma(2, 8, RECORDS).round() + 1,
        }
    )
    frame["tax"] = frame["income"] * random.uniform(0.1, 0.4, RECORDS)
    if holes:
        for name in ("job", "region", "income"):
            frame.loc[random.random(RECORDS) < 0.06, name] = None
    return frame


BANDS = {"age": shoal.recode.Bands(width=10, top=85)}
CASES: dict[str, dict[str, Any]] = {
    "alone": {},
    "recodes": {"recodes": BANDS},
    "strata": {"strata": ["sex"]},
    "unit": {"unit": "home"},
    "weights": {"weights": "weight"},
    "rules": {"edits": ["tax <= income"]},
    "missing kept": {"missing": "keep"},
    "missing filled": {"missing": "fill"},
    "all": {"recodes": BANDS, "strata": ["sex"], "unit": "home", "weights": "weight", "missing": "keep"},
}


@pytest.mark.parametrize("case", CASES)
def test_the_headline_is_what_is_counted_in_the_released_file(case, cluster, tmp_path):
    options = CASES[case]
    unit, weights = options.get("unit"), options.get("weights")
    before = persons(holes="missing" in options)
    before = before.drop(columns=[name for name in ("home", "weight") if name not in (unit, weights)])
    after, release, said = on_cluster(before, tmp_path, cluster, K, categories="suppress", **options)
    columns = [name for name in after if name not in (unit, weights)]
    units = None if unit is None else after[unit]
    counts = alike(after, columns, units)
    assert release.blocks > 2
    assert release.headline["k"] == counts.min()
    assert release.headline["uniques"] == uniques(after, columns, unit)
    if options.get("missing") != "keep":
        assert counts.min() >= K
    else:
        unique, short = uniques(after, columns, unit), alike(after, columns)[counts < K].sum()
        words = f"{unique:,} of {RECORDS:,} are unique, and {short:,} have fewer than {K} like them"
        if unit is not None:
            own = f"{unique:,} of {after[unit].nunique():,} units have a record that no other unit has"
            words = f"{own}, and {short:,} of {RECORDS:,} records have fewer than {K}"
        assert any(words in one for one in said)
    cells = {name: int(after[name].isna().sum() - before[name].isna().sum()) for name in ("sex", "level", "job")}
    if "recodes" not in options and options.get("missing") != "fill":
        assert {name: count for name, count in cells.items() if count} == {
            name: count for name, count in release.plan.outcome.suppressed.items() if name in cells
        }
    if "edits" in options:
        assert (after["tax"] <= after["income"]).all()


def uniques(frame: pd.DataFrame, columns: list[str], unit: str | None) -> int:
    """Count the records, or the units with a record, that no other is like."""
    if unit is None:
        return int((alike(frame, columns) == 1).sum())
    plain = frame[columns].astype(object).where(frame[columns].notna(), "(missing)").astype(str).agg("|".join, axis=1)
    return int(frame[unit][frame[unit].groupby(plain).transform("nunique") == 1].nunique())
