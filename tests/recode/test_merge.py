"""Merged categories: those that were named, and those that few records have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_recodes import slow_merge
from shoal.errors import DescriptionWarning, ParameterError
from shoal.read import as_table
from shoal.read.labels import Labels
from shoal.recode import Merge
from shoal.recode.base import Numbers
from shoal.recode.catalogue import build_recode


def merged(values, labels=None, **parameters):
    frame = pd.DataFrame({"x": values})
    if labels:
        frame.attrs["shoal_labels"] = Labels(values={"x": labels}).to_plain()
    return build_recode(Merge(**parameters)).recoded(as_table(frame), "x", 2)


def texts(made):
    return [None if code < 0 else made.texts[code] for code in made.codes]


def test_named_categories_become_one():
    assert texts(merged(["a", "b", "c", None], groups={"other": ["a", "b"]})) == ["other", "other", "c", None]


def test_rare_categories_become_one_and_reach_what_was_asked_for():
    made = merged(["a", "b", "c", "c", "d", "d", "d"], rare=3)
    assert texts(made) == ["other", "other", "other", "other", "d", "d", "d"]
    assert texts(merged(["a", "b", "b", "b", "c", "c", "c", "c"], rare=3)) == ["other"] * 4 + ["c"] * 4
    assert texts(merged(["a", "a", "b", "b"], rare=2)) == ["a", "a", "b", "b"]


@given(
    st.lists(st.sampled_from([*"abcdef", None]), min_size=1, max_size=40).filter(lambda one: any(one)),
    st.none() | st.integers(2, 6),
    st.sampled_from([None, {"x": ["a"]}, {"x": ["a", "b"], "c": ["d"]}, {"other": ["f"]}]),
)
@pytest.mark.filterwarnings("ignore::shoal.errors.DescriptionWarning")
def test_merging_does_what_it_says(values, rare, groups):
    if rare is None and groups is None:
        return
    made = merged(pd.array(values, dtype="str"), groups=groups, rare=rare)
    assert texts(made) == slow_merge(values, groups or {}, rare, "other")


def test_ordered_categories_keep_their_order_if_what_is_merged_is_adjacent():
    sizes = pd.Categorical(["s", "m", "l", "xl"], ["s", "m", "l", "xl"], ordered=True)
    made = merged(sizes, groups={"large": ["l", "xl"]})
    assert made.ordered and made.texts == ("s", "m", "large")
    assert not merged(sizes, groups={"ends": ["s", "xl"]}).ordered


def test_numbers_stay_numbers_if_the_new_categories_are_some():
    made = merged([1, 2, 3, 3], groups={9: [1, 2]})
    assert isinstance(made, Numbers) and made.values.tolist() == [9, 9, 3, 3] and made.kind == "nominal"
    assert texts(merged([1, 2, 3, 3], groups={"few": [1, 2]})) == ["few", "few", "3", "3"]


def test_labelled_codes_stay_codes_with_a_label():
    labels = {1: "one", 2: "two", 3: "three", 4: "four"}
    made = merged([1, 2, 3, 4, np.nan], labels, groups={"some": [2, 3]})
    assert made.values[:4].tolist() == [1, 2, 2, 4] and np.isnan(made.values[4])
    assert made.labels == {1: "one", 2: "some", 4: "four"}
    with pytest.warns(DescriptionWarning, match="Name codes, not their labels"):
        assert merged([1, 2, 3, 4], labels, groups={"some": ["two", "three"]}).labels == labels
    made = merged([1, 2, 3, 3, 3], labels, rare=2)
    assert made.values.tolist() == [5, 5, 3, 3, 3] and made.labels == {5: "other", 3: "three"}


def test_values_that_are_not_there_are_warned_of():
    with pytest.warns(DescriptionWarning, match="1 of the 2 values to merge are not in the column"):
        merged(["a", "c"], groups={"other": ["a", "b"]})


@pytest.mark.parametrize(
    "parameters", [{}, {"groups": {"x": ["a"], "y": ["a"]}}, {"groups": {}}, {"rare": 1}, {"rare": 2, "into": ""}]
)
def test_parameters_that_merge_nothing_are_refused(parameters):
    with pytest.raises(ParameterError):
        merged(["a", "b"], **parameters)


def test_what_is_merged_is_not_published():
    recode = Merge({"other": ["secret", "hidden"]}, rare=5)
    assert "secret" in str(recode.written()) and "secret" not in str(recode.public()) + recode.text
    assert build_recode(recode.written()).written() == recode.written()
