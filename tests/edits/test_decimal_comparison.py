"""Rules checked in decimal arithmetic: as the text of a file says, not as floats add up."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.edits import parse_rule
from shoal.edits.checked_records import NumericRecords, TableRecords
from shoal.read import as_table


def holds_in_decimals(rule, **values):
    records = NumericRecords({name: np.array([float(value)]) for name, value in values.items()})
    return not parse_rule(rule).broken(records, tolerance=None).any()


def test_a_tenth_and_two_tenths_are_three_tenths():
    assert 0.1 + 0.2 != 0.3
    assert holds_in_decimals("a + b == c", a=0.1, b=0.2, c=0.3)


def test_there_is_no_tolerance():
    assert not holds_in_decimals("a + b == c", a=1e9, b=1e9, c=2e9 + 0.01)
    assert not parse_rule("a + b == c").broken(
        NumericRecords({"a": np.array([1e9]), "b": np.array([1e9]), "c": np.array([2e9 + 0.01])})
    )


@pytest.mark.parametrize("rule", ["a / b < 5", "a / b != 5", "1 / (a / b) == 0", "(0 - a) ** 0.5 >= 0"])
def test_what_is_undefined_makes_a_comparison_false(rule):
    assert not holds_in_decimals(rule, a=1, b=0)


@given(st.integers(-(10**14), 10**14), st.integers(-(10**14), 10**14), st.integers(0, 4))
def test_sums_of_decimals_hold_exactly(a, b, decimals):
    sizes = {name: number / 10**decimals for name, number in (("a", a), ("b", b), ("c", a + b))}
    assert holds_in_decimals("a + b == c", **sizes)
    assert not holds_in_decimals("a + b < c", **sizes)
    assert holds_in_decimals("3 * a - 2 * b >= a - 2 * (b - a) - 0", **sizes)


def test_single_precision_is_read_as_it_is_written():
    table = as_table(pl.DataFrame({"a": [0.1], "b": [0.2], "c": [0.3]}, schema=dict.fromkeys("abc", pl.Float32)))
    assert not parse_rule("a + b == c").broken(TableRecords(table), tolerance=None).any()
