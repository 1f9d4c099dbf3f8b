"""MDAVGeneric is exact, with missing values and nominal columns, and equals MDAV without them."""

from __future__ import annotations

import math
from functools import partial

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
from shoal.progress import listening

VARIANTS = ("classic", "two-k", "thesis")


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
        generic = MDAVGeneric(4, variant=variant, nominal=(0, 2)).fit(codes).labels_
        assert np.array_equal(generic, MDAV(4, variant=variant).fit(embedded).labels_)


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
        generic = MDAVGeneric(k, variant=variant).fit(X).labels_
        assert np.array_equal(generic, MDAV(k, variant=variant).fit(X).labels_)


def test_threads_do_not_change_the_result(monkeypatch):
    import shoal.partition.mdav.generic as module

    X = np.random.default_rng(1).integers(0, 9, size=(800, 3)).astype(float)
    X[::7, 1] = np.nan
    alone = MDAVGeneric(5).fit(X).labels_
    monkeypatch.setattr(module, "_ROWS_A_THREAD", 10)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 3)
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


def test_progress_sums_to_one():
    parts = []
    with listening(parts.append):
        MDAVGeneric(3).fit(np.random.default_rng(0).normal(size=(1000, 2)))
    assert math.fsum(parts) == pytest.approx(1)
