"""Expressions evaluated over whole columns, against the same expressions evaluated record by record in Python."""

from __future__ import annotations

import datetime
import math
import random
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.edits import parse_rule
from shoal.edits.checked_records import NumericRecords, TableRecords
from shoal.edits.evaluation import broken, holds
from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Conditional,
    Every,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    NumberLiteral,
    Some,
    TermComparison,
    TextLiteral,
    VariableName,
    variables_in,
)
from shoal.edits.text import printed, read_expression
from shoal.errors import RuleError
from shoal.read import as_table


class NotComputableError(Exception):
    """1 / 0, the root of -1, or a number that is too large."""


def slowly(expression, record, original, tolerance):
    """Whether an expression is true for one record, a dictionary without missing values."""
    match expression:
        case Every(parts=parts):
            return all(slowly(part, record, original, tolerance) for part in parts)
        case Some(parts=parts):
            return any(slowly(part, record, original, tolerance) for part in parts)
        case Not(part=part):
            return not slowly(part, record, original, tolerance)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            if slowly(condition, record, original, tolerance):
                return slowly(then, record, original, tolerance)
            return otherwise is None or slowly(otherwise, record, original, tolerance)
        case Among(variable=VariableName(name=name), values=values):
            return any(as_text(record[name]) == as_text(value.value) for value in values)
        case IsInteger(variable=VariableName(name=name)):
            return record[name] == round(record[name])
        case InOriginal(variable=VariableName(name=name)):
            return any(record[name] == known for known in original[name])
        case TermComparison(relation=relation, left=left, right=right):
            return compared(relation, left, right, record, tolerance)
    raise AssertionError(expression)


def compared(relation, left, right, record, tolerance):
    sides = [plain(side, record) for side in (left, right)]
    if any(isinstance(side, str) for side in sides):
        return (as_text(sides[0]) == as_text(sides[1])) == (relation == "==")
    try:
        (one, one_size), (other, other_size) = worked_out(left, record), worked_out(right, record)
    except NotComputableError:
        return False
    slack = 0.0
    if any(isinstance(side, Arithmetic) for side in (bare(left), bare(right))):
        slack = tolerance * (one_size + other_size)
    equal = abs(one - other) <= slack
    return {
        "==": equal,
        "!=": not equal,
        "<": one < other and not equal,
        "<=": one < other or equal,
        ">": one > other and not equal,
        ">=": one > other or equal,
    }[relation]


def bare(term):
    return bare(term.term) if isinstance(term, Negative) else term


def plain(term, record):
    """The value of a side that is compared as it is, None if it is computed."""
    match term:
        case TextLiteral(value=value) | NumberLiteral(value=value):
            return value
        case VariableName(name=name):
            return record[name]
        case Negative(term=NumberLiteral(value=value)):
            return -value
    return None


def worked_out(term, record):
    """A number and the size of what it was computed from."""
    match term:
        case NumberLiteral(value=value):
            return value, abs(value)
        case VariableName(name=name):
            return record[name], abs(record[name])
        case Negative(term=inner):
            value, size = worked_out(inner, record)
            return -value, size
        case Arithmetic(sign=sign, left=left, right=right):
            (one, one_size), (other, other_size) = worked_out(left, record), worked_out(right, record)
            try:
                match sign:
                    case "+" | "-":
                        value, size = (one + other if sign == "+" else one - other), one_size + other_size
                    case "*":
                        value, size = one * other, one_size * other_size
                    case "/":
                        value, size = one / other, one_size / abs(other) * max(1.0, other_size / abs(other))
                    case "**":
                        value = one**other
                        size = abs(value) * max(1.0, other_size)
            except ArithmeticError:
                raise NotComputableError from None
            if isinstance(value, complex) or not math.isfinite(value):
                raise NotComputableError
            return value, size
    raise AssertionError(term)


def as_text(value):
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) else repr(value)


NUMBERS = [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.1, 0.2, 0.3, 0.5, 0.1 + 0.2, 1 / 3, 100.0]

