"""Limits of parameters: what they accept, what they refuse, and what the message says."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from shoal.errors import ParameterError
from shoal.parameters.limits import Above, AnyNumber, Ascending, Number, OneOf, OrNone, TrueOrFalse, Whole, check_limits

ACCEPTED = [
    (Whole(2), [2, 10**9, np.int32(2), np.uint8(200)]),
    (Whole(0, 3), [0, 3, np.int64(1)]),
    (Number(0), [0, 0.0, 1e300, np.float32(0.5), np.int64(3)]),
    (Number(0, 1), [0, 1, 0.5]),
    (OneOf(("rank", "sd")), ["rank", "sd", np.str_("sd")]),
    (TrueOrFalse(), [True, False, np.True_, np.False_]),
    (AnyNumber(), [-5, 0.5, np.int64(3)]),
    (Ascending(), [[0], [-1, 0.5, 7], (0, 15)]),
    (OrNone(Whole(1)), [None, 1]),
    (OrNone(OneOf(("rank", "sd"))), [None, "rank"]),
]
CASES = [(limit, value) for limit, values in ACCEPTED for value in values]


@pytest.mark.parametrize(("limit", "value"), CASES)
def test_values_within_the_limits_are_accepted(limit, value):
    assert limit.accepts(value)
    check_limits({"x": limit}, {"x": value})


@pytest.mark.parametrize(
    ("limit", "value"), [(limit, value) for limit, _ in ACCEPTED for value in limit.bad_values()], ids=repr
)
def test_every_bad_value_is_refused_by_name_in_one_line(limit, value):
    with pytest.raises(ParameterError, match=r"^x must be ") as caught:
        check_limits({"x": limit}, {"x": value})
    assert limit.wanted in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("limit", [Number(0), Above(0), AnyNumber()], ids=repr)
def test_a_whole_number_beyond_all_floats_is_refused_in_a_short_line(limit):
    with pytest.raises(ParameterError, match=r"^x must be .{,99}$"):
        check_limits({"x": limit}, {"x": 10**400})


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        (Whole(0, 3), -1),
        (Whole(0, 3), 4),
        (Whole(0), True),
        (Whole(0), 1.0),
        (Number(0, 1), -1e-300),
        (Number(0, 1), math.nextafter(1, 2)),
        (Number(0), math.inf),
        (Number(0), math.nan),
        (Number(0), False),
        (Whole(0), np.True_),
        (Number(0), np.False_),
        (TrueOrFalse(), np.int64(1)),
        (OrNone(Whole(1)), 0),
    ],
)
def test_values_just_outside_the_limits_are_refused(limit, value):
    assert not limit.accepts(value)


@pytest.mark.parametrize(
    ("limit", "wanted"),
    [
        (Whole(2), "a whole number, 2 or more"),
        (Whole(2, 9), "a whole number from 2 to 9"),
        (Number(0), "a number, 0 or more"),
        (Number(0, 0.5), "a number from 0 to 0.5"),
        (OneOf(("rank", "sd")), 'one of "rank", "sd"'),
        (TrueOrFalse(), "True or False"),
        (OrNone(Whole(2)), "a whole number, 2 or more, or None"),
    ],
)
def test_the_message_says_what_is_accepted(limit, wanted):
    assert limit.wanted == wanted


def test_the_first_parameter_outside_its_limits_is_named():
    with pytest.raises(ParameterError, match=r"^gamma must be a number, 0 or more; got -1\.$"):
        check_limits({"k": Whole(2), "gamma": Number(0), "m": Number(1)}, {"k": 3, "gamma": -1, "m": 0})


def test_a_word_close_to_a_known_one_gets_a_hint():
    with pytest.raises(ParameterError, match=r'got \'rnk\'\. Did you mean "rank"\?$'):
        check_limits({"kind": OneOf(("rank", "sd"))}, {"kind": "rnk"})


@pytest.mark.parametrize("value", [pd.Series([987654321]), np.array([987654321]), [987654321], {"a": 987654321}])
def test_a_message_shows_the_type_of_a_table_or_list_and_no_value_in_it(value):
    with pytest.raises(ParameterError, match=f"got {type(value).__name__}") as caught:
        check_limits({"k": Whole(2)}, {"k": value})
    assert "987654321" not in str(caught.value)


def test_long_text_is_cut_in_a_message():
    with pytest.raises(ParameterError) as caught:
        check_limits({"kind": OneOf(("rank", "sd"))}, {"kind": "x" * 1000})
    assert len(str(caught.value)) < 120
