"""A text column that is mostly numbers is refused or is one of codes, and never silently a text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.describe import describe_table, select
from shoal.describe.kinds.text_numbers import numbers_in_text
from shoal.errors import DataError, DescriptionWarning, DisclosureWarning
from shoal.read import as_table, read_table
from shoal.write import write_table

AMOUNTS = [str(100 + 7919 * i) for i in range(30)]
DIRTY = [
    "0123",
    "1" * 20,
    "\uff11\uff12\uff13\uff14",
    "12.3k",
    "500-",
    "EUR 500",
    "1,5,00 x",
    "unknown",
    "(500)",
    "+7",
    "\u22125",
    "1 234",
    "7 %",
]
CODES = {
    "postal codes": [f"{8034 + 97 * i:05d}" for i in range(30)],
    "ISCO with few leading zeros": ["2411", "3112", "5120"] * 20 + ["0110"],
    "postal codes beside a text": ["08034", "43007", "unknown", "08001"],
    "COICOP": ["01.1", "01", "12.7", "04.5"],
    "intervals": ["(39,49]", "(49,59]", "(59,69]"],
    "padded to several widths": ["007", "0012", "01"],
    "one digit": ["1", "2", "9", "0"],
    "more digits than a quantity has": [f"{12345678901234567890 + i}" for i in range(9)],
    "ICD-10": ["J45.0", "E11", "I10"],
    "age groups": ["18-24", "25-34", "65+"],
    "dates": ["31.12.2020", "01.02.2021"],
    "text": ["north", "south", "2nd"],
}


def frame_with(cell, make=pd.DataFrame):
    return make({"x": np.arange(31.0) ** 2, "income": [*AMOUNTS[:16], cell, *AMOUNTS[16:]]})


def in_arrow(columns):
    return pa.table(columns)


@pytest.mark.parametrize("cell", DIRTY)
def test_one_dirty_cell_among_amounts_is_refused_by_its_record_and_not_by_its_value(cell):
    with pytest.raises(DataError, match=r'"income" \(numbers but for 1 of its 31 values, in record 17\)') as caught:
        select(as_table(frame_with(cell)))
    assert cell not in str(caught.value).replace("record 17", "").replace("of its 31", "")
    assert '--kind "income=nominal"' in str(caught.value)


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".xml", ".parquet", ".dta", ".sav"])
def test_a_dirty_cell_is_refused_in_every_kind_of_file(tmp_path, ending):
    path = tmp_path / f"data{ending}"
    write_table(frame_with("EUR 500"), path)
    with pytest.raises(DataError, match=r'"income" \(numbers but for 1 of its 31 values, in record 17\)'):
        shoal.protect(path, 3)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, in_arrow])
def test_a_dirty_cell_is_refused_in_every_kind_of_frame(make):
    with pytest.raises(DataError, match=r'"income" \(numbers but for 1 of its 31 values, in record 17\)'):
        shoal.protect(frame_with("12.3k", make), 3)


def test_numbers_of_another_type_beside_text_are_refused():
    frame = pd.DataFrame({"x": np.arange(6.0), "income": pd.Series([1, 2.5, "x", 4, 5, 6], dtype=object)})
    with pytest.raises(DataError, match="but for 1 of its 6 values, in record 3"):
        shoal.protect(frame, 3)


def test_numbers_that_are_all_text_are_refused_too():
    for values in (AMOUNTS, [f"€{amount}" for amount in AMOUNTS], [f"{amount}.5" for amount in AMOUNTS]):
        with pytest.raises(DataError, match=r'"income" \(numbers written as text, all 30 of them\)'):
            select(as_table(pd.DataFrame({"x": np.arange(30) * 1.5, "income": values})))


@pytest.mark.parametrize("values", CODES.values(), ids=CODES)
def test_codes_and_texts_are_categories(values):
    table = as_table(pd.DataFrame({"x": np.arange(len(values)) * 1.5, "code": values}))
    assert not numbers_in_text(table, "code").are_amounts


def test_a_leading_zero_among_amounts_of_one_width_is_no_code():
    incomes = [str(10_000 + 71 * i) for i in range(99)]
    table = as_table(pd.DataFrame({"x": range(100), "income": [*incomes, "01234"]}))
    assert numbers_in_text(table, "income").are_amounts


def test_a_text_beside_single_digits_makes_no_codes_of_them():
    table = as_table(pd.DataFrame({"children": ["0", "2", "1", "two", "3", "0"]}))
    assert numbers_in_text(table, "children").are_amounts


def test_words_for_a_missing_value_are_no_text():
    table = as_table(pd.DataFrame({"income": ["1200", "NA", ".", None, "EUR 5", "n/a"]}))
    found = numbers_in_text(table, "income")
    assert (found.values, found.numbers) == (2, 2)


def test_a_text_with_some_numbers_in_it_is_a_text():
    table = as_table(pd.DataFrame({"answer": ["12", "about ten", "many", "none", "3"]}))
    assert not numbers_in_text(table, "answer").are_amounts


def test_at_most_five_records_are_named():
    table = as_table(pd.DataFrame({"income": [*AMOUNTS, *["x"] * 7]}))
    with pytest.raises(DataError, match=r"but for 7 of its 37 values, in records 31, 32, 33, 34, 35 and 2 more\)"):
        select(table)


def test_each_way_out_says_what_the_column_is():
    frame = frame_with("EUR 500")
    with pytest.warns(DisclosureWarning, match=r'value is that of one record alone: "income" \(10 of 10\)'):
        released = shoal.protect(frame, 3, kinds={"income": "nominal"}).data
    assert released["income"].value_counts().min() >= 3
    assert "income" not in shoal.protect(frame, 3, roles={"income": "identifier"}).data
    with pytest.warns(DisclosureWarning, match=r"NOT PROTECTED \(1\): income\. On these, 31 of 31 records are unique"):
        assert shoal.protect(frame, 3, as_is="income").data["income"].equals(frame["income"])


@pytest.mark.parametrize("role", ["key", "other"])
def test_naming_the_column_or_a_role_without_its_kind_is_not_enough(role):
    for columns in (None, ["x", "income"]):
        with pytest.raises(DataError, match="numbers but for 1"):
            shoal.protect(frame_with("EUR 500"), 3, columns=columns, roles={"income": role})


def test_a_plan_remembers_what_the_column_is(tmp_path):
    frame = frame_with("EUR 500").assign(income=["EUR 500", "1,200", "x"] * 10 + ["x"])
    release = shoal.protect(frame, 3, kinds={"income": "nominal"})
    release.plan.to_toml(tmp_path / "plan.toml")
    again = shoal.Plan.from_toml(tmp_path / "plan.toml").run(frame)
    assert again.data.equals(release.data)


def test_describe_says_what_was_found():
    frame = pd.DataFrame({"income": [*AMOUNTS, "EUR 500"], "zip": [f"0{8000 + i}" for i in range(31)]})
    income, code = describe_table(frame)
    assert income.reason.startswith("to be decided: numbers but for 1 of its 31 values, in record 31")
    assert code.reason.startswith("to be decided: texts nearly all different")
    assert describe_table(pd.DataFrame({"zip": ["08034", "43007"] * 15}))[0].reason.startswith(
        "text; 30 of 30 look like codes"
    )


@pytest.mark.parametrize("cell", ["5" + " " * 50_000 + "x", "1" + ",111" * 20_000 + "x", "9" * 100_000, "$" * 50_000])
def test_a_long_cell_is_looked_at_once(cell):
    table = as_table(pd.DataFrame({"a": [cell, "b"]}))
    assert not numbers_in_text(table, "a").are_codes


def test_whole_numbers_beside_fractions_keep_their_digits_or_stay_text(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,big\n" + "".join(f"{i},{10**16 + i}\n" for i in range(8)) + "8,0.5\n")
    assert read_table(path)["big"].nunique() == 9
    with pytest.raises(DataError, match=r'"big" \(numbers'):
        shoal.protect(path, 3)


CATEGORIES = ["1200", "1500", "21000"] * 19 + ["EUR 500"] * 3


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(CATEGORIES),
        pd.Categorical(CATEGORIES, ordered=True),
        pl.Series(CATEGORIES, dtype=pl.Categorical),
        pd.Categorical([1.5, 2.25, 11.0] * 20),
    ],
    ids=["pandas", "ordered", "polars", "floats"],
)
def test_categories_that_look_like_amounts_are_warned_of_unless_their_kind_is_stated(column):
    frame = (pl if isinstance(column, pl.Series) else pd).DataFrame({"amount": column, "x": np.arange(60) % 7 / 4})
    with pytest.warns(DescriptionWarning, match='"amount" is one of categories, but 60 of its 60 values'):
        shoal.protect(frame, 3)
    shoal.protect(frame, 3, kinds={"amount": "nominal"})
