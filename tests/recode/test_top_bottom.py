"""Top and bottom codes: one value for all beyond a limit, of at least k records where it is computed from them."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from shoal.errors import DataError, ParameterError, TooFewRecordsError
from shoal.read import as_table
from shoal.recode import TopBottom
from shoal.recode.base import Numbers
from shoal.recode.catalogue import build_recode


def coded(values, k=2, **parameters):
    return build_recode(TopBottom(**parameters)).recoded(as_table(pd.DataFrame({"x": values})), "x", k)


def test_numbers_beyond_a_limit_get_the_limit():
    made = coded([1, 5, 90, 99, math.nan], top=85, bottom=3)
    assert isinstance(made, Numbers)
    assert made.values[:4].tolist() == [3, 5, 85, 85] and math.isnan(made.values[4])


def test_or_their_mean():
    assert coded([1, 5, 90, 100], top=85, value="mean").values.tolist() == [1, 5, 95, 95]
    assert coded([1, 3, 90], bottom=5, value="mean").values.tolist() == [2, 2, 90]
    assert coded([1, 3], top=5, value="mean").values.tolist() == [1, 3]


def test_a_mean_of_fewer_than_k_is_refused():
    with pytest.raises(TooFewRecordsError, match=r'only 2 records .* value="limit"') as caught:
        coded([1, 90, 100], k=3, top=85, value="mean")
    assert "95" not in str(caught.value) and "90" not in str(caught.value)


def test_or_a_text_in_the_order_of_the_numbers():
    made = coded([7, 90, 3, math.nan, 85, 2.5, -1], top=85, bottom=0, value="text")
    assert made.ordered and made.texts == ("<0", "2.5", "3", "7", "85+")
    assert made.codes.tolist() == [3, 4, 2, -1, 4, 1, 0]


def test_few_whole_numbers_that_are_left_stay_amounts():
    assert coded(list(range(20)) * 2, top=3).kind == "continuous"
    assert coded([1, 2, 3, 4] * 3, top=3).kind is None  # codes before, and after


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({}, "needs a top, a bottom or both"),
        ({"top": 1, "bottom": 2}, "top must be above bottom"),
        ({"top": math.nan}, "top must be a number"),
        ({"top": 1, "value": "median"}, "value must be one of"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(parameters, problem):
    with pytest.raises(ParameterError, match=problem):
        coded([1, 2], **parameters)


def test_texts_are_no_numbers():
    with pytest.raises(DataError, match='recode "top-bottom" is for numbers'):
        coded(["a", "b"], top=1)
