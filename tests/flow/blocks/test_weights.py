"""No record carries more than half of the weight behind a released value, whatever replaces the values of a group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from oracles.slow_shares import largest_share
from shoal.errors import DataError, RuleError, ShoalError
from shoal.replace import REPLACEMENTS
from shoal.replace.family import GROUPED, PERTURBED

KINDS = {"amount": "continuous", "other": "continuous", "word": "nominal"}
WITH_GROUPS = sorted(name for name, kind in REPLACEMENTS.items() if kind.family is GROUPED)
WRITTEN = {"order-statistic": "order-statistic:q=0.75"}  # those that need a parameter


def drawn(seed, n, missing=0.0):
    """Amounts with zeros and heavy tails, grades in their order, categories, strata and units."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "amount": np.where(rng.random(n) < 0.4, 0.0, rng.lognormal(3, 1.5, n).round(2) + 0.01),
            "other": rng.lognormal(size=n).round(3) + 0.0005,
            "word": rng.choice(["a", "b", "c"], n),
            "grade": pd.Categorical(rng.choice(list("pqrst"), n), list("pqrst"), ordered=True),
            "part": rng.integers(0, 2, n),
            "unit": rng.integers(0, n // 2 + 3, n),
        }
    )
    for name in ("amount", "other", "word", "grade"):
        frame.loc[rng.random(n) < missing, name] = None
    return frame


def weights_of(rng, way, n):
    """Weights of one kind: none, one or some of them far from the others, ties, or not allowed at all."""
    drawn = {
        "equal": np.ones(n),
        "two": rng.choice([1.0, 7.0], n),
        "tails": rng.lognormal(0, 3, n),
        "far": 10.0 ** rng.uniform(-140, 140, n),
        "giant": np.where(np.arange(n) == rng.integers(n), 0.9 * n, 1.0),
        "units": rng.lognormal(0, 1, n),
        "extreme": np.where(rng.random(n) < 0.5, 1e-300, 1e300),
        "zero": np.where(np.arange(n) == n - 1, 0.0, 1.0),
        "missing": np.where(np.arange(n) == n - 1, np.nan, 1.0),
    }
    return drawn[way]


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
@pytest.mark.parametrize("replace", WITH_GROUPS)
@settings(max_examples=50)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(12, 80),
    k=st.integers(2, 5),
    way=st.sampled_from(["equal", "two", "tails", "far", "giant", "units", "extreme", "zero", "missing"]),
    options=st.fixed_dictionaries(
        {},
        optional={
            "missing": st.sampled_from(["keep", "fill"]),
            "categories": st.sampled_from([{"word": "suppress"}, {"word": "within"}]),
            "strata": st.just("part"),
            "unit": st.just("unit"),
            "dominance": st.just(80),
        },
    ),
)
def test_every_replacement_keeps_the_promise_on_weights_or_is_refused(replace, seed, n, k, way, options):
    """By what is shown to be behind values, and by the values alone: all records of a stratum that share one."""
    frame = drawn(seed, n, missing=0.0 if "missing" not in options or replace == "medoid" else 0.2)
    frame["w"] = weights_of(np.random.default_rng(seed), way, n)
    columns = ["grade"] if REPLACEMENTS[replace].kinds == {"ordinal"} else ["amount", "other"]
    chosen = dict.fromkeys(columns, WRITTEN.get(replace, replace)) if replace != "medoid" else replace
    kept = ["word"] * ("categories" in options)
    if replace == "geometric-mean":
        frame["amount"] += 1
    options = {name: one for name, one in options.items() if name != "dominance" or replace.endswith("mean")}
    named = [*columns, *kept]
    roles = [name for name in ("part", "unit") if name in options.values()]
    kinds = {name: KINDS[name] for name in named if name in KINDS}
    try:
        release = shoal.protect(
            frame[[*named, *roles, "w"]], k, columns=named, replace=chosen, kinds=kinds, weights="w", seed=1, **options
        )
    except ShoalError:
        return
    assert way not in ("extreme", "zero", "missing")
    who = frame["unit"] if "unit" in options else frame.index
    part = frame["part"] if "strata" in options else 0 * frame["part"]
    for partition in release.partitions:
        for name in set(partition.columns).intersection(columns):
            behind, values = partition.behind(name), release.data[name]
            if values.nunique() < 2 and frame[name].nunique() < 2:
                continue  # weights have no say in it
            if frame.groupby(who)[name].nunique(dropna=False).max() == 1:
                continue  # of a unit, which counts once
            shared = values.groupby([values, part], observed=True).ngroup().to_numpy()
            for labels in (behind, np.where(frame[name].isna(), -1, shared)):
                for group in set(labels.tolist()) - {-1}:
                    rows = np.flatnonzero(labels == group)
                    assert largest_share(frame.w[rows], who[rows]) <= 0.5 + 1e-9


def test_other_replacements_with_weights_are_refused_by_their_own_declaration_or_have_no_groups():
    others = {name: kind for name, kind in REPLACEMENTS.items() if name not in WITH_GROUPS}
    assert {name for name, kind in others.items() if kind.supports_weights} == {
        name for name, kind in others.items() if kind.family is PERTURBED
    }


@pytest.mark.parametrize("bad", [1e-151, 1e151])
def test_weights_of_which_floating_point_tells_no_shares_are_refused(bad):
    frame = drawn(3, 40)[["amount", "other"]].assign(w=1.0)
    frame.loc[7, "w"] = bad
    with pytest.raises(DataError, match=r'between 1e-150 and 1e\+150; "w" has 1 that are not'):
        shoal.protect(frame, 3, columns=["amount", "other"], weights="w")


def test_groups_that_are_joined_stay_one_where_rules_move_their_value():
    """Of the first three records one has two thirds of the weight; alone, each group would move to its own records."""
    frame = pd.DataFrame(
        {"x": [1, 10, 10, 1.1, 1.2, 1.3], "y": [10, 1, 1, 10, 10, 9.9], "z": [0.0, 0, 0, 100, 100, 100]}
    ).assign(w=[4.0, 1, 1, 1, 1, 1])
    options = {"columns": list("xyz"), "kinds": dict.fromkeys("xyz", "continuous"), "weights": "w", "seed": 1}
    release = shoal.protect(frame, 3, edits=["x * y <= 21"], **options)
    assert (release.data["x"] * release.data["y"] <= 21).all()
    assert len(release.data.drop(columns="w").drop_duplicates()) == 1
    assert release.partitions[0].labels.tolist() == [0] * 6


def test_a_value_is_not_moved_towards_a_record_until_half_of_it_is_that_record():
    """Half the way to the first or the second record keeps the rule; half of the mean is the first one's already."""
    frame = pd.DataFrame({"x": [1.0, 10, 10], "y": [10.0, 1, 1], "w": [2.0, 1, 1]})
    options = {"columns": list("xy"), "kinds": dict.fromkeys("xy", "continuous"), "edits": ["x * y <= 26"], "seed": 1}
    assert shoal.protect(frame.drop(columns="w"), 3, **options).data["x"].nunique() == 1
    with pytest.raises(RuleError, match=r"no values near the averages keep the rule"):
        shoal.protect(frame, 3, weights="w", **options)
