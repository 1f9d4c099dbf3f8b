"""Files whose rows do not belong together are refused, and no release of shoal is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import DataError
from shoal.measure.correspondence import _deviations, refuse_unrelated_rows
from shoal.measure.pairs import pair
from shoal.partition import METHODS
from unchanged_columns import protect_part

RECORDS = 400
CRISP = [name for name, method in METHODS.items() if method.gives == "groups" and name != "optimal-univariate"]


def belong_together(original, masked, **options) -> bool:
    try:
        refuse_unrelated_rows(pair(original, masked, **options))
    except DataError as error:
        assert "\n" not in str(error) and "--plan" in str(error) and "--aligned" in str(error)
        return False
    return True


@pytest.fixture(scope="module")
def survey() -> pd.DataFrame:
    columns = ["region", "age", "education", "wage_income", "tax", "household_size"]
    return shoal.datasets.households(RECORDS, seed=4)[columns]


def in_order(frame: pd.DataFrame, order) -> pd.DataFrame:
    return frame.iloc[np.asarray(order)].reset_index(drop=True)


def blocks_of_100(records: int) -> np.ndarray:
    rng = np.random.default_rng(6)
    return np.concatenate([start + rng.permutation(min(100, records - start)) for start in range(0, records, 100)])


def test_the_same_file_and_one_in_which_little_was_changed_belong_together(survey):
    assert belong_together(survey, survey)
    assert belong_together(survey, survey.assign(tax=survey["tax"].sample(frac=1, random_state=1).to_numpy()))
    assert belong_together(survey.assign(c=1.0), survey.assign(c=1.0))


@pytest.mark.parametrize(
    "order",
    [
        np.random.default_rng(5).permutation(RECORDS),
        np.arange(RECORDS)[::-1],
        blocks_of_100(RECORDS),
        np.roll(np.arange(RECORDS), 1),
    ],
    ids=["random", "reversed", "blocks of 100", "moved by one"],
)
def test_a_copy_in_another_order_does_not(survey, order):
    assert not belong_together(survey, in_order(survey, order))


@pytest.mark.parametrize("by", ["tax", "region"])
def test_a_sorted_copy_does_not(survey, by):
    assert not belong_together(survey, survey.sort_values(by, kind="stable").reset_index(drop=True))


@pytest.mark.parametrize("by", [["region"], ["wage_income"], ["region", "age"]])
def test_rows_of_a_sorted_file_that_are_exchanged_with_near_ones_do_not(survey, by):
    frame = survey.sort_values(by, kind="stable").reset_index(drop=True)
    assert belong_together(frame, frame)
    assert not belong_together(frame, in_order(frame, blocks_of_100(RECORDS)))


def test_a_release_in_random_order_does_not(survey):
    columns = ["age", "wage_income", "tax"]
    masked = shoal.protect(survey[columns], 5, columns=columns).data
    assert belong_together(survey, masked)
    assert not belong_together(survey, in_order(masked, np.random.default_rng(5).permutation(RECORDS)))


def shaped(rng: np.random.Generator, records: int, shape: str) -> pd.DataFrame:
    values = rng.normal(size=(records, 4))
    if shape == "skewed":
        values = np.exp(1.5 * values)
    frame = pd.DataFrame(values[:, : 1 if shape == "one column" else 4]).rename(columns=lambda place: f"x{place}")
    return frame.sort_values("x0", ignore_index=True) if shape == "sorted" else frame


@pytest.mark.parametrize("shape", ["skewed", "sorted", "one column"])
@pytest.mark.parametrize("method", CRISP)
def test_no_crisp_release_is_refused_even_in_two_groups(method, shape):
    rng = np.random.default_rng(len(method))
    for records, replace in ((20, "mean"), (110, "median")):
        frame = shaped(rng, records, shape)
        release = shoal.protect(frame, records // 2, columns=list(frame), method=method, replace=replace, seed=1)
        assert belong_together(frame, release.data), records


def test_no_release_of_categories_is_refused_in_two_groups():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({name: rng.choice(list("abcd"), 60) for name in ("p", "q", "r")})
        frame["x"] = rng.normal(size=60)
        kinds = {"p": "nominal", "q": "nominal", "r": "nominal", "x": "continuous"}
        release = shoal.protect(frame, 30, columns=list(frame), kinds=kinds)
        assert belong_together(frame, release.data), seed


def test_noise_as_large_as_the_values_is_not_refused():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    assert belong_together(frame, frame + rng.normal(size=frame.shape))
    assert not belong_together(frame, frame * 0 + rng.normal(size=frame.shape))


def test_where_nothing_can_be_seen_there_is_no_verdict():
    few = pd.DataFrame({"x": np.arange(19.0)})
    assert belong_together(few, few[::-1].reset_index(drop=True))
    many = pd.DataFrame({"x": np.arange(50.0)})
    assert belong_together(many, many * 0)
    assert belong_together(many * np.nan, many * np.nan)


def test_missing_values_tell_nothing_and_disturb_nothing(survey):
    holes = survey.mask(np.random.default_rng(1).random(survey.shape) < 0.3)
    assert belong_together(holes, holes)
    assert not belong_together(holes, in_order(holes, np.random.default_rng(2).permutation(RECORDS)))


def test_the_deviation_is_that_of_all_permutations():
    """Mean and variance over the 720 orders of six rows, counted out."""
    from itertools import permutations

    rng = np.random.default_rng(9)
    before, after = (rng.integers(0, 3, 6).astype(float) for _ in range(2))
    sums = [sum(before[row] == after[other] for row, other in enumerate(order)) for order in permutations(range(6))]
    expected = (sum(before == after) - np.mean(sums)) / np.std(sums)
    assert _deviations([(before, after, False)], [slice(None)]) == pytest.approx(expected)


def test_evaluate_refuses_unless_it_is_told(survey):
    other = in_order(survey, np.arange(RECORDS)[::-1])
    with pytest.raises(DataError, match="do not belong together"):
        shoal.evaluate(survey, other, measures=["sse"])
    assert shoal.evaluate(survey, other, measures=["information_loss"], aligned=True).information_loss > 0


def test_a_release_is_never_asked():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 3)), columns=["a", "b", "c"])
    release = protect_part(frame, 60, columns=["a", "b", "c"], replace="ipso", confidential=["a", "b", "c"][1:])
    assert release.evaluate(measures=["sse"]).records == 60
