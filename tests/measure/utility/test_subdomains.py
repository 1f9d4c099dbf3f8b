"""Means and covariances inside subdomains, against a slow version that goes through the records of each."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, NotApplicableError, ParameterError
from shoal.measure import covariance_difference, mean_difference, subdomain_difference, variance_difference


def slow_difference(original, masked, by, least):
    """Return the differences of means and covariances over the subdomains of one variable, cell by cell."""
    numeric = [name for name in original if name != by and pd.api.types.is_numeric_dtype(original[name])]
    sums, records, small = [0.0, 0.0], 0, []
    for category in sorted(set(original[by].dropna()) | set(masked[by].dropna())):
        before, after = original[original[by] == category], masked[masked[by] == category]
        varying = [name for name in numeric if before[name].nunique() > 1]
        means, covariances = [], []
        for i, one in enumerate(varying):
            sd = before[one].std()
            if after[one].count():
                means.append(abs(after[one].mean() - before[one].mean()) / sd)
            for other in varying[i:]:
                apart = []
                for file in (before, after):
                    rows = file[[one, other]].dropna() if one != other else file[[one]].dropna()
                    if len(rows) > 1:
                        x, y = rows[one] - rows[one].mean(), rows[other] - rows[other].mean()
                        apart.append(math.fsum(x * y) / (len(rows) - 1) / (sd * before[other].std()))
                if len(apart) == 2:
                    covariances.append(abs(apart[1] - apart[0]))
        if min(len(before), len(after)) < least or not covariances:
            small.append(len(before))
            continue
        records += len(before)
        sums[0] += len(before) * sum(means) / len(means)
        sums[1] += len(before) * sum(covariances) / len(covariances)
    return sums[0] / records, sums[1] / records, len(small), sum(small)


def two_files(seed, n=120, missing=False):
    """Ties, duplicates and constants, categories that masking changes, and small ones; missing values if asked for."""
    rng = np.random.default_rng(seed)
    original = pd.DataFrame(rng.integers(-3, 4, size=(n, 3)).astype(float) * [1, 10, 0.1], columns=list("xyz"))
    original["region"] = rng.choice(list("abcdef"), n, p=[0.4, 0.3, 0.15, 0.09, 0.05, 0.01])
    original.loc[original["region"] == "b", "z"] = 7.0  # constant in a subdomain
    masked = original.copy()
    masked[["x", "y", "z"]] += rng.integers(-2, 3, size=(n, 3))
    masked["region"] = masked["region"].where(rng.random(n) > 0.2, rng.choice(list("abg"), n))
    if missing:
        for file in (original, masked):
            file.mask(rng.random(file.shape) < 0.1, inplace=True)
    return original, masked


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_going_through_the_subdomains_gives(seed, missing):
    original, masked = two_files(seed, missing=missing)
    for least in (2, 10, 25):
        means, covariances, small, small_records = slow_difference(original, masked, "region", least)
        found = subdomain_difference(original, masked, by="region", least=least)
        assert (found.means, found.covariances) == pytest.approx((means, covariances))
        assert found == pytest.approx((means + covariances) / 2)
        of = found.by_variable["region"]
        assert (of["small"], of["small_records"]) == (small, small_records)


def test_one_subdomain_is_the_whole_file():
    """With one category it is what the differences of means, variances and covariances say of the file."""
    original, masked = (file[["x", "y", "z"]].assign(all="a") for file in two_files(1))
    found = subdomain_difference(original, masked)
    assert found.means == pytest.approx(mean_difference(original, masked))
    expected = 3 * variance_difference(original, masked) + 3 * covariance_difference(original, masked)
    assert found.covariances == pytest.approx(expected / 6)


def test_by_default_every_categorical_variable_divides_the_records():
    original, masked = two_files(2)
    original["sex"] = masked["sex"] = list("mf") * 60
    found = subdomain_difference(original, masked)
    parts = [subdomain_difference(original, masked, by=name) for name in ("region", "sex")]
    assert found == pytest.approx(sum(parts) / 2)
    assert set(found.by_variable) == {"region", "sex"}
    assert found.worst == max((part.worst for part in parts), key=lambda one: one["difference"])
    assert found == subdomain_difference(original, masked, by=["region", "sex"])
    json.dumps(found.parts, allow_nan=False)


def test_a_column_that_is_not_compared_can_divide_the_records():
    original, masked = two_files(3)
    found = subdomain_difference(original, masked, columns=["x", "y"], by="region")
    expected = subdomain_difference(original[["x", "y", "region"]], masked[["x", "y", "region"]])
    assert found == expected


def test_codes_divide_the_records_where_they_are_said_to_be_categories():
    original, masked = two_files(4)
    codes = [file.assign(region=file["region"].map(ord)) for file in (original, masked)]
    with pytest.raises(ColumnError, match='by names "region", which holds numbers'):
        subdomain_difference(*codes, by="region")
    assert subdomain_difference(*codes, kinds={"region": "nominal"}) == pytest.approx(
        subdomain_difference(original, masked)
    )


def test_what_cannot_divide_the_records():
    original, masked = two_files(5)
    with pytest.raises(ColumnError, match=r'by names "regoin", which is not in both files\. Did you mean "region"'):
        subdomain_difference(original, masked, by="regoin")
    with pytest.raises(ColumnError, match="by names no column"):
        subdomain_difference(original, masked, by=[])
    with pytest.raises(ParameterError, match="by must be the names of columns; got Series"):
        subdomain_difference(original, masked, by=original["region"])
    with pytest.raises(ParameterError, match="least must be a whole number, 2 or more"):
        subdomain_difference(original, masked, least=1)
    with pytest.raises(NotApplicableError, match="needs a categorical variable"):
        subdomain_difference(original[["x"]], masked[["x"]])
    with pytest.raises(NotApplicableError, match="needs a subdomain of 1000 records"):
        subdomain_difference(original, masked, least=1000)


def test_small_groups_keep_subdomains_better_than_one_group():
    """The claim of the paper: hybrid data by small groups keep subdomains, rewriting the file as one does not."""
    survey = shoal.datasets.households(600, seed=1)[["region", "age", "wage_income", "tax"]]
    protected = {
        name: shoal.protect(
            survey, 20, replace=name, confidential=["age", "wage_income", "tax"], roles={"region": "other"}, seed=1
        ).data
        for name in ("hybrid", "ipso")
    }
    hybrid, ipso = (subdomain_difference(survey, masked, by="region") for masked in protected.values())
    assert hybrid.means < ipso.means and hybrid.covariances < ipso.covariances
