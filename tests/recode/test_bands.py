"""Bands: every number is in the band that its name says, in the order of the numbers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_recodes import slow_band
from shoal.errors import DataError, ParameterError
from shoal.read import as_table
from shoal.recode import Bands
from shoal.recode.catalogue import build_recode

numbers = st.floats(-100, 100, allow_nan=False).map(lambda value: round(value, 3))


def bands(values, **parameters):
    made = build_recode(Bands(**parameters)).recoded(as_table(pd.DataFrame({"x": values})), "x", 2)
    return [None if code < 0 else made.texts[code] for code in made.codes], made


@pytest.mark.parametrize(
    ("values", "parameters", "expected"),
    [
        ([3, 21, 24, 97], {"width": 5, "top": 85}, ["0-4", "20-24", "20-24", "85+"]),
        ([-3, 0, 4], {"width": 5, "bottom": 0}, ["<0", "0-4", "0-4"]),
        ([-3, 2], {"width": 5}, ["-5 to -1", "0-4"]),
        ([1, 2, 3], {"width": 1}, ["1", "2", "3"]),
        ([20.5, 22], {"width": 2.5}, ["20 to <22.5", "20 to <22.5"]),
        ([0.3, 0.7], {"width": 0.1}, ["0.3 to <0.4", "0.7 to <0.8"]),
        ([-1, 0, 14, 15, 64, 65], {"breaks": [0, 15, 65]}, ["<0", "0-14", "0-14", "15-64", "15-64", "65+"]),
        ([18, 22, 23], {"width": 5, "start": 18}, ["18-22", "18-22", "23-27"]),
        ([80, 82, 83, 84], {"width": 5, "top": 83}, ["80-82", "80-82", "83+", "83+"]),
        ([90, 95], {"width": 5, "top": 85}, ["85+", "85+"]),
        ([1, math.nan], {"width": 5}, ["0-4", None]),
        ([math.nan, math.nan], {"width": 5}, [None, None]),
        ([1, math.inf], {"width": 5, "top": 85}, ["0-4", "85+"]),
        ([1, 2], {"width": 5, "top": 1e12, "bottom": -1e12, "start": 0}, ["0-4", "0-4"]),
        ([2_000_000, 2_000_001], {"width": 1_000_000}, ["2000000-2999999"] * 2),
    ],
)
def test_bands_are_called_what_they_hold(values, parameters, expected):
    assert bands(values, **parameters)[0] == expected


@given(
    st.lists(numbers, min_size=1, max_size=30),
    st.sampled_from([0.1, 0.25, 1, 5, 7.3, 100]),
    st.none() | numbers,
    st.none() | st.floats(0, 90).map(lambda value: round(value, 2)),
    st.none() | st.floats(-90, -1).map(lambda value: round(value, 2)),
)
def test_every_number_is_in_its_band(values, width, start, top, bottom):
    """Against one value at a time in fractions; order and equality of bands as well."""
    made = bands(values, width=width, start=start, top=top, bottom=bottom)[1]
    expected = [slow_band(value, width, start, top, bottom) for value in values]
    begins = [-math.inf if begin is None else float(begin) for begin, _ in expected]
    assert (made.codes >= 0).all() and (made.codes < len(made.texts)).all()
    codes = made.codes.tolist()
    for one in range(len(values)):
        for other in range(len(values)):
            assert (codes[one] < codes[other]) == (begins[one] < begins[other])


def test_bands_have_an_order_and_list_those_that_nobody_is_in():
    made = bands([0, 12], width=5)[1]
    assert made.ordered and made.texts == ("0-4", "5-9", "10-14")


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"width": 0}, "width must be a number above 0"),
        ({"width": -1}, "width must be"),
        ({"width": math.nan}, "width must be"),
        ({"breaks": [0, math.nan]}, "breaks must be numbers that ascend"),
        ({"breaks": [5, 0]}, "breaks must be numbers that ascend"),
        ({"breaks": []}, "breaks must be"),
        ({"top": 5, "bottom": 5}, "top must be above bottom"),
        ({"breaks": [1], "top": 5}, "leave top out"),
    ],
)
def test_parameters_that_make_no_bands_are_refused(parameters, problem):
    with pytest.raises(ParameterError, match=problem):
        bands([1, 2], **parameters)


@pytest.mark.parametrize("name", Bands.limits)
def test_bad_values_are_refused(name):
    for value in Bands.limits[name].bad_values():
        with pytest.raises(ParameterError, match=name):
            build_recode({"name": "bands", name: value})


def test_texts_are_no_numbers():
    with pytest.raises(DataError, match='recode "bands" is for numbers'):
        bands(["a", "b"])
    with pytest.raises(DataError, match="truth values"):
        bands([True, False])


def test_too_many_bands_and_infinite_values_are_refused():
    with pytest.raises(DataError, match="more than 10,000"):
        bands([0, 1e12])
    with pytest.raises(DataError, match="1 infinite values"):
        bands([0, np.inf])
