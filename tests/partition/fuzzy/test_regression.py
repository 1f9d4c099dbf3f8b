"""Fuzzy c-regression: the worked example, the algorithm written out, and the conventions of estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from shoal.errors import ConvergenceWarning, DataError, ParameterError, TooFewRecordsError
from shoal.partition.fuzzy import FuzzyCMeans, FuzzyCRegression

LINE = np.array([[0.0], [1], [2], [3], [0], [1], [2], [3]])
TWO_LINES = np.array([0.0, 1, 2, 3, 3, 2.1, 1, 0])
NINE_TO_ONE = np.repeat([[0.9, 0.1], [0.1, 0.9]], 4, axis=0)
unfinished = pytest.mark.filterwarnings("ignore::shoal.errors.ConvergenceWarning")


def two_planes(seed, n=120):
    """Two targets, each record on one of two planes, and on which."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * [1, 30] + [5, -2]
    side = rng.integers(0, 2, size=n)
    slopes = np.array([[[2.0, 1], [0, 3]], [[-2, 0], [1, -3]]])
    Y = np.einsum("nij,ni->nj", slopes[side], X) + 50 * side[:, None] + 0.05 * rng.normal(size=(n, 2))
    return X, Y * [1, 1000], side


def brute_force(X, Y, start, m, max_iter, intercept=True):
    """METHODS 4, with scikit-learn's weighted least squares; in the units of X and Y."""
    u = start
    for _ in range(max_iter):
        models = [LinearRegression(fit_intercept=intercept).fit(X, Y, sample_weight=w) for w in (u**m).T]
        errors = np.stack([np.square(Y - one.predict(X)).sum(axis=1) for one in models], axis=1)
        shares = np.maximum(errors, 1e-100) ** (-1 / (m - 1))
        before, u = u, shares / shares.sum(axis=1, keepdims=True)
        if np.abs(u - before).max() <= 1e-5:
            break
    return models, u


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("shape", [(8,), (8, 1)])
def test_the_worked_example(standardize, shape):
    """METHODS 4: c = 2, m = 1.5, start .9 and .1; three iterations. One target is the same in every unit."""
    fitted = FuzzyCRegression(2, m=1.5, init=NINE_TO_ONE, standardize=standardize).fit(LINE, TWO_LINES.reshape(shape))
    assert (fitted.n_iter_, fitted.converged_) == (3, True)
    assert fitted.coef_.shape == (2, 1, 1) and fitted.intercept_.shape == (2, 1)
    assert fitted.coef_[:, 0, 0] == pytest.approx([1, -1.01], abs=1e-5)
    assert fitted.intercept_[:, 0] == pytest.approx([0, 3.04], abs=1e-5)
    values = fitted.predict(LINE, fitted.memberships_)
    assert values.shape == shape
    assert values.ravel() == pytest.approx([0, 1, 2, 3, 3.04, 2.03, 1.02, 0.01], abs=1e-5)


@unfinished
@pytest.mark.parametrize("m", [1.5, 1.7, 3.0])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("max_iter", [1, 4, 30])
def test_against_the_algorithm_written_out(m, intercept, max_iter):
    X, Y, _ = two_planes(1)
    Y += np.random.default_rng(0).normal(size=Y.shape) * [30, 30_000]
    start = np.random.default_rng(2).dirichlet(np.ones(3), size=len(X))
    fitted = FuzzyCRegression(
        3, m=m, intercept=intercept, standardize=False, init=start, max_iter=max_iter, tol=1e-5
    ).fit(X, Y)
    models, u = brute_force(X, Y, start, m, max_iter, intercept)
    assert fitted.memberships_ == pytest.approx(u, abs=1e-6)
    scale = np.abs(Y).max(axis=0)
    for number, model in enumerate(models):
        assert fitted.coef_[number] / scale[:, None] == pytest.approx(model.coef_ / scale[:, None], abs=1e-6)
        assert fitted.intercept_[number] / scale == pytest.approx(model.intercept_ / scale, abs=1e-6)


@unfinished
@pytest.mark.parametrize("intercept", [True, False])
def test_standardised_is_the_same_as_on_standardised_columns(intercept):
    X, Y, _ = two_planes(3)
    start = np.random.default_rng(2).dirichlet(np.ones(3), size=len(X))
    settings = {"init": start, "intercept": intercept, "max_iter": 6}
    x, y = ((V - V.mean(axis=0)) / V.std(axis=0, ddof=1) for V in (X, Y))
    fitted, other = (
        FuzzyCRegression(3, **settings).fit(X, Y),
        FuzzyCRegression(3, standardize=False, **settings).fit(x, y),
    )
    assert fitted.memberships_ == pytest.approx(other.memberships_, abs=1e-9)
    sx, sy = X.std(axis=0, ddof=1), Y.std(axis=0, ddof=1)
    assert fitted.coef_ == pytest.approx(other.coef_ * sy[:, None] / sx)
    assert fitted.predict(X) == pytest.approx(other.predict(x) * sy + Y.mean(axis=0))
    not_scaled = FuzzyCRegression(3, standardize=False, **settings).fit(X, Y)
    assert np.abs(not_scaled.memberships_ - fitted.memberships_).max() > 0.1  # one target has said it all


