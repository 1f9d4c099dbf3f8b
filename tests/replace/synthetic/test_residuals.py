"""What the synthetic replacements compute with."""

from __future__ import annotations

import numpy as np

from shoal.replace.synthetic.residuals import normal_numbers


class Generator:
    """A generator that has drawn its numbers already."""

    def __init__(self, numbers):
        self.numbers = numbers

    def standard_normal(self, shape):
        return self.numbers.reshape(shape)


def test_normal_numbers_far_out_are_the_same_if_a_logarithm_differs_in_its_last_digit():
    drawn = np.random.default_rng(1).standard_normal(200_000)
    is_far = np.abs(drawn) > 3.6541528853610088  # where NumPy's ziggurat ends
    other = np.where(is_far, np.nextafter(drawn, np.inf), drawn)
    ours, theirs = (normal_numbers(Generator(numbers), drawn.shape) for numbers in (drawn, other))
    assert is_far.sum() > 20
    assert np.array_equal(ours, theirs)
    assert np.abs(ours - drawn).max() < 1e-9
