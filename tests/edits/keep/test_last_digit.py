"""Rules made to hold to the last digit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.edits import parse_rules
from shoal.edits.checked_records import NumericRecords
from shoal.edits.keep.last_digit import dependents, to_last_digit

numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


def equalities(*texts):
    return [atom for rule in parse_rules(texts) for one in rule.requirements for atom in one.alternatives[0]]


def strictly_hold(texts, values):
    return all(not rule.broken(NumericRecords(values), tolerance=0.0).any() for rule in parse_rules(texts))


def test_what_stands_alone_follows_from_the_rest():
    assert [name for _, name in dependents(equalities("a + b == s", "s - 2 * c == t"), "abcst")] == ["s", "t"]


def test_what_may_not_move_does_not_follow():
    assert [name for _, name in dependents(equalities("a + b == s"), ["a", "b"])] in (["a"], ["b"])


def test_a_sum_named_twice_is_computed_once():
    assert len(dependents(equalities("a + b == s", "a + b == s"), "abs")) >= 1


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=20))
def test_sums_and_bounds_hold_without_tolerance(rows):
    a, b, c = (np.array(column) for column in zip(*rows, strict=True))
    c = np.minimum(np.abs(c), 10.0)
    values = {"a": a, "b": b, "s": a + b, "c": c, "t": (a + b) - 2 * c}
    rng = np.random.default_rng(0)
    shaken = {name: column * (1 + 1e-15 * rng.normal(size=len(column))) for name, column in values.items()}
    rules = ["a + b == s", "s - 2 * c == t", "c <= 10", "t <= s"]
    found = to_last_digit(shaken, equalities(*rules), "abcst")
    assert strictly_hold(rules, found)
    for name, column in values.items():
        assert found[name] == pytest.approx(column, rel=1e-9, abs=1e-6)


@given(st.lists(st.tuples(st.floats(0.01, 1e4), st.floats(0.01, 1e4)), min_size=1, max_size=20))
def test_products_hold_without_tolerance(rows):
    a, d = (np.array(column) for column in zip(*rows, strict=True))
    shaken = {"a": a, "d": d, "p": a * d * (1 + 3e-16)}
    assert strictly_hold(["a * d == p"], to_last_digit(shaken, equalities("a * d == p"), "adp"))


def test_a_real_violation_is_left_for_the_check_to_find():
    found = to_last_digit({"a": np.array([5.0])}, equalities("a <= 3"), "a")
    assert found["a"][0] == 5.0


def test_nothing_else_moves():
    values = {"a": np.array([1.0]), "b": np.array([2.0]), "s": np.array([3.0]), "z": np.array([9.0])}
    assert to_last_digit(values, equalities("a + b == s"), "abs") == values


def test_values_that_come_in_are_not_changed():
    values = {"a": np.array([0.1]), "b": np.array([0.2]), "s": np.array([0.3])}
    assert to_last_digit(values, equalities("a + b == s"), "abs")["s"] == [0.1 + 0.2]
    assert values["s"] == [0.3]


def test_a_product_that_meets_a_sum_gives_the_variable_that_nothing_else_names():
    rules = equalities("a + b == c", "c * d == e")
    assert [name for _, name in dependents(rules, "abcde")] == ["c", "e"]
    rules = equalities("a + b == c", "c == d * e")  # c stands alone in both
    assert [name for _, name in dependents(rules, "abcde")] == ["c", "d"]
    assert [name for _, name in dependents(rules, "abcde", alone_first=True)] == ["c", "d"]


def test_alone_first_prefers_what_the_rule_says_in_products_too():
    rules = equalities("a + p == b", "p == q * r")
    assert [name for _, name in dependents(rules, "abpqr")][-1] == "q"
    assert "p" in [name for _, name in dependents(rules, "abpqr", alone_first=True)]


def test_equalities_that_need_each_other_are_not_all_computed():
    """a from b and b from a cannot be: one of the two is left to the projection."""
    chosen = dependents(equalities("2 * a == b", "3 * b == a"), "ab")
    assert len(chosen) == 1


def test_a_variable_that_would_not_come_out_whole_does_not_follow():
    rules = equalities("2 * a == b")
    assert [name for _, name in dependents(rules, "ab", whole="ab")] == ["b"]
    assert [name for _, name in dependents(equalities("a == 0.5 * b"), "ab", whole="ab")] == ["b"]


def test_whole_numbers_stay_whole():
    values = {"a": np.array([3.0, 4.0]), "b": np.array([5.0, 7.0])}
    found = to_last_digit(values, equalities("2 * a - b == 0"), "ab", whole="ab")
    assert (found["b"] == 2 * found["a"]).all()
    assert (found["b"] % 1 == 0).all()


def test_a_bound_on_a_dependent_variable_is_kept_by_those_it_is_computed_from():
    values = {"a": np.array([0.1]), "b": np.array([0.2]), "s": np.array([0.3])}
    rules = ["a + b == s", "s <= 0.3"]  # 0.1 + 0.2 is above 0.3
    found = to_last_digit(values, equalities(*rules), "abs")
    assert strictly_hold(rules, found)
    assert found["a"][0] == pytest.approx(0.1, rel=1e-12)
