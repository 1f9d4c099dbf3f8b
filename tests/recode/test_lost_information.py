"""What a recode takes from a column, in entropy."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.read import as_table
from shoal.recode.lost_information import joined_loss, joined_losses, lost_by_recoding
from shoal.recode.recoded_table import recoded_table


def entropy(values) -> float:
    counts = Counter(values).values()
    total = sum(counts)
    return -sum(count / total * log(count / total) for count in counts)


def test_bands_of_even_ages_lose_what_is_inside_a_band():
    recoded = recoded_table(as_table(pd.DataFrame({"age": range(100)})), {"age": ["bands:width=10"]}, k=2)
    assert lost_by_recoding(recoded, ["age"]) == {"age": pytest.approx(100 * log(10) / log(100))}


@given(st.lists(st.integers(0, 30) | st.none(), min_size=2, max_size=60), st.sampled_from([2, 5, 50]))
def test_it_is_the_conditional_entropy_of_the_values(ages, width):
    recoded = recoded_table(
        as_table(pd.DataFrame({"age": pd.array(ages, "Int64")})), {"age": [f"round:to={width}"]}, k=2
    )
    before, after = (
        ["none" if value is None else float(value) for value in table.cells("age").tolist()]
        for table in (recoded.before, recoded.table)
    )
    whole = entropy(before)
    within = entropy(list(zip(before, after, strict=True))) - entropy(after)
    expected = 100 * within / whole if whole > 0 else 0.0
    assert lost_by_recoding(recoded, ["age"])["age"] == pytest.approx(expected, abs=1e-9)


@given(st.floats(0, 100), st.floats(0, 100))
def test_two_losses_are_what_is_lost_of_the_whole_and_of_the_rest(first, second):
    both = joined_loss(first, second)
    assert both == joined_loss(second, first)
    assert both == pytest.approx(100 * (1 - (1 - first / 100) * (1 - second / 100)), abs=1e-9)
    assert max(first, second) <= both + 1e-9 <= 100 + 1e-6 and joined_loss(first, 0.0) == first


def test_a_column_loses_what_it_loses_in_one_step_or_the_other():
    assert joined_losses({"a": 50.0, "b": 10.0}, {"a": 50.0, "c": 20.0}) == {"a": 75.0, "b": 10.0, "c": 20.0}


def test_a_chain_loses_what_one_recode_to_the_same_values_loses():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(0, 80, 200) * 1.0, "income": rng.lognormal(3, 1, 200)})
    kinds = {"age": "continuous"}
    once = shoal.protect(frame, 3, recodes={"age": "round:to=20"}, kinds=kinds, seed=1)
    first = shoal.protect(frame, 3, recodes={"age": "round:to=4"}, kinds=kinds, seed=1)
    twice = first.then(recodes={"age": "round:to=20"}, kinds=kinds, seed=1)
    lost = [one.plan.outcome.lost_by_recoding["age"] for one in (once, first, twice)]
    assert lost[1] < lost[0] and lost[2] == pytest.approx(
        100 * (1 - entropy(twice.recoded.numbers("age").tolist()) / entropy(frame["age"].tolist()))
    )
    assert twice.plan.facts["lost_by_recoding"] == {"age": lost[2]}
