"""Rules found in the data: what is planted is found, what is not meant is not, and everything that is offered holds."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest

from shoal.datasets import expenditure, households
from shoal.edits import SuggestedRule, check, read_edits, suggested_rules
from shoal.errors import ParameterError


def amounts(columns: int, n: int = 400, seed: int = 1) -> dict[str, np.ndarray]:
    """Return columns of amounts that have nothing to do with each other, whole numbers of different sizes."""
    rng = np.random.default_rng(seed)
    return {f"a{place}": np.round(rng.lognormal(6 + place % 3, 1.0, n)) for place in range(columns)}


def texts(data, kind: str | None = None, most: int = 100) -> list[str]:
    return [one.text for one in suggested_rules(data, most=most) if kind is None or one.kind == kind]


def test_the_sums_of_the_households_are_found_with_the_records_that_have_all_values():
    found = [one for one in suggested_rules(households(missing=0.1)) if one.kind == "sum"]
    parts = "wage_income + self_employment_income + capital_income + transfers"
    complete = int(households(missing=0.1)[["capital_income", "transfers"]].notna().all(axis=1).sum())
    assert found == [
        SuggestedRule(
            "gross_income == tax + net_income",
            "sum",
            "holds in all 1,000 records that have all three values",
            1000,
        ),
        SuggestedRule(
            f"gross_income == {parts}",
            "sum",
            f"holds in all {complete:,} records that have all five values",
            complete,
        ),
    ]


def test_a_sum_with_taxes_is_found():
    once = expenditure()
    frame = pd.concat([once * factor for factor in (1, 2, 3)], ignore_index=True)
    assert texts(frame, "sum") == ["total == 1.16 * exp16 + 1.07 * exp7"]


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda a: a["a0"] + a["a1"] - a["a2"], "sum", "a0 + a1 == a2 + x"),
        (lambda a: a["a0"] + a["a1"] + a["a2"] + a["a3"], "sum", "x == a0 + a1 + a2 + a3"),
        (lambda a: (a["a0"] + a["a1"] + a["a2"]) / 3, "sum", "3 * x == a0 + a1 + a2"),
        (lambda a: 1.8 * a["a0"] + 32, "sum", "x == 1.8 * a0 + 32"),
        (lambda a: 2000 - a["a0"], "sum", "a0 + x == 2000"),
        (lambda a: a["a0"] / 1000, "ratio", "a0 == 1000 * x"),
        (lambda a: 28.35 * a["a0"], "ratio", "x == 28.35 * a0"),
        (lambda a: a["a1"], "equal", "a1 == x"),
        (lambda a: a["a0"] * a["a1"], "product", "x == a0 * a1"),
        (lambda a: 100 * a["a0"] / a["a1"], "product", "100 * a0 == a1 * x"),
        (lambda a: 0.1 * a["a0"] + 0.2 * a["a1"], "sum", "10 * x == a0 + 2 * a1"),
    ],
)
def test_a_planted_relation_is_found_and_no_other(make, kind, text):
    columns = amounts(5)
    frame = pd.DataFrame({**columns, "x": make(columns)})
    equalities = [(one.kind, one.text) for one in suggested_rules(frame) if "==" in one.text]
    assert equalities == [(kind, text)]


@pytest.mark.parametrize(
    "make",
    [
        lambda a, rng: 1.234567 * a["a0"],
        lambda a, rng: a["a0"] + a["a1"] + rng.normal(0, 0.01, 400),
        lambda a, rng: np.where(np.arange(400) == 399, 1.0, a["a0"] + a["a1"]),  # one record breaks it
        lambda a, rng: np.round(a["a0"] * a["a1"] / 7),
    ],
)
def test_what_is_not_exact_or_not_simple_is_no_rule(make):
    columns = amounts(4)
    frame = pd.DataFrame({**columns, "x": make(columns, np.random.default_rng(3))})
    assert not [text for text in texts(frame) if "==" in text]


def test_a_part_that_is_rarely_there_belongs_to_the_sum():
    """None of the records that are looked at first has it; those that break the sum without it are looked at then."""
    columns = amounts(3, n=50_000)
    rare = np.zeros(50_000)
    rare[[17, 20_001, 49_998]] = 5.0, 7.0, 11.0
    frame = pd.DataFrame({**columns, "rare": rare, "total": columns["a0"] + columns["a1"] + rare})
    assert texts(frame, "sum") == ["total == a0 + a1 + rare"]


def test_relations_are_found_where_few_records_are_complete():
    columns = amounts(12, n=300)
    frame = pd.DataFrame({**columns, "total": columns["a0"] + columns["a1"]})
    rng = np.random.default_rng(4)
    for name in [f"a{place}" for place in range(2, 12)]:
        frame.loc[rng.random(300) < 0.6, name] = np.nan
    assert frame.notna().all(axis=1).sum() < 5
    assert texts(frame, "sum") == ["total == a0 + a1"]


def test_few_records_make_no_rule():
    columns = amounts(2, n=30)
    frame = pd.DataFrame({**columns, "total": columns["a0"] + columns["a1"]})
    assert texts(frame, "sum") == ["total == a0 + a1"]
    assert texts(frame[:19]) == []
    frame.loc[:10, "a0"] = np.nan  # 19 have all three
    assert texts(frame, "sum") == []


def test_identifiers_and_constants_take_no_part():
    columns = amounts(2)
    number = np.arange(1, 401)
    frame = pd.DataFrame(
        {"person_id": number, "twice": 2 * number, "year": 2020, "firm_id": number // 4 + 1, **columns}
    )
    assert all(not re.search("person_id|year|firm_id", text) for text in texts(frame))


def test_what_is_zero_wherever_another_is_zero():
    rng = np.random.default_rng(5)
    n = 600
    works = rng.random(n) < 0.6
    hours = np.where(works, rng.integers(1, 60, n), 0)
    bonus = np.where(works & (rng.random(n) < 0.7), rng.lognormal(6, 1, n).round(2), 0)
    frame = pd.DataFrame(
        {
            "status": np.where(works, "works", np.where(rng.random(n) < 0.5, "retired", "at school")),
            "hours": hours,
            "bonus": bonus,
            "other": rng.lognormal(6, 1, n) * (rng.random(n) < 0.5),
        }
    )
    found = [one for one in suggested_rules(frame) if one.kind == "condition"]
    # That of bonus by status follows from these two.
    assert [one.text for one in found] == [
        "if hours == 0 then bonus == 0",
        'if status in {"at school", "retired"} then hours == 0',
    ]
    assert [one.records for one in found] == [(hours == 0).sum(), (~works).sum()]


def test_children_earn_no_wages():
    rng = np.random.default_rng(6)
    age = rng.integers(0, 90, 2000)
    wage = np.where((age >= 15) & (rng.random(2000) < 0.8), rng.lognormal(7, 1, 2000).round(), 0)
    assert texts(pd.DataFrame({"age": age, "wage": wage}), "condition") == ["if age < 15 then wage == 0"]


def brute_force_orders(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the orders that hold and that pairs of different records often break, by looking at all of them."""
    found = set()
    for lower, upper in product(frame.columns, repeat=2):
        pairs = frame[[lower, upper]].dropna().to_numpy().tolist()
        if lower == upper or any(one > other for one, other in pairs):
            continue
        above = sum(one > other for one, _ in pairs for _, other in pairs)
        if above >= 0.02 * len(pairs) ** 2 and above / len(pairs) >= 50:
            found.add((lower, upper))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_orders_are_those_of_brute_force_without_what_follows_from_them(seed):
    rng = np.random.default_rng(seed)
    lowest = rng.normal(0, 5, 300)
    columns = {"c": lowest, "b": lowest + rng.exponential(1, 300), "free": rng.normal(0, 5, 300)}
    columns |= {"d": columns["b"] + rng.exponential(1, 300), "far": rng.normal(1000, 1, 300)}
    columns["e"] = np.maximum(columns["d"], columns["free"])
    frame = pd.DataFrame(columns)[rng.permutation(list(columns))]
    suggested = {tuple(text.split(" <= ")) for text in texts(frame, "order")}
    reached = set(suggested)
    for middle, first, last in product(frame.columns, repeat=3):
        if (first, middle) in reached and (middle, last) in reached:
            reached.add((first, last))
    assert suggested == {("c", "b"), ("b", "d"), ("d", "e"), ("free", "e")}
    assert reached == brute_force_orders(frame)


