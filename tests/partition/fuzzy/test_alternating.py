"""The loop: right formulas, no lost digits, an objective that never rises, the same on NumPy and PyTorch."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.fuzzy.alternating import (
    Crisp,
    Entropic,
    Fuzzy,
    Noisy,
    Possibilistic,
    Typicality,
    alternate,
    labels,
    mean_distances,
    memberships,
    typicalities,
)

RULES = {
    "fuzzy": Fuzzy(2.0),
    "nearly crisp": Fuzzy(1.05),
    "odd m": Fuzzy(1.37),
    "entropic": Entropic(0.7),
    "noise": Noisy(1.6, delta=1.5),
    "noise by Davé": Noisy(2.0),
    "possibilistic": Possibilistic(1.8, 2.2),
    "typicality": Typicality(1.7, (1.3,)),  # one eta for all centres, however many there are
    "crisp": Crisp(),
}
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())


def blobs(n=200, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 3 * rng.integers(0, 3, size=(n, 1))


def squared(X, V):
    """Squared distances from the differences, in long double."""
    return ((X[:, None, :].astype(np.longdouble) - V[None, :, :].astype(np.longdouble)) ** 2).sum(axis=2)


def fuzzy_by_formula(X, V, m):
    terms = squared(X, V) ** (-1 / np.longdouble(m - 1))
    return terms / terms.sum(axis=1, keepdims=True)


def test_only_the_array_layer_is_imported():
    """The loop runs where scikit-learn, numba and the dataframe libraries are absent."""
    code = """
        import sys
        for name in ("sklearn", "numba", "pandas", "pyarrow", "narwhals", "polars", "scipy", "threadpoolctl"):
            sys.modules[name] = None
        import numpy as np
        from shoal.partition.fuzzy.alternating import Fuzzy, alternate, memberships
        X = np.random.default_rng(0).normal(size=(60, 2))
        found = alternate(X, X[:3], Fuzzy(2.0))
        assert memberships(X, found.centres, found.rule).shape == (60, 3)
        print(*sorted(name for name in sys.modules if name.startswith("shoal")))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    names = ("alternating", "centred_records", "membership_rules", "moving")
    assert loaded == [
        "shoal",
        "shoal.arithmetic",
        "shoal.deferred",
        "shoal.partition",
        "shoal.partition.fuzzy",
        *(f"shoal.partition.fuzzy.{n}" for n in names),
        "shoal.partition.geometry",
        "shoal.partition.geometry.array_arithmetic",
    ]


@pytest.mark.parametrize("m", [1.2, 1.37, 2.0, 3.3])
def test_fuzzy_memberships_and_centres_are_those_of_the_formula(m):
    X = blobs()
    V = X[:5] + 0.1
    u = fuzzy_by_formula(X, V, m)
    assert np.allclose(memberships(X, V, Fuzzy(m)), u.astype(float), rtol=1e-10, atol=1e-300)
    w = u**m
    found = alternate(X, V, Fuzzy(m), max_iter=1)
    assert np.allclose(found.centres, (w.T @ X / w.sum(axis=0)[:, None]).astype(float), rtol=0, atol=1e-11)
    assert found.objective[0] == pytest.approx(float((w * squared(X, V)).sum()), rel=1e-11)


def test_entropic_memberships_centres_and_objective_are_those_of_the_formula():
    X, lam = blobs(), 0.7
    V = X[:5] + 0.1
    D = squared(X, V).astype(float)
    u = np.exp(-lam * D)
    u /= u.sum(axis=1, keepdims=True)
    assert np.allclose(memberships(X, V, Entropic(lam)), u, rtol=1e-9, atol=1e-300)
    found = alternate(X, V, Entropic(lam), max_iter=1)
    assert np.allclose(found.centres, u.T @ X / u.sum(axis=0)[:, None], rtol=0, atol=1e-11)
    assert found.objective[0] == pytest.approx((u * D).sum() + (u * np.log(u)).sum() / lam, rel=1e-11)


