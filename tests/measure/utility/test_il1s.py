"""Mean absolute change."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from shoal.measure.utility.il1s import il1s


def test_worked_by_hand():
    """x = 0, 1, 2 has sd 1 and y = 0, 2, 4 has 2; changes 1, 0, 1 and 0, 2, 1 in these units are 2 and 1.5."""
    original = pd.DataFrame({"x": [0.0, 1, 2], "y": [0.0, 2, 4]})
    masked = pd.DataFrame({"x": [1.0, 1, 1], "y": [0.0, 4, 5]})
    found = il1s(original, masked)
    assert found == pytest.approx((2 + 1.5) / (6 * math.sqrt(2)))
    assert found.by_column == pytest.approx({"x": 2 / (3 * math.sqrt(2)), "y": 1.5 / (3 * math.sqrt(2))})


def test_like_the_formula():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 50, 3)) * [1, 10, 100]
    assert il1s(X, Y) == pytest.approx(np.mean(np.abs(X - Y) / (math.sqrt(2) * X.std(axis=0, ddof=1))))


def test_suppressed_values_count_as_the_mean_and_constant_variables_are_left_out():
    original = pd.DataFrame({"x": [0.0, 1, 2, None], "y": [0.0, None, None, 2], "c": 1.0})
    masked = pd.DataFrame({"x": [1.0, 1, None, 7], "y": [None, 3.0, 4, 2], "c": 2.0})
    found = il1s(original, masked)
    # x: a change of 1, one of 0, and 2 that is now the mean, 1; y: one of 0, and 0 that is now the mean, 1.
    assert found == pytest.approx((1 + 0 + 1 + (1 + 0) / math.sqrt(2)) / (5 * math.sqrt(2)))
    assert set(found.by_column) == {"x", "y"}
