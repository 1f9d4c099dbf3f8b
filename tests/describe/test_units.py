"""Which column says what unit a record belongs to, and which are constant within units."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.describe import describe_table
from shoal.describe.units import columns_within, likely_unit, units_of
from shoal.read import as_table


def households(shuffled=False, count=60, seed=2):
    rng = np.random.default_rng(seed)
    hid = np.repeat(np.arange(count) + 1, rng.integers(1, 6, count))
    frame = pd.DataFrame(
        {"hid": hid, "region": rng.integers(0, 5, count)[hid - 1], "age": rng.integers(0, 90, len(hid))}
    )
    return frame.sample(frac=1.0, random_state=1) if shuffled else frame


@pytest.mark.parametrize(
    "name", ["hid", "HHID", "household", "HouseholdId", "ori_hid", "firm_nr", "school id", "hh_no"]
)
def test_a_unit_is_found_by_its_name_in_any_order(name):
    frame = households(shuffled=True).rename(columns={"hid": name})
    assert likely_unit(as_table(frame)) == name
    assert next(one.role for one in describe_table(frame) if one.name == name) == "unit"


@pytest.mark.parametrize("as_ids", [lambda hid: hid, lambda hid: 9_000 - hid, lambda hid: "u" + hid.astype(str)])
def test_a_unit_is_found_by_its_runs(as_ids):
    """With another column that is the same within each, and the numbers one after the other or in no order."""
    frame = households().rename(columns={"hid": "v1"})
    frame["v1"] = as_ids(frame["v1"])
    assert likely_unit(as_table(frame)) == "v1"
    assert likely_unit(as_table(frame.drop(columns="region"))) == ""
    assert likely_unit(as_table(frame.sample(frac=1.0, random_state=1))) == ""


@pytest.mark.parametrize(
    "name", ["household_income", "household_size", "hhtype", "firm_sales", "unit_price", "family_status"]
)
def test_what_is_about_a_unit_is_not_its_number(name):
    frame = households(shuffled=True).rename(columns={"hid": name})
    assert likely_unit(as_table(frame)) == ""


def test_amounts_ages_and_categories_are_no_units():
    """A file sorted by any of its columns, with another that follows from it."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "age": rng.integers(0, 95, 3000),
            "income": rng.integers(0, 1500, 3000) * 100,
            "postcode": rng.integers(100, 199, 3000),
            "industry": rng.choice(list("ABCDEFGHIJ"), 3000),
            "wage": rng.random(3000).round(2),
        }
    )
    frame["bracket"] = frame["income"] // 50_000
    frame["district"] = frame["postcode"] // 10
    for name in frame:
        assert likely_unit(as_table(frame.sort_values(name))) == ""
    assert likely_unit(as_table(frame)) == ""


def test_built_in_tables_have_no_units():
    import shoal

    assert likely_unit(as_table(shoal.datasets.households(300))) == ""


def test_columns_within_count_a_missing_value_as_a_value():
    frame = pd.DataFrame({"a": [1.0, 1.0, np.nan, np.nan], "b": [1.0, np.nan, 2.0, 2.0], "c": list("xxyy")})
    assert columns_within(as_table(frame), np.array([0, 0, 1, 1]), ["a", "b", "c"]) == ["a", "c"]


def test_categories_that_are_nobodys_are_no_units():
    ids = pd.Categorical(["c", "a", "c", "d"], ["a", "b", "c", "d", "e"])
    assert units_of(as_table(pd.DataFrame({"id": ids})), "id").tolist() == [1, 0, 1, 2]
