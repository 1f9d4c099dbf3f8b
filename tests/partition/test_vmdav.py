"""V-MDAV follows its definition, ties included, and lets a group grow where a record is close by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.slow_partitions import slow_vmdav
from oracles.small_matrices import progress_of, small_matrices, squared_errors
from shoal.partition.mdav.mdav import MDAV
from shoal.partition.vmdav import VMDAV

# Two clouds, of 4 and of 5 points.
TWO_CLOUDS = np.array(
    [
        *[(2.4, 3), (1.68, 4.9), (3.18, 5.54), (5.32, 3.6)],
        *[(18.68, 11.49), (20.14, 9.56), (19.85, 10.33), (21.28, 10.9), (23, 11.5)],
    ]
)


@settings(max_examples=100)
@given(X=small_matrices(), gamma=st.sampled_from([0.0, 0.2, 1.0, 1.1, 3.0]), data=st.data())
def test_labels_are_those_of_the_definition(X, gamma, data):
    k = data.draw(st.integers(2, len(X)))
    assert VMDAV(k, gamma=gamma).fit(X).labels_.tolist() == slow_vmdav(X, k, gamma)


@pytest.mark.parametrize("gamma", [0.2, 0.5, 1.0, 1.1, 1.5])
def test_two_clouds_are_two_groups(gamma):
    labels = VMDAV(3, gamma=gamma).fit(TWO_CLOUDS).labels_
    assert labels.tolist() == [0] * 4 + [1] * 5
    assert squared_errors(TWO_CLOUDS, labels) == pytest.approx(24.91, abs=0.005)


def test_mdav_tears_the_two_clouds_apart():
    labels = MDAV(3).fit(TWO_CLOUDS).labels_
    assert np.bincount(labels).tolist() == [3, 3, 3]
    assert squared_errors(TWO_CLOUDS, labels) == pytest.approx(177.53, abs=0.005)


def test_gamma_zero_keeps_groups_at_k():
    X = np.random.default_rng(0).normal(size=(60, 3))
    assert np.bincount(VMDAV(5, gamma=0).fit(X).labels_).tolist() == [5] * 12


@pytest.mark.parametrize("n", [7, 5000])
def test_progress_sums_to_one(n):
    assert progress_of(VMDAV(3), np.random.default_rng(0).normal(size=(n, 2))) == pytest.approx(1)
