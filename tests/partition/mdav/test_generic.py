"""MDAVGeneric is exact, with missing values and nominal columns, and equals MDAV without them."""

from __future__ import annotations

import math
from functools import partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oracles.brute_force_mdav import (
    brute_force_mdav,
    embedded_distance,
    embedded_mean,
    embedded_records,
    gower_distance,
    gower_mean,
)
from shoal.errors import DataError, ParameterError
from shoal.partition import MDAV, MDAVGeneric
from shoal.partition.geometry import tree
from shoal.partition.mdav import generic
from shoal.progress import listening

VARIANTS = ("classic", "two-k", "thesis")


def labels_by(way, X, k, nominal, variant="classic"):
    """Fit by scanning, with trees, or with trees that are all exact, whatever the data."""
    with (
        mock.patch.object(generic, "_MOST_TO_SCAN", math.inf if way == "scan" else 0),
        mock.patch.object(tree, "_SHARP", math.inf if way == "exact trees" else tree._SHARP),
    ):
        return MDAVGeneric(k, variant=variant, nominal=nominal).fit(X).labels_


@st.composite
def mixed(draw):
    """A matrix with missing values, and which of its columns are nominal."""
    n = draw(st.integers(2, 40))
    d = draw(st.integers(1, 6))
    nominal = draw(st.lists(st.integers(0, d - 1), unique=True))
    elements = draw(st.sampled_from([st.integers(0, 3).map(float), st.floats(-10, 10)]))
    X = draw(hnp.arrays(np.float64, (n, d), elements=elements))
    is_missing = draw(hnp.arrays(np.bool_, (n, d)))
    keep = draw(hnp.arrays(np.int64, n, elements=st.integers(0, d - 1)))
    is_missing[np.arange(n), keep] = False  # every record keeps one value
    X[is_missing] = np.nan
    return X, nominal


@settings(max_examples=200)
@given(
    case=mixed(),
    variant=st.sampled_from(VARIANTS),
    distance=st.sampled_from(["euclidean", "gower"]),
    data=st.data(),
)
def test_labels_are_those_of_brute_force(case, variant, distance, data):
    X, nominal = case
    k = data.draw(st.integers(2, len(X)))
    labels = MDAVGeneric(k, variant=variant, distance=distance, nominal=nominal).fit(X).labels_
    if distance == "gower":
        arithmetic = partial(gower_distance, nominal=nominal), partial(gower_mean, nominal=nominal)
        expected = brute_force_mdav(X, k, variant, *arithmetic)
    else:
        expected = brute_force_mdav(embedded_records(X, nominal), k, variant, embedded_distance, embedded_mean)
    assert labels.tolist() == expected


@st.composite
def complete(draw):
    """A complete matrix, with ties and duplicates or without, and which of its columns are nominal, one at least."""
    n = draw(st.integers(2, 60))
    d = draw(st.integers(1, 8))
    nominal = draw(st.lists(st.integers(0, d - 1), min_size=1, unique=True))
    elements = draw(st.sampled_from([st.integers(0, 3).map(float), st.floats(-1e3, 1e3, allow_subnormal=False)]))
    X = draw(hnp.arrays(np.float64, (n, d), elements=elements, fill=st.nothing() if n * d < 80 else None))
    for j in nominal:
        X[:, j] = draw(hnp.arrays(np.int64, n, elements=st.integers(-1, draw(st.sampled_from([0, 2, 300])))))
    if draw(st.booleans()):
        X = X[draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))]
    return X, nominal


@pytest.mark.parametrize("way", ["trees", "exact trees"])
@settings(max_examples=150)
@given(case=complete(), variant=st.sampled_from(VARIANTS), data=st.data())
def test_labels_with_trees_are_those_of_brute_force(way, case, variant, data):
    X, nominal = case
    k = data.draw(st.integers(2, len(X)))
    expected = brute_force_mdav(embedded_records(X, nominal), k, variant, embedded_distance, embedded_mean)
    assert labels_by(way, X, k, nominal, variant).tolist() == expected