@given(st.integers(0, 300))
def test_one_model_is_least_squares(seed):
    X, Y, _ = two_planes(seed, 20)
    fitted, plain = FuzzyCRegression(1).fit(X, Y), LinearRegression().fit(X, Y)
    scale = np.abs(Y).max(axis=0)
    assert fitted.coef_[0] / scale[:, None] == pytest.approx(plain.coef_ / scale[:, None])
    assert fitted.intercept_[0] / scale == pytest.approx(plain.intercept_ / scale)
    assert fitted.predict(X) / scale == pytest.approx(plain.predict(X) / scale)
    assert fitted.memberships_.tolist() == [[1.0]] * 20


def test_planes_are_found():
    X, Y, side = two_planes(5)
    fitted = FuzzyCRegression(2, init=np.where(side[:, None] == [0, 1], 0.7, 0.3)).fit(X, Y)
    coefficients = fitted.coef_ / [[1], [1000]]
    assert coefficients == pytest.approx(np.array([[[2, 0], [1, 3]], [[-2, 1], [0, -3]]]), abs=0.02)
    assert (fitted.labels_ == side).mean() > 0.97  # some lie where the planes meet
    near = fitted.predict(X, fitted.memberships_)
    assert np.array_equal(near, fitted.fitted_values(X, fitted.labels_))
    assert (np.abs(near - Y).max(axis=0) < [0.2, 200]).all()


def test_predictions_in_the_units_of_the_file_follow_from_the_coefficients():
    X, Y, _ = two_planes(6)
    fitted = FuzzyCRegression(3, random_state=1, max_iter=2000).fit(X, Y)
    by_model = np.einsum("ctd,nd->nct", fitted.coef_, X) + fitted.intercept_
    scale = np.abs(Y).max(axis=0)
    chosen = by_model[np.arange(len(X)), fitted.labels_]
    assert fitted.predict(X, fitted.memberships_) / scale == pytest.approx(chosen / scale)
    assert fitted.shares_ == pytest.approx(fitted.memberships_.mean(axis=0))
    mixed = np.einsum("c,nct->nt", fitted.shares_, by_model)
    assert fitted.predict(X) / scale == pytest.approx(mixed / scale)
    assert np.array_equal(fitted.memberships_.argmax(axis=1), fitted.labels_)


@unfinished
@pytest.mark.parametrize(("init", "columns"), [("joint", 3), ("predictors", 2)])
def test_where_the_memberships_start(init, columns):
    X, Y, _ = two_planes(7)
    both = np.column_stack([X, Y[:, :1]])
    both = (both - both.mean(axis=0)) / both.std(axis=0, ddof=1)
    start = FuzzyCMeans(3, m=1.6, random_state=9).fit(both[:, :columns]).memberships_
    settings = {"m": 1.6, "max_iter": 3, "random_state": 9}
    by_name, by_matrix = (FuzzyCRegression(3, init=one, **settings).fit(X, Y[:, :1]) for one in (init, 5 * start))
    assert by_name.memberships_ == pytest.approx(by_matrix.memberships_, abs=1e-9)


@unfinished
def test_predictors_that_depend_on_each_other_change_nothing():
    X, Y, _ = two_planes(3)
    start = np.random.default_rng(0).dirichlet(np.ones(3), size=len(X))
    more = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 0], np.full(len(X), 7.0)])
    plain, wide = (FuzzyCRegression(3, m=2, init=start, max_iter=5).fit(one, Y) for one in (X, more))
    assert wide.predict(more, wide.memberships_) == pytest.approx(plain.predict(X, plain.memberships_), rel=1e-6)
    assert (wide.coef_[:, :, 4] == 0).all()


@unfinished
def test_a_model_without_records_starts_again():
    X, Y, _ = two_planes(5)
    start = np.zeros((len(X), 3))
    start[:, 0] = 1
    fitted = FuzzyCRegression(3, m=2, init=start, max_iter=30).fit(X, Y)
    assert np.isfinite(fitted.coef_).all()
    assert len(np.unique(fitted.labels_)) == 3


