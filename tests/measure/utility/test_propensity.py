"""Telling masked from original records."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import shoal
from shoal.errors import NotApplicableError
from shoal.measure.utility.propensity import propensity

pytestmark = pytest.mark.filterwarnings("error")


def as_scikit_learn_does(original: pd.DataFrame, masked: pd.DataFrame) -> float:
    """Return the mean of (p - c)^2 by scikit-learn's unpenalised logistic regression, up to the tiny ridge."""
    both = pd.concat([original, masked])
    numbers = both.select_dtypes("number")
    numbers = ((numbers - numbers.mean()) / numbers.std()).to_numpy()
    products = [numbers[:, i] * numbers[:, j] for i, j in combinations_with_replacement(range(numbers.shape[1]), 2)]
    levels = pd.get_dummies(both.select_dtypes(exclude="number"), drop_first=True).to_numpy(float)
    X = np.column_stack([numbers, *products, levels])
    is_masked = np.repeat([0, 1], [len(original), len(masked)])
    fitted = LogisticRegression(C=1e9, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, is_masked)
    return float(((fitted.predict_proba(X)[:, 1] - is_masked.mean()) ** 2).mean())


@pytest.mark.parametrize("records", [300, 170])
def test_against_scikit_learn(records):
    rng = np.random.default_rng(0)
    original = pd.DataFrame(rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3))).add_prefix("x")
    original["c"] = rng.choice(list("abc"), 300)
    masked = original.assign(x0=original["x0"] * 0.7, c=rng.choice(list("abc"), 300, p=[0.5, 0.3, 0.2])).iloc[:records]
    found = propensity(original, masked)
    assert found == pytest.approx(as_scikit_learn_does(original, masked), rel=1e-4)
    assert found.terms == 3 + 6 + 2
    share = records / (300 + records)
    assert found.ratio == pytest.approx(found / (11 * (1 - share) ** 2 * share / (300 + records)))


def test_files_that_are_the_same_cannot_be_told_apart():
    table = shoal.datasets.households(300)
    assert propensity(table, table) == pytest.approx(0, abs=1e-25)


def test_files_that_share_no_value_are_told_apart_without_error():
    x = pd.DataFrame({"x": np.arange(50.0)})
    assert propensity(x, x + 100) == pytest.approx(0.25, rel=1e-3)
    letters = pd.DataFrame({"c": list("ab") * 10})
    assert propensity(letters, letters.replace({"a": "c", "b": "d"})) == pytest.approx(0.25, rel=1e-3)


@pytest.mark.parametrize("records", [1000, 250])
def test_records_drawn_from_the_original_have_a_ratio_of_about_one(records):
    """Snoke et al. (2018): the expected value under no difference; the mean over draws is within its error."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 3))
    ratios = [propensity(X, X[rng.integers(0, 500, records)]).ratio for _ in range(60)]
    assert np.mean(ratios) == pytest.approx(1, abs=4 * np.std(ratios) / np.sqrt(60))


def test_terms_that_depend_on_others_do_not_count():
    """A variable with two values is its own square, and a sum of two others brings nothing, nor do its products."""
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"x": rng.normal(size=100), "b": rng.integers(0, 2, 100).astype(float)})
    masked = original.assign(x=original["x"] + rng.normal(size=100))
    found = propensity(original, masked)
    assert found.terms == 4  # x, b, x x, x b
    with_sum = [file.assign(s=file["x"] + file["b"]) for file in (original, masked)]
    assert propensity(*with_sum).terms == 4
    assert propensity(*with_sum) == pytest.approx(found.value, rel=1e-9)


def test_rare_categories_are_pooled():
    """Of 60 categories and 2 more the common ones stay; all equally rare ones are pooled, in whichever order."""
    many = pd.DataFrame({"c": [f"n{i}" for i in range(60)] + ["often"] * 60, "d": list("xy") * 60})
    found = propensity(many, many.assign(c="often"))
    assert found.terms == 2  # often or not, x or y
    order = np.random.default_rng(3).permutation(120)
    again = propensity(many.iloc[order], many.assign(c="often").iloc[order])
    assert again == pytest.approx(found.value, rel=1e-9)


def test_many_variables_go_without_products():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 30))
    assert propensity(X, X + 0.1).terms == 60


def test_records_with_a_missing_value_are_left_out_in_each_file():
    rng = np.random.default_rng(5)
    original, masked = (pd.DataFrame(rng.normal(size=(80, 2)), columns=["x", "y"]) for _ in range(2))
    missing = original.mask(pd.DataFrame(rng.random((80, 2)) < 0.1, columns=["x", "y"]))
    assert propensity(missing, masked) == propensity(missing.dropna(), masked)
    with pytest.raises(NotApplicableError, match="the masked file has none"):
        propensity(original, masked.assign(y=np.nan))


def test_nothing_varies():
    constant = pd.DataFrame({"x": [1.0, 1.0], "c": ["a", "a"]})
    found = propensity(constant, constant)
    assert (found, found.terms, found.ratio) == (0, 0, None)


def test_neither_records_in_another_order_nor_heavy_tails_disturb_it():
    rng = np.random.default_rng(6)
    X = np.exp(2 * rng.normal(size=(2000, 4)))
    Y = X * np.exp(0.3 * rng.normal(size=X.shape))
    order = rng.permutation(2000)
    assert propensity(X[order] * 3, Y[order] * 3) == pytest.approx(propensity(X, Y).value, rel=1e-9)
