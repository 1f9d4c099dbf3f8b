"""What all columns lose together, counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import NotApplicableError
from shoal.measure import mixed_information_loss

BEFORE = pd.DataFrame({"x": [0.0, 2.0, 4.0, 6.0], "c": ["a", "a", "b", None], "one": [1.0] * 4})
AFTER = pd.DataFrame({"x": [1.0, 1.0, 5.0, 5.0], "c": ["a", "b", None, "b"], "one": [1.0] * 4})


def test_it_is_the_mean_of_variation_lost_and_of_cells_changed_or_missing():
    loss = mixed_information_loss(BEFORE, AFTER)
    assert loss.by_column == {"x": pytest.approx(100 * 4 / 20), "c": pytest.approx(200 / 3)}  # one is constant
    assert loss == pytest.approx((20 + 200 / 3) / 2) and loss.by_recoding == {}


def test_a_number_cannot_lose_more_than_all():
    loss = mixed_information_loss(BEFORE[["x"]], BEFORE[["x"]].iloc[::-1].reset_index(drop=True))
    assert loss == 100


def test_what_a_recode_took_before_counts_too():
    loss = mixed_information_loss(BEFORE, AFTER, lost_by_recoding={"x": 50.0, "one": 30.0, "gone": 99.0})
    assert loss.by_column == {"x": pytest.approx(60), "c": pytest.approx(200 / 3), "one": 30}
    assert loss == pytest.approx((60 + 200 / 3 + 30) / 3) and loss.by_recoding == {"x": 50, "one": 30}


def test_a_recoded_column_counts_where_it_is_not_compared():
    loss = mixed_information_loss(BEFORE, AFTER, columns=["x"], lost_by_recoding={"c": 40.0})
    assert loss.by_column == {"x": pytest.approx(20), "c": 40}


def test_nothing_to_lose_is_not_applicable():
    with pytest.raises(NotApplicableError):
        mixed_information_loss(BEFORE[["one"]], AFTER[["one"]])


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "age": rng.integers(15, 90, 200),
            "job": rng.choice(["a", "b", "c"], 200),
            "income": rng.lognormal(3, 1, 200),
        }
    )


def test_a_release_knows_what_its_recodes_took(frame):
    release = shoal.protect(frame, 4, recodes={"age": "bands:width=10"}, categories="suppress", seed=1)
    lost = release.plan.outcome.lost_by_recoding
    assert set(lost) == {"age"} and 30 < lost["age"] < 70
    loss = release.evaluate(measures=["mixed_information_loss"]).mixed_information_loss
    assert loss.by_recoding == lost
    assert loss == mixed_information_loss(release.recoded, release.masked, lost_by_recoding=lost)
    suppressed = 100 * release.data["age"].isna().mean()
    assert loss.by_column["age"] == pytest.approx(100 - (100 - lost["age"]) * (100 - suppressed) / 100)


def test_a_plan_that_was_written_knows_it_too(frame, tmp_path):
    release = shoal.protect(frame, 4, recodes={"age": "bands:width=10"}, seed=1)
    release.plan.to_toml(tmp_path / "plan.toml")
    assert (
        shoal.Plan.from_toml(tmp_path / "plan.toml").facts["lost_by_recoding"] == release.plan.outcome.lost_by_recoding
    )


def test_an_evaluation_without_recodes_needs_nothing(frame):
    release = shoal.protect(frame, 4, kinds={"age": "continuous"}, seed=1)
    measured = shoal.evaluate(frame, release.data, measures=["mixed_information_loss"])
    assert measured.mixed_information_loss == release.evaluate().mixed_information_loss
    assert "lost_by_recoding" not in release.plan.facts