def test_parts_of_a_sum_are_no_orders():
    columns = amounts(3)
    frame = pd.DataFrame({**columns, "total": columns["a0"] + columns["a1"] + columns["a2"]})
    assert texts(frame, "order") == []


def test_bounds_are_round_and_never_a_value_observed():
    rng = np.random.default_rng(7)
    n = 500
    frame = pd.DataFrame(
        {
            "wage": rng.lognormal(7, 1, n) + 3.25,
            "rooms": rng.integers(1, 16, n),
            "share of rent": rng.uniform(0.01, 0.97, n),
            "pct_paid": rng.uniform(2, 93, n),
            "age": rng.integers(18, 96, n),
            "height": rng.normal(175, 8, n),
            "balance": rng.normal(0, 100, n),
            "year": rng.integers(1950, 2020, n),
            "sex": rng.integers(1, 3, n),
        }
    )
    assert texts(frame, "bound") == [
        "wage >= 0",
        "rooms >= 1",
        "0 <= `share of rent` and `share of rent` <= 1",
        "0 <= pct_paid and pct_paid <= 100",
        "age >= 0",
    ]


@pytest.mark.parametrize("seed", range(3))
def test_every_suggestion_is_read_and_holds_and_counts_its_records(seed):
    frame = households(700, seed=seed, missing=0.2)
    frame["half"] = frame["tax"] / 2
    frame["cost per head"] = frame["housing_cost"] / frame["household_size"]
    suggestions = suggested_rules(frame, most=100)
    assert len({one.text for one in suggestions}) == len(suggestions) >= 10
    for one in suggestions:
        (rule,) = read_edits([one.text])
        status = check(frame, [rule]).rules[0]
        assert status.broken == 0
        assert one.records >= 20
        assert f"{one.records:,} records" in one.why
        if one.kind != "condition":
            assert one.records == frame[list(rule.variables)].notna().all(axis=1).sum() == 700 - status.missing


