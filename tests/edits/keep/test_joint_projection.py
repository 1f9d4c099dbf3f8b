"""The nearest points that keep sums, products and bounds at once."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import NonlinearConstraint, minimize

from shoal.edits.keep.joint_projection import System, project
from shoal.partition.fuzzy.projection import feasible_set


def rules(names, sums=(), products=(), inequalities=()):
    """Return a system; a rule is ({name: factor or exponent}, right side), that of a product not in logs."""

    def matrix(given):
        return np.array([[left.get(name, 0.0) for name in names] for left, _ in given]).reshape(len(given), len(names))

    def right(given):
        return np.array([side for _, side in given], dtype=float)

    return System(
        matrix(sums), right(sums), matrix(inequalities), right(inequalities), matrix(products), np.log(right(products))
    )


SUM = ({"a": 1, "b": 1, "c": -1}, 0)  # a + b == c
PRODUCT = ({"c": 1, "d": 1, "e": -1}, 1)  # c * d == e
ONE_OF_EACH = rules("abcde", [SUM], [PRODUCT])
CYCLE = ([SUM, ({"e": 1, "a": 1, "f": -1}, 0)], [PRODUCT, ({"d": 1, "f": 1, "g": -1}, 1)])  # e + a == f, d * f == g
LONGER = ([*CYCLE[0], ({"g": 1, "b": 1, "h": -1}, 0)], [*CYCLE[1], ({"h": 1, "c": -2, "i": -1}, 1)])


def records(seed, groups, size, spread=0.7):
    """Return records of nine variables that keep all rules above, groups x size x 9."""
    random = np.random.default_rng(seed)
    a, b, d = random.lognormal(np.array([3.0, 2.0, 0.0])[:, None, None], spread, (3, groups, size))
    c = a + b
    e = c * d
    f = e + a
    g = d * f
    return np.stack([a, b, c, d, e, f, g, g + b, (g + b) / c**2], axis=2)


def distance(values, point, scale):
    return np.square((values - point) / scale).sum(axis=-1)


def assert_kept(values, system):
    """Equalities to 1e-13 and inequalities to 1e-12 of the size of their terms; products as products, not as logs."""
    sums = np.abs(values @ system.A.T - system.b)
    assert (sums <= 1e-13 * (np.abs(values) @ np.abs(system.A).T + np.abs(system.b))).all()
    for exponents, log in zip(system.exponents, system.logs, strict=True):
        used = exponents != 0
        assert np.prod(np.abs(values[:, used]) ** exponents[used], axis=1) / np.exp(log) == pytest.approx(1, abs=1e-13)
    over = values @ system.G.T - system.h
    assert (over <= 1e-12 * (np.abs(values) @ np.abs(system.G).T + np.abs(system.h))).all()


def searched_one_by_one(point, starts, scale, system, method="SLSQP"):
    """Return the least squared distance that scipy's general solvers find from any of the starts."""
    used = (system.exponents != 0).any(axis=0)
    signs = np.sign(starts[0])

    def equalities(z):
        v = np.where(used, signs * np.maximum(signs * z * scale, 1e-9 * np.abs(starts[0])), z * scale)
        logs = np.log(np.where(used, np.abs(v), 1.0))
        lengths = np.linalg.norm(system.A * scale, axis=1)
        return np.concatenate([(system.A @ v - system.b) / lengths, system.exponents @ logs - system.logs])

    lengths = np.linalg.norm(system.G * scale, axis=1)
    room = lambda z: (system.h - system.G @ (z * scale)) / lengths  # noqa: E731
    if method == "SLSQP":
        options = {"ftol": 1e-14, "maxiter": 500}
        constraints = [{"type": "eq", "fun": equalities}, {"type": "ineq", "fun": room}]
    else:
        options = {"gtol": 1e-10, "xtol": 1e-12, "maxiter": 2000}
        constraints = [NonlinearConstraint(equalities, 0, 0), NonlinearConstraint(room, 0, np.inf)]
    best = np.inf
    for start in starts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = minimize(
                lambda z: np.square(z - point / scale).sum(),
                start / scale,
                jac=lambda z: 2 * (z - point / scale),
                constraints=constraints,
                method=method,
                options=options,
            )
        kept = np.abs(equalities(found.x)).max(initial=0) < 1e-7 and room(found.x).min(initial=0) > -1e-7
        if kept and (np.sign(found.x) == signs)[used].all():
            best = min(best, found.fun)
    return best


