"""Clusters in the original and in the masked file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.errors import NotApplicableError, ParameterError
from shoal.measure.partitions import (
    adjusted_rand_index,
    alpha_cut_distance,
    centre_distance,
    fuzzy_rand_index,
    jaccard_index,
    rand_index,
)
from shoal.measure.utility.clustering import clustering_similarity
from shoal.parameters.limits import Above, Number, OneOf, Whole

pytestmark = pytest.mark.filterwarnings("error")
METHODS = ("c-means", "fuzzy", "noise", "possibilistic")
INDICES = ("rand", "adjusted-rand", "jaccard", "fuzzy-rand", "alpha-cuts")
every_method = pytest.mark.parametrize("method", METHODS)
every_index = pytest.mark.parametrize("index", INDICES)


def test_clusters_that_stand_apart_are_found_again():
    """Three heaps, of which the mask puts two on one another: the pairs are counted from the heaps themselves."""
    rng = np.random.default_rng(0)
    heap = np.repeat([0, 1, 2], [20, 30, 40])
    X = np.array([[0.0, 0], [100, 0], [0, 100]])[heap] + rng.random((90, 2))
    assert clustering_similarity(X, X + rng.random((90, 2)), clusters=3) == 1
    swapped = X.copy()
    swapped[heap == 0], swapped[:10] = X[heap == 0], X[-10:]  # ten records go from the first heap to the third
    moved = heap.copy()
    moved[:10] = 2
    found = clustering_similarity(X, swapped, clusters=3)
    assert found == found.rand == pytest.approx(rand_index(heap, moved))
    assert found.jaccard == pytest.approx(jaccard_index(heap, moved))
    assert found.adjusted_rand == pytest.approx(adjusted_rand_index(heap, moved))
    assert (found.clusters, found.again, found.spread, found.sampled) == (3, 1, None, None)


HEAPS = {
    "rand": rand_index,
    "adjusted-rand": adjusted_rand_index,
    "jaccard": jaccard_index,
    "fuzzy-rand": rand_index,
    "alpha-cuts": lambda P, Q: 1 - alpha_cut_distance(np.eye(3)[P], np.eye(3)[Q]) / 2,
}


@every_method
@every_index
def test_every_method_finds_heaps_that_stand_apart(method, index):
    """Memberships are then nearly zero and one, and every index is that of the heaps."""
    rng = np.random.default_rng(0)
    heap = np.repeat([0, 1, 2], [20, 30, 40])
    X = np.array([[0.0, 0], [100, 0], [0, 100]])[heap] + rng.random((90, 2))
    moved = X.copy()
    moved[:10] = X[-10:]
    found = clustering_similarity(X, moved, clusters=3, method=method, index=index, repetitions=3)
    expected = HEAPS[index](heap, np.where(np.arange(90) < 10, 2, heap))
    assert found == pytest.approx(float(expected), abs=2e-3)
    assert found.again == pytest.approx(1, abs=1e-3)
    assert found.spread["value"] < 1e-3 and found.chance < found - 0.1


def noise_distance(D, lam=0.1):
    return lam * D.mean()


def weights(D, method, delta, m=1.5, eta=2.0):
    """Return memberships and the weights of the records in the centres, by the formulas of METHODS 7."""
    D = np.maximum(D, 1e-200)
    terms = D if delta is None else np.column_stack([D, np.full(len(D), delta)])
    u = terms ** (-1 / (m - 1))
    u /= u.sum(axis=1, keepdims=True)
    w = u[:, : D.shape[1]] ** m
    if method == "possibilistic":
        t = D ** (-1 / (eta - 1))
        w = w + (t / t.sum(axis=0)) ** eta
    return u, w


def fuzzy_clusters(x, centres, method, m=1.5, eta=2.0, lam=0.1, max_iter=300, tol=1e-4):
    """The fuzzy methods written out, for one variable."""
    enough, delta = tol * x.std(), None
    for number in range(max_iter):
        D = np.square(x[:, None] - centres)
        if method == "noise" and number < 30:
            delta = noise_distance(D, lam)
        w = weights(D, method, delta, m, eta)[1]
        before, centres = centres, (w * x[:, None]).sum(axis=0) / w.sum(axis=0)
        if np.abs(centres - before).max() <= enough:
            break
    return weights(np.square(x[:, None] - centres), method, delta, m)[0]


@pytest.mark.parametrize(
    ("method", "chosen"),
    [
        ("fuzzy", {}),
        ("noise", {}),
        ("possibilistic", {}),
        ("fuzzy", {"m": 2.0, "max_iter": 30, "tol": 1e-5}),
        ("noise", {"lam": 0.4, "max_iter": 2}),
        ("possibilistic", {"eta": 1.5, "tol": 0.05}),
    ],
)
def test_fuzzy_methods_against_the_algorithms_written_out(method, chosen):
    """With one variable the start is a cut of the sorted distinct values into parts of equal length."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=60) * rng.choice([1, 6], size=60)
    x[:9] = x[0]  # records that are alike
    y = x + rng.normal(size=60)
    scaled = (x - x.mean()) / x.std(ddof=1), (y - x.mean()) / x.std(ddof=1)
    parts = np.array_split(np.unique(scaled[0]), 4)
    start = np.array([scaled[0][np.isin(scaled[0], part)].mean() for part in parts])
    P, Q = (fuzzy_clusters(file, start, method, **chosen) for file in scaled)
    settings = {"method": method, "clusters": 4, **chosen}
    files = x[:, None], y[:, None]
    found = {index: clustering_similarity(*files, index=index, **settings) for index in INDICES}
    labels = P.argmax(axis=1), Q.argmax(axis=1)
    assert len(np.unique(labels[0])) > 2
    assert found["rand"] == pytest.approx(rand_index(*labels).value)
    assert found["adjusted-rand"] == pytest.approx(adjusted_rand_index(*labels).value)
    assert found["jaccard"] == pytest.approx(jaccard_index(*labels).value)
    for norm in ("l1", "l2", "max"):
        fuzzy = clustering_similarity(*files, index="fuzzy-rand", norm=norm, **settings)
        assert fuzzy == pytest.approx(fuzzy_rand_index(P, Q, norm=norm).value, abs=1e-7)
    for alpha, most in ((0.5, 2), (0.7, 2), (0.4, 4), (0.3, 6), (0.2, 8), (0.1, 2 * P.shape[1])):
        cuts = clustering_similarity(*files, index="alpha-cuts", alpha=alpha, **settings)
        distance = alpha_cut_distance(P, Q, alpha=alpha, noise=method == "noise")
        assert cuts.distance == pytest.approx(distance.value)
        assert cuts == pytest.approx(1 - distance / most)


