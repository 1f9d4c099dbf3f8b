"""HAC makes the merges it is defined by, and its groups keep to their sizes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

import shoal
from oracles.slow_hac import slow_hac, slow_merges
from shoal.errors import DataError
from shoal.partition.hac import HAC
from shoal.progress import listening

LINKAGES = ("single", "complete", "average", "centroid", "minimum-energy")
DISTANCES = ("euclidean", "squared-euclidean", "manhattan", "chebyshev", "hamming")
CAPS = ("k", "2k-1")
ALL_CAPS = (*CAPS, "none")
COMPLETIONS = ("thesis", "nearest")
THE_REST = [
    {"cap": cap, "priority": priority, "completion": completion}
    for cap, priority, completion in itertools.product(CAPS, (0.0, 0.5, 1.0), COMPLETIONS)
]
THE_REST += [{"cap": "none", "priority": priority, "completion": "nearest"} for priority in (0.0, 1.0)]


@st.composite
def tied_records(draw):
    """Records of few whole numbers, with duplicates and equal distances in plenty, or all alike; and a k for them."""
    n, d = draw(st.integers(3, 20)), draw(st.integers(1, 3))
    values = draw(st.integers(1, 8))
    different = draw(st.sampled_from([1, 2, 4, n]))
    X = draw(st.lists(st.lists(st.integers(0, values), min_size=d, max_size=d), min_size=different, max_size=different))
    rows = range(n) if different == n else draw(st.lists(st.integers(0, different - 1), min_size=n, max_size=n))
    return np.array([X[row] for row in rows], dtype=float), draw(st.integers(2, min(n, 6)))


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("linkage", LINKAGES)
@settings(max_examples=10)
@given(records=tied_records())
def test_labels_are_those_of_plain_loops(linkage, distance, records):
    X, k = records
    for rest in THE_REST:
        parameters = {"k": k, "linkage": linkage, "distance": distance, **rest}
        expected = slow_hac(X, **parameters)
        assert np.array_equal(HAC(**parameters).fit(X).labels_, expected), parameters


@pytest.mark.parametrize("distance", [*DISTANCES, "mahalanobis"])
@pytest.mark.parametrize("linkage", LINKAGES)
def test_labels_are_those_of_plain_loops_for_records_all_alike(linkage, distance):
    # Sums of 0.1 are not exact, so that even centroids of such records differ.
    X = np.full((23, 2), 0.5 if distance == "mahalanobis" else 0.1)
    for number, rest in enumerate(THE_REST):
        parameters = {"k": 2 + number % 6, "linkage": linkage, "distance": distance, **rest}
        assert np.array_equal(HAC(**parameters).fit(X).labels_, slow_hac(X, **parameters)), parameters


@pytest.mark.parametrize("linkage", LINKAGES)
def test_labels_are_those_of_plain_loops_where_half_are_alike(linkage):
    rng = np.random.default_rng(9)
    X = np.where(rng.random((50, 1)) < 0.5, 3, rng.integers(0, 9, size=(50, 3))).astype(float)
    for number, (rest, distance) in enumerate(itertools.product(THE_REST[3::5], DISTANCES)):
        parameters = {"k": 2 + number % 6, "linkage": linkage, "distance": distance, **rest}
        assert np.array_equal(HAC(**parameters).fit(X).labels_, slow_hac(X, **parameters)), parameters


@pytest.mark.parametrize("linkage", LINKAGES)
def test_many_identical_records_are_merged_in_their_order(linkage):
    # The oldest of equals first; and if every merge made all of them look at all others, this would take minutes.
    X = np.full((3_000, 1), 7.0)
    labels = HAC(2, linkage=linkage, completion="thesis").fit(X).labels_
    assert np.array_equal(labels, np.arange(3_000) // 2)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_labels_are_those_of_plain_loops_for_mahalanobis(linkage):
    # No ties here: the inverse covariance is not exact, so they would fall either way.
    for seed, rest in enumerate(THE_REST):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 3))
        parameters = {"k": 2 + seed % 4, "linkage": linkage, "distance": "mahalanobis", **rest}
        assert np.array_equal(HAC(**parameters).fit(X).labels_, slow_hac(X, **parameters)), parameters


@pytest.mark.parametrize("linkage", LINKAGES)
def test_labels_are_those_of_plain_loops_for_more_records(linkage):
    X = np.random.default_rng(1).integers(0, 12, size=(60, 2)).astype(float)
    for cap, completion in itertools.product(CAPS, COMPLETIONS):
        parameters = {"k": 4, "cap": cap, "linkage": linkage, "distance": "euclidean", "priority": 0.3}
        expected = slow_hac(X, completion=completion, **parameters)
        assert np.array_equal(HAC(completion=completion, **parameters).fit(X).labels_, expected), (cap, completion)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("linkage", LINKAGES)
@settings(max_examples=5)
@given(records=tied_records())
def test_the_merges_are_those_of_plain_loops(linkage, distance, records):
    X, k = records
    for cap, priority in itertools.product(ALL_CAPS, (0.0, 0.5)):
        parameters = {"k": k, "cap": cap, "linkage": linkage, "distance": distance, "priority": priority}
        hac, (_, merges) = HAC(**parameters).fit(X), slow_merges(X, **parameters)
        assert hac.children_.tolist() == [[a, b] for a, b, _ in merges], parameters
        assert hac.distances_ == pytest.approx([apart for *_, apart in merges], rel=1e-9, abs=1e-9), parameters


@pytest.mark.parametrize(
    ("linkage", "distance", "of_scipy"),
    [
        ("single", "euclidean", "single"),
        ("complete", "euclidean", "complete"),
        ("single", "manhattan", "single"),
        ("complete", "chebyshev", "complete"),
        ("average", "squared-euclidean", "average"),
        ("centroid", "euclidean", "centroid"),
        ("minimum-energy", "squared-euclidean", "ward"),
    ],
)
def test_without_a_cap_the_tree_is_that_of_scipy(linkage, distance, of_scipy):
    X = np.random.default_rng(5).normal(size=(300, 4)) * 1000
    metric = {"manhattan": "cityblock", "squared-euclidean": "sqeuclidean"}.get(distance, distance)
    given = X if of_scipy in ("ward", "centroid") else pdist(X, metric)
    tree = hierarchy.linkage(given, of_scipy)
    hac = HAC(5, cap="none", linkage=linkage, distance=distance).fit(X)
    assert np.array_equal(hac.children_, tree[:, :2].astype(int))
    distances = np.sqrt(hac.distances_) if of_scipy == "ward" else hac.distances_
    assert distances == pytest.approx(tree[:, 2], rel=1e-9)


def test_distances_of_single_linkage_are_those_of_scipy_with_ties_too():
    X = np.random.default_rng(6).integers(0, 4, size=(150, 3)).astype(float)
    hac = HAC(5, cap="none", linkage="single").fit(X)
    assert np.array_equal(hac.distances_, hierarchy.linkage(pdist(X), "single")[:, 2])


def test_a_tree_is_cut_into_the_most_groups_of_at_least_k():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0], [31.0], [33.0]])
    assert HAC(2, cap="none", linkage="single").fit(X).labels_.tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert HAC(3, cap="none", linkage="single").fit(X).labels_.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert HAC(4, cap="none", linkage="single").fit(X).labels_.tolist() == [0] * 7
    # A record that is merged last leaves all in one group.
    assert HAC(2, cap="none", linkage="single").fit(np.append(X, [[900.0]], axis=0)).labels_.tolist() == [0] * 8


def test_a_release_without_a_cap_keeps_k():
    survey = shoal.datasets.households(200, seed=3)[["age", "wage_income", "tax"]]
    release = shoal.protect(survey, 4, method="hac:cap=none,linkage=complete", standardize=False)
    assert release.partitions[0].k >= 4
    expected = HAC(4, cap="none", linkage="complete").fit(survey).labels_
    assert np.array_equal(release.partitions[0].labels, expected)
    assert release.plan.method["cap"] == "none"


@pytest.mark.parametrize("factor", [2.0**900, 2.0**-900])
def test_distances_are_in_the_units_of_the_records(factor):
    X = np.random.default_rng(2).normal(size=(30, 3))
    plain, scaled = (HAC(4).fit(given) for given in (X, X * factor))
    assert np.array_equal(scaled.distances_, plain.distances_ * factor)
    squared = HAC(4, distance="squared-euclidean").fit(X * 2.0**900)
    assert np.isinf(squared.distances_).any()


@settings(max_examples=60)
@given(
    n=st.integers(2, 80),
    seed=st.integers(0, 1000),
    linkage=st.sampled_from(LINKAGES),
    distance=st.sampled_from([*DISTANCES, "mahalanobis"]),
    priority=st.sampled_from([0, 0.25, 3, 20]),
    data=st.data(),
)
def test_groups_have_k_records_and_no_more_than_promised(n, seed, linkage, distance, priority, data):
    k = data.draw(st.integers(2, n))
    X = np.random.default_rng(seed).integers(0, 5, size=(n, 3)).astype(float)
    for cap, completion in itertools.product(ALL_CAPS, COMPLETIONS):
        hac = HAC(k, cap=cap, linkage=linkage, distance=distance, priority=priority, completion=completion)
        sizes = np.bincount(hac.fit(X).labels_)
        assert sizes.min() >= k
        if cap == "none":
            continue
        assert sizes.max() <= (3 * k - 2 if cap == "2k-1" and completion == "thesis" else 2 * k - 1)


def test_the_completion_of_the_thesis_can_overfill_where_the_nearest_splits():
    X = np.array([[0.0], [1.0], [2.0], [9.0]])
    as_published = {"k": 2, "cap": "2k-1", "linkage": "single"}
    assert HAC(**as_published, completion="thesis").fit(X).labels_.tolist() == [0, 0, 0, 0]
    assert HAC(**as_published, completion="nearest").fit(X).labels_.tolist() == [0, 0, 1, 1]


def test_minimum_energy_over_squared_distances_is_ward():
    # By hand: the centroids of {0, 1} and {3.4} are 2.9 apart, {3.4} and {6.5} are 3.1. Ward weighs by size:
    # 2/3 * 2.9^2 = 5.6 is more than 1/2 * 3.1^2 = 4.8.
    X = np.array([[0.0], [1.0], [3.4], [6.5]])
    ward = HAC(2, cap="2k-1", linkage="minimum-energy", distance="squared-euclidean", completion="thesis")
    centroid = HAC(2, cap="2k-1", linkage="centroid", completion="thesis")
    assert ward.fit(X).labels_.tolist() == [0, 0, 1, 1]
    assert centroid.fit(X).labels_.tolist() == [0, 0, 0, 0]  # 6.5 remains, and goes where there is a cluster


@pytest.mark.parametrize("factor", [2.0**900, 2.0**-900])
@pytest.mark.parametrize("distance", [*DISTANCES, "mahalanobis"])
def test_very_large_and_very_small_values_make_no_difference(distance, factor):
    X = np.random.default_rng(2).normal(size=(60, 3))
    hac = HAC(4, distance=distance)
    assert np.array_equal(hac.fit(X * factor).labels_, hac.fit(X).labels_)


def test_hamming_sees_codes_and_not_their_values():
    X = np.random.default_rng(3).integers(0, 4, size=(80, 3))
    other_codes = np.array([17.5, -3.0, 1e9, 0.0])[X]
    for linkage in LINKAGES:
        hac = HAC(5, distance="hamming", linkage=linkage)
        assert np.array_equal(hac.fit(X).labels_, hac.fit(other_codes).labels_), linkage


def test_mahalanobis_sees_neither_scale_nor_correlation_nor_what_follows_from_other_columns():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    turned = X @ rng.normal(size=(3, 3)) * [1.0, 1e6, 1e-6] + 5
    more = np.column_stack([X, X[:, 0] + X[:, 1], np.full(80, 7.0)])
    hac = HAC(4, distance="mahalanobis")
    labels = hac.fit(X).labels_
    assert np.array_equal(hac.fit(turned).labels_, labels)
    assert np.array_equal(hac.fit(more).labels_, labels)
    assert np.array_equal(hac.fit(X * [1.0, 2.0**900, 2.0**-900]).labels_, labels)


def test_merges_do_not_depend_on_the_order_of_rows():
    X = np.random.default_rng(5).normal(size=(90, 2))
    order = np.random.default_rng(6).permutation(90)
    hac = HAC(3, linkage="single", priority=1)  # leaves nothing to complete here
    labels = hac.fit(X).labels_
    shuffled = hac.fit(X[order]).labels_
    together = labels[order][:, None] == labels[order][None, :]
    assert np.bincount(labels).tolist() == [3] * 30
    assert np.array_equal(shuffled[:, None] == shuffled[None, :], together)


def test_groups_are_numbered_by_their_first_records():
    labels = HAC(3).fit(np.random.default_rng(7).normal(size=(50, 2))).labels_
    _, first = np.unique(labels, return_index=True)
    assert (np.diff(first) > 0).all()


def test_too_many_records_are_refused_before_memory_is_asked_for():
    with pytest.raises(DataError, match=r"10,000 at most; got 10,001.*mdav"):
        HAC(3).fit(np.zeros((10_001, 1)))


@pytest.mark.parametrize("n", [40, 2_300])
def test_progress_ends_at_one(n):
    parts: list[float] = []
    X = np.random.default_rng(8).normal(size=(n, 2))
    with listening(parts.append):
        HAC(3).fit(X)
    assert sum(parts) == pytest.approx(1)
    assert min(parts) >= 0
