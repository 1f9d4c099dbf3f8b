"""Synthetic values outside the range of the original: counted always, and kept inside on request."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, RuleError
from unchanged_columns import protect_part, run_part

REPLACEMENTS = ["ipso", "hybrid:small_groups=merge", "muralidhar-sarathy", "fuzzy-regression:n_clusters=2"]


def incomes(n=200, seed=0):
    """Skewed amounts from 0 up, of which normal residuals leave the range."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 1))
    return pd.DataFrame(np.exp(rng.normal(size=(n, 3)) + shared)).set_axis(["income", "tax", "size"], axis=1)


def protected(frame, k=5, **options):
    return protect_part(frame, k, columns=list(frame), confidential=["income", "tax"], **options)


@pytest.mark.parametrize("replace", REPLACEMENTS)
def test_values_outside_are_counted_by_variable(replace):
    frame = incomes()
    release = protected(frame, replace=replace, seed=1)
    expected = {
        name: int(((release.data[name] < frame[name].min()) | (release.data[name] > frame[name].max())).sum())
        for name in ("income", "tax")
    }
    assert release.plan.outcome.outside == {name: count for name, count in expected.items() if count}
    assert release.plan.outcome.outside or "fuzzy" in replace  # which adds no noise


@pytest.mark.parametrize("decimals", [None, 2])
@pytest.mark.parametrize("replace", REPLACEMENTS)
def test_bounds_keep_the_range_and_release_neither_of_its_ends(replace, decimals):
    frame = incomes()
    release = protected(frame, replace=replace, seed=1, bounds=True, decimals=decimals)
    assert release.plan.outcome.outside == {}
    for name in ("income", "tax"):
        ordered, values = np.sort(frame[name]), release.data[name]
        assert values.min() >= ordered[:5].mean() - 1e-12 and values.max() <= ordered[-5:].mean() + 1e-12
        assert not values.isin(ordered[[0, -1]]).any()
        assert values.duplicated().mean() < 0.05 or decimals is not None  # nothing piles up
    assert release.data["size"].equals(frame["size"])


def test_the_outcome_says_by_how_much_means_and_covariances_are_off():
    frame = incomes()
    release = protected(frame, replace="ipso", seed=1, bounds=True)
    (note,) = [one for one in release.plan.outcome.notes if "outside the bounds" in one]
    said = float(note.partition("Means are then off by up to ")[2].partition(" standard")[0])
    off = max(abs(release.data[name].mean() - frame[name].mean()) / frame[name].std() for name in ("income", "tax"))
    assert off == pytest.approx(said, rel=0.05)
    assert 0 < off < 0.2


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 8), n=st.integers(40, 90))
def test_bounds_hold_whatever_the_file(seed, k, n):
    frame = incomes(n, seed).round(1)
    release = protected(frame, k, replace="ipso", seed=seed, bounds=True)
    for name in ("income", "tax"):
        ordered = np.sort(frame[name])
        assert release.data[name].between(ordered[:k].mean() - 1e-9, ordered[-k:].mean() + 1e-9).all()
    assert (release.data[["income", "tax"]].round(9) != frame[["income", "tax"]].round(9)).any(axis=1).all()


def test_the_same_plan_gives_the_same_values(tmp_path):
    frame = incomes()
    release = protected(frame, replace="ipso", seed=1, bounds=True)
    release.plan.to_toml(tmp_path / "plan.toml")
    plan = shoal.Plan.from_toml(tmp_path / "plan.toml")
    assert plan.bounds
    pd.testing.assert_frame_equal(run_part(plan, frame).data, release.data)


def test_rules_on_the_same_variables_are_refused_with_the_way_out():
    with pytest.raises(RuleError, match=r'bounds moves values of "income".* \("income >= 0"\)'):
        protected(incomes(), replace="ipso", bounds=True, edits=["income >= 0"])


def test_no_room_between_the_ends_is_refused():
    frame = incomes(8)
    with pytest.raises(DataError, match=r'bounds leaves "income" no room'):
        protected(frame, 8, replace="ipso", method="one-group", bounds=True, seed=1)


def test_averages_are_inside_anyway():
    frame = incomes()
    assert shoal.protect(frame, 5, bounds=True, seed=1).data.equals(shoal.protect(frame, 5, seed=1).data)
    assert shoal.protect(frame, 5, seed=1).plan.outcome.outside == {}