class TestWorkedExample:
    POINTS = np.array([[2, 3, 5, 2, 10], [4, 5, 9, 1, 9], [6, 10, 16, 0.5, 8]])
    START = np.array([[4.0, 6, 10, 1, 10]])

    @pytest.mark.parametrize("ddof", [0, 1])
    def test_the_scale_is_the_standard_deviation_of_the_group(self, ddof):
        # METHODS 11. Deviations with n and with n - 1 differ by one factor for all variables: the nearest point is the
        # same. METHODS prints what SLSQP gives at its default tolerance, right to 2e-4.
        point, scale = self.POINTS.mean(axis=0, keepdims=True), self.POINTS.std(axis=0, ddof=ddof)
        found, reached = project(point, self.START, scale, ONE_OF_EACH)
        assert reached.all()
        assert found[0] == pytest.approx([3.9025, 5.6833, 9.5858, 0.9431, 9.0400], abs=2e-4)
        assert found[0] == pytest.approx([3.902575, 5.683367, 9.585942, 0.943047, 9.039991], abs=1e-6)
        assert_kept(found, ONE_OF_EACH)

    def test_no_scale_gives_another_point(self):
        found, _ = project(self.POINTS.mean(axis=0, keepdims=True), self.START, np.ones(5), ONE_OF_EACH)
        assert found[0] == pytest.approx([3.992074, 5.992074, 9.984148, 0.904063, 9.026302], abs=1e-6)


def bounded(names, sums, products, values):
    """Return the rules with inequalities that hold in a part of the records only."""
    a, _, _, d, _, _, g = np.moveaxis(values[:, :, :7], 2, 0)
    bounds = [({"a": 1, "b": -1}, np.median(a) / 2), ({"d": 1}, np.median(d)), ({"g": -1}, -np.median(g))]
    return rules(names, sums, products, bounds)


@pytest.mark.parametrize("spread", [0.3, 1.2])
@pytest.mark.parametrize("with_bounds", [False, True])
@pytest.mark.parametrize(("names", "cycle"), [("abcdefg", CYCLE), ("abcdefghi", LONGER)])
class TestCycles:
    def test_rules_hold_and_no_record_of_the_group_is_nearer(self, names, cycle, with_bounds, spread):
        values = records(1, 200, 4, spread)
        system = bounded(names, *cycle, values) if with_bounds else rules(names, *cycle)
        values = values[:, :, : len(names)]
        points, scale = values.mean(axis=1), values.std(axis=1)
        found, reached = project(points, points, scale, system)
        assert reached.all()
        assert_kept(found, system)
        assert (np.sign(found) == np.sign(points)).all()
        allowed = (values @ system.G.T <= system.h).all(axis=2)
        of_records = np.where(allowed, distance(values, points[:, None], scale[:, None]), np.inf)
        assert (distance(found, points, scale)[:, None] <= of_records).all()

    def test_general_solvers_find_nothing_nearer(self, names, cycle, with_bounds, spread):
        values = records(2, 12, 4, spread)
        system = bounded(names, *cycle, values) if with_bounds else rules(names, *cycle)
        values = values[:, :, : len(names)]
        points, scale = values.mean(axis=1), values.std(axis=1)
        found, _ = project(points, points, scale, system)
        for row, point in enumerate(points):
            rival = searched_one_by_one(point, [point, *values[row]], scale[row], system)
            assert distance(found[row], point, scale[row]) <= rival * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_general_solvers_find_nothing_nearer_for_random_rules(seed):
    random = np.random.default_rng(seed)
    d = int(random.integers(3, 8))
    inside = random.choice([-1, 1], d) * 10 ** random.uniform(-2, 2, d)
    size = np.abs(inside)
    A = random.integers(-2, 3, (1, d)) / size
    G = random.integers(-2, 3, (2, d)) / size
    exponents = random.integers(-2, 3, (1, d)).astype(float)
    A[:, 0], G[:, 1], exponents[:, 2] = 1 / size[0], 1 / size[1], 1
    system = System(A, A @ inside, G, G @ inside + [0, 0.5], exponents, exponents @ np.log(size))
    point = inside * random.lognormal(0, 0.3, d)
    scale = size * random.uniform(0.2, 1, d)
    found, reached = project(point[None], point[None], scale, system)
    assert reached.all()
    assert_kept(found, system)
    starts = [point, inside, inside * random.lognormal(0, 0.2, d)]
    assert distance(found[0], point, scale) <= searched_one_by_one(point, starts, scale, system) * (1 + 1e-6)