@unfinished
def test_memberships_are_those_of_the_models():
    """The models returned are the ones that gave the memberships, by the formula."""
    X, Y, _ = two_planes(6)
    start = np.random.default_rng(0).dirichlet(np.ones(3), size=len(X))
    fitted = FuzzyCRegression(3, m=1.7, init=start, max_iter=4, standardize=False).fit(X, Y)
    values = np.einsum("ctd,nd->nct", fitted.coef_, X) + fitted.intercept_
    shares = np.square(Y[:, None] - values).sum(axis=2) ** (-1 / 0.7)
    assert fitted.memberships_ == pytest.approx(shares / shares.sum(axis=1, keepdims=True), abs=1e-9)


@unfinished
def test_the_order_of_the_models_goes_beyond_what_numbers_can_hold():
    X, Y, _ = two_planes(8)
    fitted = FuzzyCRegression(4, m=1.001, max_iter=3).fit(X, Y)
    by_model = [fitted.fitted_values(X, np.full(len(X), number)) for number in range(4)]
    errors = np.stack([np.square((Y - one) / Y.std(axis=0)).sum(axis=1) for one in by_model], axis=1)
    assert (fitted.memberships_ == 0).mean() > 0.6
    assert np.array_equal(fitted.order_, errors.argsort(axis=1))


def test_a_record_that_models_fit_belongs_to_these():
    fitted = FuzzyCRegression(2, init=NINE_TO_ONE).fit(LINE, np.array([0.0, 1, 2, 3, 3, 2, 1, 0]))
    assert fitted.memberships_ == pytest.approx(np.repeat(np.eye(2), 4, axis=0))
    tiny = FuzzyCRegression(2, init=NINE_TO_ONE, standardize=False).fit(LINE, 1e-20 * TWO_LINES)
    assert tiny.coef_[:, 0, 0] / 1e-20 == pytest.approx([1, -1.01], abs=1e-5)


def test_stopping_early_warns():
    X, Y, _ = two_planes(6)
    with pytest.warns(ConvergenceWarning, match="FuzzyCRegression stopped at max_iter=2 before the memberships came"):
        fitted = FuzzyCRegression(3, max_iter=2).fit(X, Y)
    assert (fitted.n_iter_, fitted.converged_) == (2, False)


@unfinished
def test_a_copy_predicts_the_same():
    X, Y, _ = two_planes(6)
    fitted = FuzzyCRegression(3).fit(X, Y)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))


@unfinished
@parametrize_with_checks([FuzzyCRegression(1), FuzzyCRegression(2)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", sorted(FuzzyCRegression.limits))
def test_a_value_outside_its_limits_is_refused(name):
    for value in FuzzyCRegression.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            FuzzyCRegression(2).set_params(**{name: value}).fit(LINE, TWO_LINES)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (NINE_TO_ONE[:4], r"init must have 8 rows, one a record, and 2 columns; got \(4, 2\)"),
        (np.full((8, 2), np.nan), "init must be made of finite numbers"),
        (np.zeros((8, 2)), "some of them above 0 in every row"),
        (-NINE_TO_ONE, "init must be made of numbers from 0"),
        ([["a", "b"]] * 8, "init must be made of numbers"),
        ("joined", 'got .joined.* Did you mean "joint"'),
    ],
)
def test_a_start_that_does_not_fit_is_refused(init, message):
    with pytest.raises(ParameterError, match=message):
        FuzzyCRegression(2, init=init).fit(LINE, TWO_LINES)


def test_what_cannot_be_fitted_is_refused_without_a_value_of_it():
    with pytest.raises(TooFewRecordsError, match="n_clusters=9 needs at least 9 records; got n_samples=8"):
        FuzzyCRegression(9).fit(LINE, TWO_LINES)
    with pytest.raises(DataError, match="Y must be made of numbers") as refused:
        FuzzyCRegression(2).fit(LINE, ["secret", *TWO_LINES[1:]])
    assert "secret" not in str(refused.value)
    with pytest.raises(DataError, match="Y must be made of real numbers") as refused:
        FuzzyCRegression(2).fit(LINE, 98765j * TWO_LINES)
    assert "98765" not in str(refused.value)
    with pytest.raises(DataError, match="Y must have a value for every record; it is a single number") as refused:
        FuzzyCRegression(2).fit(LINE, 98765.5)
    assert "98765" not in str(refused.value)
    with pytest.raises(DataError, match="too large to be squared"):
        FuzzyCRegression(2).fit(LINE, 1e200 * TWO_LINES)
    fitted = FuzzyCRegression(2, init=NINE_TO_ONE).fit(LINE, TWO_LINES)
    with pytest.raises(ParameterError, match="memberships must have 3 rows"):
        fitted.predict(LINE[:3], NINE_TO_ONE)
