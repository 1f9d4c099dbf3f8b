"""Statements that follow from others are left out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal.edits.suggested.relations import (
    IndependentVectors,
    not_implied,
    simple_factors,
    simple_number,
    sparse_null_vectors,
)


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


@pytest.mark.parametrize("seed", range(10))
def test_there_are_as_many_relations_as_columns_too_many_and_each_sum_is_constant(seed):
    """The number of relations is that of NumPy's rank."""
    rng = np.random.default_rng(seed)
    free = rng.lognormal(5, 2, (6, 100)).round()
    made = rng.integers(-2, 3, (rng.integers(1, 4), 6)) @ free + 7
    columns = np.concatenate([free, made])[rng.permutation(6 + len(made))]
    vectors = sparse_null_vectors(columns)
    centred = columns - columns.mean(axis=1, keepdims=True)
    varying = centred[centred.std(axis=1) > 0]
    rank = np.linalg.matrix_rank(varying / varying.std(axis=1, keepdims=True))
    assert len(vectors) == len(varying) - rank
    for factors in vectors:
        terms = factors[:, None] * columns
        assert np.ptp(terms.sum(axis=0)) <= 1e-9 * np.abs(terms).max()
    if vectors:
        assert np.linalg.matrix_rank(np.array(vectors) * columns.std(axis=1)) == len(vectors)


def test_relations_have_as_few_columns_as_can_be():
    rng = np.random.default_rng(1)
    a, b, c, d = rng.lognormal(5, 1, (4, 80)).round()
    gross = a + b + c
    net = gross - d  # also a + b + c - d
    vectors = sparse_null_vectors(np.array([a, b, c, d, gross, net]))
    assert [np.flatnonzero(factors).tolist() for factors in vectors] == [[3, 4, 5], [0, 1, 2, 4]]


def test_sums_of_vectors_before_are_not_independent():
    known = IndependentVectors()
    first, second = np.array([1.0, 2.0, 0.0]), np.array([0.0, 1.0, 1.0])
    assert known.add(first)
    assert known.add(second)
    assert not known.add(1000 * first - 3 * second)
    assert known.add(np.array([0.0, 0.0, 1e-5]))
    assert len(known) == 3


@pytest.mark.parametrize(
    ("computed", "simple"),
    [(1.16 + 1e-12, 1.16), (-2.0000000001, -2.0), (10080.0, 10080.0), (1e6, 1e6), (0.0001, 0.0001), (28.35, 28.35)],
)
def test_a_computed_number_stands_for_a_simple_one(computed, simple):
    assert simple_number(computed) == simple


@pytest.mark.parametrize("computed", [1 / 3, np.pi, 1.16001, 123456.0, 0.00012, 0.0])
def test_a_number_of_many_digits_stands_for_none(computed):
    assert simple_number(computed) is None


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        ([0.5, -0.5, 0.0], [1, -1, 0]),
        ([1.0, -1.16, -1.07], [1, -1.16, -1.07]),
        ([1 / 1.07, -1.16 / 1.07, -1.0], [1, -1.16, -1.07]),
        ([-3.0, 1.0, 1.0], [-3, 1, 1]),
        ([1.0, -1 / 3, -1 / 3], [3, -1, -1]),
        ([1.0, -28.35], [1, -28.35]),
    ],
)
def test_factors_become_simple_together(factors, expected):
    simple = simple_factors(np.array(factors))
    assert simple is not None
    assert simple.tolist() in (expected, [-one for one in expected])


def test_factors_without_a_common_measure_are_not_simple():
    assert simple_factors(np.array([1.0, np.pi])) is None