@every_method
@pytest.mark.parametrize("option", [{"max_iter": 1}, {"tol": 0.3}, {"m": 3.0}, {"eta": 1.1}, {"lam": 0.5}])
def test_an_option_changes_the_methods_that_have_it(method, option):
    rng = np.random.default_rng(15)
    X = rng.normal(size=(40, 3)) * rng.choice([1, 6], size=(40, 1))
    settings = {"method": method, "index": "fuzzy-rand", "clusters": 5}
    files = X, X + rng.normal(size=X.shape)
    lacks = {"c-means": {"m", "eta", "lam"}, "fuzzy": {"eta", "lam"}, "noise": {"eta"}, "possibilistic": {"lam"}}
    same = clustering_similarity(*files, **settings) == clustering_similarity(*files, **settings, **option)
    assert same == (not option.keys().isdisjoint(lacks[method]))


def test_fuzzy_rand_of_crisp_clusters_is_the_rand_index():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3))
    Y = X + rng.normal(size=X.shape)
    crisp, fuzzy = (clustering_similarity(X, Y, index=index) for index in ("rand", "fuzzy-rand"))
    assert fuzzy == pytest.approx(crisp.value)
    assert (fuzzy.again, fuzzy.chance) == pytest.approx((crisp.again, crisp.chance))


@every_method
def test_the_references_are_between_chance_and_the_same_file(method):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(150, 3))
    options = {"method": method, "index": "adjusted-rand", "clusters": 6, "repetitions": 6}
    little, much = (clustering_similarity(X, X + size * rng.normal(size=X.shape), **options) for size in (0.3, 3))
    assert little.again == much.again < 1  # it is about the original alone
    assert abs(little.chance) < 0.05 and abs(much.chance) < 0.05
    assert much < little < clustering_similarity(X, X, **options) == pytest.approx(1)
    assert little.spread.keys() == {"value", "again", "chance"} and little.spread["again"] > 0