@pytest.mark.parametrize("row", range(4))
def test_trust_region_finds_nothing_nearer(row):
    values = records(3, 4, 5)[row, :, :7]
    system = rules("abcdefg", *CYCLE, [({"d": 1}, np.median(values[:, 3])), ({"a": 1, "b": -1}, 0)])
    point, scale = values.mean(axis=0), values.std(axis=0)
    found, _ = project(point[None], point[None], scale, system)
    rival = searched_one_by_one(point, [point, values[0]], scale, system, "trust-constr")
    assert distance(found[0], point, scale) <= rival * (1 + 1e-6)


class TestSumsAlone:
    A = np.array([[1.0, 1, -1, 0], [0, 0, 1, -2]])

    def test_the_projection_by_the_pseudo_inverse(self):
        random = np.random.default_rng(4)
        points, scale = random.normal(0, 10, (50, 4)), np.array([0.5, 2, 10, 100])
        b = np.array([1.0, -3])
        system = System(self.A, b, np.zeros((0, 4)), np.zeros(0), np.zeros((0, 4)), np.zeros(0))
        found, reached = project(points, np.zeros((50, 4)), scale, system)
        expected = points - (points @ self.A.T - b) @ np.linalg.pinv(self.A * scale).T * scale
        assert reached.all()
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)

    def test_a_value_whose_square_is_nothing_counts_as_zero(self):
        system = System(self.A, np.zeros(2), -np.eye(4), np.zeros(4), np.zeros((0, 4)), np.zeros(0))
        found, reached = project(np.array([[0, 0, 0, 1e-217]]), np.array([[0, 0, 0, 1e-217]]), np.ones(4), system)
        assert reached.all() and (found == 0).all()

    def test_the_nearest_point_may_be_all_zeros(self):
        G = np.concatenate([-np.eye(4), [[1.0, -1, 0, 0]]])
        system = System(self.A, np.zeros(2), G, np.zeros(5), np.zeros((0, 4)), np.zeros(0))
        points, scale = np.array([[0, 0, 0, -1.5]]), np.array([1, 1, 1, 0.1015625])
        found, reached = project(points, points, scale, system)
        assert reached.all() and (found == 0).all()

    @given(
        points=st.lists(st.lists(st.floats(-50, 50), min_size=4, max_size=4), min_size=1, max_size=5),
        scale=st.lists(st.floats(0.1, 20), min_size=4, max_size=4),
        low=st.floats(-5, 0),
        difference=st.floats(-2, 5).map(lambda number: round(number, 6)),
    )
    def test_with_inequalities_the_feasible_set_of_the_centres(self, points, scale, low, difference):
        points, scale = np.array(points), np.array(scale)
        G = np.concatenate([-np.eye(4), [[1.0, -1, 0, 0]]])
        h = np.array([-low, -low, -low, -low, difference])
        system = System(self.A, np.zeros(2), G, h, np.zeros((0, 4)), np.zeros(0))
        found, reached = project(points, points, scale, system)
        centres = feasible_set(4, (self.A * scale, [0, 0]), ([G[4] * scale], [difference]), (low / scale, None))
        assert reached.all()
        # scale * what feasible_set gives keeps rules to about 1e-9
        assert found / scale == pytest.approx(centres.project(points / scale), abs=1e-7)
        assert (found >= low).all()

    def test_bounds_hold_to_the_last_digit(self):
        # METHODS 10: the nearest point is (0, 4.66667, 4.66667, 2.33333).
        system = System(self.A, np.zeros(2), -np.eye(4), np.zeros(4), np.zeros((0, 4)), np.zeros(0))
        found, _ = project(np.array([[-1.0, 4, 5, 3]]), np.array([[-1.0, 4, 5, 3]]), np.ones(4), system)
        assert found[0] == pytest.approx([0, 4.66667, 4.66667, 2.33333], abs=5e-6)
        assert found.min() >= 0