TEXTS = ["x", "y", "1", "-2", "0.5", "car"]

NUMERIC, TEXTUAL = ("a", "b", "c"), ("t", "u")

NAMES = (*NUMERIC, *TEXTUAL)

RELATIONS = ["==", "!=", "<", "<=", ">", ">="]

variables = st.sampled_from(NUMERIC).map(VariableName)

words = st.sampled_from(TEXTUAL).map(VariableName)

constants = st.sampled_from([one for one in NUMBERS if one >= 0]).map(NumberLiteral)

signed = constants | constants.map(Negative)

texts = st.sampled_from(TEXTS).map(TextLiteral)


def terms_of(signs):
    return st.recursive(
        variables | constants,
        lambda inner: st.builds(Negative, inner) | st.builds(Arithmetic, st.sampled_from(signs), inner, inner),
        max_leaves=5,
    )


def expressions_of(signs):
    terms = terms_of(signs)
    equalities = st.sampled_from(["==", "!="])
    listed = st.sampled_from(NUMBERS).map(NumberLiteral) | texts
    tests = st.one_of(
        st.builds(TermComparison, st.sampled_from(RELATIONS), terms, terms),
        st.builds(TermComparison, equalities, words | texts, words | texts | signed | variables),
        st.builds(TermComparison, equalities, signed | variables, words | texts),
        st.builds(Among, variables | words, st.lists(listed, min_size=1, max_size=4).map(tuple)),
        st.builds(IsInteger, variables),
        st.builds(InOriginal, variables | words),
    )
    several = st.recursive(
        tests,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(Every, st.lists(inner, min_size=1, max_size=3).map(tuple)),
            st.builds(Some, st.lists(inner, min_size=1, max_size=3).map(tuple)),
            st.builds(Conditional, inner, inner, st.none() | inner),
        ),
        max_leaves=5,
    )
    return several


@cache
def some_rows(seed):
    """Fifty records, so that one expression meets many combinations of values."""
    draw = random.Random(seed)
    pools = {name: NUMBERS if name in NUMERIC else TEXTS for name in NAMES}
    return [
        {name: None if draw.random() < 0.05 else draw.choice(pool) for name, pool in pools.items()} for _ in range(50)
    ]


@cache
def table_of(seed, length=50):
    columns = {name: [row[name] for row in some_rows(seed)[:length]] for name in NAMES}
    types = {name: "float64" if name in NUMERIC else "str" for name in NAMES}
    return as_table(pd.DataFrame({name: pd.Series(cells, dtype=types[name]) for name, cells in columns.items()}))


seeds = st.integers(0, 30)

# A power may differ in its last digit between Python and NumPy, so that it wants some tolerance.
questions = st.one_of(
    st.tuples(expressions_of(["+", "-", "*", "/", "**"]), st.sampled_from([1e-9, 0.03, 1.0])),
    st.tuples(expressions_of(["+", "-", "*", "/"]), st.sampled_from([0.0, 1e-9, 0.03])),
)


@settings(max_examples=600)
@given(questions, seeds, seeds)
def test_columns_give_what_each_record_gives(question, seed, other_seed):
    expression, tolerance = question
    rows, few = some_rows(seed), some_rows(other_seed)[:6]
    original = {name: [row[name] for row in few if row[name] is not None] for name in NAMES}
    expected = [
        all(row[name] is not None for name in variables_in(expression))
        and not slowly(expression, row, original, tolerance)
        for row in rows
    ]
    found = broken(expression, TableRecords(table_of(seed), table_of(other_seed, 6)), tolerance)
    assert found.dtype == bool
    assert found.tolist() == expected


@settings(max_examples=200)
@given(questions, seeds)
def test_what_is_printed_means_the_same(question, seed):
    """Also where the language has no form for the tree, such as an if within brackets."""
    expression, tolerance = question
    checked = TableRecords(table_of(seed), table_of(seed + 1, 6))
    again = read_expression(printed(expression))
    assert broken(again, checked, tolerance).tolist() == broken(expression, checked, tolerance).tolist()


