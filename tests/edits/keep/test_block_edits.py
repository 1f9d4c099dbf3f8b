"""What the rules require of a block of variables, and which representatives are chosen."""

from __future__ import annotations

import pytest

from shoal.edits import parse_rules
from shoal.edits.keep.block_edits import edits_of_block, joined_blocks
from shoal.errors import RuleError


def edits(*texts, block="abcdefg", protected=None, replacements=None, kinds=None, words=(), repair=False):
    kinds = dict.fromkeys(block, "continuous") | (kinds or {})
    protected = protected or list(block)
    return edits_of_block(list(block), parse_rules(texts), kinds, protected, words, replacements, repair=repair)


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
    found = edits(*rules)
    assert {name: found.operators[name] for name in operators} == operators


def test_categories_take_the_mode_and_ranks_the_median():
    found = edits("a in {x, y}", "b <= 3", kinds={"a": "nominal", "b": "ordinal"}, words=["a"])
    assert (found.operators["a"], found.operators["b"]) == ("mode", "median")


def test_a_product_that_meets_a_sum_gives_its_own_variable():
    found = edits("a + b == c", "c * d == e")
    assert found.dependent == ("c", "e")
    assert not found.joint


def test_sums_and_products_in_a_circle_are_projected():
    assert edits("a + b == c", "c * d == e", "d + e == f").joint


def test_whole_numbers_in_a_sum_are_rounded():
    assert edits("a is integer", "b is integer", "a + b == c").whole == {"a", "b"}


@pytest.mark.parametrize(
    "rules",
    [
        ["a in original", "b in original", "c in original", "a + b == c"],
        ["a in {1, 2}", "b is integer", "c in {2, 4}", "a * b == c"],
        ["a in original", "a + b <= c"],
        ["a is integer", "b == a / 2 + a * a", "b is integer"],
    ],
)
def test_what_no_average_keeps_is_refused_by_name(rules):
    with pytest.raises(RuleError, match=r"No average keeps the rule .* together with .*medoid"):
        edits(*rules)


def test_a_record_itself_keeps_everything():
    replacements = dict.fromkeys("abcdefg", "medoid")
    found = edits("a in original", "a + b == c", "a * b * c <= d * e", replacements=replacements)
    assert not found.uncertain


def test_a_replacement_that_was_asked_for_and_breaks_a_rule_is_refused():
    with pytest.raises(RuleError, match=r'replace "median" does not keep the rule "a \+ b == c"'):
        edits("a + b == c", replacements={"a": "median", "b": "median", "c": "median"})


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
        edits("a <= b", replacements=operators)
    else:
        with pytest.raises(RuleError):
            edits("a <= b", replacements=operators)


def test_a_sum_with_a_variable_that_stays_is_refused_and_a_condition_on_one_is_not():
    with pytest.raises(RuleError, match=r'names "z", which is not protected'):
        edits("a + b == z")
    assert edits('if z == "m" then a == 0', words=["z"]).demands


@pytest.mark.parametrize(
    ("rules", "computed"),
    [
        (["d == a * b + c"], {"d"}),
        (["a / (a + b) == c"], {"c"}),
        (["d == a * b + c", "e == d + a"], {"d", "e"}),
        (["a in original", "a + b == c"], {"c"}),
        (["a in {1, 2}", "a * b == c"], {"c"}),
        (["a is integer", "b is integer", "c is integer", "a * b == c"], {"c"}),
        (["a is integer", "b is integer", "c is integer", "c == a * b - 2 * a"], {"c"}),
    ],
)
def test_a_variable_that_stands_alone_is_computed_from_the_others(rules, computed):
    found = edits(*rules)
    assert computed <= set(found.dependent)
    assert not found.uncertain
    assert any("computed from the released others" in reason for reason in found.reasons)


def test_the_bounds_of_a_computed_variable_are_tried_on_the_groups():
    found = edits("d == a * b + c", "d <= 5", "a <= 3", "d <= e")
    assert [rule.text for rule in found.uncertain] == ["d <= 5", "d <= e"]


def test_whole_numbers_beside_a_mean_are_averaged_too():
    found = edits("a is integer", "b is integer", "a + c == d", "a <= b")
    assert found.operators["b"] == "mean"
    assert found.whole == {"a", "b"}


def test_a_rule_across_blocks_is_refused():
    with pytest.raises(RuleError, match="another block"):
        edits("a + b == z", protected=["a", "b", "z"])


def test_what_nobody_can_promise_is_said():
    found = edits("a * b <= c + d")
    assert [rule.text for rule in found.uncertain] == ["a * b <= c + d"]
    assert "tried on the groups, before anything is masked" in found.reasons[-1]


def test_the_alternatives_that_are_kept_are_the_demands():
    (demand,) = edits("if a < 5 then b in original", replacements={"b": "mean"}).demands
    assert demand.rule.text == "if a < 5 then b in original"
    assert [[type(atom).__name__ for atom in atoms] for atoms in demand.alternatives] == [["Linear"]]  # a >= 5


def test_rules_that_do_not_touch_the_block_are_skipped():
    found = edits("x + y == z", "x in {1, 2}", protected=list("abcdefgxyz"))
    assert not found.demands
    assert set(found.operators.values()) == {"mean"}


def test_what_can_be_moved_is_what_is_computed():
    assert edits("a + b == c", "d * e == f", "g in {1, 2}").movable == list("abcdef")


def test_whole_numbers_with_bounds_are_averaged_only_where_they_are_to_be_repaired():
    assert edits("a is integer", "a <= 5").operators["a"] == "median"
    found = edits("a is integer", "a <= 5", repair=True)
    assert (found.operators["a"], found.whole) == ("mean", {"a"})


def test_the_reasons_name_variables_and_what_is_done_with_them():
    found = edits("a is integer", "a + b == c", "c * d == e", "f in {1, 2}")
    assert found.reasons == (
        '"f": the median keeps to values that occur.',
        '"a", "b", "c": the mean keeps sums.',
        '"d", "e": the geometric mean keeps products.',
        '"a": rounded to whole numbers.',
        '"e": computed from the others, because its product meets a sum.',
    )
