"""Closeness of classes to the file: by its definition, exactly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.slow_closeness import slow_distance
from shoal.errors import NotApplicableError, ParameterError
from shoal.measure import t_closeness
from shoal.measure.risk.keys.t_closeness import distances_of_classes


@given(
    rows=st.lists(st.tuples(st.integers(-1, 4), st.sampled_from([None, 0, 1, 2, 5, 9])), min_size=1, max_size=25),
    ordered=st.booleans(),
)
def test_it_is_what_the_definition_says(rows, ordered):
    classes = np.array([own for own, _ in rows])
    values = [value for _, value in rows]
    numbers = {value: place for place, value in enumerate(sorted(set(values) - {None}))}
    if not numbers:
        return
    codes = np.array([-1 if value is None else numbers[value] for value in values])
    distances = distances_of_classes(classes, codes, ordered=ordered)
    for own, distance in enumerate(distances):
        expected = slow_distance([v for c, v in rows if c == own], values, ordered=ordered)
        assert np.isnan(distance) if expected is None else distance == pytest.approx(float(expected), abs=1e-12)


def test_numbers_have_an_order_and_texts_have_none():
    frame = pd.DataFrame({"k": [1, 1, 2, 2], "income": [1.5, 2.5, 3.5, 4.5], "job": list("abcd")})
    distance = t_closeness(frame, "k", ["income", "job"])
    assert distance.by_column == {"income": pytest.approx(1 / 3), "job": 0.5}
    assert distance.by_record.tolist() == [0.5] * 4 and distance == 0.5
    as_codes = t_closeness(frame, "k", "income", kinds={"income": "nominal"})
    assert as_codes == 0.5


def test_an_ordered_category_goes_by_its_order_and_by_what_occurs():
    size = pd.Categorical(["low", "low", "high", "high"], ["low", "never", "high"], ordered=True)
    frame = pd.DataFrame({"k": list("aabb"), "size": size})
    assert t_closeness(frame, "k", "size") == 0.5


def test_constant_and_missing_values():
    frame = pd.DataFrame({"k": list("aab"), "same": [2.5, 2.5, 2.5], "some": [1.5, 2.5, None], "none": [None] * 3})
    assert t_closeness(frame, "k", "same") == 0
    distance = t_closeness(frame, "k", "some")
    assert distance == 0 and np.isnan(distance.by_record).tolist() == [False, False, True]
    with pytest.raises(NotApplicableError, match="none"):
        t_closeness(frame, "k", "none")
    with pytest.raises(ParameterError, match="kinds"):
        t_closeness(frame, "k", "same", kinds={"same": "ordered"})


@pytest.mark.parametrize("kind", ["dates", "objects", "durations"])
def test_dates_and_durations_are_taken_in_their_order(kind):
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-09", "2021-01-01"]))
    values = {"dates": days, "objects": days.dt.date, "durations": days - days[0]}[kind]
    people = pd.DataFrame({"sex": list("ffmm"), "when": values, "rank": [1.5, 2.5, 3.5, 4.5]})
    assert (
        float(t_closeness(people, "sex", "when")) == float(t_closeness(people, "sex", "rank")) == pytest.approx(1 / 3)
    )
    assert float(t_closeness(people, "sex", "when", kinds={"when": "nominal"})) == 0.5
