"""Numbers of few digits that computed ones stand for."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.edits.suggested.simple_numbers import simple_factors, simple_number


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
