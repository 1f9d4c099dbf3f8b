"""What recodes do for k, against counting one record at a time."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from oracles.slow_recodes import slow_counts
from shoal.errors import ColumnError, ParameterError
from shoal.read import as_table
from shoal.recode import Bands, Merge, effect
from shoal.recode.effect import joined_loss, joined_losses, lost_by_recoding
from shoal.recode.recoded_table import recoded_table


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
