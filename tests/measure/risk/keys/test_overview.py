"""The overview says what the functions say, and takes categories for keys where none are named."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from shoal.errors import ColumnError
from shoal.measure import household_risk, individual_risk, key_frequencies, suda
from shoal.measure.risk.keys import overview
from shoal.measure.risk.keys.overview import key_risk, likely_keys
from shoal.read import as_table
from shoal.report.terminal.key_risk import key_risk_text

KEYS = ["sex", "town"]


def persons() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "sex": rng.integers(1, 3, 50),
            "town": rng.choice(["Aby", "Boo", "Cov", None], 50, p=[0.6, 0.3, 0.05, 0.05]),
            "income": rng.gamma(2, 900, 50).round(2),
            "home": np.repeat(np.arange(25), 2),
            "w": rng.uniform(20, 40, 50),
        }
    )


def test_it_says_what_the_functions_say_a_missing_value_as_a_category_first():
    frame = persons()
    found = key_risk(frame, KEYS, weights="w", unit="home", ks=(2, 4), most=5)
    special = suda(frame, KEYS)
    for reading, missing in ((found, "category"), (found.as_wildcards, "wildcard")):
        counted = key_frequencies(frame, KEYS, weights="w", missing=missing)
        assert (reading.missing, reading.k, reading.uniques) == (missing, counted.k, counted.uniques)
        assert reading.violators == {2: counted.violators(2), 4: counted.violators(4)}
        assert reading.expected == individual_risk(frame, KEYS, weights="w", missing=missing)
        with_home = household_risk(frame, KEYS, unit="home", weights="w", missing=missing)
        assert reading.household_expected == with_home
    assert found.uniques > found.as_wildcards.uniques
    assert found.combinations == counted.combinations
    assert found.incomplete == frame["town"].isna().sum()
    assert (found.units, len(found.riskiest)) == (25, 5)
    assert (found.suda_records, found.suda_contributions) == (special.records, special.contributions)


def test_without_missing_values_there_is_one_reading():
    found = key_risk(persons().fillna("Dun"), KEYS)
    assert found.as_wildcards is None and found.wildcard_reading is found


def test_wildcards_that_take_long_are_not_counted(monkeypatch):
    monkeypatch.setattr(overview, "_MOST_AGREEMENT", 1)
    found = key_risk(persons(), KEYS)
    assert found.as_wildcards is None and found.wildcard_reading is None and found.k == 1
    assert "as wildcards, if a missing value agrees with every value: not counted" in key_risk_text("x.csv", found)


def test_it_is_ready_for_json_and_has_no_value_of_the_data():
    text = json.dumps(key_risk(persons(), KEYS, most=50).to_dict())
    assert not any(town in text for town in ("Aby", "Boo", "Cov"))
    assert json.loads(text)["violators"].keys() == {"2", "3", "5"}


def test_categories_are_the_keys_where_none_are_named():
    table = as_table(persons())
    assert likely_keys(table, (None, "home")) == KEYS
    assert likely_keys(table, ("town", "home")) == ["sex"]
    with pytest.raises(ColumnError, match="--keys"):
        likely_keys(as_table(persons()[["income"]]))


def test_many_keys_are_looked_at_in_small_sets():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (200, 200)), columns=[f"key{place}" for place in range(200)])
    found = key_risk(frame, list(frame))
    assert found.suda_size == 2