def test_noise_is_one_more_centre_at_a_constant_distance():
    X, m, delta = blobs(), 1.6, 1.5
    V = X[:5] + 0.1
    terms = np.column_stack([squared(X, V).astype(float), np.full(len(X), delta**2)])
    u = terms ** (-1 / (m - 1))
    u /= u.sum(axis=1, keepdims=True)
    assert np.allclose(memberships(X, V, Noisy(m, delta)), u, rtol=1e-10)
    found = alternate(X, V, Noisy(m, delta), max_iter=1)
    w = u[:, :-1] ** m
    assert np.allclose(found.centres, w.T @ X / w.sum(axis=0)[:, None], rtol=0, atol=1e-11)
    assert found.objective[0] == pytest.approx((u**m * terms).sum(), rel=1e-11)


def test_typicalities_sum_to_one_over_the_records_and_move_the_centres():
    X, m, eta = blobs(), 1.8, 2.2
    V = X[:5] + 0.1
    D = squared(X, V).astype(float)
    u, t = D ** (-1 / (m - 1)), D ** (-1 / (eta - 1))
    u, t = u / u.sum(axis=1, keepdims=True), t / t.sum(axis=0)
    assert np.allclose(typicalities(X, V, Possibilistic(m, eta)), t, rtol=1e-10)
    found = alternate(X, V, Possibilistic(m, eta), max_iter=1)
    w = u**m + t**eta
    assert np.allclose(found.centres, w.T @ X / w.sum(axis=0)[:, None], rtol=0, atol=1e-11)
    assert found.objective[0] == pytest.approx((w * D).sum(), rel=1e-11)


@pytest.mark.parametrize("m", [1.2, 1.7, 2.0, 4.0])
def test_possibilistic_typicalities_centres_and_objective_are_those_of_the_formula(m):
    X, eta = blobs(), (0.3, 1.0, 2.0, 5.0, 40.0)
    V = X[:5] + 0.1
    D = squared(X, V).astype(float)
    t = 1 / (1 + (D / eta) ** (1 / (m - 1)))
    assert np.allclose(memberships(X, V, Typicality(m, eta)), t, rtol=1e-10, atol=1e-300)
    w = t**m
    found = alternate(X, V, Typicality(m, eta), max_iter=1)
    assert np.allclose(found.centres, w.T @ X / w.sum(axis=0)[:, None], rtol=0, atol=1e-11)
    assert found.objective[0] == pytest.approx((w * D + eta * (1 - t) ** m).sum(), rel=1e-11)


def test_a_record_on_a_centre_is_typical_of_it_for_every_m():
    X = np.array([[0.0], [1.0], [3.0]])
    for m in (1.001, 2.0, 1e5):
        t = memberships(X, np.array([[0.0], [2.0]]), Typicality(m, (1.0, 1.0)))
        assert t[0, 0] == 1
        assert t[1] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("memory", [256, 0.01])
def test_mean_distances_to_the_centres_are_weighted_like_the_centres(memory):
    X, m = blobs(), 1.7
    V = np.concatenate([X[:2], X[2:5] + 0.1])  # two centres lie on records
    terms = np.maximum(squared(X, V), 1e-300) ** (-1 / np.longdouble(m - 1))
    w = (terms / terms.sum(axis=1, keepdims=True)) ** m
    expected = ((w * squared(X, V)).sum(axis=0) / w.sum(axis=0)).astype(float)
    assert mean_distances(X, V, Fuzzy(m), memory=memory) == pytest.approx(expected, rel=1e-11)


