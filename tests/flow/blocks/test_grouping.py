"""Records of all kinds of variables are grouped by every method, on one distance, whichever way it is computed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from oracles.brute_force_mdav import brute_force_mdav, embedded_distance, embedded_mean, embedded_records
from shoal.errors import MethodError
from shoal.flow.blocks import grouping
from shoal.partition import MDAV, PARTITIONERS, MDAVGeneric
from shoal.partition.mdav import mdav
from unchanged_columns import protect_part

KINDS = {"town": "nominal", "x": "continuous", "grade": "ordinal", "sex": "nominal", "y": "continuous"}


def table(n=90, seed=0):
    """Numbers and categories with many ties, and records that come up twice."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "town": rng.choice(["Aix", "Bari", "Cork", "Dax", "Elx"], n),
            "x": rng.normal(size=n).round(1),
            "grade": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
            "sex": rng.choice(["f", "m"], n),
            "y": rng.lognormal(size=n).round(1),
        }
    )
    frame.iloc[n // 2 : n // 2 + 9] = frame.iloc[:9].to_numpy()
    return frame


def labels_of(frame, **options):
    return shoal.protect(frame, **{"k": 3, "columns": list(frame), "kinds": KINDS, **options}).partitions[0].labels


def by_hand(frame, *, standardize=True):
    """The block with standard scores and codes, and where the codes are."""
    codes = {"grade": frame["grade"].cat.codes, "town": frame["town"].factorize(sort=True)[0]}
    codes["sex"] = frame["sex"].factorize(sort=True)[0]
    X = frame.assign(**codes)[list(KINDS)].astype(float)
    scores = (X - X.mean()) / X.std(ddof=1)
    for name in ("x", "grade", "y") if standardize else ():
        X[name] = shoal.describe.standardize.standard_scale(X[name].to_numpy()).apply(X[name].to_numpy())
        np.testing.assert_allclose(X[name], scores[name])
    return X.to_numpy(), [0, 3]


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("variant", ["classic", "two-k", "thesis"])
def test_mdav_is_brute_force_on_the_mixed_distance(variant, standardize):
    for seed in range(4):
        frame = table(seed=seed)
        X, nominal = by_hand(frame, standardize=standardize)
        records = embedded_records(X, nominal)
        expected = brute_force_mdav(records, 3, variant, embedded_distance, embedded_mean)
        found = labels_of(frame, method=MDAV(3, variant=variant), standardize=standardize)
        assert found.tolist() == expected


@pytest.mark.parametrize("strata", [None, "area"])
def test_codes_and_indicators_give_the_same_groups(monkeypatch, strata):
    frame = table(700).assign(area=np.arange(700) % 3)
    options = {"columns": list(KINDS), "strata": strata} if strata else {"columns": list(KINDS), "k": 4}
    if not strata:
        frame = frame.drop(columns="area")
    by_indicators = labels_of(frame, **options)
    monkeypatch.setattr(mdav, "_MOST_TO_SCAN", 0)
    monkeypatch.setattr(MDAV, "_partition", None)  # what is left is the form for codes
    assert np.array_equal(labels_of(frame, **options), by_indicators)


@pytest.mark.parametrize("method", [name for name in PARTITIONERS if name != "optimal-univariate"])
def test_every_method_that_makes_groups_takes_all_kinds(method):
    release = shoal.protect(
        table(),
        3,
        columns=list(KINDS),
        kinds=KINDS,
        method=f"{method}:steps=50" if method == "refine" else method,
        seed=1,
    )
    assert release.partitions[0].k >= 3
    assert release.data.groupby(list(KINDS), observed=True).size().min() >= 3


def test_a_method_for_one_ordered_variable_takes_ordinal_ones_and_refuses_nominal_ones():
    frame = table()[["grade"]]
    assert shoal.protect(frame, 3, columns=["grade"], method="optimal-univariate").partitions[0].k >= 3
    with pytest.raises(MethodError, match=r'^OptimalUnivariate groups continuous and ordinal variables only.*"mdav"'):
        shoal.protect(table()[["town"]], 3, columns=["town"], method="optimal-univariate")


def test_categories_that_would_be_too_many_columns_are_refused_by_methods_that_need_the_columns(monkeypatch):
    monkeypatch.setattr(grouping, "_MOST_NUMBERS", 90 * 9)
    with pytest.raises(MethodError, match=r'^The method "cbfs" needs a column for every category, 10 of .*"mdav"\.$'):
        labels_of(table(), method="cbfs")
    monkeypatch.setattr(mdav, "_MOST_TO_SCAN", 0)  # as of so large a file, it takes the codes
    assert np.bincount(labels_of(table())).min() >= 3
    one_group = protect_part(
        table(),
        3,
        columns=list(KINDS),
        kinds=KINDS,
        confidential=["x", "y"],
        replace="ipso",
        method="one-group",
        seed=1,
    )
    assert one_group.partitions[0].k == 90


def test_gowers_distance_is_taken_where_it_is_asked_for():
    frame = table()
    X, nominal = by_hand(frame, standardize=False)
    numbers = [1, 2, 4]
    X[:, numbers] = (X[:, numbers] - X[:, numbers].min(axis=0)) / np.ptp(X[:, numbers], axis=0)
    by_gower = labels_of(frame, method="mdav:distance=gower")
    assert by_gower.tolist() == MDAVGeneric(3, distance="gower", nominal=nominal).fit(X).labels_.tolist()
    assert by_gower.tolist() != labels_of(frame).tolist()


def test_with_missing_values_the_distance_is_the_same_over_what_both_have():
    frame = table()
    frame.loc[::7, "town"] = None
    frame.loc[3::11, "y"] = np.nan
    X, nominal = by_hand(frame.assign(town=frame["town"].fillna("?")), standardize=True)
    X[frame["town"].isna(), 0] = np.nan
    expected = MDAVGeneric(3, nominal=nominal).fit(X).labels_
    assert labels_of(frame, missing="keep").tolist() == expected.tolist()
