"""Partners of record swapping: the same as when every unit looks through all others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_swaps import slow_agree, slow_at_risk
from shoal.replace.perturb.swap_partners import agreement, paired, units_at_risk


def slow_pairs(codes, areas, wanting, free):
    free, pairs = free.copy(), []
    for unit in np.flatnonzero(wanting):
        others = [one for one in np.flatnonzero(free) if codes[one] == codes[unit] and areas[one] != areas[unit]]
        if free[unit] and others:
            free[[unit, others[0]]] = False
            pairs.append((int(unit), int(others[0])))
    return pairs


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 3), st.integers(1, 5), st.floats(0, 1))
def test_everyone_gets_the_first_who_is_free(seed, n, codes, areas, share):
    rng = np.random.default_rng(seed)
    codes, areas = rng.integers(0, codes, n), rng.integers(0, areas, n)
    wanting, free = rng.random(n) < share, rng.random(n) < 0.8
    before = free.copy()
    assert sorted(paired(codes, areas, wanting, free)) == sorted(slow_pairs(codes, areas, wanting, free))
    assert np.array_equal(free, before)


@given(st.integers(0, 10_000), st.integers(1, 25), st.integers(1, 12), st.integers(0, 3))
def test_units_agree_by_their_records(seed, n, units, columns):
    rng = np.random.default_rng(seed)
    units = np.unique(rng.integers(0, units, n), return_inverse=True)[1].reshape(-1)
    first = np.unique(units, return_index=True)[1]
    made = [rng.integers(-1, 2, n) for _ in range(columns)]
    if columns > 1:
        made[0] = made[0][first][units]  # one that is constant within units
    numbers = agreement(made, units, first)
    for one in range(len(first)):
        for other in range(len(first)):
            same = slow_agree([column.tolist() for column in made], units.tolist(), one, other)
            assert (numbers[one] == numbers[other]) == same


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 15), st.integers(0, 3), st.integers(1, 40))
def test_who_is_at_risk(seed, n, units, columns, k):
    rng = np.random.default_rng(seed)
    units = np.unique(rng.integers(0, units, n), return_inverse=True)[1].reshape(-1)
    made = [rng.integers(-1, 2, n) for _ in range(columns)]
    assert set(np.flatnonzero(units_at_risk(made, units, k))) == slow_at_risk(made, units, k)
