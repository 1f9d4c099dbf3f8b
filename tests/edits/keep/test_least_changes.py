"""The least change of a point after which linear inequalities hold."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.edits.keep.least_changes import (
    finite_or_zero,
    least_changes,
    least_violation,
    matrix_products,
    pseudo_inverses,
    row_lengths,
)

NO_MULTIPLIERS = np.zeros((1, 0))


def changed(rows, room, multipliers=NO_MULTIPLIERS):
    rows, room = np.array([rows], dtype=float), np.array([room], dtype=float)
    d = rows.shape[2]
    change, weights, possible = least_changes(rows, np.eye(d)[None], room, np.zeros_like(room), multipliers)
    return change[0], weights[0], bool(possible[0])


def test_one_violated_inequality_is_reached_straight():
    change, weights, possible = changed([[1, 1]], [-2])
    assert possible
    assert change == pytest.approx([-1, -1])
    assert weights == pytest.approx([1])


def test_an_inequality_with_room_does_not_restrict():
    change, weights, possible = changed([[1, 0], [0, 1]], [-1, 5])
    assert possible
    assert change == pytest.approx([-1, 0])
    assert weights == pytest.approx([1, 0])


def test_a_wrong_guess_is_corrected():
    """Going straight to x <= -1 breaks x + y >= -0.5, which had room before."""
    change, _, possible = changed([[1, 0], [-1, -1]], [-1, 0.5])
    assert possible
    assert change == pytest.approx([-1, 0.5])


def test_inequalities_that_contradict_each_other_have_no_change():
    change, _, possible = changed([[1, 0], [-1, 0]], [-1, -1])
    assert not possible
    assert change == pytest.approx([0, 0])


def test_where_there_is_no_change_the_violation_is_least():
    """Between x <= -1 and x >= 1 lies 0, nearly: a short step is preferred."""
    x = least_violation(np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0]), 0)
    assert x == pytest.approx([0], abs=1e-6)
    x = least_violation(np.array([[1.0, 0], [0, 1]]), np.array([2.0, 5.0]), 1)  # x == 2, and y <= 5 holds already
    assert x == pytest.approx([2, 0], abs=1e-2)


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