def test_chance_is_the_mean_over_assignments_at_random():
    """Against the expectation of Hubert and Arabie, which the adjusted Rand index is computed with."""
    rng = np.random.default_rng(7)
    X = np.repeat([[0.0], [1], [2], [3]], [5, 7, 11, 17], axis=0)
    Y = rng.permutation(X)
    found = clustering_similarity(X, Y, clusters=4, repetitions=200)
    sizes = np.array([5, 7, 11, 17])
    together = (sizes * (sizes - 1) / 2).sum() / (40 * 39 / 2)
    expected = 1 - 2 * together + 2 * together**2
    assert found.chance == pytest.approx(expected, abs=4 * found.spread["chance"] / np.sqrt(200))
    assert found.spread["value"] < 1e-12 < found.spread["chance"]


def test_repetitions_are_other_starts():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(100, 2))
    Y = X + 0.3 * rng.normal(size=X.shape)
    one, other = (clustering_similarity(X, Y, seed=seed) for seed in (0, 1))
    assert one == other and one.again != other.again  # the first start is not drawn
    some, again = (clustering_similarity(X, Y, repetitions=5, seed=3) for _ in range(2))
    assert some == again and some.parts == again.parts
    assert some != one and some.spread["value"] > 0
    assert some != clustering_similarity(X, Y, repetitions=5, seed=4)


def test_of_many_records_fuzzy_rand_takes_a_sample():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(700, 2))
    Y = X + 0.5 * rng.normal(size=X.shape)
    options = {"method": "fuzzy", "index": "fuzzy-rand", "clusters": 4}
    whole, part = (clustering_similarity(X, Y, sample=sample, **options) for sample in (700, 300))
    assert (whole.sampled, part.sampled) == (None, 300)
    assert part != whole and part == pytest.approx(whole.value, abs=0.03)
    assert clustering_similarity(X, Y, sample=300, **options | {"index": "rand"}).sampled is None


@every_method
@every_index
def test_neither_order_nor_units_matter_to_any_method(method, index):
    rng = np.random.default_rng(10)
    X = rng.integers(-3, 4, size=(50, 3)).astype(float)
    Y = np.repeat(X[::5], 5, axis=0)
    options = {"method": method, "index": index, "clusters": 4, "repetitions": 2, "sample": 30}
    found = clustering_similarity(X, Y, **options)
    order = rng.permutation(50)
    again = clustering_similarity(X[order] * [3, 0.1, 7], Y[order] * [3, 0.1, 7], **options)
    assert again == pytest.approx(found.value, abs=1e-9)
    assert again.chance == pytest.approx(found.chance, abs=1e-9)
    assert again.again == pytest.approx(found.again, abs=1e-9)


@every_method
@pytest.mark.parametrize(
    ("X", "Y"),
    [
        ([[1.0, 4], [2, 1], [3, 7]], [[2.0, 4]] * 3),
        ([[1.0, 2], [2, 2]], [[1.0, 3], [3, 3]]),
        ([[1e308, -1e308], [-1e308, 1e308], [3e307, 1]], [[1e308, 1e308], [-1e308, -1e308], [0.0, 1]]),
        ([[0.0], [0], [1], [1], [5]], [[0.0], [9], [1], [1], [1]]),
    ],
)
def test_awkward_files_have_a_clear_answer_by_every_method(method, X, Y):
    choices = [(index, 0.5) for index in INDICES] + [("alpha-cuts", alpha) for alpha in (0, 0.2, 1)]
    for index, alpha in choices:
        found = clustering_similarity(np.array(X), np.array(Y), method=method, index=index, repetitions=2, alpha=alpha)
        low = -0.5 if index == "adjusted-rand" else 0
        for value in (found, found.again, found.chance):
            assert low <= value <= 1 + 1e-12