def test_the_same_table_gives_the_same_suggestions_in_every_type():
    frame = households(500).drop(columns=["education"])
    expected = suggested_rules(frame)
    assert suggested_rules(frame) == expected
    assert suggested_rules(pl.from_pandas(frame)) == expected
    numbers = frame[["wage_income", "tax", "gross_income", "net_income"]].to_numpy(float)
    assert texts(numbers, "sum") == ["`2` == `1` + `3`"]


def test_the_records_may_come_in_any_order():
    frame = households(5000)
    shuffled = frame.sample(frac=1, random_state=1)
    assert texts(shuffled, "sum") == texts(frame, "sum")


def test_most_is_a_limit():
    assert len(suggested_rules(households(), most=3)) == 3
    assert suggested_rules(households(), most=3) == suggested_rules(households())[:3]
    for wrong in (0, -1, 1.5, "many"):
        with pytest.raises(ParameterError, match="most"):
            suggested_rules(households(), most=wrong)


def test_columns_that_cannot_be_named_or_computed_with_are_left_out():
    columns = amounts(2)
    frame = pd.DataFrame({**columns, "line\nbreak": columns["a0"] + columns["a1"], "huge": columns["a0"] * 2.0**60})
    frame["infinite"] = np.where(columns["a0"] > 500, np.inf, columns["a0"])
    frame["day"] = pd.Timestamp("2020-01-01")
    frame["words"] = "word"
    assert not re.search("break|huge|infinite|day|words", " ".join(texts(frame)))
    assert texts(pd.DataFrame({"words": ["a", "b"] * 30})) == []
