"""What rules require of rewritten variables: what is kept, what is computed, what is refused by name."""

from __future__ import annotations

import pytest

from shoal.edits import parse_rules
from shoal.edits.keep.records.record_edits import edits_of_records
from shoal.errors import RuleError


def edits(*rules, rewritten=("a", "b", "c"), whole=(), texts=("t",), elsewhere=()):
    kinds = dict.fromkeys([*rewritten, "y", "z"], "continuous")
    return edits_of_records(rewritten, parse_rules(rules), kinds, texts, whole, elsewhere)


def test_rules_about_what_stays_require_nothing():
    assert edits("y * z <= 5", "t in {x, w}", "xpath: y > 1").rules == ()


def test_conditions_on_what_stays_are_known_in_every_record():
    (demand,) = edits('if t == "x" and y * y > 2 then a <= b').demands
    assert len(demand.alternatives) == 3


@pytest.mark.parametrize(
    "rule",
    ["a * b <= 5", "a * b == y", "not (a in {1, 2})", "xpath: a > 1 and string-length(t) > 2", "a is integer"],
)
def test_what_cannot_be_kept_is_refused_by_name(rule):
    with pytest.raises(RuleError, match="cannot keep the rule") as refusal:
        edits("a <= 7", rule)
    assert refusal.value.rule is not None


def test_whole_numbers_and_lists_are_kept():
    found = edits("a is integer", "b in {1, 2, 3}", "c in original", whole=["a"])
    assert found.whole == {"a"} and set(found.listed) == {"b", "c"}
    with pytest.raises(RuleError, match='ties "a" and "b", both of which have listed values'):
        edits("a in original", "b in {1, 2, 3}", "a <= b")


def test_a_test_of_a_category_alone_is_kept_because_new_ones_occur():
    kinds = {"t": "nominal", "a": "continuous"}
    found = edits_of_records(["a", "t"], parse_rules(["t in {x, w}", "a >= 0"]), kinds, ["t"], [])
    assert found.columns == ("a",) and not found.listed and len(found.demands) == 2
    with pytest.raises(RuleError, match="cannot keep the rule"):
        edits_of_records(["a", "t"], parse_rules(['t == "x" or a * a > 2']), kinds, ["t"], [])


def test_variables_that_no_sum_gives_are_computed_in_order():
    found = edits("c == b + 1", "b == a * y")
    assert [one.name for one in found.computed] == ["b", "c"]
    assert not found.demands
    with pytest.raises(RuleError, match='cannot keep the rule "b >= 0" beside "b == a \\* y"'):
        edits("b == a * y", "b >= 0")


def test_definitions_in_a_circle_are_refused():
    with pytest.raises(RuleError, match="cannot keep the rule"):
        edits("a == b * y", "b == a * z")


def test_a_rule_does_not_join_variables_of_two_blocks():
    with pytest.raises(RuleError, match='joins "d" to another block'):
        edits("a <= d", elsewhere=["d"])
