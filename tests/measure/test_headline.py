"""The headline against a count of one record after the other: mixed tables, missing values, weights, units."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

import shoal
from oracles.slow_headline import agreeing, counted, linkage
from shoal.describe.combinations import unique_records
from shoal.errors import ColumnError
from shoal.measure import evaluate, k_anonymity
from shoal.read import as_table

COLUMNS = ["x", "y", "town", "code", "day"]
NUMERIC = [True, True, False, False, False]


def table(seed: int, n: int = 40) -> pd.DataFrame:
    """Return a mixed table with few values, so that many are duplicates, and with missing ones."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 3, n).astype(float),
            "y": rng.integers(0, 2, n) / 3,
            "town": rng.choice(["A", "B"], n).astype(object),
            "code": rng.integers(1, 3, n),
            "day": [datetime.date(2020, 1, 1 + one) for one in rng.integers(0, 2, n)],
            "w": rng.integers(1, 4, n) / 2,
            "home": rng.integers(0, n // 3, n),
        }
    )
    frame.loc[rng.random(n) < 0.1, "x"] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = None
    return frame


def rows(frame: pd.DataFrame, columns=COLUMNS) -> list[list]:
    return [list(row) for row in frame[columns].astype(object).itertuples(index=False)]


def masked_like(original: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return the same file with some values exchanged, and some suppressed."""
    rng = np.random.default_rng(seed + 100)
    changed = original.copy()
    for name in ("x", "town", "code"):
        rows_changed = rng.random(len(changed)) < 0.3
        changed.loc[rows_changed, name] = rng.permutation(changed[name][rows_changed].to_numpy())
    changed.loc[rng.random(len(changed)) < 0.1, "y"] = np.nan
    return changed


@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_a_slow_count_gives(seed):
    original = table(seed)
    masked = masked_like(original, seed)
    found = evaluate(
        original, masked, ["x", "y"], kinds={"code": "nominal"}, weights="w", unit="home", measures=["sse"]
    )
    k, uniques = counted(rows(masked), original["home"].tolist())
    assert found.headline == {
        "records": 40,
        "units": original["home"].nunique(),
        "k": k,
        "uniques": uniques,
        "linkage": pytest.approx(linkage(rows(original), rows(masked), NUMERIC)),
    }
    without = evaluate(
        original.drop(columns="home"), masked.drop(columns="home"), weights="w", kinds={"code": "nominal"}
    )
    k, uniques = counted(rows(masked))
    assert (without.headline["units"], without.headline["k"], without.headline["uniques"]) == (None, k, uniques)
    assert without.k_anonymity == k and without.k_anonymity.wildcard == min(agreeing(rows(masked)))
    assert without.distance_linkage == without.headline["linkage"] == found.headline["linkage"]


@pytest.mark.parametrize("seed", range(6))
def test_a_missing_value_is_a_category_or_a_wildcard_as_asked(seed):
    frame = table(seed, 60)[["x", "town", "code"]]
    frame.loc[::7, "code"] = np.nan
    assert k_anonymity(frame, frame) == counted(rows(frame, list(frame)))[0]
    wild = agreeing(rows(frame, list(frame)))
    found = k_anonymity(frame, frame, missing="wildcard", k=5)
    assert found == min(wild)
    assert found.short == [place for place, count in enumerate(wild) if count < 5]


def test_scenarios_are_counted_each_for_itself():
    original = table(3)
    masked = masked_like(original, 3)
    known = {"place": ["town", "code"], "everything": ["*"], "with weights": ["*", "w"]}
    kinds = {"code": "nominal"}
    found = evaluate(original, masked, ["x"], kinds=kinds, weights="w", scenarios=known, measures=[]).scenarios
    everything = [*COLUMNS, "home"]
    assert found["place"]["columns"] == ["town", "code"]
    assert found["everything"]["columns"] == everything and "w" in found["with weights"]["columns"]
    for name, columns, numeric in (
        ("place", ["town", "code"], [False, False]),
        ("everything", everything, [*NUMERIC, True]),
        ("with weights", [*COLUMNS, "w", "home"], [*NUMERIC, True, True]),
    ):
        assert (found[name]["k"], found[name]["uniques"]) == counted(rows(masked, columns))
        expected = linkage(rows(original, columns), rows(masked, columns), numeric)
        assert found[name]["linkage"] == pytest.approx(expected)
    with pytest.raises(ColumnError, match='scenario "bad" names "twon", which is in neither file'):
        _ = evaluate(original, masked, scenarios={"bad": ["twon"]}, measures=[]).scenarios


def test_columns_of_any_type_count():
    frame = pd.DataFrame({"x": [1.0, 1, 1, 1], "tags": [["a"], ["a"], ["a", "b"], None], "far": [1.0, 1, np.inf, 1]})
    found = evaluate(frame, frame, ["x"], measures=["k_anonymity"])
    assert found.headline == {"records": 4, "units": None, "k": 1, "uniques": 2, "linkage": 75.0}
    assert unique_records(as_table(frame), ["tags"]) == 2


def test_where_all_are_alike_one_is_drawn():
    frame = pd.DataFrame({"x": [1.0] * 8})
    assert evaluate(frame, frame, measures=[]).headline["linkage"] == pytest.approx(100 / 8)


@pytest.mark.filterwarnings("ignore::shoal.errors.DisclosureWarning")  # columns are released as they are
def test_a_release_says_what_its_evaluation_says():
    survey = table(1, 120)[["x", "y", "town", "w"]].dropna().reset_index(drop=True)
    release = shoal.protect(survey, 4, columns=["x", "y"], kinds={"x": "continuous"}, weights="w", seed=1)
    document = release.evaluate(quick=True).to_dict()
    assert document["headline"] == release.headline
    assert set(release.headline) == {"records", "units", "k", "uniques", "linkage"}
    assert (release.plan.outcome.k, release.plan.outcome.uniques) == counted(rows(release.data, ["x", "y", "town"]))
    assert document["risk"]["distance_linkage"] == release.headline["linkage"]
    assert document["risk_protected"]["k_anonymity"] >= 4
    assert document["columns"] == ["x", "y"] and document["released"] == ["x", "y", "town"]
    assert release.plan.outcome.uniques_with_weights == counted(rows(release.data, ["x", "y", "town", "w"]))[1]


def test_what_is_known_is_measured_after_a_pickle_too():
    import pickle

    frame = table(2)
    found = evaluate(frame, frame, ["x"], scenarios={"one": ["y"]}, measures=["sse"])
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()


@pytest.mark.parametrize("wrong", ["weights", "unit"])
def test_weights_and_units_are_columns(wrong):
    with pytest.raises(ColumnError, match=f'{wrong}: There is no column "z"'):
        evaluate(table(0), table(0), **{wrong: "z"})
