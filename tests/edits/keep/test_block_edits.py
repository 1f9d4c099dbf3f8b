"""From rules to blocks and representatives."""

from __future__ import annotations

import pytest

from shoal.edits import parse_rules
from shoal.edits.contradictions import refuse_contradictions
from shoal.edits.keep.block_edits import joined_blocks, plan_block
from shoal.errors import RuleError


def planned(*texts, block="abcdefg", protected=None, given=None, kinds=None, words=()):
    kinds = dict.fromkeys(block, "continuous") | (kinds or {})
    return plan_block(list(block), parse_rules(texts), kinds, protected or list(block), words, given)


def test_variables_joined_by_rules_form_blocks_and_the_rest_goes_in_threes():
    rules = parse_rules(["b + c == f", "f <= h", "0 <= d", "if a < 5 then e == 0"])
    assert joined_blocks(rules, "abcdefghijk") == [["a", "e"], ["b", "c", "f", "h"], ["d", "g", "i"], ["j", "k"]]
    assert joined_blocks(rules, "abcdefghijk", 5)[2:] == [["d", "g", "i", "j", "k"]]


def test_what_is_not_protected_joins_nothing():
    assert joined_blocks(parse_rules(["if sex == 1 then a <= b"]), ["a", "b", "c"]) == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("rules", "operators"),
    [
        (["a + b == c"], {"a": "mean", "b": "mean", "c": "mean"}),
        (["a * b == c"], {"a": "geometric-mean", "b": "geometric-mean", "c": "geometric-mean"}),
        (["a in {1, 2}"], {"a": "median"}),
        (["a in original", "a <= b"], {"a": "median", "b": "median"}),
        (["a is integer"], {"a": "median"}),
        (["a is integer", "a + b == c"], {"a": "mean", "b": "mean"}),
        (["a * b == c", "c <= d"], {"c": "geometric-mean", "d": "geometric-mean"}),
        (["a + b == c", "c * d == e"], {"c": "mean", "d": "geometric-mean"}),
        (["0 <= a <= 5", "a <= b"], {"a": "mean", "b": "mean"}),
    ],
)
def test_the_representative_keeps_the_rule(rules, operators):
    found = planned(*rules)
    assert {name: found.operators[name] for name in operators} == operators


def test_categories_take_the_mode_and_ranks_the_median():
    found = planned("a in {x, y}", "b <= 3", kinds={"a": "nominal", "b": "ordinal"}, words=["a"])
    assert (found.operators["a"], found.operators["b"]) == ("mode", "median")


def test_a_product_that_meets_a_sum_gives_its_own_variable():
    found = planned("a + b == c", "c * d == e")
    assert found.following == ("c", "e")
    assert not found.joint


def test_sums_and_products_in_a_circle_are_projected():
    assert planned("a + b == c", "c * d == e", "d + e == f").joint


def test_whole_numbers_in_a_sum_are_rounded():
    assert planned("a is integer", "b is integer", "a + b == c").whole == {"a", "b"}


@pytest.mark.parametrize(
    "rules",
    [
        ["a in original", "a + b == c"],
        ["a in {1, 2}", "a * b == c"],
        ["a in original", "a + b <= c"],
    ],
)
def test_what_no_average_keeps_is_refused_by_name(rules):
    with pytest.raises(RuleError, match=r"No average keeps the rule .* together with .*medoid"):
        planned(*rules)


def test_a_record_itself_keeps_everything():
    given = dict.fromkeys("abcdefg", "medoid")
    found = planned("a in original", "a + b == c", "a * b * c <= d * e", given=given)
    assert not found.unpromised


def test_a_replacement_that_was_asked_for_and_breaks_a_rule_is_refused():
    with pytest.raises(RuleError, match=r'replace "median" does not keep the rule "a \+ b == c"'):
        planned("a + b == c", given={"a": "median"})


@pytest.mark.parametrize(
    ("operators", "kept"),
    [
        ({"a": "geometric-mean", "b": "mean"}, True),  # the geometric mean is never above the mean
        ({"a": "mean", "b": "geometric-mean"}, False),  # METHODS 11: (1, 9) and (1.5, 9.5) give 5 > 3.775
        ({"a": "median", "b": "median"}, True),
        ({"a": "median", "b": "mean"}, False),
    ],
)
def test_mixed_representatives_keep_an_order_only_one_way(operators, kept):
    if kept:
        planned("a <= b", given=operators)
    else:
        with pytest.raises(RuleError):
            planned("a <= b", given=operators)


def test_a_sum_with_a_variable_that_stays_is_refused_and_a_condition_on_one_is_not():
    with pytest.raises(RuleError, match=r'names "z", which is not protected'):
        planned("a + b == z")
    assert planned('if z == "m" then a == 0', words=["z"]).demands


def test_a_rule_across_blocks_is_refused():
    with pytest.raises(RuleError, match="another block"):
        planned("a + b == z", protected=["a", "b", "z"])


def test_what_nobody_can_promise_is_said():
    found = planned("a * b <= c + d")
    assert found.unpromised
    assert "checked after masking" in found.reasons[-1]


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