@every_rule
@given(
    n=st.integers(5, 60),
    d=st.integers(1, 4),
    c=st.integers(1, 5),
    seed=st.integers(0, 1000),
    exponent=st.integers(-5, 5),
    whole=st.booleans(),
)
def test_the_objective_never_rises_and_rows_sum_to_one(rule, n, d, c, seed, exponent, whole):
    rng = np.random.default_rng(seed)
    X = (rng.integers(0, 4, size=(n, d)).astype(float) if whole else rng.normal(size=(n, d))) * 10.0**exponent
    V = X[rng.choice(n, c, replace=False)]
    found = alternate(X, V, rule, max_iter=40)
    values = np.array(found.objective)
    rise = np.diff(values)
    assert (rise <= 1e-10 * np.abs(values[:-1]) + 1e-25 * 100.0**exponent).all()
    assert np.isfinite(found.centres).all()
    u = memberships(X, found.centres, found.rule)
    assert isinstance(rule, Typicality) or np.allclose(u.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert u.min() >= 0 and u.max() <= 1
    assert np.array_equal(labels(X, found.centres, found.rule), u.argmax(axis=1))


@every_rule
def test_blocks_and_threads_do_not_change_the_result(rule):
    X = blobs(n=3000, d=4)
    V = X[:40]
    whole = alternate(X, V, rule, max_iter=5)
    threaded = alternate(X, V, rule, max_iter=5, threads=2)
    assert np.array_equal(whole.centres, threaded.centres)
    assert whole.objective == threaded.objective
    small = alternate(X, V, rule, max_iter=5, memory=0.05, threads=2)
    assert np.allclose(whole.centres, small.centres, rtol=0, atol=1e-11)
    assert np.allclose(
        memberships(X, whole.centres, whole.rule), memberships(X, whole.centres, whole.rule, memory=0.05), atol=1e-12
    )


@every_rule
def test_memory_stays_within_the_budget(rule):
    """n x c would be 32 MB, n x c x d 160 MB."""
    X = blobs(n=4000, d=5)
    alternate(X[:50], X[:3], rule, max_iter=1)  # what is imported at the first use does not count
    tracemalloc.start()
    alternate(X, X[:1000], rule, max_iter=2, memory=4, threads=2)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    assert peak < 4 + 2  # the copy of X, and the centres


@every_rule
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_pytorch_gives_what_numpy_gives(rule, precision):
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install shoal[gpu]")
    X = blobs(n=500, d=4)
    V = X[:6] + 0.1
    expected = alternate(X, V, rule, max_iter=20)
    kind = getattr(torch, precision)
    Y = torch.tensor(X, dtype=kind)
    found = alternate(Y, torch.tensor(V, dtype=kind), rule, max_iter=20)
    near = 1e-9 if precision == "float64" else 2e-3
    assert found.centres.dtype == kind
    assert np.abs(found.centres.numpy() - expected.centres).max() < near
    ours = memberships(X, expected.centres, expected.rule)
    theirs = memberships(Y, torch.tensor(expected.centres, dtype=kind), expected.rule).numpy()
    assert np.abs(ours - theirs).max() < near


@pytest.mark.parametrize(
    "rule",
    [*RULES.values(), Fuzzy(1.001), Fuzzy(1e5), Entropic(1e6)],
    ids=[*RULES, "m near 1", "huge m", "crisp lambda"],
)
def test_pytorch_takes_the_same_corners(rule):
    """Duplicates, starts on records, centres far from all records."""
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install shoal[gpu]")
    X = np.random.default_rng(2).integers(0, 3, size=(40, 2)).astype(float)
    if isinstance(rule, Crisp):
        X += 0.1 * np.random.default_rng(3).normal(size=X.shape)  # which of equally far records comes first is rounding
    V = np.concatenate([X[:3], X[:1], [[50.0, 50.0], [-80.0, 50.0]]])
    for steps in (1, 5):
        ours = alternate(X, V, rule, max_iter=steps)
        theirs = alternate(torch.tensor(X), torch.tensor(V), rule, max_iter=steps)
        assert np.abs(ours.centres - theirs.centres.numpy()).max() < 1e-9
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-9)
        if isinstance(rule, Possibilistic):
            t = typicalities(torch.tensor(X), torch.tensor(ours.centres), rule).numpy()
            assert np.abs(t - typicalities(X, ours.centres, rule)).max() < 1e-9


def test_records_on_centres_are_shared_by_these_equally():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    V = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 0.0], [9.0, 9.0]])
    for m in (1.0001, 1.37, 2.0, 50.0):
        u = memberships(X, V, Fuzzy(m))
        assert u[0].tolist() == [0.5, 0, 0.5, 0]
        assert u[2].tolist() == [0, 1, 0, 0]
    u = memberships(X, V, Noisy(1.37, delta=0.1))
    assert u[0].tolist() == [0.5, 0, 0.5, 0, 0]


def test_typicality_belongs_to_the_records_on_a_centre():
    X = np.array([[0.0], [0.0], [1.0], [5.0]])
    t = typicalities(X, np.array([[0.0], [2.0]]), Possibilistic(2.0, 2.0))
    assert t[:, 0].tolist() == [0.5, 0.5, 0, 0]
    assert t[:, 1] == pytest.approx(np.array([1 / 4, 1 / 4, 1, 1 / 9]) / (1 / 4 + 1 / 4 + 1 + 1 / 9))


