"""The keys of a plan: those with the role, or the categories and strata."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal
from shoal.errors import DisclosureWarning
from shoal.flow.recoding.key_columns import key_columns

FRAME = pd.DataFrame(
    {"sex": ["f", "m"] * 20, "area": ["a", "a", "b", "b"] * 10, "pay": [1.5 * (i % 17) for i in range(40)]}
)


def test_named_keys_come_first():
    release = shoal.protect(FRAME, 3, strata="area", roles={"pay": "key"}, seed=1)
    assert key_columns(release.plan, release.masked, release.plan.kinds) == ["pay"]


def test_else_categories_and_strata():
    release = shoal.protect(FRAME, 3, strata="area", seed=1)
    assert key_columns(release.plan, release.masked, release.plan.kinds) == ["sex", "area"]
    assert key_columns(release.plan, release.masked, {}) == ["area"]


def test_weights_units_and_what_is_dropped_are_no_keys():
    frame = FRAME.assign(home=[i // 2 for i in range(40)], weight=1.0)
    roles = {"sex": "identifier"}
    release = shoal.protect(frame, 3, roles=roles, unit="home", weights="weight", seed=1)
    everything = dict.fromkeys(frame.columns, "nominal")
    assert key_columns(release.plan, release.masked, everything) == ["area", "pay"]


def test_a_key_of_an_earlier_step_is_one_of_the_chain():
    with pytest.warns(DisclosureWarning):
        release = shoal.protect(FRAME, 3, columns=["sex"], roles={"area": "key"}, as_is=["area"], seed=1)
    with pytest.warns(DisclosureWarning):
        further = release.then(columns=["pay"], strata="area")
    assert further.plan.roles["area"] == "stratum"
    assert key_columns(further.plan, further.masked, {}) == ["area"]
