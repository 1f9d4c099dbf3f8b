"""A rule as an object: its kind, its variables, when two are the same, and how it travels."""

from __future__ import annotations

import copy
import pickle

import pytest

from shoal.edits import Rule, parse_rule, parse_rules, read_edits
from shoal.edits.expressions import Conditional, Every, Not, Some
from shoal.edits.text import read_expression
from shoal.errors import RuleError


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("net + tax == gross", "linear"),
        ("a == 2 * b - 1", "linear"),
        ("price * amount == value", "product"),
        ("value / amount == price ** 2", "product"),
        ("0 <= age <= 120", "possible values"),
        ("rooms is integer", "possible values"),
        ("vehicle in {car, truck}", "possible values"),
        ('town != "nowhere"', "possible values"),
        ("a <= b", "governs"),
        ("if age < 15 then wage == 0", "governs"),
        ("town in original", "value domain"),
        ("d == a * b + c", "definition"),
        ("a / (a + b) == share", "definition"),
        ("a * b + c == 1", "checked only"),
    ],
)
def test_the_kinds_of_rule(text, kind):
    assert parse_rule(text).kind == kind


def test_the_variables_of_a_rule_stand_in_its_order():
    assert parse_rule("if b < 1 then a + b == c else d in original").variables == ("b", "a", "c", "d")


def test_rules_that_read_the_same_are_the_same():
    one, other = parse_rule("0 <= age <= 120"), parse_rule("0<=age and age  <=  120")
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, parse_rule("0 <= age")}) == 2
    assert one != parse_rule("0 <= age < 120")
    assert one != Rule(one.expression, name="ages")
    assert one != "0 <= age and age <= 120"


def test_rules_that_say_the_same_in_other_words_read_the_same():
    """Text has no "if" within brackets: such a rule is written, and compared, as what it means."""
    if_within = Every((Conditional(read_expression("a < 1"), read_expression("b < 1")), read_expression("c < 1")))
    without_if = Every((Some((Not(read_expression("a < 1")), read_expression("b < 1"))), read_expression("c < 1")))
    assert Rule(if_within) == Rule(without_if)
    assert Rule(if_within).requirements == Rule(without_if).requirements


def test_a_rule_can_be_passed_wherever_a_text_can():
    rule = parse_rule("a == b")
    assert parse_rule(rule) is parse_rules(rule)[0] is parse_rules([rule, "a <= c"])[0] is rule
    assert parse_rules("a == b") == parse_rules(["a == b"]) == read_edits(["a == b"]) == [rule]


def test_a_rule_travels():
    rule = Rule(parse_rule("if a < 5 then b <= c").expression, name="few")
    for copied in (pickle.loads(pickle.dumps(rule)), copy.deepcopy(rule)):
        assert copied == rule
        assert (copied.name, copied.kind) == ("few", "governs")


def test_other_things_than_text():
    with pytest.raises(RuleError, match="line of text; got int"):
        parse_rules([3])
    with pytest.raises(RuleError, match="list of lines of text; got int"):
        parse_rules(3)
