"""Rules that a recode makes meaningless are refused before anything is masked, by the recode's name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.edits import parse_rule
from shoal.edits.checked_records import TableRecords
from shoal.errors import DataError, RuleError

PEOPLE = pd.DataFrame(
    {
        "age": np.arange(60) % 50,
        "married": ["yes" if one % 50 >= 18 and one % 3 else "no" for one in range(60)],
        "edu": ["low", "mid", "high"] * 20,
        "code": [1, 2, 3] * 20,
        "net": np.arange(60) * 10.0,
        "tax": np.arange(60) * 1.5,
        "gross": np.arange(60) * 11.5,
    }
)


def protect(rule, **recodes):
    return shoal.protect(PEOPLE, 3, edits=[rule], recodes=recodes, seed=1)


@pytest.mark.parametrize(
    ("rule", "recodes", "problem"),
    [
        ("if age < 18 then married == 'no'", {"age": "bands:width=5"}, 'computes with "age".* recode bands of "age"'),
        ("age + net >= 0", {"age": "bands:width=5"}, 'computes with "age"'),
        ("age is integer", {"age": "bands:width=5"}, 'computes with "age"'),
        ("age != 77", {"age": "bands:width=5"}, "names a category that no longer exists"),
        ("edu in {low, mid, high}", {"edu": "merge:upper=[mid,high]"}, "no longer exists after the recode merge"),
        ("if edu == 'low' then net >= 0", {"edu": "merge:rest=[low,mid]"}, "no longer exists"),
        ("code in {1, 2, 3}", {"code": "merge:9=[2,3]"}, "no longer exists"),
        ("net + tax == gross", {"tax": "round:to=100"}, "break it once recoded .round of tax"),
    ],
)
def test_meaningless_rules_are_refused(rule, recodes, problem):
    with pytest.raises(RuleError, match=problem) as caught:
        protect(rule, **recodes)
    assert "\n" not in str(caught.value) and "leave the recode out" in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "recodes"),
    [
        ("edu in {low, upper}", {"edu": "merge:upper=[mid,high]"}),
        ("if edu == 'low' then net >= 0", {"edu": "merge:upper=[mid,high]"}),
        ("code in {1, 9}", {"code": "merge:9=[2,3]"}),
        ("age >= 0", {"age": "top-bottom:top=40"}),
        ("net + tax == gross", {"age": "bands:width=5"}),
        ("edu != 'none'", {"edu": "merge:upper=[mid,high]"}),
    ],
)
def test_others_hold_in_the_release(rule, recodes):
    release = protect(rule, **recodes)
    assert not parse_rule(rule).broken(TableRecords(release.masked, release.recoded)).any()


def test_a_rule_for_bands_that_the_file_breaks_is_refused_as_broken():
    """It cannot be checked on ages in years, and the message is about the records that break it, not about that."""
    with pytest.raises(DataError, match="29 of 60 records break the rule"):
        protect('if age < "20-24" then tax == 0', age="bands:width=5")
