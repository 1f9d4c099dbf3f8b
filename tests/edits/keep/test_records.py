"""The nearest values that keep sums and bounds, compared with a search through all sets of bounds that can be tight."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.edits import parse_rules
from shoal.edits.checked_records import NumericRecords
from shoal.edits.keep.records import RecordRules, edits_of_records, nearest_values
from shoal.errors import RuleError


def slow_nearest(point, scale, rows, right, is_equality):
    """Return the nearest point: the best of those that are nearest on some of the bounds and keep the others."""
    A, b = rows * scale, right - rows @ point
    sums, bounds = np.flatnonzero(is_equality), np.flatnonzero(~is_equality)
    best = None
    for count in range(len(bounds) + 1):
        for tight in combinations(bounds, count):
            own = [*sums, *tight]
            step = np.linalg.pinv(A[own]) @ b[own] if own else np.zeros(len(point))
            excess = A @ step - b
            keeps = (np.abs(excess[sums]) < 1e-9).all() and (excess[bounds] < 1e-9).all()
            if keeps and (best is None or step @ step < best @ best - 1e-12):
                best = step
    return None if best is None else point + best * scale


@pytest.mark.parametrize("seed", range(40))
def test_values_are_the_nearest_that_keep_sums_and_bounds(seed):
    rng = np.random.default_rng(seed)
    d, sums, bounds, n = int(rng.integers(2, 5)), int(rng.integers(0, 2)), int(rng.integers(1, 6)), 12
    rows = rng.integers(-2, 3, size=(sums + bounds, d)).astype(float)
    rows[(rows == 0).all(axis=1), 0] = 1.0
    is_equality = np.arange(len(rows)) < sums
    inside = rng.normal(size=(n, d))
    right = inside @ rows.T + np.where(is_equality, 0.0, rng.integers(0, 2, size=(n, len(rows))))
    scale = rng.choice([0.5, 1.0, 4.0], size=d)
    points = inside + 3 * rng.normal(size=(n, d))
    values = nearest_values(points, scale, rows, right, is_equality, np.ones((n, len(rows)), dtype=bool))
    for row in range(n):
        expected = slow_nearest(points[row], scale, rows, right[row], is_equality)
        np.testing.assert_allclose(values[row], expected, atol=1e-7)


def test_what_does_not_apply_changes_nothing_and_what_is_impossible_is_nan():
    points, rows = np.array([[1.0, 2.0]] * 3), np.array([[1.0, 0.0], [-1.0, 0.0]])
    right = np.array([[0.0, 9.0], [0.0, 9.0], [0.0, -1.0]])  # x <= 0, x >= -9; then x <= 0 and x >= 1
    applies = np.array([[True, True], [False, True], [True, True]])
    values = nearest_values(points, np.ones(2), rows, right, np.zeros(2, dtype=bool), applies)
    assert values[0].tolist() == [0.0, 2.0] and not np.signbit(values[0, 0])
    assert values[1].tolist() == [1.0, 2.0]
    assert np.isnan(values[2]).all()


def test_a_value_at_a_bound_is_exactly_at_it():
    points, rows = np.array([[-0.3, 0.7]]), np.array([[1.0, 1.0], [-1.0, 0.0]])
    values = nearest_values(
        points,
        np.array([0.1, 3.0]),
        rows,
        np.array([[0.1, -0.1]]),
        np.array([True, False]),
        np.ones((1, 2), dtype=bool),
    )
    assert values[0, 0] == 0.1


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


def rules_of(rules, columns, rewritten, decimals=None, whole=()):
    kinds = dict.fromkeys(columns, "continuous")
    edits = edits_of_records(rewritten, parse_rules(rules), kinds, (), whole)
    records = NumericRecords({name: np.array(values, dtype=float) for name, values in columns.items()})
    return RecordRules(edits, records, {**dict.fromkeys(edits.whole, 0), **(decimals or {})})


COLUMNS = {"y": [1.0, 2, 3, np.nan], "a": [0.0, 1, 2, 3], "b": [1.0, 1, 1, 1]}


def kept(rules, targets):
    found = rules.kept(np.array(targets, dtype=float), np.arange(len(targets)))
    assert found.hold.all()
    return found.values


def test_a_bound_by_what_stays_differs_between_records_and_ends_where_that_is_missing():
    rules = rules_of(["a <= y"], COLUMNS, ["a"])
    assert rules.violations(np.full((4, 1), 2.5)).tolist() == pytest.approx(
        [1.5 / rules.scale[0], 0.5 / rules.scale[0], 0, 0]
    )
    assert kept(rules, np.full((4, 1), 2.5))[:, 0].tolist() == [1, 2, 2.5, 2.5]


def test_a_condition_is_kept_as_the_original_keeps_it():
    rules = rules_of(["if a < 1.5 then b <= 1"], COLUMNS, ["a", "b"])
    values = kept(rules, [[1.4, 7], [1.4, 7], [1.4, 7], [9, 9]])
    assert (values[:2, 1] == 1).all()  # a stays below 1.5
    assert values[2, 0] == 1.5 and values[2, 1] == 7  # of the two ways in which this one keeps it, the nearer
    assert values[3].tolist() == [9, 9]  # which keeps it already


def test_whole_numbers_and_listed_values_hold_beside_sums():
    columns = {"n": [1.0, 2, 3], "v": [2.0, 5, 9], "s": [3.5, 7.5, 12.5], "x": [0.5, 0.5, 0.5]}
    rules = rules_of(
        ["n is integer", "v in {2, 5, 9}", "s == n + v + x", "x >= 0"], columns, list(columns), whole=["n"]
    )
    values = kept(rules, [[1.4, 3.9, 1, 7], [2.6, 8, 90, -1], [0.2, 0.0, 4, 0]])
    assert (values[:, 0] == np.rint(values[:, 0])).all() and set(values[:, 1]) <= {2, 5, 9}
    assert (values[:, 2] == values[:, 0] + values[:, 1] + values[:, 3]).all() and (values[:, 3] >= 0).all()


def test_what_sums_give_from_what_stays_is_found():
    found = rules_of(["a + b == y", "a - b == 0"], {**COLUMNS, "y": [1.0, 2, 3, 4]}, ["a", "b"]).determined()
    assert found is not None and found[0] == "a"
    assert rules_of(["a + b == y"], {**COLUMNS, "y": [1.0, 2, 3, 4]}, ["a", "b"]).determined() is None


def test_sides_through_the_original_are_counted():
    rules = rules_of(["a >= 0", "a + b == 3", "b <= 1"], {"a": [0.0, 2], "b": [3.0, 1]}, ["a", "b"])
    assert rules.tight().tolist() == [3, 3]
    assert [rule.text for rule in rules.tight_rules(1)] == ["a + b == 3", "b <= 1"]
