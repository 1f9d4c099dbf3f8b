"""Pairs of ranks: the quick version is the slow one, all find a partner, and none is too far."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_perturbations import slow_pairs
from shoal.partition.kernels.rank_pairs import pair_ranks


def paired(window, random):
    partners = np.empty(len(random), dtype=np.int64)
    pair_ranks(window, np.array(random, dtype=np.float64), partners)
    return partners


@given(
    st.integers(1, 12),
    st.lists(st.one_of(st.just(0.0), st.just(1 - 2**-53), st.floats(0, 1, exclude_max=True)), max_size=60),
)
def test_pairs_are_those_of_the_slow_version(window, random):
    assert paired(window, random).tolist() == slow_pairs(window, random)


@given(st.integers(1, 40), st.integers(0, 200), st.integers(0, 2**32))
def test_pairs_are_mutual_within_the_window_and_one_of_an_odd_number_is_alone(window, n, seed):
    partners = paired(window, np.random.default_rng(seed).random(n))
    own = np.arange(n)
    assert (partners[partners] == own).all()
    assert (np.abs(partners - own) <= window).all()
    alone = np.flatnonzero(partners == own)
    assert len(alone) == n % 2
    assert (alone >= n - window).all()
