"""Statements that follow from others are left out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal.edits.suggested.implications import not_implied


def closure(edges) -> set[tuple[int, int]]:
    """Return all that follows, by joining edges until nothing new comes."""
    known = set(edges)
    while fresh := {(a, d) for (a, b), (c, d) in product(known, repeat=2) if b == c} - known:
        known |= fresh
    return known


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_says_the_same_and_nothing_twice(seed):
    rng = np.random.default_rng(seed)
    edges = [(int(a), int(b)) for a, b in rng.integers(0, 7, (12, 2)) if a != b]
    kept = not_implied(edges)
    assert closure(kept) == closure(edges)
    for edge in kept:
        assert edge not in closure([one for one in kept if one != edge])


def test_what_is_known_is_not_repeated_and_serves_to_conclude():
    assert not_implied([(1, 2), (1, 3)], known=[(2, 3)]) == [(1, 2)]
    assert not_implied([(1, 2)], known=[(1, 2)]) == []