@pytest.mark.parametrize("m", [1.05, 1.37, 2.0])
def test_no_digits_are_lost_far_from_the_mean(m):
    """Two clusters so far apart that the matrix product has no digit left for what is inside them."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) + 1e7 * np.where(np.arange(60) < 30, 1, -1)[:, None]
    V = X[[0, 10, 20, 40, 50]] + 0.25
    assert np.allclose(memberships(X, V, Fuzzy(m)), fuzzy_by_formula(X, V, m).astype(float), rtol=1e-6, atol=1e-12)


def test_equal_points_are_at_distance_zero_wherever_they_are():
    X = np.random.default_rng(0).normal(size=(50, 7)) * 1e5 + 12345.678
    u = memberships(X, X[:4].copy(), Fuzzy(1.2))
    assert np.array_equal(u[:4], np.eye(4))


def test_m_next_to_one_is_nearly_crisp_and_safe():
    X = blobs()
    fuzzy, crisp = (alternate(X, X[[0, 1, 5]], rule, max_iter=500) for rule in (Fuzzy(1.0001), Crisp()))
    assert np.allclose(fuzzy.centres, crisp.centres, atol=1e-2)
    u = memberships(X, fuzzy.centres, fuzzy.rule)
    assert np.isfinite(u).all()
    assert np.median(u.max(axis=1)) == 1


def test_a_centre_without_a_weight_that_is_a_number_moves_by_logarithms():
    """The farthest of three centres gets weights of about 1e-4000; what counts is how they compare."""
    X = np.linspace(0, 1, 11)[:, None]
    V = np.array([[0.11], [0.93], [50.0]])
    m = 1.001
    logarithms = -np.log(squared(X, V)) / (m - 1)
    logarithms -= np.logaddexp.reduce(logarithms, axis=1, keepdims=True)
    w = np.exp(m * (logarithms[:, 2] - logarithms[:, 2].max()))
    expected = float((w * X[:, 0]).sum() / w.sum())
    assert memberships(X, V, Fuzzy(m))[:, 2].max() == 0
    assert alternate(X, V, Fuzzy(m), max_iter=1).centres[2, 0] == pytest.approx(expected, abs=1e-9)


def test_a_huge_m_moves_by_logarithms_too():
    X = blobs(50)
    V = X[:4] + 0.1
    m = 1e5
    logarithms = -np.log(squared(X, V)) / (m - 1)
    logarithms = m * (logarithms - np.logaddexp.reduce(logarithms, axis=1, keepdims=True))
    w = np.exp(logarithms - logarithms.max(axis=0)).astype(float)
    found = alternate(X, V, Fuzzy(m), max_iter=1)
    assert np.allclose(found.centres, w.T @ X / w.sum(axis=0)[:, None], rtol=0, atol=1e-8)


def test_an_empty_crisp_cluster_starts_again_at_the_farthest_record():
    X = np.array([[0.0], [1.0], [2.0], [30.0], [31.0]])
    found = alternate(X, np.array([[1.0], [-500.0], [-600.0]]), Crisp())
    assert sorted(found.centres[:, 0].tolist()) == pytest.approx([0.5, 2.0, 30.5])
    assert (np.diff(found.objective) <= 0).all()


def test_fewer_distinct_records_than_centres():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 4, axis=0)
    for rule in RULES.values():
        found = alternate(X, X[[0, 4, 0, 4]], rule)
        assert found.converged
        assert found.centres[0] == pytest.approx(found.centres[2])


def test_daves_delta_stays_after_some_iterations_and_is_reported():
    X = blobs(n=150)
    found = alternate(X, X[:3], Noisy(2.0, lam=0.2), max_iter=500)
    assert found.converged
    D = squared(X, found.centres)
    assert found.rule.delta**2 == pytest.approx(0.2 * float(D.mean()), rel=1e-2)
    assert (np.diff(found.objective) <= 1e-10 * found.objective[0]).all()


def test_the_input_stays_as_it_is():
    X = blobs()
    X.flags.writeable = False
    V = X[:3].copy()
    V.flags.writeable = False
    for rule in RULES.values():
        alternate(X, V, rule, max_iter=3)
        memberships(X, V, Noisy(2.0, 1.0) if isinstance(rule, Noisy) else rule)
