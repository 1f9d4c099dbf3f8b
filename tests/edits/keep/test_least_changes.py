"""The least change of a point after which linear inequalities hold."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.edits.keep.least_changes import least_changes, least_violation

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
