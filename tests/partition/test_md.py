"""MD and CBFS follow their definitions, ties included, though MD does not look at every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_partitions import slow_cbfs, slow_md
from oracles.small_matrices import progress_of, small_matrices
from shoal.partition.cbfs import CBFS
from shoal.partition.md import MD

BOTH = pytest.mark.parametrize(("method", "slow"), [(MD, slow_md), (CBFS, slow_cbfs)], ids=["md", "cbfs"])


@BOTH
@settings(max_examples=100)
@given(X=small_matrices(), data=st.data())
def test_labels_are_those_of_the_definition(method, slow, X, data):
    k = data.draw(st.integers(2, len(X)))
    assert method(k).fit(X).labels_.tolist() == slow(X, k)


def medium_cases():
    rng = np.random.default_rng(5)
    n = 150
    angle = np.arange(n) * 2 * np.pi / n
    return {
        "normal": rng.normal(size=(n, 4)),
        "on a circle, where bounds say nothing": np.column_stack([np.cos(angle), np.sin(angle)]),
        "grid": rng.integers(0, 3, size=(n, 3)).astype(float),
        "log-normal": np.exp(2 * rng.normal(size=(n, 3))),
        "far from zero": 1e9 + rng.integers(0, 50, size=(n, 2)) / 8,
    }


@BOTH
@pytest.mark.parametrize("name", medium_cases())
def test_labels_are_those_of_the_definition_for_more_records(method, slow, name):
    X = medium_cases()[name]
    assert method(7).fit(X).labels_.tolist() == slow(X, 7)


@pytest.mark.parametrize("method", [MD, CBFS])
@pytest.mark.parametrize("factor", [1e300, 1e-200])
def test_very_large_and_very_small_numbers_are_grouped_like_others(method, factor):
    X = np.random.default_rng(1).integers(-8, 8, size=(80, 3)).astype(float)
    scaled = X * 2.0 ** np.round(np.log2(factor))
    assert np.array_equal(method(4).fit(scaled).labels_, method(4).fit(X).labels_)


@pytest.mark.parametrize("method", [MD, CBFS])
@pytest.mark.parametrize("n", [40, 41, 47, 57])
def test_groups_have_less_than_twice_k(method, n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    sizes = np.bincount(method(8).fit(X).labels_)
    assert sizes.min() >= 8
    assert sizes.max() <= 15


@pytest.mark.parametrize("method", [MD, CBFS])
@pytest.mark.parametrize("n", [7, 5000])
def test_progress_sums_to_one(method, n):
    assert progress_of(method(10 if n > 100 else 3), np.random.default_rng(0).normal(size=(n, 2))) == pytest.approx(1)
