"""What a release loses if categories are grouped, suppressed or kept, counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.flow.category_ways import category_ways


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "region": rng.choice(["N", "S", "E"], 150, p=[0.6, 0.3, 0.1]),
            "job": rng.choice(["a", "b", "c", "d"], 150),
            "income": rng.lognormal(3, 1, 150),
            "age": rng.normal(40, 9, 150),
        }
    )


def lost(before: pd.Series, after: pd.Series) -> float:
    return 100 * float(((before - after) ** 2).sum() / ((before - before.mean()) ** 2).sum())


@pytest.mark.parametrize("way", ["group", "suppress"])
def test_the_losses_are_those_of_the_release_made_that_way(frame, way):
    release = shoal.protect(frame, 4, seed=1, categories=way)
    found = {one.way: one for one in category_ways(shoal.protect(frame, 4, seed=1))}[way]
    data = release.data
    gone = {name: 100 * data[name].isna().mean() for name in ("region", "job")}
    wrong = {name: 100 * (data[name].notna() & (data[name] != frame[name])).mean() for name in ("region", "job")}
    numbers = {name: lost(frame[name], data[name]) for name in ("income", "age")}
    assert found.numbers == pytest.approx(np.mean(list(numbers.values())))
    assert found.suppressed == pytest.approx(np.mean(list(gone.values())))
    assert found.changed == pytest.approx(np.mean(list(wrong.values())))
    assert found.loss == pytest.approx(np.mean([*numbers.values(), *(gone[name] + wrong[name] for name in gone)]))
    assert found.k == release.headline["k"] and found.refused == ""


def test_what_is_refused_says_why(frame):
    within = category_ways(shoal.protect(frame, 4, seed=1, categories="suppress"))[2]
    assert within.way == "within" and within.loss is None and "combinations of region, job" in within.refused


def test_there_are_no_ways_without_categories_or_groups(frame):
    numbers = frame[["income", "age"]]
    assert category_ways(shoal.protect(numbers, 4, seed=1)) == []
    assert category_ways(shoal.protect(numbers, 4, method="fuzzy", seed=1)) == []


def test_the_internal_report_compares_the_three_and_a_public_one_does_not(frame, tmp_path):
    release = shoal.protect(frame, 4, seed=1, categories="suppress")
    release.report(tmp_path / "internal.html")
    release.report(tmp_path / "public.html", audience="public")
    internal, public = ((tmp_path / f"{one}.html").read_text(encoding="utf-8") for one in ("internal", "public"))
    assert "Three ways with categories" in internal and "cells suppressed" in internal
    assert "Three ways with categories" not in public and "true values, some cells suppressed" in public