def is_broken(text, frame, **options):
    return parse_rule(text).broken(TableRecords(as_table(frame), options.pop("original", None)), **options).tolist()


def test_what_is_computed_is_tolerant_and_what_is_not_is_exact():
    frame = pd.DataFrame({"a": [0.1], "b": [0.2], "c": [0.3], "sum": [0.1 + 0.2]})
    assert is_broken("a + b == c", frame) == [False]
    assert is_broken("a + b == c", frame, tolerance=0.0) == [True]
    assert is_broken("sum == c", frame) == [True]
    assert is_broken("-sum == -c", frame) == [True]
    assert is_broken("sum <= c", frame) == [True]
    assert is_broken("sum == 0.3", frame) == [True]
    assert is_broken("sum + 0 <= c", frame) == [False]
    assert is_broken("a + b <= c", frame) == [False]
    assert is_broken("a + b > c", frame) == [True]  # by rounding only
    assert is_broken("a + b != c", frame) == [True]
    assert is_broken("not (a + b == c)", frame) == [True]


def test_the_tolerance_is_a_part_of_the_size_of_the_terms():
    frame = pd.DataFrame({"a": [1e6, 1e6], "b": [-1e6, -1e6], "c": [0.001, 0.003]})
    assert is_broken("a + b == c", frame, tolerance=1e-9) == [False, True]
    # What rounding did to a small difference of large numbers, dividing by it makes larger.
    frame = pd.DataFrame({"a": [5.0, 5.0], "b": [1e6 + 1, 1e6 + 1], "c": [1e6, 1e6], "d": [5.005, 5.02]})
    assert is_broken("a / (b - c) == d", frame, tolerance=1e-9) == [False, True]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "term", ["a / b", "b / b", "1 / (a / b)", "(0 - a) ** 0.5", "b ** -1", "(a / b) ** 0", "1 ** (a / b)"]
)
def test_what_cannot_be_computed_is_not_true(relation, term):
    frame = pd.DataFrame({"a": [1.0], "b": [0.0]})
    assert is_broken(f"{term} {relation} 5", frame) == [True]
    assert is_broken(f"if b != 0 then {term} {relation} 5", frame) == [False]


def test_numbers_too_large_to_compute_with():
    frame = pd.DataFrame({"a": [1e200, 1e308, np.inf], "b": [1e200, 1e308, np.inf]})
    assert is_broken("a == b", frame) == [False, False, False]
    assert is_broken("a * b >= 0", frame) == [True, True, True]
    assert is_broken("a + b == a + b", frame) == [False, True, True]


def test_a_missing_value_in_any_variable_leaves_the_record_out():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3, 3], "b": [2.0, 1, 2, np.nan], "t": ["x", "y", None, "y"]})
    assert is_broken("a <= b", frame) == [False, False, True, False]
    assert is_broken('a <= b and t == "x"', frame) == [False, False, False, False]
    assert is_broken('t == "x"', frame) == [False, True, False, True]
    assert is_broken("if a == 3 then b == 0", frame) == [False, False, True, False]


COLUMNS = {
    "pandas integers": pd.DataFrame({"n": pd.Series([1, 2, None], dtype="Int64")}),
    "pandas floats": pd.DataFrame({"n": [1.0, 2.0, np.nan]}),
    "pandas nullable floats": pd.DataFrame({"n": pd.Series([1.0, 2.0, None], dtype="Float64")}),
    "pandas arrow integers": pd.DataFrame({"n": pd.Series([1, 2, None], dtype="int64[pyarrow]")}),
    "pandas decimals": pd.DataFrame({"n": pd.Series([Decimal("1.0"), Decimal(2), None], dtype="object")}),
    "pandas objects": pd.DataFrame({"n": pd.Series([1, 2.0, None], dtype="object")}),
    "pandas categories of numbers": pd.DataFrame({"n": pd.Series([1, 2, None]).astype("category")}),
    "pandas categories of integers": pd.DataFrame({"n": pd.Categorical([1, 2, None], categories=[1, 2])}),
    "polars integers": pl.DataFrame({"n": [1, 2, None]}),
    "polars floats": pl.DataFrame({"n": [1.0, 2.0, None]}),
    "polars decimals": pl.DataFrame({"n": [Decimal("1.0"), Decimal(2), None]}),
    "arrow integers": pa.table({"n": [1, 2, None]}),
}