def test_the_references_are_in_the_document_and_follow_the_seed():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80, 2))
    one, other = (
        shoal.evaluate(X, X + rng.random(X.shape), measures=["clustering_similarity"], seed=seed).to_dict()
        for seed in (0, 1)
    )
    details = one["details"]["clustering_similarity"]
    assert {"again", "chance", "spread", "clusters"} <= details.keys()
    assert details["again"] != other["details"]["clustering_similarity"]["again"]


def test_the_means_found_are_those_of_the_clusters():
    """On one variable, against the best of all cuts of the sorted values: here c-means finds it."""
    x = np.array([1.0, 2, 3, 10, 11, 12, 30, 31])
    y = np.array([1.0, 2, 9, 10, 11, 12, 30, 31])
    expected = rand_index([0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1, 2, 2])
    assert clustering_similarity(x[:, None], y[:, None], clusters=3) == pytest.approx(expected)


@every_method
def test_how_far_centres_moved(method):
    """Heaps that stand apart: their centres are the means of the heaps, in standard deviations of the original."""
    rng = np.random.default_rng(16)
    heap = np.repeat([0, 1, 2], [20, 30, 40])
    X = np.array([[0.0, 0], [100, 0], [0, 100]])[heap] + rng.random((90, 2))
    Y = X + np.array([[2.0, 1], [0, -3], [4, 0]])[heap]
    means = ([file[heap == one].mean(axis=0) / X.std(axis=0, ddof=1) for one in range(3)] for file in (X, Y))
    found = clustering_similarity(X, Y, clusters=3, method=method, repetitions=2)
    assert found.centre_distance == pytest.approx(centre_distance(*means).value, rel=0.02)
    assert clustering_similarity(X, X, clusters=3, method=method).centre_distance == 0


def test_fewer_different_records_than_clusters():
    original = pd.DataFrame({"x": [1.0, 1, 2, 2, 3, 3]})
    found = clustering_similarity(original, original.assign(x=[1.0, 1, 2, 2, 2, 2]))
    assert found.clusters == 3
    assert found == pytest.approx(rand_index([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]))


def test_a_masked_file_with_few_different_records():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    masked = np.repeat(X[::20], 20, axis=0)
    found = clustering_similarity(X, masked)
    assert found.clusters == 10 and 0 < found < 1
    assert clustering_similarity(X, X * 0 + 5) < found  # one record only: all together


def test_uncorrelated_variables_and_ties_leave_nothing_to_chance():
    """On a grid every direction is as good and many records are as near to two centres: still there is one answer."""
    grid = np.array([[i, j] for i in range(-4, 5) for j in range(-4, 5)], dtype=float)
    masked = np.round(grid / 2)
    found = clustering_similarity(grid, masked, clusters=4)
    rng = np.random.default_rng(2)
    for factor in (0.1, 3.0, 1 / 7):
        order = rng.permutation(len(grid))
        again = clustering_similarity(grid[order] * factor, masked[order] * factor, clusters=4)
        assert again == found and again.parts == found.parts


def test_records_with_a_missing_value_are_left_out():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 2))
    Y = X + 0.5 * rng.normal(size=X.shape)
    missing = Y.copy()
    missing[40:, 1] = np.nan
    # All of the original still decides on the units, so that fewer records are compared, not others.
    assert clustering_similarity(X, missing, clusters=3).clusters == 3
    with pytest.raises(NotApplicableError, match="two records or more without a missing value"):
        clustering_similarity(X, Y * [1, np.nan])


LIMITS = {
    "method": OneOf(METHODS),
    "index": OneOf(INDICES),
    "clusters": Whole(2),
    "repetitions": Whole(1),
    "m": Above(1),
    "eta": Above(1),
    "lam": Above(0),
    "max_iter": Whole(1),
    "tol": Number(0),
    "alpha": Number(0, 1),
    "norm": OneOf(("l1", "l2", "max")),
    "sample": Whole(2),
    "seed": Whole(0),
}


@pytest.mark.parametrize("option", LIMITS)
def test_an_option_outside_its_limits_is_refused(option):
    for bad in LIMITS[option].bad_values():
        with pytest.raises(ParameterError, match=f"{option} must be"):
            clustering_similarity(np.eye(3), np.eye(3), **{option: bad})
