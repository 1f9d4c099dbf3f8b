"""Outliers in files of which a part is rewritten: their values do not come out, nor do those of others by them."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest

from oracles.planted_outliers import METHODS, LetThrough, let_through, planted_file
from shoal.errors import DisclosureWarning
from unchanged_columns import protect_part

INCOME = 471_234_567.0


def wealthy(wealth: float, others: int = 0) -> pd.DataFrame:
    """Return 1,000 records, one of them with this wealth and an income that goes with it, and others like it."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"wealth": np.exp(rng.normal(12, 1, 1000)), "age": rng.integers(18, 90, 1000)})
    frame["income"] = np.exp(rng.normal(10.5, 0.6, 1000))
    rows = list(range(7, 8 + others))
    frame.loc[rows, "wealth"] = wealth * (1 + 0.01 * np.arange(1 + others))
    frame.loc[rows, "income"] = INCOME * (1 + 0.01 * np.arange(1 + others))
    return frame


@pytest.mark.parametrize("others", [0, 2], ids=["alone", "three that share the leverage"])
@pytest.mark.parametrize("wealth", [1e8, 1e10, 1e12])
@pytest.mark.parametrize("replace", METHODS)
def test_an_income_does_not_follow_from_wealth_out_of_all_proportion(replace, wealth, others):
    """It was released as 471,234,567.14, to 0.1 % or better, by every method."""
    frame = wealthy(wealth, others)
    k = 12 if "hybrid" in replace else 5
    release = protect_part(frame, k, replace=replace, confidential=["income"], seed=1)
    rows = range(7, 8 + others)
    distance = (release.data["income"] / frame["income"] - 1).abs()
    assert distance[rows].min() > 0.01
    said = [note for note in release.plan.outcome.notes if "stand alone" in note or "a model follows" in note]
    assert len(said) == 1 and f"at least {k} " in said[0]


@pytest.mark.parametrize("replace", ["ipso", "hybrid", "muralidhar-sarathy"])
def test_means_and_covariances_of_what_is_rewritten_stay_exact(replace):
    frame = wealthy(1e10).assign(savings=lambda table: table["income"] * np.linspace(0.1, 0.3, 1000))
    names = ["income", "savings"]
    masked = protect_part(frame, 12, replace=replace, confidential=names, seed=1).data
    unit = frame[names].std()
    assert ((masked[names].mean() - frame[names].mean()).abs() / unit).max() < 1e-8
    assert ((masked[names].cov() - frame[names].cov()).abs() / np.outer(unit, unit)).max(axis=None) < 1e-8


def test_alpha_and_what_stays_do_not_give_away_who_is_far_in_what_is_rewritten():
    """The noise is orthogonal to X: a record that is alone there got none, and the rest of it could be computed."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(500, 3)), columns=["y", "x0", "x1"])
    frame.loc[3, "x1"] = 1e9
    masked = protect_part(frame, 5, replace="muralidhar-sarathy", confidential=["x0", "x1"], seed=1).data
    A = np.column_stack([np.ones(500), frame["y"]])
    fitted = A @ np.linalg.lstsq(A, masked[["x0", "x1"]].to_numpy(), rcond=None)[0]
    turned_back = fitted + (masked[["x0", "x1"]] - fitted) / 0.5
    assert (np.abs(turned_back - frame[["x0", "x1"]]) / frame[["x0", "x1"]].std()).loc[3].min() > 0.01


def test_a_category_does_not_follow_from_wealth_out_of_all_proportion():
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame = wealthy(1e10).assign(ill=rng.choice(["a", "b", "c", "d"], size=1000))
        masked = protect_part(frame, 5, replace="ipso", columns=["wealth", "age", "ill"], confidential=["ill"], seed=1)
        kept += masked.data["ill"][7] == frame["ill"][7]
    assert kept < 12  # of 20; by chance 5


def test_what_is_left_is_counted():
    """Groups of the hybrid are alike in income here: to know them is to know it, whatever is drawn."""
    rng = np.random.default_rng(5)
    place = np.arange(300) % 10
    frame = pd.DataFrame({"wealth": rng.normal(size=300), "income": 1000.0 * 2.0**place + rng.normal(size=300)})
    frame["region"] = place + 0.01 * rng.normal(size=300)
    frame.loc[7, "wealth"] = 1e10
    options = {"replace": "hybrid", "method": "mdav", "confidential": ["income"], "seed": 1}
    with pytest.warns(DisclosureWarning, match="^1 of 1 records that stand alone.* come out within 1 %"):
        protect_part(frame, 10, **options)
    accepted = protect_part(wealthy(1e10), 5, replace="ipso:accept_unchanged=true", confidential=["income"], seed=1)
    assert any(note.startswith("1 of 1 records that stand alone") for note in accepted.plan.outcome.notes)


def test_planted_outliers_do_not_come_out():
    """A small search; benchmarks/outliers.py goes through 2,000 files."""
    found = {replace: LetThrough(*[0] * len(astuple(let_through(planted_file(0))))) for replace in METHODS}
    for seed in range(2 * len(METHODS)):
        planted = planted_file(seed)
        one = let_through(planted)
        assert isinstance(one, LetThrough), one
        assert one.near == 0
        found[planted.replace] = LetThrough(*np.add(astuple(found[planted.replace]), astuple(one)).tolist())
    total = LetThrough(*np.sum([astuple(one) for one in found.values()], axis=0).tolist())
    assert total.extreme > 50 and total.others > 10_000
    assert total.ordinary_near <= total.by_chance + 3
    assert total.close <= 1.5 * total.close_without + 10