@pytest.mark.parametrize("frame", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_numbers_of_every_type(frame):
    assert is_broken("n == 2", frame) == [True, False, False]
    assert is_broken("n != 2", frame) == [False, True, False]
    assert is_broken("n in {2, 7}", frame) == [True, False, False]
    assert is_broken("n in original", frame, original=as_table(frame[1:])) == [True, False, False]
    assert is_broken("n in original", frame, original=as_table(pd.DataFrame({"n": ["2"]}))) == [True, False, False]


WORDS = {
    "pandas texts": pd.DataFrame({"w": ["x", "y", None]}),
    "pandas objects": pd.DataFrame({"w": pd.Series(["x", "y", None], dtype="object")}),
    "pandas categories": pd.DataFrame({"w": pd.Categorical(["x", "y", None])}),
    "polars texts": pl.DataFrame({"w": ["x", "y", None]}),
    "polars categories": pl.DataFrame({"w": pl.Series(["x", "y", None], dtype=pl.Categorical)}),
    "polars enum": pl.DataFrame({"w": pl.Series(["x", "y", None], dtype=pl.Enum(["y", "x", "z"]))}),
    "arrow texts": pa.table({"w": ["x", "y", None]}),
    "arrow dictionary": pa.table({"w": pa.array(["x", "y", None]).dictionary_encode()}),
}


@pytest.mark.parametrize("frame", WORDS.values(), ids=WORDS)
def test_columns_of_text_of_every_type(frame):
    assert is_broken('w == "y"', frame) == [True, False, False]
    assert is_broken("w != 'y'", frame) == [False, True, False]
    assert is_broken("w in {y, z}", frame) == [True, False, False]
    assert is_broken("w == w", frame) == [False, False, False]
    assert is_broken("w in original", frame, original=as_table(frame[1:])) == [True, False, False]
    for text in ("w < 'z'", "w >= 1") if TableRecords(as_table(frame)).order("w") is None else ():
        with pytest.raises(RuleError, match=f'The rule "{text[:3]}.*cannot be checked. Texts can only be compared by'):
            is_broken(text, frame)
    for text in ("w is integer", "w + 1 > w * 2"):
        with pytest.raises(RuleError, match=r'cannot be checked\. Column "w" is not numeric'):
            is_broken(text, frame)
    with pytest.raises(RuleError, match="not with the result of arithmetic"):
        is_broken("w == 1 + 1", frame)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"f": [True, False]}),
        pd.DataFrame({"f": pd.Series([True, False], dtype="boolean")}),
        pl.DataFrame({"f": [True, False]}),
        pa.table({"f": [True, False]}),
    ],
)
def test_truth_values_are_one_and_zero_or_their_names(frame):
    for text in ("f == 1", "f == 'True'", "f in {True}", "f in {1}", "f > 0", "f + f == 2"):
        assert is_broken(text, frame) == [False, True], text


DAY, NIGHT = datetime.datetime(2020, 2, 1), datetime.datetime(2020, 2, 1, 23, 30)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_dates_are_compared_as_a_file_writes_them(make):
    days = make({"d": [DAY, None], "e": [DAY.date(), None]})
    for text in ("d == '2020-02-01'", "e in {'2020-02-01'}", "d == e"):
        assert is_broken(text, days) == [False, False], text
    assert is_broken("d == '2020-02-02'", days) == [True, False]
    times = make({"d": [DAY, NIGHT]})
    assert is_broken("d in {'2020-02-01 23:30:00'}", times) == [True, False]