def medium_cases():
    """Matrices for which trees are deep, and their nominal columns."""
    rng = np.random.default_rng(21)
    n = 2400
    numbers = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 4))
    codes = np.column_stack([rng.integers(0, categories, n) for categories in (2, 3, 5, 20)])
    skewed = rng.zipf(1.4, n) % 300
    related = np.searchsorted([-1, 0, 2], numbers[:, 0])
    far = np.where(np.arange(n)[:, np.newaxis] % 5 == 0, 1e9, 1e-3)
    return {
        "numbers first": (np.column_stack([numbers, codes]), (4, 5, 6, 7)),
        "in turn": (np.column_stack([codes[:, 0], numbers[:, 0], codes[:, 3], numbers[:, 1], related]), (0, 2, 4)),
        "300 categories": (np.column_stack([numbers, skewed]), (4,)),
        "a category for each": (np.column_stack([numbers, rng.permutation(n)]), (4,)),
        "one category": (np.column_stack([np.full(n, 7), numbers]), (0,)),
        "only nominal": (codes, (0, 1, 2, 3)),
        "only nominal, two values": (rng.integers(0, 2, size=(n, 12)), range(12)),
        "one nominal column alone": (skewed[:, np.newaxis], (0,)),
        "whole numbers": (np.column_stack([rng.integers(0, 4, size=(n, 2)), codes]), (2, 3, 4, 5)),
        "every record many times": (np.column_stack([numbers, codes])[rng.integers(0, 90, n)], (4, 5, 6, 7)),
        "some far away": (np.column_stack([codes, numbers * far]), (0, 1, 2, 3)),
        "one very far away": (
            np.column_stack([np.where(np.arange(n) == 9, 1e200, numbers[:, 0]), codes]),
            (1, 2, 3, 4),
        ),
        "large beside codes": (np.column_stack([numbers * 1e20, codes]), (4, 5, 6, 7)),
        "tiny beside codes": (np.column_stack([numbers * 1e-170, codes]), (4, 5, 6, 7)),
        "squares overflow": (np.column_stack([numbers * 1e154, codes]), (4, 5, 6, 7)),
    }


@pytest.mark.parametrize("name", medium_cases())
@pytest.mark.parametrize(("k", "variant"), [(3, "classic"), (10, "two-k"), (100, "thesis"), (1300, "classic")])
def test_deep_trees_group_as_looking_at_every_record_does(name, k, variant):
    X, nominal = medium_cases()[name]
    scanned = labels_by("scan", X, k, nominal, variant)
    for way in ("trees", "exact trees"):
        assert np.array_equal(labels_by(way, X, k, nominal, variant), scanned)


def test_a_tree_of_several_levels_is_planted_anew_without_a_trace():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(9_000, 2)), rng.integers(0, 6, size=(9_000, 3))])
    assert np.array_equal(labels_by("trees", X, 50, (2, 3, 4)), labels_by("scan", X, 50, (2, 3, 4)))


def indicators(column):
    return (column[:, np.newaxis] == np.unique(column)).astype(float)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", [203, 3000])  # scanned, and by a tree
def test_codes_are_grouped_as_mdav_groups_their_indicators(n, variant):
    rng = np.random.default_rng(n)
    few, many = rng.integers(0, 3, n), rng.zipf(1.5, n) % 700 - 5
    for numbers in (rng.normal(size=(n, 2)), rng.integers(0, 3, size=(n, 2)).astype(float), np.zeros((n, 2))):
        codes = np.column_stack([few, numbers[:, 0], many, numbers[:, 1]])
        embedded = np.column_stack([indicators(few), numbers[:, 0], indicators(many), numbers[:, 1]])
        labels = MDAVGeneric(4, variant=variant, nominal=(0, 2)).fit(codes).labels_
        assert np.array_equal(labels, MDAV(4, variant=variant).fit(embedded).labels_)


def test_gowers_distance_is_an_option_of_mdav():
    X = np.random.default_rng(2).uniform(size=(300, 4))
    labels = MDAV(5, distance="gower").fit(X).labels_
    assert np.array_equal(labels, MDAVGeneric(5, distance="gower").fit(X).labels_)
    assert not np.array_equal(labels, MDAV(5).fit(X).labels_)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("k", [3, 7, 40])
def test_without_missing_values_it_is_mdav(k, variant):
    rng = np.random.default_rng(k)
    for X in (rng.normal(size=(1003, 5)), rng.integers(0, 4, size=(1003, 3)).astype(float)):
        for way in ("scan", "trees"):
            assert np.array_equal(labels_by(way, X, k, (), variant), MDAV(k, variant=variant).fit(X).labels_)


def test_threads_do_not_change_the_result(monkeypatch):
    X = np.random.default_rng(1).integers(0, 9, size=(800, 3)).astype(float)
    X[::7, 1] = np.nan
    alone = MDAVGeneric(5).fit(X).labels_
    monkeypatch.setattr(generic, "_ROWS_A_THREAD", 10)
    monkeypatch.setattr(generic.os, "cpu_count", lambda: 3)
    assert np.array_equal(MDAVGeneric(5).fit(X).labels_, alone)


def test_a_record_without_an_observed_value_is_refused():
    X = np.ones((6, 2))
    X[[1, 4]] = np.nan
    with pytest.raises(DataError, match="2 of 6 records have no observed value"):
        MDAVGeneric(2).fit(X)


@pytest.mark.parametrize("nominal", [(2,), (-1,), (0.0,), ("a",), (True,), 1.5, None])
def test_a_nominal_column_that_is_not_there_is_refused(nominal):
    with pytest.raises(ParameterError, match="nominal"):
        MDAVGeneric(2, nominal=nominal).fit(np.ones((6, 2)))


@pytest.mark.parametrize("n", [1000, 5000])  # scanned, and by a tree
def test_progress_sums_to_one(n):
    parts = []
    with listening(parts.append):
        MDAVGeneric(3, nominal=(1,)).fit(np.random.default_rng(0).integers(0, 50, size=(n, 2)))
    assert math.fsum(parts) == pytest.approx(1)
