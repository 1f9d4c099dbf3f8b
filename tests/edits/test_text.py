"""Linear rules as text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.edits import parse_rule, parse_rules, read_edits
from shoal.errors import RuleError


@pytest.mark.parametrize(
    ("text", "coefficients", "relation", "constant"),
    [
        ("net + tax == gross", {"net": 1, "tax": 1, "gross": -1}, "==", 0),
        ("2 * a - b / 4 == 3 - (c - 1)", {"a": 2, "b": -0.25, "c": 1}, "==", 4),
        ("a >= 2 * b", {"b": 2, "a": -1}, "<=", 0),
        ("`family income` + `x.y` <= 10", {"family income": 1, "x.y": 1}, "<=", 10),
        ("-a + 3 * (b - c) * 2 == +7", {"a": -1, "b": 6, "c": -6}, "==", 7),
        ("a + b - a == 1", {"b": 1}, "==", 1),
        ("`b c` + _quoted0 == 1", {"b c": 1, "_quoted0": 1}, "==", 1),
    ],
)
def test_rules_are_read(text, coefficients, relation, constant):
    rule = parse_rule(f"  {text} ")
    assert (rule.coefficients, rule.relation, rule.constant, rule.text) == (coefficients, relation, constant, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a + b",
        "a < b",
        "a == b == c",
        "a * b == c",
        "a / b == c",
        "a / 0 == c",
        "a ** 2 == c",
        "a == a",
        "1 == 1",
        "1e400 * a == 1",
        "a == True",
        "a == 'text'",
        "__import__('os').system('true') == 1",
        "f(a) == 1",
        "a[0] == 1",
        "(lambda: 0)() == a",
        "a == b; c == d",
        "a == (" + "(" * 500,
        "a == " + "-" * 9_000 + "1",
        "a + " * 5_000 + "a == 1",
        "`` == 1",
        "+".join(["a"] * 2_400) + " == 1",
        "1" * 400 + " * a == 1",
    ],
)
def test_what_is_no_linear_rule_gets_one_line(text):
    with pytest.raises(RuleError) as caught:
        parse_rule(text)
    assert "\n" not in str(caught.value).replace(text, "")


def test_other_things_than_text():
    with pytest.raises(RuleError, match="line of text; got int"):
        parse_rules([3])
    rule = parse_rule("a == b")
    assert parse_rules(rule) == [rule]
    assert parse_rules("a == b") == [rule]


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-100, 100)), min_size=1, max_size=6), st.integers(-9, 9))
def test_a_rule_means_what_it_says(pairs, constant):
    """Evaluated by Python itself on the same numbers."""
    text = " + ".join(f"{factor} * x{i}" for i, (factor, _) in enumerate(pairs)) + f" == {constant}"
    values = {f"x{i}": np.array([float(value)]) for i, (_, value) in enumerate(pairs)}
    holds = sum(factor * value for factor, value in pairs) == constant
    if all(factor == 0 for factor, _ in pairs):
        with pytest.raises(RuleError, match="no variable"):
            parse_rule(text)
    else:
        assert parse_rule(text).broken(values)[0] == (not holds)


def test_a_gap_breaks_no_rule():
    rule = parse_rule("a <= b")
    assert rule.broken({"a": np.array([1.0, np.nan, 3]), "b": np.array([2.0, 1, 2])}).tolist() == [False, False, True]


def test_rules_in_a_file(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("# income\nnet + tax == gross\n\na <= 2 * b  # twice\n`no #` == `x` # `y`\n")
    assert [rule.text for rule in read_edits(file)] == ["net + tax == gross", "a <= 2 * b", "`no #` == `x`"]
    file.write_text("a == b\na b\n")
    with pytest.raises(RuleError, match=r"line 2: The rule .a b. cannot be read"):
        read_edits(file)
    with pytest.raises(RuleError, match="No such file"):
        read_edits(tmp_path / "nothing.txt")
