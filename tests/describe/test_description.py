"""What describe says of a column: the kind that protect takes it as, and a role that it only suggests."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from shoal.describe import describe_table


def roles(frame):
    return {variable.name: variable.role for variable in describe_table(frame)}


def kinds(frame):
    return {variable.name: variable.kind for variable in describe_table(frame)}


def test_kinds_follow_types():
    frame = pd.DataFrame(
        {
            "number": np.arange(30) / 7,
            "word": list("abc") * 10,
            "grade": pd.Categorical(list("lmh") * 10, categories=list("lmh"), ordered=True),
            "yes": [True, False, True] * 10,
            "flag": [0, 1, 1] * 10,
            "day": pd.date_range("2020-01-01", periods=30),
        }
    )
    assert kinds(frame) == {
        "number": "continuous",
        "word": "nominal",
        "grade": "ordinal",
        "yes": "nominal",
        "flag": "nominal",
        "day": None,
    }


@pytest.mark.parametrize("name", ["id", "person_id", "PersonId", "HHID", "Name", "e-mail", "ssn", "Unnamed: 0"])
def test_names_of_identifiers(name):
    assert roles(pd.DataFrame({name: [f"v{i}" for i in range(30)], "x": range(30)}))[name] == "identifier"


@pytest.mark.parametrize("name", ["paid", "valid", "side", "income"])
def test_numbers_that_repeat_are_no_identifiers(name):
    assert roles(pd.DataFrame({name: [1, 2, 3] * 10}))[name] != "identifier"


def test_a_running_number_and_unique_text_are_identifiers_by_their_contents():
    frame = pd.DataFrame({"a": np.arange(100, 140), "b": [f"s{i}" for i in range(40)], "c": np.arange(40) * 1.5})
    assert roles(frame) == {"a": "identifier", "b": "identifier", "c": "other"}


def test_infinite_values_are_described_without_a_warning():
    frame = pd.DataFrame({"a": [np.inf, -np.inf, np.nan, *range(17)], "b": [np.inf, *np.arange(19) / 7], "c": np.inf})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert roles(frame) == {"a": "other", "b": "other", "c": "other"}


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (6_640_000_000 + np.arange(40) ** 2 * 17, "identifier"),
        (np.random.default_rng(1).permutation(40) + 5000, "identifier"),
        (1_000 + np.arange(40) ** 2 * 3, "other"),
        (900_000 + np.arange(40) ** 2 * 731, "other"),
        (np.arange(40) * 2.5e7 + 0.5, "other"),
    ],
    ids=["telephones", "numbers the records", "four digits", "six and seven digits", "fractions"],
)
def test_identifiers_are_found_by_what_they_are(values, role):
    assert roles(pd.DataFrame({"x": values}))["x"] == role


def test_the_census_file_suggests_its_weight(reference_data):
    found = roles(reference_data("census.csv"))
    assert found["AFNLWGT"] == "weight"
    assert "identifier" not in found.values()


def test_counts_and_labels():
    variable = describe_table(pd.DataFrame({"x": [1.0, 1.0, None, 3.0]}))[0]
    assert (variable.distinct, variable.missing) == (2, 1)
