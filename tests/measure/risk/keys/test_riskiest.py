"""The riskiest records are listed by number, and no value of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.errors import ParameterError
from shoal.measure import household_risk, individual_risk, riskiest, suda
from shoal.measure.risk.keys.riskiest import RiskyRecord


def persons() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "sex": rng.integers(1, 3, 60),
            "town": rng.choice(list("ABCDE"), 60, p=[0.5, 0.3, 0.1, 0.06, 0.04]),
            "job": rng.integers(0, 5, 60),
            "home": rng.integers(0, 25, 60),
            "w": rng.uniform(1, 9, 60),
        }
    )


def test_they_are_in_the_order_of_their_risk():
    frame = persons()
    keys = ["sex", "town", "job"]
    found = riskiest(frame, keys, weights="w", unit="home", most=60)
    assert sorted(one.record for one in found) == list(range(1, 61))
    order = [(-one.household_risk, -one.risk, -one.suda, one.record) for one in found]
    assert order == sorted(order)
    own, special = individual_risk(frame, keys, weights="w"), suda(frame, keys)
    home = household_risk(frame, keys, unit="home", weights="w")
    for one in found:
        place = one.record - 1
        assert one.risk == own.by_record[place] and one.household_risk == home.by_record[place]
        assert one.suda == special.scores[place]


def test_without_units_and_weights():
    found = riskiest(persons(), ["sex", "town"], most=3)
    assert len(found) == 3
    assert all(one.household_risk is None and one.population == one.sample for one in found)
    assert found[0].risk == max(one.risk for one in found)


def test_they_have_no_value_of_the_data():
    assert set(RiskyRecord.__dataclass_fields__) == {
        "record",
        "risk",
        "household_risk",
        "sample",
        "population",
        "suda",
    }


def test_at_least_one_is_asked_for():
    with pytest.raises(ParameterError, match="most"):
        riskiest(persons(), ["sex"], most=0)
