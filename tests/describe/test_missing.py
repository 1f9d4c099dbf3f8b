"""Missing and infinite values are refused by column and count, never by value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shoal.describe.missing import refuse_infinities, refuse_missing
from shoal.errors import DataError, MissingValuesError
from shoal.read import as_table


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_all_columns_with_missing_values_are_named_with_their_counts(make):
    table = as_table(make({"a": [1.0, None, None], "b": [1, 2, 3], "c": ["x", None, "y"], "d": [None, 1.0, 2.0]}))
    refuse_missing(table, ["b"], "Fill them.")
    with pytest.raises(MissingValuesError, match=r'^Values are missing in "a" \(2\), "c" \(1\)\. Fill them\.$'):
        refuse_missing(table, ["a", "b", "c"], "Fill them.")


def test_infinite_values_are_refused_by_column_count_and_first_record():
    table = as_table(pd.DataFrame({"a": [1.0, np.inf, -np.inf], "b": [1.0, np.nan, 3.0], "c": ["x", "y", "inf"]}))
    refuse_infinities(table, ["b", "c"])
    with pytest.raises(DataError, match=r'^Column "a" has 2 infinite values, the first in record 2\.'):
        refuse_infinities(table, ["b", "a"])
