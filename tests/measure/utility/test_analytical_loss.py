"""The loss for analyses: models as another library fits them, tables and totals by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import shoal
from shoal.errors import ColumnError, DataError
from shoal.measure import analytical_loss, evaluate
from shoal.measure.utility.linear_models import linear_model, overlaps


def survey(n=300, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3)) + rng.normal(size=(n, 3)) / 2
    return pd.DataFrame(x).set_axis(["a", "b", "c"], axis=1).assign(g=np.where(x[:, 0] > 0, "high", "low"))


def test_a_model_is_that_of_scikit_learn_and_of_the_textbook():
    rng = np.random.default_rng(0)
    Z, weights = rng.normal(size=(60, 3)), rng.uniform(1, 3, 60)
    Y = Z @ rng.normal(size=(3, 2)) + rng.normal(size=(60, 2))
    model = linear_model(Z, Y, weights)
    other = LinearRegression().fit(Z, Y, sample_weight=weights)
    assert model.slopes == pytest.approx(other.coef_.T) and model.constant == pytest.approx(other.intercept_)
    design = np.column_stack([np.ones(60), Z])
    residuals = Y - other.predict(Z)
    variance = (weights[:, None] * residuals**2).sum(axis=0) / (60 - 4)
    spread = np.sqrt(np.linalg.inv(design.T @ (weights[:, None] * design)).diagonal()[1:, None] * variance)
    assert model.halves == pytest.approx(1.959964 * spread, rel=1e-6)


def test_each_record_is_predicted_from_the_others():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(25, 2))
    Y = Z @ rng.normal(size=(2, 1)) + rng.normal(size=(25, 1))
    left = [np.arange(25) != row for row in range(25)]
    predicted = [LinearRegression().fit(Z[some], Y[some]).predict(Z[~some])[0] for some in left]
    expected = 1 - np.square(Y - predicted).sum() / np.square(Y - Y.mean()).sum()
    assert linear_model(Z, Y, np.ones(25)).r2 == pytest.approx(expected)


def test_a_predictor_that_follows_from_others_is_left_out():
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(40, 2))
    model = linear_model(np.column_stack([Z, Z.sum(axis=1)]), Z[:, :1] + rng.normal(size=(40, 1)), np.ones(40))
    assert model.estimated.tolist() == [True, True, False] and (model.slopes[2] == 0).all()


def test_intervals_overlap_as_karr_and_others_define_it():
    """[0, 2] and [1, 5] share 1: half of the first and a quarter of the second."""
    model = linear_model(np.arange(6.0)[:, None], np.array([[0.0], [1], [0], [1], [0], [1]]), np.ones(6))
    one = type(model)(model.constant, np.array([[1.0]]), np.array([[1.0]]), model.estimated, 0.0)
    two = type(model)(model.constant, np.array([[3.0]]), np.array([[2.0]]), model.estimated, 0.0)
    assert overlaps(one, two)[0, 0] == pytest.approx((1 / 2 + 1 / 4) / 2)
    far = type(model)(model.constant, np.array([[9.0]]), np.array([[2.0]]), model.estimated, 0.0)
    assert overlaps(one, far)[0, 0] == 0


def test_tables_and_totals_by_hand():
    original = pd.DataFrame({"g": ["x"] * 10 + ["y"] * 10, "v": [1.0] * 10 + [3.0] * 10})
    masked = original.assign(v=[2.0] * 10 + [3.0] * 10)
    value = analytical_loss(original, masked)
    # The only bands are up to 1 and above: half of the records change their cell.
    assert value.tables == pytest.approx(50)
    assert value.totals == pytest.approx((100 * 10 / 10 + 0) / 2)
    weighted = original.assign(w=[1.0] * 10 + [3.0] * 10)
    assert evaluate(weighted, masked.assign(w=weighted["w"]), ["g", "v"], weights="w").analytical_loss.tables == 25


def test_a_release_that_breaks_the_relations_loses_more_than_one_that_keeps_them():
    frame = survey()
    columns = ["a", "b", "c"]
    kept = shoal.protect(frame[columns], 3, seed=1).data
    broken = pd.DataFrame(
        {name: frame[name].sample(frac=1, random_state=place).to_numpy() for place, name in enumerate(columns)}
    )
    near, far = analytical_loss(frame[columns], kept), analytical_loss(frame[columns], broken)
    assert near < 30 < 45 < far
    assert far.predictions > 90 and near.predictions < 20 and far.models > near.models
    assert all(one["original"] > 0.3 > one["release"] for one in far.by_target.values())


def test_models_can_be_chosen():
    frame = survey()
    value = analytical_loss(frame, frame, targets=["b"])
    assert list(value.by_target) == ["b"] and value == 0 and value.by_target["b"]["overlap"] == 100
    with pytest.raises(ColumnError, match='targets names "d", which is not among the columns compared'):
        analytical_loss(frame, frame, targets="d")


def test_weights_have_to_be_positive_and_there():
    frame = survey().assign(w=0.0)
    with pytest.raises(DataError, match="Weights must be positive"):
        evaluate(frame, frame, ["a", "b"], weights="w", measures=["analytical_loss"])
    with pytest.raises(ColumnError, match='no column "ww"'):
        evaluate(frame, frame, ["a", "b"], weights="ww")


def test_large_files_are_sampled_and_the_same_seed_draws_the_same():
    frame = survey(21_000)
    masked = frame.assign(a=frame["a"].round())
    value = analytical_loss(frame, masked, sample=500)
    assert value.sampled == 500 and value == analytical_loss(frame, masked, sample=500)
    assert value != analytical_loss(frame, masked, sample=500, seed=1)
