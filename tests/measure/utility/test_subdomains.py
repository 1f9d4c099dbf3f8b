"""Moments inside subdomains, against a slow version that goes through the records of each."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import ColumnError, DataError, DisclosureWarning, NotApplicableError, ParameterError
from shoal.measure import (
    covariance_difference,
    fourth_moments,
    mean_difference,
    subdomain_difference,
    third_moments,
    variance_difference,
)


def by_category(original, masked, by):
    """Return the records of both files that have each category."""
    categories = sorted(set(original[by].dropna()) | set(masked[by].dropna()))
    return [(original[original[by] == category], masked[masked[by] == category]) for category in categories]


def slow_difference(subdomains, least):
    """Return the differences of means, covariances, third and fourth moments over subdomains, cell by cell.

    With them: how many subdomains are small, and how many records these have.
    """
    sums, records, small = np.zeros(4), 0, []
    for before, after in subdomains:
        varying = [name for name in before.select_dtypes("number") if before[name].nunique() > 1]
        apart = [[], [], [], []]
        for i, one in enumerate(varying):
            sd = before[one].std()
            if after[one].count():
                apart[0].append(abs(after[one].mean() - before[one].mean()) / sd)
                for power in (3, 4):
                    moments = [
                        math.fsum((x - file[one].mean()) ** power for x in file[one].dropna()) / file[one].count()
                        for file in (before, after)
                    ]
                    apart[power - 1].append(abs(moments[1] - moments[0]) / sd**power)
            for other in varying[i:]:
                both = []
                for file in (before, after):
                    rows = file[[one, other]].dropna() if one != other else file[[one]].dropna()
                    if len(rows) > 1:
                        x, y = rows[one] - rows[one].mean(), rows[other] - rows[other].mean()
                        both.append(math.fsum(x * y) / (len(rows) - 1) / (sd * before[other].std()))
                if len(both) == 2:
                    apart[1].append(abs(both[1] - both[0]))
        if min(len(before), len(after)) < least or not apart[1]:
            small.append(len(before))
            continue
        records += len(before)
        sums += [len(before) * sum(some) / len(some) for some in apart]
    return sums / records, len(small), sum(small)


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
        slow, small, small_records = slow_difference(by_category(original, masked, "region"), least)
        found = subdomain_difference(original, masked, by="region", least=least)
        assert (found.means, found.covariances) == pytest.approx(slow[:2])
        assert found == pytest.approx(slow[:2].mean())
        of = found.by_variable["region"]
        assert (of["small"], of["small_records"]) == (small, small_records)
        assert set(found.parts) == {"means", "covariances", "by_variable", "worst", "least"}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_third_and_fourth_moments_have_a_part_where_they_are_asked_for(seed, missing):
    original, masked = two_files(seed, missing=missing)
    slow, *_ = slow_difference(by_category(original, masked, "region"), 5)
    third, fourth = (subdomain_difference(original, masked, by="region", least=5, moments=m) for m in (3, 4))
    assert (third.means, third.covariances, third.third_moments) == pytest.approx(slow[:3])
    assert third == pytest.approx(slow[:3].mean()) and "fourth_moments" not in third.parts
    assert (fourth.third_moments, fourth.fourth_moments) == pytest.approx(slow[2:])
    assert fourth == pytest.approx(slow.mean())
    assert fourth.by_variable["region"]["fourth_moments"] == fourth.fourth_moments
    assert fourth.worst["difference"] >= fourth


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("size", [None, 12, 30, 120])
def test_random_subsets_are_the_same_records_of_both_files(size, missing):
    original, masked = two_files(1, missing=missing)
    drawn, least = np.random.default_rng(7), 5
    rows = [drawn.choice(120, size or 12, replace=False) for _ in range(4)]
    slow, small, _ = slow_difference([(original.iloc[some], masked.iloc[some]) for some in rows], least)
    options = {"subsets": 4, "size": size, "moments": 4, "least": least}
    found = subdomain_difference(original, masked, **options, seed=7)
    assert found == pytest.approx(slow.mean())
    assert [found.at_random[name] for name in found.parts if name in found.at_random] == pytest.approx(slow)
    assert (found.at_random["subdomains"], found.at_random["small"]) == (4 - small, small)
    assert found.worst["records"] == (size or 12) and set(found.worst) == {"records", "difference"}
    assert "by_variable" not in found.parts
    # The seed is that of the evaluation, and no categorical variable is needed.
    evaluated = shoal.evaluate(
        original[["x", "y", "z"]], masked[["x", "y", "z"]], options={"subdomain_difference": options}, seed=7
    )
    assert evaluated.subdomain_difference == found
    json.dumps(found.parts, allow_nan=False)


def test_a_random_subset_of_all_records_is_the_whole_file():
    original, masked = (file[["x", "y", "z"]] for file in two_files(1))
    found = subdomain_difference(original, masked, subsets=2, size=120, moments=4)
    assert found.means == pytest.approx(mean_difference(original, masked))
    assert found.third_moments == pytest.approx(third_moments(original, masked))
    assert found.fourth_moments == pytest.approx(fourth_moments(original, masked))


def test_random_subsets_that_cannot_be_drawn():
    original, masked = two_files(5)
    for size in (9, 121):
        with pytest.raises(
            ParameterError, match=rf"size must be a whole number from 10 \(least\) to 120 .*; got {size}"
        ):
            subdomain_difference(original, masked, subsets=3, size=size)
    with pytest.raises(ParameterError, match="by and subsets are two ways to divide the records"):
        subdomain_difference(original, masked, subsets=3, by="region")
    with pytest.raises(ParameterError, match="Give their number too, in subsets"):
        subdomain_difference(original, masked, size=20)
    with pytest.raises(DataError, match="the original has 120 and the masked file 50"):
        subdomain_difference(original, masked[:50], subsets=3)
    with pytest.raises(NotApplicableError, match="needs a subdomain of 10 records"):
        subdomain_difference(original[:9], masked[:9], subsets=3)
    with pytest.raises(ParameterError, match="by and subsets"):
        shoal.evaluate(original, masked, options={"subdomain_difference": {"by": "region", "subsets": 2}})


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
    options = {"confidential": ["age", "wage_income", "tax"], "seed": 1}
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .1.: region"):
        protected = [shoal.protect(survey, 20, replace=name, **options).data for name in ("hybrid", "ipso")]
    hybrid, ipso = (subdomain_difference(survey, masked, by="region") for masked in protected)
    assert hybrid.means < ipso.means and hybrid.covariances < ipso.covariances
