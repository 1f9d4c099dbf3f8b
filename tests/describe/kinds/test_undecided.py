"""Columns that nobody can say the kind of are refused all at once, before anything is released."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.datasets import households
from shoal.describe.kinds.undecided import undecided
from shoal.errors import DataError, DisclosureWarning
from shoal.read import as_table

N = 200
RNG = np.random.default_rng(7)


def register():
    """Return a register of persons as offices keep them."""
    days = pd.Timestamp("1940-01-01") + pd.to_timedelta(RNG.integers(0, 25_000, N), unit="D")
    return pd.DataFrame(
        {
            "name": [
                f"Ada {first} Byron {second}" for first, second in zip(RNG.integers(1, 99, N), range(N), strict=True)
            ],
            "birth_date": days.strftime("%d.%m.%Y"),
            "postcode": [f"{code:05d}" for code in RNG.integers(1000, 99_999, N)],
            "phone": 664_000_0000 + RNG.permutation(9_000_000)[:N],
            "diagnosis": RNG.choice(["J45.0", "E11", "I10", "F32"], N),
            "cost": RNG.lognormal(7, 1, N).round(2),
        }
    )


def test_everything_undecided_in_a_register_is_named_at_once():
    with pytest.raises(DataError) as caught:
        shoal.protect(register(), 5)
    message = str(caught.value)
    assert message.startswith("4 columns have to be decided before anything is released")
    for name, reason in (
        ("name", "texts nearly all different"),
        ("birth_date", "dates or times"),
        ("postcode", "texts nearly all different"),
        ("phone", "every value is different and has 10 digits"),
    ):
        assert f'"{name}" ({reason})' in message
    for way in ('--role "name=identifier"', '--kind "name=nominal"', '--as-is "name"'):
        assert way in message
    assert "diagnosis" not in message
    assert "cost" not in message


def test_a_register_is_released_once_each_column_is_decided():
    dropped = dict.fromkeys(("name", "phone"), "identifier")
    with pytest.raises(DataError, match=r'1 column has to be decided .*"birth_date"'):
        shoal.protect(register(), 5, roles=dropped, kinds={"postcode": "nominal"})
    kinds = dict.fromkeys(("postcode", "birth_date"), "nominal")
    with pytest.warns(DisclosureWarning, match='one record alone: "birth_date" .40 of 40., "postcode" .40 of 40.'):
        released = shoal.protect(register(), 5, roles=dropped, kinds=kinds).data
    assert released.groupby(list(released.columns)).size().min() >= 5


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (
            [
                "the patient was seen twice and then sent home again " + "abcdefghij"[i % 10] * (i % 25)
                for i in range(N)
            ],
            "fr",
        ),
        ([f"person {i % 150}" for i in range(N)], ""),
        ([19_500_101 + 10_000 * (i % 40) + i % 28 for i in range(N)], "dates or times"),
        (["2020-01-0" + str(1 + i % 9) for i in range(N)], "dates or times"),
        ([f"({10 * (i % 7)},{10 * (i % 7) + 10}]" for i in range(N)], ""),
        (["01.1", "01.2", "12.7", "04.5"] * 50, ""),
        (RNG.lognormal(9, 1, N), ""),
        (np.rint(RNG.lognormal(9, 1, N)), ""),
        (np.arange(N), ""),
        ([None] * N, ""),
    ],
    ids=[
        "free text",
        "texts that repeat",
        "20 digits of dates",
        "dates",
        "bands",
        "codes",
        "amounts",
        "whole",
        "run",
        "-",
    ],
)
def test_what_has_to_be_decided(values, reason):
    assert undecided(as_table(pd.DataFrame({"x": values})), "x")[:2] == reason[:2]


def test_a_register_of_a_few_persons_is_not_released_either():
    few = pd.DataFrame(
        {
            "name": ["Ada Byron", "Ida Noyce", "Max Born", "Lise Huber", "Emmy Klein", ""],
            "phone": [6641234567, 6991234567, 6761234567, 6601234567, 6501234567, 6701234567],
            "postcode": [1010, 4020, 5020, 6020, 8010, 9020],
            "notes": [
                f"was seen on day {day} of the month and sent home with a letter" for day in (3, 9, 12, 20, 27, 30)
            ],
            "cost": [12.5, 80.25, 7.0, 33.0, 41.5, 19.75],
        }
    )
    with pytest.raises(DataError, match=r"4 columns have to be decided .*\(free text\)"):
        shoal.protect(few, 2)


def test_names_that_repeat_are_known_by_what_the_column_is_called():
    values = [f"n{i % 60}" for i in range(N)]
    assert undecided(as_table(pd.DataFrame({"first_name": values})), "first_name") == "names or the like"
    assert undecided(as_table(pd.DataFrame({"occupation": values})), "occupation") == ""


def test_what_is_released_unchanged_is_listed_in_full_with_what_it_does():
    survey = households(500, seed=3).drop(columns="household_id")
    left_out = [name for name in survey if name != "wage_income"]
    unique = int((survey.groupby(left_out, dropna=False)[left_out[0]].transform("size") == 1).sum())
    with pytest.warns(DisclosureWarning) as caught:
        release = shoal.protect(survey, 5, columns=["wage_income"])
    messages = [str(one.message) for one in caught]
    expected = (
        f"NOT PROTECTED ({len(left_out)}): {', '.join(left_out)}. On these, {unique:,} of 500 records are unique."
    )
    assert expected in messages
    assert release.plan.outcome.unchanged == left_out
    assert release.plan.outcome.unique_by_unchanged == unique


def test_strata_and_weights_are_not_among_what_is_not_protected():
    survey = households(500, seed=3).drop(columns="household_id")
    release = shoal.protect(survey, 5, strata="area", weights="survey_weight")
    assert release.plan.outcome.unchanged == []
    released = release.data.drop(columns="survey_weight")
    assert released.groupby(list(released.columns), observed=True).size().min() >= 5
