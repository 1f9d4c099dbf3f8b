"""Triples are found as by looking at all, and whatever tolls are asked, no group's distances grow by them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.partition.bounds.prices import _lists_by_record
from shoal.partition.kernels.prices import find_triples, pay_tolls


def some_pairs(seed: int, n: int, share: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([pair for pair in combinations(range(n), 2) if rng.random() < share], dtype=np.int32)


@pytest.mark.parametrize("share", [0.3, 0.7, 1.0])
def test_triples(share):
    ends = some_pairs(1, 12, share)
    lists = _lists_by_record(ends, 12)
    count = find_triples(*lists, np.empty((0, 3), dtype=np.int32))
    triples = np.empty((count, 3), dtype=np.int32)
    find_triples(*lists, triples)
    there = {tuple(pair) for pair in ends.tolist()}
    expected = [t for t in combinations(range(12), 3) if all(pair in there for pair in combinations(t, 2))]
    assert [tuple(np.unique(ends[triple]).tolist()) for triple in triples] == expected


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("k", [3, 4])
def test_tolls_are_paid_within_every_group(seed, k):
    """Every pair is listed here, some of them in the program; tolls and payments are as bad as can be."""
    n = 9
    rng = np.random.default_rng(seed)
    ends = some_pairs(0, n, 1.0)
    core = np.flatnonzero(rng.random(len(ends)) < 0.6)
    number = np.full(len(ends), -1, dtype=np.int32)
    number[core] = np.arange(len(core))
    lists = _lists_by_record(ends[core], n)
    triples = np.empty((find_triples(*lists, np.empty((0, 3), dtype=np.int32)), 3), dtype=np.int32)
    find_triples(*lists, triples)
    before = rng.normal(size=len(ends))
    tolls = rng.exponential(size=len(core)) * (rng.random(len(core)) < 0.5)
    room, wanted = before.copy(), np.zeros(len(ends))
    paid = rng.exponential(size=(len(triples), 3)) * (rng.random((len(triples), 3)) < 0.5)
    pay_tolls(*_lists_by_record(ends, n), number, core, triples, k, tolls, paid, room, wanted)
    assert (tolls >= 0).all()
    assert (paid >= 0).all()
    assert not wanted[core].any()
    for size in range(k, n + 1):
        for group in combinations(range(n), size):
            inside = np.isin(ends, group).all(axis=1)
            # With k-2 tolls a pair, where a group of this size has size-2 others, the sum can only be smaller.
            assert room[inside].sum() <= before[inside].sum() + 1e-9
