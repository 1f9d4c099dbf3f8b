"""The tables are those of the papers, and the survey keeps its own rules."""

import numpy as np
import pandas as pd
import pytest

from shoal.datasets import expenditure, households, nineteen_points, students
from shoal.errors import ParameterError

# Table 5.2 of the thesis: sdcMicro's output for k = 4, the records in file order.
A, B, C, D = (3.428571, 7.428571), (1.5, 2.75), (3.25, 12.25), (6.25, 4.75)
TABLE_5_2 = [A, A, B, B, C, C, A, D, D, B, A, D, B, C, D, A, A, A, C]

MAY_BE_MISSING = ["education", "tenure", "capital_income", "transfers", "housing_cost", "savings"]


def test_expenditure_satisfies_its_constraint():
    table = expenditure()
    assert table.shape == (12, 3)
    assert np.allclose(1.16 * table["exp16"] + 1.07 * table["exp7"], table["total"], rtol=0, atol=1e-9)


def test_expenditure_as_printed_breaks_it_in_the_last_record_only():
    difference = expenditure(misprint=True).eval("total - 1.16 * exp16 - 1.07 * exp7")
    assert np.abs(difference[:-1]).max() < 1e-9
    assert difference.iloc[-1] == pytest.approx(3.48)  # 1.16 * 13 + 1.07 * 100 = 122.08


def test_noisy_expenditure_is_table_1_and_noise():
    # A misread digit would be further off than noise of standard deviation 1.5 can be.
    difference = expenditure(noise=True) - expenditure(misprint=True)
    assert np.abs(difference.to_numpy()).max() < 4.5


def test_noise_has_no_misprint():
    with pytest.raises(ParameterError, match="misprint"):
        expenditure(noise=True, misprint=True)


def test_nineteen_points_give_the_means_of_table_5_2():
    table = nineteen_points()
    assert table.shape == (19, 2)
    means = table.groupby([TABLE_5_2.index(row) for row in TABLE_5_2]).transform("mean")
    assert np.allclose(means, TABLE_5_2, rtol=0, atol=5e-7)


def test_nineteen_points_give_the_sse_of_the_thesis():
    # "The SSE obtained was 8,20", for the groups of Table 5.2; 8.2036 to four places.
    table = nineteen_points()
    standard = (table - table.mean()) / table.std(ddof=1)
    within = standard - standard.groupby([TABLE_5_2.index(row) for row in TABLE_5_2]).transform("mean")
    assert float((within**2).to_numpy().sum()) == pytest.approx(8.2036, abs=5e-5)


def test_students_are_2_anonymous_on_their_first_four_columns():
    table = students()
    assert table.shape == (11, 5)
    assert table.groupby(["year", "grade", "zip", "sex"]).size().min() == 2
    assert table["zip"].str.fullmatch("0[0-9]{4}").all()


@pytest.mark.parametrize("n", [1, 2, 1000])
def test_household_amounts_add_up_exactly(n):
    table = households(n)
    parts = table[["wage_income", "self_employment_income", "capital_income", "transfers"]]
    assert len(table) == n
    assert (parts.sum(axis=1) == table["gross_income"]).all()
    assert (table["gross_income"] - table["tax"] == table["net_income"]).all()


def test_household_values_are_plausible():
    table = households(20_000, seed=3)
    assert table["household_id"].is_unique
    assert table["age"].between(18, 95).all()
    assert table["household_size"].between(1, 9).all()
    assert (table["tax"] >= 0).all() and (table["tax"] <= table["gross_income"]).all()
    assert (table[["wage_income", "self_employment_income", "capital_income"]] >= 0).all(axis=None)
    assert (table[["gross_income", "net_income", "transfers", "housing_cost", "survey_weight"]] > 0).all(axis=None)
    assert table["education"].cat.ordered
    assert table["region"].nunique() == 8
    assert table["region"].value_counts().max() > 5 * table["region"].value_counts().min()
    wages = table[table["wage_income"] > 0].groupby("education", observed=True)["wage_income"].median()
    assert wages.is_monotonic_increasing
    assert not table.isna().any(axis=None)


def test_households_depend_on_n_and_seed_only():
    pd.testing.assert_frame_equal(households(200, seed=7), households(200, seed=7))
    assert not households(200, seed=7).equals(households(200, seed=8))


def test_missing_takes_its_share_and_leaves_the_rest_alone():
    full, incomplete = households(1000, seed=1), households(1000, seed=1, missing=0.1)
    missing = incomplete.isna().sum()
    assert (missing[MAY_BE_MISSING] == 100).all()
    assert missing.drop(MAY_BE_MISSING).sum() == 0
    for name in full:
        kept = incomplete[name].notna()
        assert (incomplete.loc[kept, name] == full.loc[kept, name]).all(), name
    assert list(incomplete["education"].cat.categories) == list(full["education"].cat.categories)


@pytest.mark.parametrize(
    "bad", [{"n": 0}, {"n": 2.0}, {"seed": -1}, {"missing": -0.1}, {"missing": 1}, {"missing": float("nan")}]
)
def test_households_refuse_bad_parameters(bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        households(**bad)
