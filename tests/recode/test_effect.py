"""What recodes do for k, against counting one record at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_recodes import slow_counts
from shoal.errors import ColumnError, ParameterError
from shoal.recode import Bands, Merge, effect


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from(["a", "b", "c", None]), st.integers(0, 5)),
        min_size=2,
        max_size=30,
    ),
    st.integers(2, 5),
    st.booleans(),
)
@pytest.mark.filterwarnings("ignore::shoal.errors.DescriptionWarning")
def test_counts_are_those_of_the_recoded_table(rows, k, with_unit):
    people = pd.DataFrame(rows, columns=["age", "rel", "house"])
    people["rel"] = people["rel"].astype("str")
    units = people["house"].tolist() if with_unit else None
    found = effect(
        people,
        {"age": Bands(width=10), "rel": Merge({"ab": ["a", "b"]})},
        ["age", "rel"],
        k,
        unit="house" if with_unit else None,
    )
    ages, bands = [row[0] for row in rows], [row[0] // 10 for row in rows]
    rel = [row[1] for row in rows]
    merged = ["ab" if one in ("a", "b") else one for one in rel]
    for counts, one, other in (
        (found.before, ages, rel),
        (found.alone["age"], bands, rel),
        (found.alone["rel"], ages, merged),
        (found.together, bands, merged),
    ):
        assert (counts.k, counts.uniques, counts.below_k) == slow_counts(list(zip(one, other, strict=True)), k, units)
        assert counts.values == {"age": len(set(one)), "rel": len(set(other) - {None})}


def test_it_prints_as_a_table_and_changes_nothing():
    people = pd.DataFrame({"age": [31, 33, 34, 47, 48], "income": [1, 2, 3, 4, 5.5]})
    before = people.copy()
    shown = str(effect(people, {"age": "bands:width=10", "income": "round:to=2"}, ["age"], 2)).splitlines()
    assert shown[0] == "5 records over age"
    assert [line.split() for line in shown[2:]] == [
        ["as", "it", "is", "1", "5", "5"],
        ["age", "5", "to", "2", "2", "0", "0"],
        ["income", "5", "to", "4"],
        ["all", "together", "2", "0", "0"],
        ["income", "is", "not", "among", "the", "keys"],
    ]
    pd.testing.assert_frame_equal(people, before)


def test_missing_codes_count_as_missing():
    people = pd.DataFrame({"age": [1, 1, -9, -8]})
    assert effect(people, None, "age", 2, missing_codes={"age": [-9, -8]}).before.below_k == 0


def test_keys_have_to_be_columns():
    people = pd.DataFrame({"age": np.arange(5)})
    with pytest.raises(ColumnError, match='There is no column "sex"'):
        effect(people, {}, ["age", "sex"], 2)
    with pytest.raises(ColumnError, match="keys names no column"):
        effect(people, {}, [], 2)
    with pytest.raises(ParameterError, match="k must be"):
        effect(people, {}, "age", 1)


def test_minus_zero_is_zero():
    frame = pd.DataFrame({"x": pd.array([0.0, -0.0, 1.0], dtype="double[pyarrow]")})
    assert effect(frame, {"x": Bands(width=5)}, ["x"], k=2).before.values == {"x": 2}