class TestUnchanged:
    def test_points_that_keep_the_rules(self):
        points = records(5, 100, 1)[:, 0, :7]
        found, reached = project(points, points * 1.1, points, rules("abcdefg", *CYCLE))
        assert reached.all()
        assert (found == points).all()

    def test_variables_in_no_rule(self):
        points = np.array([[2.0, 3, 6, 0.5, 4, -0.1]])
        found, _ = project(points, np.zeros((1, 6)) + 1, np.ones(6), rules("abcdex", [SUM], [PRODUCT]))
        assert found[0, 5] == -0.1
        assert (found[0, :5] != points[0, :5]).all()


IMPOSSIBLE = {
    "sums": rules("abcde", [SUM, (SUM[0], 1)], [PRODUCT]),
    "products": rules("abcde", [SUM], [PRODUCT, (PRODUCT[0], 2)]),
    "bounds": rules("abcde", [SUM], [PRODUCT], [({"c": 1}, 1), ({"a": -1}, -1), ({"b": -1}, -1)]),
    "bounds of a product": rules("abcde", [SUM], [PRODUCT], [({"e": 1}, 3), ({"c": -1}, -3), ({"d": -1}, -2)]),
    "the sign of a factor": rules("abcde", [SUM], [PRODUCT], [({"c": 1}, -1)]),
    "a rule without variables": rules("abcde", [SUM, ({}, 1)], [PRODUCT]),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_contradictions_are_reported_and_silent(what, capfd):
    points = records(6, 20, 3)[:, :, :5].mean(axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, reached = project(points, points, np.ones(5), IMPOSSIBLE[what])
    assert not reached.any()
    assert np.isnan(found).all()
    assert capfd.readouterr() == ("", "")


class TestRedundantRules:
    def test_rules_said_twice_change_nothing(self):
        values = records(7, 50, 3)[:, :, :5]
        points, scale = values.mean(axis=1), values.std(axis=1)
        once, _ = project(points, points, scale, ONE_OF_EACH)
        twice = System(
            np.concatenate([ONE_OF_EACH.A, -3 * ONE_OF_EACH.A]),
            np.zeros(2),
            np.concatenate([ONE_OF_EACH.A, -ONE_OF_EACH.A]),
            np.zeros(2),
            np.concatenate([ONE_OF_EACH.exponents, 2 * ONE_OF_EACH.exponents]),
            np.zeros(2),
        )
        often, reached = project(points, points, scale, twice)
        assert reached.all()
        assert often == pytest.approx(once, rel=1e-9)

    def test_a_sum_and_a_product_that_say_the_same(self):
        # a == 2 b twice over: the slopes of the rules are parallel only where they hold.
        system = rules("abc", [({"a": 1, "b": -2}, 0)], [({"a": 1, "b": -1}, 2), ({"b": 1, "c": 1}, 5)])
        without = rules("abc", [({"a": 1, "b": -2}, 0)], [({"b": 1, "c": 1}, 5)])
        points = np.random.default_rng(8).lognormal(1, 0.5, (50, 3))
        found, reached = project(points, points, np.ones(3), system)
        assert reached.all()
        assert_kept(found, system)
        assert found == pytest.approx(project(points, points, np.ones(3), without)[0], rel=1e-7)


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(12)), st.integers(1, 12), st.booleans())
def test_a_point_comes_out_the_same_whatever_the_others_are(order, count, with_bounds):
    values = records(9, 12, 4)
    system = bounded("abcdefg", *CYCLE, values) if with_bounds else rules("abcdefg", *CYCLE)
    values = values[:, :, :7]
    points, scale = values.mean(axis=1), values.std(axis=1)
    together, _ = project(points, points, scale, system)
    some = order[:count]
    found, _ = project(points[some], points[some], scale[some], system)
    assert found == pytest.approx(together[some], rel=1e-13)