def test_large_integers_are_told_apart_in_the_original():
    """Floats cannot: 2**53 and 2**53 + 1 are the same number there."""
    frame = pd.DataFrame({"id": [2**53, 2**53 + 1]})
    assert is_broken("id in original", frame, original=as_table(pd.DataFrame({"id": [2**53]}))) == [False, True]
    assert is_broken("id in original", frame, original=as_table(pd.DataFrame({"id": [2.0**53]}))) == [False, True]


def test_a_missing_value_of_the_original_is_no_value():
    frame = pl.DataFrame({"t": ["", "x"]})
    assert is_broken("t in original", frame, original=as_table(pl.DataFrame({"t": [None, "x"]}))) == [True, False]


def test_texts_between_constants_mean_something():
    frame = pd.DataFrame({"a": [1, 2]})
    assert is_broken('"x" == "x" and a == 1', frame) == [False, True]
    assert is_broken('"x" != "x" or a == 1', frame) == [False, True]


def test_codes_keep_their_zeros():
    frame = pd.DataFrame({"code": ["007", "7"]})
    assert is_broken("code == 7", frame) == [True, False]
    assert is_broken('code == "007"', frame) == [False, True]
    assert is_broken("code == -7", pd.DataFrame({"code": ["x", "-7"]})) == [True, False]


def test_columns_of_representatives():
    columns = NumericRecords({"a": np.array([1.0, 2.5, np.nan]), "b": np.array([1.0, 2.0, 3.0])})
    assert len(columns) == 3
    assert broken(read_expression("a == b"), columns).tolist() == [False, True, False]
    assert holds(read_expression('a in {"1", "2.5"}'), columns).tolist() == [True, True, False]
    assert holds(read_expression("a is integer"), columns).tolist() == [True, False, False]
    with pytest.raises(RuleError, match="--original"):
        holds(read_expression("a in original"), columns)


def test_names_of_columns_that_are_not_there_get_a_hint():
    with pytest.raises(
        RuleError, match=r'The rule "netto == 1" names "netto", which is no column. Did you mean "Netto"'
    ):
        parse_rule("netto == 1").refuse_unknown(["Netto", "tax"])


def holds_in_decimals(rule, **values):
    records = NumericRecords({name: np.array([float(value)]) for name, value in values.items()})
    return not parse_rule(rule).broken(records, tolerance=None).any()


def test_a_tenth_and_two_tenths_are_three_tenths():
    assert 0.1 + 0.2 != 0.3
    assert holds_in_decimals("a + b == c", a=0.1, b=0.2, c=0.3)


def test_there_is_no_tolerance():
    assert not holds_in_decimals("a + b == c", a=1e9, b=1e9, c=2e9 + 0.01)
    assert not parse_rule("a + b == c").broken(
        NumericRecords({"a": np.array([1e9]), "b": np.array([1e9]), "c": np.array([2e9 + 0.01])})
    )


@pytest.mark.parametrize("rule", ["a / b < 5", "a / b != 5", "1 / (a / b) == 0", "(0 - a) ** 0.5 >= 0"])
def test_what_is_undefined_makes_a_comparison_false(rule):
    assert not holds_in_decimals(rule, a=1, b=0)


@given(st.integers(-(10**14), 10**14), st.integers(-(10**14), 10**14), st.integers(0, 4))
def test_sums_of_decimals_hold_exactly(a, b, decimals):
    sizes = {name: number / 10**decimals for name, number in (("a", a), ("b", b), ("c", a + b))}
    assert holds_in_decimals("a + b == c", **sizes)
    assert not holds_in_decimals("a + b < c", **sizes)
    assert holds_in_decimals("3 * a - 2 * b >= a - 2 * (b - a) - 0", **sizes)


def test_single_precision_is_read_as_it_is_written():
    table = as_table(pl.DataFrame({"a": [0.1], "b": [0.2], "c": [0.3]}, schema=dict.fromkeys("abc", pl.Float32)))
    assert not parse_rule("a + b == c").broken(TableRecords(table), tolerance=None).any()
