"""Rounded numbers are multiples, nearest to what they were."""

from __future__ import annotations

import math
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError
from shoal.read import as_table
from shoal.recode import Round
from shoal.recode.catalogue import build_recode


def rounded(values, to):
    return build_recode(Round(to=to)).recoded(as_table(pd.DataFrame({"x": values})), "x", 2).values.tolist()


def test_numbers_are_rounded():
    assert rounded([1499, 1500, 2500, -1501], 1000) == [1000, 2000, 2000, -2000]
    assert rounded([0.34, 0.7499, -0.04], 0.1) == [0.3, 0.7, 0.0]
    assert math.isnan(rounded([math.nan, 1.0], 1)[0])
    assert str(rounded([-0.04, 1], 0.1)[0]) == "0.0"


@given(st.floats(-1e9, 1e9), st.sampled_from([0.01, 0.1, 0.25, 3, 1000]))
def test_a_rounded_number_is_the_nearest_multiple(value, to):
    made, step = rounded([value, 0.0], to)[0], Fraction(repr(to))
    steps = round(Fraction(made) / step)
    assert made == float(steps * step)
    assert abs(Fraction(made) - Fraction(value)) <= step / 2 * (1 + Fraction(1, 10**4))


@pytest.mark.parametrize("to", [0, -5, math.nan, math.inf, "10", None, True])
def test_senseless_steps_are_refused(to):
    with pytest.raises(ParameterError):
        build_recode({"name": "round", "to": to})


def test_texts_are_no_numbers():
    with pytest.raises(DataError, match='recode "round" is for numbers'):
        rounded(["a", "b"], 5)
