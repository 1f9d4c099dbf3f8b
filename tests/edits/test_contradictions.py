"""Rules that no record can satisfy together."""

from __future__ import annotations

import pytest

from shoal.edits import parse_rules
from shoal.edits.contradictions import refuse_contradictions
from shoal.errors import RuleError


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        (["a <= 3", "b <= a", "a >= 4"], '"a <= 3" and "a >= 4"'),
        (["a == b + 1", "c == 2", "b >= a"], '"a == b + 1" and "b >= a"'),
        (["a < b", "b < a"], '"a < b" and "b < a"'),
        (["a < b", "b <= a", "c == 1"], '"a < b" and "b <= a"'),
        (["1 <= a <= 0"], '"1 <= a and a <= 0"'),
    ],
)
def test_rules_that_contradict_each_other_are_named(rules, named):
    with pytest.raises(RuleError) as error:
        refuse_contradictions(parse_rules(rules))
    assert f"No record can satisfy {named}" in str(error.value)


@pytest.mark.parametrize("rules", [["a <= 3", "a >= 3"], ["a < b", "b < c"], ["if a > 1 then a < 0"], []])
def test_rules_that_can_hold_are_not_refused(rules):
    refuse_contradictions(parse_rules(rules))
