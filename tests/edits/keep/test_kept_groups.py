"""Representatives of groups that keep the rules of a block, from small examples."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal.edits import parse_rules
from shoal.edits.checked_records import NumericRecords
from shoal.edits.keep.block_edits import edits_of_block
from shoal.edits.keep.cells import cells_of
from shoal.edits.keep.kept_groups import kept_representatives, lattice_of


def kept(records, labels, *rules, computed=None, repair=False):
    """Return the means of every group (the geometric ones where the rules want them), moved to where rules hold."""
    values = {name: np.array(column, dtype=float) for name, column in records.items()}
    labels = np.array(labels)
    block = list(values)
    edits = edits_of_block(block, parse_rules(rules), dict.fromkeys(block, "continuous"), block, [], repair=repair)
    points = np.column_stack(list(values.values()))
    cells = cells_of(edits, NumericRecords(values), np.zeros(len(labels), dtype=np.int64), points, 2, repair=repair)
    if computed is None:
        computed = {name: representatives(values[name], labels, edits.operators[name]) for name in edits.movable}
    return kept_representatives(edits, cells, computed, labels, values, repair=repair)


def representatives(column, labels, operator):
    mean = {"mean": np.mean, "geometric-mean": lambda values: np.exp(np.mean(np.log(values)))}[operator]
    return np.array([mean(column[labels == label]) for label in labels])


def broken(rules, values, tolerance=0.0):
    return [int(rule.broken(NumericRecords(values), tolerance).sum()) for rule in parse_rules(rules)]


def test_a_sum_holds_to_the_last_digit():
    a, b = np.array([0.1, 0.2, 0.3, 0.7]), np.array([0.2, 0.4, 0.1, 0.1])
    found = kept({"a": a, "b": b, "c": a + b}, [0, 0, 1, 1], "a + b == c")
    assert broken(["a + b == c"], found) == [0]
    assert found["a"] == pytest.approx([0.15, 0.15, 0.5, 0.5])
    assert (found["c"] == found["a"] + found["b"]).all()


def test_every_record_of_a_group_gets_the_same():
    found = kept({"a": [1, 2, 3, 4], "b": [4, 3, 2, 1], "c": [5, 5, 5, 5]}, [1, 0, 0, 1], "a + b == c")
    for column in found.values():
        assert column[0] == column[3]
        assert column[1] == column[2]


def test_a_product_that_meets_a_sum_is_computed_from_the_others():
    # METHODS 11: means of a, b and c, the geometric mean of d, and e = c d.
    records = {"a": [2, 4, 6], "b": [3, 5, 10], "c": [5, 9, 16], "d": [2, 1, 0.5], "e": [10, 9, 8]}
    found = kept(records, [0, 0, 0], "a + b == c", "c * d == e")
    assert [found[name][0] for name in "abcde"] == pytest.approx([4, 6, 10, 1, 10])


def test_sums_and_products_that_depend_on_each_other_are_projected():
    a, b, d = np.array([2.0, 4, 6]), np.array([3.0, 5, 10]), np.array([2.0, 1, 0.5])
    records = {"a": a, "b": b, "c": a + b, "d": d, "e": (a + b) * d, "f": d + (a + b) * d}
    rules = ["a + b == c", "c * d == e", "d + e == f"]
    found = kept(records, [0, 0, 0], *rules)
    assert broken(rules, found, tolerance=1e-12) == [0, 0, 0]
    assert found["a"][0] == pytest.approx(4, rel=0.1)  # not far from the mean


def test_whole_numbers_are_rounded_within_their_bounds():
    rules = ["a is integer", "b is integer", "c is integer", "a + b == c", "a <= 2.5"]
    found = kept({"a": [1, 2, 2, 2], "b": [4, 5, 7, 9], "c": [5, 7, 9, 11]}, [0, 0, 1, 1], *rules)
    assert broken(rules, found) == [0] * 5
    assert found["a"].tolist() == [2, 2, 2, 2]
    assert found["b"].tolist() == [4, 4, 8, 8]


@pytest.mark.parametrize(("bound", "expected"), [("a < 3", 2), ("a <= 2.9", 2), ("a <= 3", 3)])
def test_a_whole_number_stays_below_a_bound_of_its_own(bound, expected):
    rules = ["a is integer", "a + b == c", bound]
    computed = {"a": np.full(2, 3.2), "b": np.full(2, 1.5), "c": np.full(2, 4.7)}
    found = kept({"a": [2, 2], "b": [1, 2], "c": [3, 4]}, [0, 0], *rules, computed=computed)
    assert {name: column.tolist() for name, column in found.items()} == {
        "a": [expected] * 2,
        "b": [1.5] * 2,
        "c": [expected + 1.5] * 2,
    }


def test_repair_moves_representatives_to_the_nearest_values_that_satisfy_a_sum():
    found = kept({"a": [1, 3], "b": [1, 3], "c": [1, 3]}, [0, 0], "a + b == c", repair=True)
    # From (2, 2, 2), with equal spreads, the nearest point with a + b = c is (4/3, 4/3, 8/3).
    assert [found[name][0] for name in "abc"] == pytest.approx([4 / 3, 4 / 3, 8 / 3])
    assert broken(["a + b == c"], found) == [0]


def test_each_cell_keeps_its_own_alternative():
    records = {"a": [1, 2, 8, 9], "b": [1, 2, 9, 8], "c": [3, 4, 1, 1]}
    rule = "if a < 5 then b <= c"
    # Rounding has left b just above c in the first group, where it must not be; in the second it may be above.
    computed = {"a": [1.5, 1.5, 8.5, 8.5], "b": [3.5 + 1e-15, 3.5 + 1e-15, 8.5, 8.5], "c": [3.5, 3.5, 1, 1]}
    found = kept(records, [0, 0, 1, 1], rule, computed={name: np.array(column) for name, column in computed.items()})
    assert broken([rule], found) == [0]
    assert found["b"][2] == 8.5


def test_what_needs_nothing_stays_as_it_is():
    computed = {"a": np.array([1.5, 1.5]), "b": np.array([2.5, 2.5]), "z": np.array([9.0, 9.0])}
    found = kept({"a": [1, 2], "b": [2, 3], "z": [8, 10]}, [0, 0], "a <= b", computed=computed)
    assert {name: column.tolist() for name, column in found.items()} == {
        name: column.tolist() for name, column in computed.items()
    }


SUMS = {
    "2 * a == 3 * b": "ab",
    "a + b == c": "abc",
    "6 * a + 10 * b == 15 * c": "abc",
    "4 * a == 6 * b": "ab",
    "0.5 * a + 1.5 * b == c": "abc",
    "a - 2 * b + 3 * c == d": "abcd",
}


def lattice(*rules, whole, others=()):
    atoms = [atom for rule in parse_rules(rules) for one in rule.requirements for atom in one.alternatives[0]]
    return lattice_of(atoms, list(whole), others)


@pytest.mark.parametrize(("rule", "names"), SUMS.items())
def test_the_points_of_a_lattice_are_the_whole_numbers_that_keep_the_sum(rule, names):
    left, right = rule.split("==")
    box = list(product(range(-6, 7), repeat=len(names)))
    wanted = {point for point in box if eval(f"{left} == {right}", dict(zip(names, point, strict=True)))}
    found = lattice(rule, whole=names)
    inverse = np.linalg.pinv(found.basis)
    points = {point for point in box if _is_point(found.basis, inverse, np.array(point, dtype=float))}
    assert points == wanted
    assert (0,) * len(names) in wanted and len(wanted) > 3


def _is_point(basis, inverse, point):
    times = np.rint(inverse @ point)
    return np.array_equal(basis @ times, point)


@pytest.mark.parametrize(("rule", "names"), SUMS.items())
def test_the_nearest_points_keep_the_sum_and_are_near(rule, names):
    found = lattice(rule, whole=names)
    rng = np.random.default_rng(0)
    records = found.basis @ rng.integers(-40, 40, (found.basis.shape[1], 30)).astype(float)
    means = records.mean(axis=1)
    origin = {name: np.array([records[place, 0]]) for place, name in enumerate(names)}
    point = found.nearest({name: means[place : place + 1] for place, name in enumerate(names)}, origin)
    values = {name: float(column[0]) for name, column in point.items()}
    left, right = rule.split("==")
    assert eval(left, {}, values) == eval(right, {}, values)
    assert all(value.is_integer() for value in values.values())
    reach = np.abs(found.basis).sum(axis=1)
    assert all(abs(values[name] - means[place]) <= reach[place] for place, name in enumerate(names))


def test_the_nearest_point_does_not_depend_on_the_record_it_is_counted_from():
    found = lattice("2 * a == 3 * b", whole="ab")
    wanted = {"a": np.array([4.5]), "b": np.array([3.0])}  # halfway between two points
    points = {
        float(found.nearest(wanted, {"a": np.array([3.0 * t]), "b": np.array([2.0 * t])})["a"][0]) for t in range(-5, 6)
    }
    assert len(points) == 1


def test_variables_that_need_not_be_whole_follow():
    found = lattice("a + x == b", "x + 3 == c", whole="abc", others=["x"])
    rows = {name: found.basis[place] for place, name in enumerate(found.names)}
    assert np.array_equal(rows["b"] - rows["a"], rows["c"])
    free = lattice("a + x == b", whole="ab", others=["x"])
    assert np.array_equal(np.abs(free.basis), np.eye(2))


def test_sums_with_too_large_factors_have_no_lattice_to_compute_with():
    assert lattice("1000000007 * a == 998244353.7 * b", whole="ab") is None


def test_the_steps_are_differences_of_points():
    found = lattice("a + b == c", whole="abc")
    steps = found.steps()
    assert len(steps) == 8
    assert np.array_equal(steps[:, 0] + steps[:, 1], steps[:, 2])
    wide = lattice("a == b", whole="abcdefgh")
    assert np.array_equal(wide.steps()[:, 0], wide.steps()[:, 1])
