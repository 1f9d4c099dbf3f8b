"""Identifiers are found by what they are."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars
import pytest

import shoal
from shoal.describe.kinds.identifiers import identifier_reason, warn_of_index
from shoal.errors import IdentifierWarning
from shoal.read import as_table

N = 200
RNG = np.random.default_rng(8)
RUNNING = RNG.permutation(N)
NUMBERS = "it numbers the records"
IDENTIFIERS = {
    "running": (np.arange(N), NUMBERS),
    "shuffled": (RUNNING, NUMBERS),
    "from anywhere": (RUNNING + 73_411, NUMBERS),
    "below zero": (RUNNING - 500, NUMBERS),
    "as floats": (RUNNING.astype(float), NUMBERS),
    "some left out": (np.delete(RNG.permutation(N + 10), np.arange(10)), NUMBERS),
    "some missing": (np.where(np.arange(N) % 20 == 0, np.nan, np.arange(N)), NUMBERS),
    "telephone": (
        RNG.choice(10**9, N, replace=False) + 6 * 10**9,
        "every value is different and has 10 digits",
    ),
    "register": (RNG.choice(9_000_000, N, replace=False) + 1_000_000, "every value is different and has 7 digits"),
    "texts": ([f"{one:x}" for one in RUNNING], "nearly every value is different"),
    "categories": (pd.Categorical([f"{one:x}" for one in RUNNING]), "nearly every value is different"),
    "nearly all": ([f"{one:x}" for one in np.minimum(RUNNING, N - 8)], "nearly every value is different"),
    "person_id": (RNG.choice(50_000, N, replace=False), '"id" in its name, and nearly every value is different'),
}
OTHERS = {
    "income": RNG.choice(90_000, N, replace=False),  # whole numbers of different lengths
    "turnover": RNG.choice(90_000_000, N, replace=False) + 500_000,
    "amounts": RNG.lognormal(9, 1, N),
    "amounts by the record": np.arange(N) + 0.5,
    "paid": RNG.choice(50_000, N, replace=False),  # not an id
    "in tens": 10 * RUNNING + 3,
    "six digits": RNG.choice(900_000, N, replace=False) + 100_000,
    "repeated": RNG.integers(1_000_000, 1_000_050, N),
    "towns": RNG.choice(list("abcdefg"), N),
    "dates": pd.date_range("2020-01-01", periods=N),
    "flags": RUNNING % 2 == 0,
    "constant": np.ones(N, dtype=int),
    "nothing": np.full(N, np.nan),
    "infinite": np.where(np.arange(N) == 3, np.inf, np.arange(N)),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
@pytest.mark.parametrize("library", [lambda frame: frame, polars.from_pandas], ids=["pandas", "polars"])
def test_what_identifies_is_found(name, library):
    values, reason = IDENTIFIERS[name]
    assert identifier_reason(as_table(library(pd.DataFrame({name: values}))), name) == reason


@pytest.mark.parametrize("name", OTHERS)
def test_what_does_not_identify_is_not(name):
    assert identifier_reason(as_table(pd.DataFrame({name: OTHERS[name]})), name) == ""


def test_few_records_say_little():
    for values in (np.arange(19), [f"{row:x}" for row in range(19)], np.arange(19) * 7919 + 1_000_000):
        assert identifier_reason(as_table(pd.DataFrame({"x": values})), "x") == ""


def test_describe_suggests_the_role_by_content():
    described = shoal.describe_table(pd.DataFrame({"contact": IDENTIFIERS["telephone"][0], "income": OTHERS["income"]}))
    assert [variable.role for variable in described] == ["identifier", "confidential"]


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([f"person {row}" for row in range(30)]),
        pd.Index(np.arange(30) + 5_000_000),
        pd.Index(np.random.default_rng(1).permutation(30)),
        pd.Index(np.arange(0, 90, 3)),  # what is left of a longer table
        pd.MultiIndex.from_arrays([np.arange(30), ["a", "b"] * 15]),
    ],
    ids=["texts", "numbers", "another order", "some rows", "levels"],
)
def test_an_index_that_identifies_is_warned_of_without_its_values(index):
    with pytest.warns(IdentifierWarning, match="is different for nearly every record") as caught:
        warn_of_index(as_table(pd.DataFrame({"x": np.arange(30) / 7}, index=index)))
    assert len(caught) == 1
    assert "person" not in str(caught[0].message) and "5000" not in str(caught[0].message)


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(30),
        pd.RangeIndex(100, 130),
        pd.Index(np.arange(30)),
        pd.Index(["a", "b", "c"] * 10),
        pd.Index(np.arange(30) / 7),
    ],
    ids=["plain", "from 100", "the same as numbers", "repeated", "fractions"],
)
def test_an_index_that_identifies_no_one_is_not(index):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_index(as_table(pd.DataFrame({"x": np.arange(30) / 7}, index=index)))
        warn_of_index(as_table(polars.DataFrame({"x": np.arange(30) / 7})))
