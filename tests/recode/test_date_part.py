"""Parts of dates, from every way in which a file holds dates."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, ParameterError
from shoal.read import as_table
from shoal.recode import DatePart
from shoal.recode.base import Numbers
from shoal.recode.catalogue import build_recode

DATES = [datetime.date(1980, 5, 21), None, datetime.date(1981, 1, 1), datetime.date(1899, 12, 31)]
EXPECTED = {
    "year": [1980, None, 1981, 1899],
    "quarter": ["1980-Q2", None, "1981-Q1", "1899-Q4"],
    "month": ["1980-05", None, "1981-01", "1899-12"],
    "week": ["1980-W21", None, "1981-W01", "1899-W52"],
}
HELD = {
    "pandas dates": lambda dates: pd.DataFrame({"x": pd.to_datetime(pd.Series(dates))}),
    "pandas objects": lambda dates: pd.DataFrame({"x": pd.Series(dates, dtype=object)}),
    "pandas with zone": lambda dates: pd.DataFrame(
        {"x": pd.to_datetime(pd.Series(dates)).dt.tz_localize("Asia/Tokyo")}
    ),
    "texts": lambda dates: pd.DataFrame({"x": [None if one is None else one.isoformat() for one in dates]}),
    "times": lambda dates: pd.DataFrame({"x": [None if one is None else f"{one}T23:59:00" for one in dates]}),
    "whole numbers": lambda dates: pd.DataFrame({"x": [np.nan if o is None else int(f"{o:%Y%m%d}") for o in dates]}),
    "polars": lambda dates: pl.DataFrame({"x": dates}),
    "arrow": lambda dates: pa.table({"x": dates}),
    "arrow times": lambda dates: pa.table({"x": pa.array(dates, pa.date32()).cast(pa.timestamp("us"))}),
}


def parts(frame, part):
    made = build_recode(DatePart(part)).recoded(as_table(frame), "x", 2)
    if isinstance(made, Numbers):
        return [None if np.isnan(value) else int(value) for value in made.values], made
    return [None if code < 0 else made.texts[code] for code in made.codes], made


@pytest.mark.parametrize("part", EXPECTED)
@pytest.mark.parametrize("held", HELD)
def test_parts_of_dates(held, part):
    assert parts(HELD[held](DATES), part)[0] == EXPECTED[part]


@given(st.lists(st.dates(), min_size=1, max_size=10), st.sampled_from(["year", "quarter", "month", "week"]))
def test_parts_are_those_of_the_calendar_and_in_its_order(dates, part):
    """Python's calendar says what they are."""
    texts, made = parts(pd.DataFrame({"x": [one.isoformat() for one in dates]}), part)
    expected = {
        "year": lambda one: one.year,
        "quarter": lambda one: f"{one.year:04d}-Q{(one.month + 2) // 3}",
        "month": lambda one: f"{one.year:04d}-{one.month:02d}",
        "week": lambda one: "{:04d}-W{:02d}".format(*one.isocalendar()[:2]),
    }[part]
    assert texts == [expected(one) for one in dates]
    if part != "year":
        order = [code for _, code in sorted(zip(dates, made.codes.tolist(), strict=True))]
        assert order == sorted(order) and list(made.texts) == sorted(made.texts)


def test_what_is_no_date_is_counted_and_not_named():
    with pytest.raises(DataError, match="2 values are no dates, the first in record 2") as caught:
        parts(pd.DataFrame({"x": ["1980-05-21", "secret", "31.12.1980"]}), "year")
    assert "secret" not in str(caught.value)
    with pytest.raises(DataError, match="2 values are no dates"):
        parts(pd.DataFrame({"x": [19800521, 19800431, 5]}), "month")
    with pytest.raises(DataError, match="no dates"):
        parts(pd.DataFrame({"x": [True, False]}), "month")


def test_a_column_without_values_stays_one():
    assert parts(pd.DataFrame({"x": pd.Series([None, None], dtype=object)}), "month")[0] == [None, None]
    assert parts(pd.DataFrame({"x": pd.Series([None, None], dtype=object)}), "year")[0] == [None, None]


def test_there_has_to_be_such_a_part():
    with pytest.raises(ParameterError, match="part must be one of"):
        build_recode("date-part:day")
