"""Strata from one column or several, and messages that name columns and no value."""

from __future__ import annotations

import pandas as pd
import pytest

from shoal.describe.strata import strata_of
from shoal.errors import TooFewRecordsError
from shoal.read import as_table


def test_without_columns_the_file_is_one_stratum():
    strata = strata_of(as_table(pd.DataFrame({"a": [1, 2]})), [])
    assert (len(strata), strata.codes.tolist(), strata.where) == (1, [0, 0], "")


def test_every_combination_is_a_stratum_and_a_missing_value_counts_as_a_value():
    frame = pd.DataFrame({"region": ["N", "N", "S", None, "N", None], "sex": ["f", "m", "f", "f", "f", "f"]})
    strata = strata_of(as_table(frame), ["region", "sex"])
    combinations = frame.fillna("missing").agg(" ".join, axis=1)
    assert len(strata) == 4
    for stratum in range(len(strata)):
        assert combinations[strata.codes == stratum].nunique() == 1
    assert strata.where == " in a stratum of region, sex"


def test_a_stratum_with_fewer_than_k_records_is_refused_by_column_and_counts():
    strata = strata_of(as_table(pd.DataFrame({"region": ["N"] * 5 + ["S"] * 2 + ["W"] * 3})), ["region"])
    strata.refuse_fewer_than(2)
    message = (
        r"every stratum of region; 2 of 3 have fewer, the smallest has 2\. Count the records by region to see which"
    )
    with pytest.raises(TooFewRecordsError, match=message) as raised:
        strata.refuse_fewer_than(4)
    assert (raised.value.k, raised.value.records, raised.value.strata) == (4, 2, ("region",))
    assert str(raised.value).endswith("merge strata, or lower k to 2 at most.")


def test_to_lower_k_is_no_advice_for_a_stratum_of_one_record():
    strata = strata_of(as_table(pd.DataFrame({"region": ["N"] * 5 + ["S"]})), ["region"])
    with pytest.raises(TooFewRecordsError, match=r"the smallest has 1\. .* merge strata\.$"):
        strata.refuse_fewer_than(3)
