"""What a measured percentage says about its sample."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.measure.risk.sample_size import sampling_parts


def test_without_a_sample_there_is_no_error():
    assert sampling_parts(None, [np.ones(10)], 10) == {"sampled": None}


def test_the_error_is_that_of_drawing_without_replacement():
    """Every sample of 2 from the records 0, 1/2, 1: the means are 1/4, 1/2, 3/4, with a variance of 1/24."""
    drawn = [np.array([0.0, 0.5]), np.array([0.0, 1.0]), np.array([0.5, 1.0])]
    variances = [(sampling_parts(2, [one], 3)["standard_error"] / 100) ** 2 for one in drawn]
    assert np.mean(variances) == pytest.approx(1 / 24)


def test_the_average_of_several_samples_is_more_certain():
    one = np.array([0.0, 1.0, 1.0, 0.5])
    alone = sampling_parts(4, [one], 1000)["standard_error"]
    assert sampling_parts(4, [one] * 25, 1000)["standard_error"] == pytest.approx(alone / 5)


@pytest.mark.parametrize(("drawn", "error"), [(1, 50), (2_000, 0.05)])
@pytest.mark.parametrize("counts", [0.0, 1.0])
def test_a_sample_in_which_all_count_the_same_is_not_certain(drawn, error, counts):
    parts = sampling_parts(drawn, [np.full(drawn, counts)], 10**9)
    assert parts["standard_error"] == pytest.approx(error, rel=0.01)
