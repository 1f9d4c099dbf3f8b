"""Strata from one column or several, and messages that name them without giving persons away."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shoal.describe.strata import strata_of
from shoal.errors import TooFewRecordsError
from shoal.read import as_table


def test_without_columns_the_file_is_one_stratum_that_has_no_name():
    strata = strata_of(as_table(pd.DataFrame({"a": [1, 2]})), [])
    assert (len(strata), strata.codes.tolist(), strata.where(0)) == (1, [0, 0], "")


def test_every_combination_is_a_stratum_and_a_missing_value_counts_as_a_value():
    frame = pd.DataFrame({"region": ["N", "N", "S", None, "N", None], "sex": ["f", "m", "f", "f", "f", "f"]})
    strata = strata_of(as_table(frame), ["region", "sex"])
    combinations = frame.fillna("missing").agg(" ".join, axis=1)
    assert len(strata) == 4
    for stratum in range(len(strata)):
        assert combinations[strata.codes == stratum].nunique() == 1
    assert set(strata.names) == {
        'region "N", sex "f"',
        'region "N", sex "m"',
        'region "S", sex "f"',
        'region missing, sex "f"',
    }
    assert strata.where(int(strata.codes[3])) == ' in region missing, sex "f"'


def test_the_values_of_a_column_with_very_many_are_not_named():
    strata = strata_of(as_table(pd.DataFrame({"income": np.arange(500)})), ["income"])
    assert set(strata.names) == {"one value of income"}


def test_a_stratum_with_fewer_than_k_records_is_refused_and_the_others_counted():
    strata = strata_of(as_table(pd.DataFrame({"region": ["N"] * 5 + ["S"] * 2 + ["W"] * 3})), ["region"])
    strata.refuse_fewer_than(2)
    with pytest.raises(TooFewRecordsError, match=r'k=3 needs at least 3 records in every stratum; region "S" has 2\.'):
        strata.refuse_fewer_than(3)
    with pytest.raises(TooFewRecordsError, match=r'region "S" has 2 \(1 more fall short\)\. Merge strata, or lower'):
        strata.refuse_fewer_than(4)
