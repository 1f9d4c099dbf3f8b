"""What a measured percentage says about its sample."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.measure.risk.sample_size import sampling_parts


def test_without_a_sample_there_is_no_error():
    assert sampling_parts(None, [np.ones(10)], 10) == {"sampled": None}


def test_the_error_is_that_of_drawing_without_replacement():
    """Every sample of 2 from the records 0, 0, 1: the means are 0, 1/2, 1/2, with a variance of 1/18."""
    drawn = [np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0])]
    variances = [(sampling_parts(2, [one], 3)["standard_error"] / 100) ** 2 for one in drawn]
    assert np.mean(variances) == pytest.approx(1 / 18)


def test_the_average_of_several_samples_is_more_certain():
    one = np.array([0.0, 1.0, 1.0, 0.5])
    alone = sampling_parts(4, [one], 1000)["standard_error"]
    assert sampling_parts(4, [one] * 25, 1000)["standard_error"] == pytest.approx(alone / 5)


def test_a_sample_of_one_record_says_nothing_about_its_error():
    assert sampling_parts(1, [np.array([1.0])], 10**9)["standard_error"] == pytest.approx(50)
