"""Centres satisfy linear constraints: the projection, and the experiment of seed 000."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from shoal.datasets import expenditure
from shoal.errors import ParameterError
from shoal.partition.fuzzy import EntropyFuzzyCMeans, FuzzyCMeans
from shoal.partition.fuzzy.projection import feasible_set

RULE = ([1.16, 1.07, -1.0], 0.0)  # total = 1.16 exp16 + 1.07 exp7
A = np.array([[1.0, 1, -1, 0], [0, 0, 1, -2]])


def projected(point, constraints=None, inequalities=None, bounds=None):
    point = np.array(point, dtype=float)
    return feasible_set(len(point), constraints, inequalities, bounds).project(point[None, :])[0]


def test_two_equalities():
    # METHODS 10
    found = projected([3, 4, 8, 3], (A, [0, 0]))
    assert found == pytest.approx([3.21429, 4.21429, 7.42857, 3.71429], abs=5e-6)


def test_equalities_and_bounds_together():
    # METHODS 10: Dykstra and SLSQP agree; a clip after the projection breaks the first row by 0.214.
    found = projected([-1, 4, 5, 3], (A, [0, 0]), bounds=(0, None))
    assert found == pytest.approx([0, 4.66667, 4.66667, 2.33333], abs=5e-6)
    assert np.abs(A @ found).max() < 1e-12
    assert found.min() >= 0


def test_bounds_alone_are_a_clip():
    found = projected([-5.0, 0.5, 9.0], bounds=([0, -np.inf, 0], [1, np.inf, 8]))
    assert found.tolist() == [0, 0.5, 8]


def test_redundant_rows_do_no_harm():
    once = projected([3, 4, 8, 3], (A, [0, 0]))
    often = projected([3, 4, 8, 3], (np.vstack([A, A.sum(axis=0), 1000 * A[0]]), [0, 0, 0, 0]))
    assert often == pytest.approx(once, abs=1e-12)


@st.composite
def polyhedra(draw):
    d = draw(st.integers(1, 5))
    numbers = st.integers(-4, 4).map(float)

    def matrix(rows):
        return np.array(draw(st.lists(numbers, min_size=rows * d, max_size=rows * d))).reshape(rows, d)

    inside = np.array(draw(st.lists(numbers, min_size=d, max_size=d)))
    equalities, inequalities = matrix(draw(st.integers(0, min(2, d - 1)))), matrix(draw(st.integers(0, 4)))
    room = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 3.0]), min_size=len(inequalities), max_size=4)))
    room = room[: len(inequalities)]
    low = np.where(draw(st.lists(st.booleans(), min_size=d, max_size=d)), inside - 1, -np.inf)
    point = 3 * np.array(draw(st.lists(numbers, min_size=d, max_size=d))) + 0.25
    return point, (equalities, equalities @ inside), (inequalities, inequalities @ inside + room), (low, None)


@given(polyhedra())
def test_the_projection_is_the_nearest_point(case):
    """Checked against SLSQP, and by the distance to it."""
    point, (E, e), (G, h), (low, _) = case
    found = projected(point, (E, e), (G, h), (low, None))
    assert np.abs(E @ found - e).max(initial=0) < 1e-9
    assert (G @ found - h).max(initial=0) < 1e-9
    assert (found >= low).all()
    slsqp = minimize(
        lambda v: ((v - point) ** 2).sum(),
        np.where(np.isfinite(low), np.maximum(low, point), point),
        jac=lambda v: 2 * (v - point),
        method="SLSQP",
        bounds=[(bound if np.isfinite(bound) else None, None) for bound in low],
        constraints=[
            *({"type": "eq", "fun": lambda v, i=i: E[i] @ v - e[i]} for i in range(len(E)) if E[i].any()),
            *({"type": "ineq", "fun": lambda v, i=i: h[i] - G[i] @ v} for i in range(len(G)) if G[i].any()),
        ],
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assume(slsqp.success)
    assert ((found - point) ** 2).sum() <= ((slsqp.x - point) ** 2).sum() + 1e-5
    assert found == pytest.approx(slsqp.x, abs=1e-3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"constraints": ([[1, 1, 0], [2, 2, 0]], [1, 3])}, "The constraints contradict each other"),
        ({"constraints": ([0, 0, 0], 1)}, "The constraints contradict each other"),
        ({"constraints": ([1, 1], 0)}, "constraints must have one column for each of the 3 variables; got 2"),
        ({"constraints": ([[1, 1, 1]], [0, 1])}, "constraints must have one number for each row; got 1 rows and 2"),
        ({"constraints": [1, 1, 1]}, "constraints must be a pair"),
        ({"constraints": (["a", "b", "c"], 0)}, "constraints must be made of numbers"),
        ({"constraints": ([1, np.nan, 1], 0)}, "constraints must be made of finite numbers"),
        ({"inequalities": ([[1, 0, 0], [-1, 0, 0]], [0, -1])}, "inequalities and bounds contradict each other"),
        ({"constraints": ([1, 1, 1], -1), "bounds": (0, None)}, "inequalities and bounds contradict each other"),
        ({"bounds": (1, 0)}, "bounds has a lower bound above the upper one"),
        ({"bounds": ([0, 0], 1)}, "bounds must be two numbers, or two rows of 3 numbers"),
        ({"bounds": (np.nan, 1)}, "bounds must be numbers"),
    ],
)
@pytest.mark.parametrize("estimator", [FuzzyCMeans(2), EntropyFuzzyCMeans(2, lam=1.0)], ids=["fuzzy", "entropy"])
def test_what_cannot_be_satisfied_is_one_clear_line(estimator, parameters, message):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ParameterError, match=message) as caught:
        type(estimator)(**{**estimator.get_params(), **parameters}).fit(X)
    assert "\n" not in str(caught.value)


ESTIMATORS = {
    "fuzzy": lambda **given: FuzzyCMeans(4, m=1.5, max_iter=2000, **given),
    "entropy": lambda **given: EntropyFuzzyCMeans(4, lam=1e-3, max_iter=2000, **given),
}
both_kinds = pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS.keys())


@both_kinds
@pytest.mark.parametrize("mode", ["alternate", "project"])
def test_centres_of_noisy_data_satisfy_the_constraint(make, mode):
    fitted = make(constraints=RULE, mode=mode).fit(expenditure(noise=True).to_numpy())
    assert np.abs(fitted.cluster_centers_ @ RULE[0] - RULE[1]).max() < 1e-9
    assert (np.diff(fitted.objective_) <= 1e-9 * abs(fitted.objective_[0])).all()


@both_kinds
def test_data_that_satisfy_the_constraint_give_the_unconstrained_answer(make):
    X = expenditure().to_numpy()
    free, held = make().fit(X), make(constraints=RULE).fit(X)
    assert held.cluster_centers_ == pytest.approx(free.cluster_centers_, abs=1e-6)
    assert held.memberships_ == pytest.approx(free.memberships_, abs=1e-6)


@both_kinds
def test_variables_outside_the_constraint_are_untouched(make):
    """In one step from the same start; later the memberships differ."""
    rng = np.random.default_rng(0)
    X = np.column_stack([expenditure(noise=True).to_numpy(), 100 * rng.normal(size=(12, 2))])
    rule = ([1.16, 1.07, -1, 0, 0], 0)
    free, held = make(mode="project").fit(X), make(constraints=rule, mode="project").fit(X)
    assert np.array_equal(free.cluster_centers_[:, 3:], held.cluster_centers_[:, 3:])
    assert np.abs(free.cluster_centers_[:, :3] - held.cluster_centers_[:, :3]).max() > 0.01


def test_the_alternating_mode_has_the_smaller_objective():
    X = expenditure(noise=True).to_numpy()
    start = X[[0, 2, 5, 7]]
    alternating = FuzzyCMeans(4, m=1.5, constraints=RULE, init=start, max_iter=2000).fit(X)
    once = FuzzyCMeans(4, m=1.5, constraints=RULE, mode="project", init=start, max_iter=2000).fit(X)
    stays = FuzzyCMeans(4, m=1.5, init=once.cluster_centers_, max_iter=1, tol=1e9).fit(X)
    assert alternating.objective_[-1] < stays.objective_[0]
    assert np.abs(alternating.cluster_centers_ - once.cluster_centers_).max() > 0.01


def test_constrained_centres_are_nearer_to_the_undisturbed_ones():
    """Table 4 of seed 000, on its own noisy data: on average over the clusters, in raw units."""
    original, noisy = expenditure().to_numpy(), expenditure(noise=True).to_numpy()
    for m in (1.2, 1.5, 2.0):
        truth = FuzzyCMeans(4, m=m, init="farthest", max_iter=2000).fit(original).cluster_centers_
        free = FuzzyCMeans(4, m=m, init=truth, max_iter=2000).fit(noisy).cluster_centers_
        for mode in ("alternate", "project"):
            held = FuzzyCMeans(4, m=m, init=truth, max_iter=2000, constraints=RULE, mode=mode).fit(noisy)
            off = np.linalg.norm(free - truth, axis=1).mean()
            assert np.linalg.norm(held.cluster_centers_ - truth, axis=1).mean() < off


def test_so_they_are_for_other_noise():
    original = expenditure().to_numpy()
    truth = FuzzyCMeans(4, m=1.5, init="farthest", max_iter=2000).fit(original).cluster_centers_
    for seed in range(20):
        noisy = original + np.random.default_rng(seed).normal(0, 1.5, size=original.shape)
        free = FuzzyCMeans(4, m=1.5, init=truth, max_iter=2000).fit(noisy).cluster_centers_
        held = FuzzyCMeans(4, m=1.5, init=truth, max_iter=2000, constraints=RULE).fit(noisy).cluster_centers_
        assert np.linalg.norm(held - truth, axis=1).mean() < np.linalg.norm(free - truth, axis=1).mean()


# Table 3 of seed 000: for each level of noise the centres without and with the constraint.
TABLE_3 = {
    "0.5": (
        [[14.77033, 37.46462, 55.53745], [67.66607, 219.68178, 313.78662], [28.25678, 52.81140, 88.66240],
         [37.37631, 101.05854, 153.25147]],
        [[14.21093, 36.94862, 56.01970], [67.74399, 219.75366, 313.71945], [28.04952, 52.62022, 88.84108],
         [37.96198, 101.59877, 152.74659]],
    ),
    "1.0": (
        [[13.35356, 37.43389, 55.51220], [68.10518, 219.87425, 313.35174], [28.32082, 52.62483, 87.69683],
         [36.05573, 102.03179, 152.27787]],
        [[13.34286, 37.42402, 55.52142], [67.80086, 219.59354, 313.61408], [27.83433, 52.17608, 88.11623],
         [36.48085, 102.42393, 151.91139]],
    ),
    "1.5": (
        [[15.38410, 38.46154, 54.85374], [68.56108, 217.71406, 313.44706], [26.27168, 52.15607, 88.81411],
         [36.43006, 101.70231, 152.30233]],
        [[14.00637, 37.19070, 56.04144], [68.88084, 218.00900, 313.17140], [27.11313, 52.93224, 88.08872],
         [36.83617, 102.07690, 151.95224]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("noise", TABLE_3)
def test_the_printed_centres_are_one_projection_of_the_printed_unconstrained_ones(noise):
    """METHODS 10, observation 2: what the paper shows is mode="project", not its alternating algorithm."""
    free, held = (np.array(centres) for centres in TABLE_3[noise])
    assert feasible_set(3, RULE, None, None).project(free) == pytest.approx(held, abs=1.5e-5)


@both_kinds
def test_bounds_and_inequalities_hold_the_centres(make):
    X = expenditure(noise=True).to_numpy()
    fitted = make(constraints=RULE, bounds=(25, None), inequalities=([0, 1, 0], 200), init="farthest").fit(X)
    V = fitted.cluster_centers_
    assert V.min() == 25
    assert V[:, 1].max() <= 200 + 1e-9
    assert np.abs(V @ RULE[0]).max() < 1e-9
    assert (np.diff(fitted.objective_) <= 1e-9 * abs(fitted.objective_[0])).all()
