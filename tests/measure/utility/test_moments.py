"""Third and fourth moments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from shoal.measure.utility.moments import fourth_moments, third_moments


@pytest.mark.parametrize(("measure", "power"), [(third_moments, 3), (fourth_moments, 4)])
def test_against_scipy(measure, power):
    rng = np.random.default_rng(0)
    X, Y = rng.exponential(size=(50, 3)) * [1, 10, 0.1], rng.normal(size=(40, 3)) * [1, 20, 0.1]
    sd = X.std(axis=0, ddof=1)
    before, after = (stats.moment(file, power, axis=0) / sd**power for file in (X, Y))
    found = measure(X, Y)
    assert found == pytest.approx(np.abs(after - before).mean())
    assert [both["original"] for both in found.by_column.values()] == pytest.approx(list(before))
    assert [both["masked"] for both in found.by_column.values()] == pytest.approx(list(after))


def test_worked_by_hand():
    """0, 0, 3: mean 1, sd sqrt(3), third moment (-1 - 1 + 8) / 3 = 2; its mirror image has -2, and the same fourth."""
    x = np.array([[0.0], [0.0], [3.0]])
    assert third_moments(x, -x) == pytest.approx(4 / 3**1.5)
    assert fourth_moments(x, -x) == 0
