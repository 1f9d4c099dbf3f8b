"""Values rounded so that rules hold to the last digit, judged with Python's decimal module."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.edits import parse_rules
from shoal.edits.checked_records import NumericRecords
from shoal.edits.keep.rounding import not_derivable, rounded, rounded_to_rules


def atoms_of(*texts):
    return [atom for rule in parse_rules(texts) for one in rule.requirements for atom in one.alternatives[0]]


def rounded_by(texts, decimals, **values):
    columns = {name: np.array(value, dtype=float, ndmin=1) for name, value in values.items()}
    found = rounded_to_rules(columns, atoms_of(*texts), decimals)
    for rule in parse_rules(texts):
        assert not rule.broken(NumericRecords(found), tolerance=None).any(), rule
    return {name: column.tolist() for name, column in found.items()}


@given(st.floats(-1e8, 1e8), st.integers(-6, 6))
def test_a_rounded_number_prints_with_its_decimals(number, decimals):
    (found,) = rounded(np.array([number]), decimals)
    text = Decimal(str(found))
    assert text == text.quantize(Decimal(1).scaleb(-decimals))
    assert abs(found - number) <= 0.5 * 10.0**-decimals * (1 + 1e-9)
    assert str(found) != "-0.0"


def test_the_last_digit_goes_to_the_variable_that_follows():
    decimals = dict.fromkeys(("net", "tax", "gross"), 2)
    found = rounded_by(["net + tax == gross"], decimals, net=1.005001, tax=1.005001, gross=2.010002)
    assert found == {"net": [1.01], "tax": [1.01], "gross": [2.02]}


def test_a_total_at_its_bound_stays_there_and_terms_give_way():
    decimals = dict.fromkeys([*"abcdef", "total"], 2)
    terms = dict.fromkeys("abcdef", 100 / 6)  # each rounds up, by a third of a digit
    rules = ["a + b + c + d + e + f == total", "total <= 100"]
    found = rounded_by(rules, decimals, **terms, total=100)
    assert found["total"] == [100.0]
    assert sorted(found[name][0] for name in "abcdef") == [16.66, 16.66, 16.67, 16.67, 16.67, 16.67]


def test_bounds_that_are_finer_than_the_decimals_are_kept():
    assert rounded_by(["a >= 0.004", "b < 7"], {"a": 2, "b": 0}, a=0.0041, b=6.9) == {"a": [0.01], "b": [6.0]}


def test_orders_hold_between_variables_of_different_decimals():
    assert rounded_by(["a <= b"], {"a": 0, "b": 2}, a=4.6, b=4.7) == {"a": [4.0], "b": [4.7]}


def test_values_that_differ_stay_apart():
    found = rounded_by(["a < b", "b < c"], dict.fromkeys("abc", 2), a=1.001, b=1.002, c=1.003)
    assert found["a"][0] < found["b"][0] < found["c"][0]
    assert max(found["c"]) - min(found["a"]) == pytest.approx(0.02)


def test_a_variable_that_needs_more_decimals_is_not_the_one_that_follows():
    found = rounded_by(["(a + b) / 2 == c"], dict.fromkeys("abc", 2), a=1.0, b=2.01, c=1.505)
    assert Decimal(str(found["a"][0])) + Decimal(str(found["b"][0])) == 2 * Decimal(str(found["c"][0]))


def test_a_product_is_computed_where_its_decimals_allow():
    rules, values = ["price * amount == value"], {"price": 3.333, "amount": 7.0, "value": 23.331}
    assert rounded_by(rules, {"price": 2, "amount": 0, "value": 2}, **values)["value"] == [23.31]


@pytest.mark.parametrize(
    ("rules", "decimals"),
    [
        (["2 * a == 3 * b"], {"a": 2, "b": 2}),
        (["1.19 * a == b"], {"a": 2, "b": 2}),
        (["a + b == 0.005"], {"a": 2, "b": 2}),
        (["a == 0.005"], {"a": 2}),
        (["a * b == c"], {"a": 2, "b": 2, "c": 2}),
        (["a / b == c"], {"a": 2, "b": 2, "c": 2}),
        (["a + b == c", "a + b == c + 1"], {"a": 2, "b": 2, "c": 2}),
    ],
)
def test_an_equality_that_decimals_cannot_hold_is_named(rules, decimals):
    assert not_derivable(atoms_of(*rules), decimals) is not None


@pytest.mark.parametrize(
    ("rules", "decimals"),
    [
        (["1.19 * a == b"], {"a": 2, "b": 4}),
        (["0.2 * a == b"], {"a": 2, "b": 2}),
        (["a + b == c", "0.5 * c == d"], dict.fromkeys("abcd", 2)),
        (
            ["a + b == r", "c + d == s", "a + c == m", "b + d == n", "r + s == t", "m + n == t"],
            dict.fromkeys("abcdmnrst", 2),
        ),
        (["a * b == c", "c + d == e"], {"a": 2, "b": 0, "c": 2, "d": 2, "e": 2}),
    ],
)
def test_an_equality_that_decimals_can_hold_is_not(rules, decimals):
    assert not_derivable(atoms_of(*rules), decimals) is None


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.integers(-2, 4), st.integers(-2, 4))
def test_sums_hold_whatever_the_numbers(terms, one, more):
    a, b, c = terms
    decimals = {"a": one, "b": one, "c": one, "s": one, "t": max(one, more)}
    rules = ["a + b == s", "s - 3 * c + 7 == t"] if max(one, more) >= 0 else ["a + b == s", "s - 3 * c == t"]
    values = {"a": a, "b": b, "c": c, "s": a + b, "t": a + b - 3 * c + 7 * (max(one, more) >= 0)}
    rounded_by(rules, decimals, **values)
