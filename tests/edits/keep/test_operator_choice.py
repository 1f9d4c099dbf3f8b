"""Whether representatives keep an atom, against groups in which every record satisfies it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal.edits import parse_rule
from shoal.edits.checked_records import NumericRecords
from shoal.edits.keep.operator_choice import ChosenOperators

REPRESENTATIVE = {
    "mean": lambda values: values.mean(),
    "geometric-mean": lambda values: np.exp(np.log(values).mean()),
    "median": lambda values: np.sort(values)[(len(values) - 1) // 2],
    "order-statistic:q=0.25": lambda values: np.sort(values)[0],
    "mode": lambda values: values[0],
}


def keeps(text, **operators):
    (requirement,) = parse_rule(text).requirements
    ((atom,),) = requirement.alternatives
    return ChosenOperators(operators, frozenset(), {}, joint=False).keep(atom)


RULES = ["a <= b", "a < b", "a == b", "a <= 2", "a + 1 <= b", "2 * a <= b", "a + b <= 9"]

KEPT = [each for each in product(RULES, REPRESENTATIVE, REPRESENTATIVE) if keeps(each[0], a=each[1], b=each[2])]


@pytest.mark.parametrize(("text", "first", "second"), KEPT)
def test_what_is_said_to_be_kept_is_kept(text, first, second):
    """By groups of four records drawn at random, all of which satisfy the rule."""
    rng = np.random.default_rng(0)
    rule = parse_rule(text)
    values = {"a": rng.lognormal(0, 1, (30_000, 4)), "b": rng.lognormal(1, 1, (30_000, 4))}
    if text == "a == b":
        values["b"] = values["a"]
    wrong = rule.broken(NumericRecords({name: column.ravel() for name, column in values.items()})).reshape(-1, 4)
    groups = np.flatnonzero(~wrong.any(axis=1))[:2000]
    assert len(groups) > 500
    representatives = {
        name: np.array([REPRESENTATIVE[operator](values[name][group]) for group in groups])
        for name, operator in (("a", first), ("b", second))
    }
    assert not rule.broken(NumericRecords(representatives)).any()


@pytest.mark.parametrize(
    ("text", "operators", "kept"),
    [
        ("a + b == c", "mean mean mean", True),
        ("a + b == c", "mean mean median", False),
        ("a * b == c", "geometric-mean geometric-mean geometric-mean", True),
        ("a * b == c", "mean mean mean", False),
        ("a in {1, 2}", "median mean mean", True),
        ("a in {1, 2}", "mean mean mean", False),
        ("a is integer", "mean mean mean", False),
        ("a <= b", "median order-statistic:q=0.25 mean", False),
        ("a <= b", "order-statistic:q=0.25 order-statistic:q=0.25 mean", True),
        ("a <= b", "mode mode mean", False),
        ("a <= b", "convex-median convex-median mean", False),
        ("a in {1, 2}", "convex-median mean mean", False),
        ("a <= 5", "convex-median mean mean", True),
        ("a + b == c", "medoid medoid medoid", True),
        ("a + b == c", "medoid medoid mean", False),
        ("a <= 5", "medoid mean mean", True),
        ("a * b <= c", "mean mean mean", True),  # no representative is sure to: checked afterwards
    ],
)
def test_examples(text, operators, kept):
    assert keeps(text, **dict(zip("abc", operators.split(), strict=True))) is kept


def test_what_is_done_to_representatives_counts():
    (requirement,) = parse_rule("a * b == c").requirements
    ((equality,),) = requirement.alternatives
    means = {"a": "mean", "b": "geometric-mean", "c": "geometric-mean"}
    assert not ChosenOperators(means, frozenset(), {}, joint=False).keep(equality)
    assert ChosenOperators(means, frozenset(), {"c": equality}, joint=False).keep(equality)
    assert ChosenOperators(means, frozenset(), {}, joint=True).keep(equality)
    (whole,) = parse_rule("a is integer").requirements
    assert ChosenOperators(means, frozenset("a"), {}, joint=False).keep(whole.alternatives[0][0])
