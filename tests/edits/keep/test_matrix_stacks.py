"""Linear algebra on stacks of small matrices, against NumPy's on one matrix."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.edits.keep.matrix_stacks import finite_or_zero, matrix_products, pseudo_inverses, row_lengths


def test_every_matrix_gets_its_pseudo_inverse_and_the_vectors_it_takes_to_zero():
    stack = np.random.default_rng(0).normal(size=(5, 2, 4))
    stack[3, 1] = 2 * stack[3, 0]  # of rank 1
    stack[4] = 0
    inverses, free = pseudo_inverses(stack)
    for matrix, inverse, basis, rank in zip(stack, inverses, free, [2, 2, 2, 1, 0], strict=True):
        assert matrix @ inverse @ matrix == pytest.approx(matrix, abs=1e-12)
        if rank == 2:
            assert inverse == pytest.approx(np.linalg.pinv(matrix), abs=1e-12)
        assert matrix @ basis == pytest.approx(np.zeros((2, 4)), abs=1e-12)
        assert int((basis != 0).any(axis=0).sum()) == 4 - rank


def test_rows_count_alike_whatever_their_length():
    """x == 1 and 100 x == 300 contradict each other: the answer lies between 1 and 3."""
    inverses, _ = pseudo_inverses(np.array([[[1.0], [100.0]]]))
    assert inverses[0] @ [1.0, 300.0] == pytest.approx([2])


def test_without_rows_everything_is_free():
    inverses, free = pseudo_inverses(np.zeros((2, 0, 3)))
    assert inverses.shape == (2, 3, 0)
    assert (free == np.eye(3)).all()


def test_a_matrix_that_is_not_finite_does_not_disturb_the_others():
    stack = np.ones((2, 1, 2))
    stack[0, 0, 0] = np.nan
    assert finite_or_zero(stack).tolist() == [[[0, 0]], [[1, 1]]]
    inverses, _ = pseudo_inverses(stack)
    assert inverses[1] == pytest.approx(np.array([[0.5], [0.5]]))


def test_lengths_and_products():
    assert row_lengths(np.array([[[3.0, 4.0], [0.0, 0.0]]])).tolist() == [[5, 1]]
    assert matrix_products(np.array([[[1.0, 2.0], [3.0, 4.0]]]), np.array([[1.0, 1.0]])).tolist() == [[3, 7]]
