"""Lattices of whole numbers that keep sums, compared with all whole numbers of a small box."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal.edits import parse_rules
from shoal.edits.keep.whole_numbers import lattice_of

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