class TestSmallAndLargeTogether:
    UNITS = np.array([1e9, 1e9, 1e9, 1e-6, 1e3])  # of a, b, c, d, e: the rules are the same in them

    def test_units_do_not_matter(self):
        values = records(10, 100, 3)[:, :, :5]
        points, scale = values.mean(axis=1), values.std(axis=1)
        expected, _ = project(points, points, scale, ONE_OF_EACH)
        found, reached = project(points * self.UNITS, points * self.UNITS, scale * self.UNITS, ONE_OF_EACH)
        assert reached.all()
        assert found == pytest.approx(expected * self.UNITS, rel=1e-9)
        assert_kept(found, ONE_OF_EACH)

    @pytest.mark.parametrize("scale", [None, np.ones(5), np.array([1e9, 1e-6, 1, 1e-6, 1e9])])
    def test_in_one_sum(self, scale):
        values = records(10, 100, 3)[:, :, :5] * self.UNITS
        values[:, :, 1] *= 1e-15  # b is lost beside a
        values[:, :, 2] = values[:, :, 0] + values[:, :, 1]
        values[:, :, 4] = values[:, :, 2] * values[:, :, 3]
        points = values.mean(axis=1)
        scale = values.std(axis=1) if scale is None else scale
        found, reached = project(points, points, scale, ONE_OF_EACH)
        assert reached.all()
        assert_kept(found, ONE_OF_EACH)
        assert (found[:, 2:] > 0).all()
        recomputed = points.copy()
        recomputed[:, 4] = points[:, 2] * points[:, 3]
        rounding = 1e-15 * np.abs(points / scale).max(axis=1)
        far = np.sqrt(distance(recomputed, points, scale))
        assert (np.sqrt(distance(found, points, scale)) <= far + rounding).all()


class TestSigns:
    def test_negative_factors_stay_negative(self):
        values = records(11, 50, 3)[:, :, :5] * [-1, -1, -1, 1, -1]
        points, scale = values.mean(axis=1), values.std(axis=1)
        found, reached = project(points, points, scale, ONE_OF_EACH)
        mirrored, _ = project(np.abs(points), np.abs(points), scale, ONE_OF_EACH)
        assert reached.all()
        assert found == pytest.approx(mirrored * [-1, -1, -1, 1, -1], rel=1e-9)

    def test_a_point_on_the_other_side_comes_as_near_to_zero_as_it_can(self):
        found, reached = project(
            np.array([[1.0, -3, -2, 1, -2]]), np.array([[1.0, 1, 2, 1, 2]]), np.ones(5), ONE_OF_EACH
        )
        assert reached.all()
        assert_kept(found[:, 2:], rules("cde", [], [PRODUCT]))
        assert (found[0, 2:] > 0).all()
        assert found[0] == pytest.approx([2, -2, 0, 1, 0], abs=1e-3)

    def test_zeros_on_both_sides_of_a_product_stay_zero(self):
        # e == c d with c and e zero: the product holds, and a + b == c is all that is left to keep.
        found, reached = project(
            np.array([[1.0, -0.5, 0.25, 3, 0.5]]), np.array([[1.0, -1, 0, 2, 0]]), np.ones(5), ONE_OF_EACH
        )
        assert reached.all()
        assert found[0] == pytest.approx([0.75, -0.75, 0, 3, 0], abs=1e-15)

    def test_zeros_on_one_side_cannot_be_kept(self):
        start = np.array([[1.0, 1, 2, 3, 0], [1, 1, 2, 3, 6]])
        _, reached = project(np.ones((2, 5)), start, np.ones(5), ONE_OF_EACH)
        assert reached.tolist() == [False, True]


def test_what_is_no_number_is_not_reached():
    points = np.array([[2.0, 3, 6, 0.5, 4]] * 4)
    start, scale = points.copy(), np.ones((4, 5))
    points[0, 0], start[1, 1], scale[2, 2] = np.nan, np.inf, 0
    found, reached = project(points, start, scale, ONE_OF_EACH)
    assert reached.tolist() == [False, False, False, True]
    assert np.isnan(found[:3]).all()


@pytest.mark.parametrize("size", [1e-300, 1e-100, 1e100, 1e300])
def test_sizes_at_the_ends_of_the_numbers_do_no_harm_to_others(size):
    points = np.array([[2.0, 3, 6, 0.5, 4], [2 * size, 3 * size, 6 * size, 0.5, 4 * size], [2, 3, 6, 0.5 * size, 4]])
    alone, _ = project(points[:1], points[:1], np.ones(5), ONE_OF_EACH)
    found, reached = project(points, points, np.ones(5), ONE_OF_EACH)
    assert (found[0] == alone[0]).all()
    assert_kept(found[reached], ONE_OF_EACH)


def test_nothing_to_do():
    found, reached = project(np.zeros((0, 5)), np.zeros((0, 5)), np.ones(5), ONE_OF_EACH)
    assert found.shape == (0, 5)
    assert reached.shape == (0,)
    points = np.array([[1.0, 2]])
    assert (project(points, points + 1, np.ones(2), rules("ab"))[0] == points).all()
