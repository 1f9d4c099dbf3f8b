"""Linear relations between columns, found by elimination."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.edits.suggested.null_vectors import IndependentVectors, sparse_null_vectors


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
