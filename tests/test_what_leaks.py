"""Promise 4: nothing of the original is in what the release does not carry, and nothing is released by mistake."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import DataError, DisclosureWarning, IdentifierWarning, ParameterError, TooFewRecordsError


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=12), "w": rng.random(12) + 0.5, "g": list("xy") * 6})


@pytest.mark.parametrize("argument", ["columns", "weights", "strata"])
@pytest.mark.parametrize("make", [lambda column: column, lambda column: column.to_numpy()])
def test_values_in_place_of_a_name_do_not_end_up_in_the_message(frame, argument, make):
    with pytest.raises(ParameterError) as raised:
        shoal.protect(frame, 3, **{argument: make(frame["w"])})
    assert str(frame["w"].iloc[0])[:6] not in str(raised.value)


@pytest.mark.parametrize("options", [{}, {"missing": "keep"}, {"method": "fuzzy"}])
@pytest.mark.parametrize("persons", [12, 200])
def test_values_of_a_column_named_as_strata_by_mistake_are_in_no_message(persons, options):
    """Names and counts only: with few records, even those of a name or an income could be told."""
    frame = pd.DataFrame({"a": np.arange(persons) ** 2.0, "name": [f"Person{i}" for i in range(persons)]})
    with pytest.raises(TooFewRecordsError, match=f"stratum of name; {persons} of {persons} have fewer") as raised:
        shoal.protect(frame, 3, strata="name", **options)
    assert "Person" not in f"{raised.value} {vars(raised.value)}"


def test_values_of_strata_are_in_no_message_about_one_of_them():
    frame = pd.DataFrame(
        {"a": [None] * 5 + list(range(7)), "b": np.arange(12.0), "income": [50_123] * 6 + [90_321] * 6}
    )
    with pytest.raises(TooFewRecordsError, match="in a stratum of income; there is 1") as raised:
        shoal.protect(frame, 4, columns=["a", "b"], strata="income", missing="keep")
    assert "50123" not in str(raised.value)


@pytest.mark.parametrize("kinds", [{}, {"b": "continuous"}, {"b": "ordinal"}, {"b": "nominal"}])
def test_categories_in_the_type_of_a_column_are_in_no_message(kinds):
    kind = pl.List(pl.Enum(["Person1", "Person2"]))
    frame = pl.DataFrame({"a": np.arange(12.0), "b": pl.Series([["Person1"]] * 12, dtype=kind)})
    with pytest.raises(DataError, match=r'olumn.*"b"') as raised:
        shoal.protect(frame, 3, kinds=kinds)
    assert "Person" not in str(raised.value)


@pytest.mark.parametrize("make", [lambda column: column, pl.Series, lambda column: column.to_numpy()])
def test_a_column_in_place_of_rules_is_not_quoted(frame, make):
    with pytest.raises(ParameterError) as raised:
        shoal.protect(frame, 3, edits=make(frame["g"].map("Person {}".format)))
    assert "Person" not in str(raised.value)


def test_large_integers_are_told_apart():
    """Floats cannot: 2**53 and 2**53 + 1 are the same number there."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"income": rng.normal(size=40), "site": 2**53 + np.arange(40) % 2})
    release = shoal.protect(frame, 4, columns=["income"], strata="site")
    assert (frame["site"].groupby(release.partitions[0].labels).nunique() == 1).all()
    release = shoal.protect(frame, 4, columns=["income", "site"], kinds={"site": "nominal"})
    assert set(release.data["site"]) <= set(frame["site"])
    assert release.data["site"].nunique() == 2


@pytest.mark.parametrize("cell", ["{:,}", "+{}", "€{}", "{} EUR", "{}.5 %"])
def test_amounts_written_as_text_are_not_released_unprotected(tmp_path, cell):
    path = tmp_path / "data.csv"
    rows = "".join(f'{i},"{cell.format(1_000_000 + 7919 * i)}"\n' for i in range(12))
    path.write_text("x,income\n" + rows)
    with pytest.raises(DataError, match=r'"income" .numbers written as text, all 12 of them'):
        shoal.protect(path, 3)
    with pytest.warns(DisclosureWarning, match="NOT PROTECTED .1.: income. On these, 12 of 12 records are unique"):
        release = shoal.protect(path, 3, as_is="income")
    assert "income" in release.data


def test_codes_are_text(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,zip\n" + "".join(f"{i},0{1000 + i % 4}\n" for i in range(12)))
    assert shoal.protect(path, 3).data["zip"].str.startswith("0").all()


def test_an_identifier_of_floats_is_warned_of():
    frame = pd.DataFrame({"x": np.arange(30.0) ** 2, "person_id": 1000.0 + np.arange(30)})
    with (
        pytest.warns(IdentifierWarning, match=r'"person_id" looks like an identifier .* released as it is'),
        pytest.warns(DisclosureWarning, match="NOT PROTECTED .1.: person_id"),
    ):
        shoal.protect(frame, 3, columns=["x"])
    with pytest.warns(IdentifierWarning, match=r'"person_id" looks like an identifier .* masked with the rest'):
        shoal.protect(frame, 3)


def test_the_place_of_the_input_does_not_travel_with_the_release(tmp_path):
    folder = tmp_path / "very secret project"
    folder.mkdir()
    shoal.write_table(shoal.datasets.expenditure(), folder / "in.csv")
    release = shoal.protect(folder / "in.csv", 3)
    assert "secret" not in json.dumps(release.data.attrs)
    release.data.to_parquet(tmp_path / "out.parquet")
    assert b"secret" not in str(pq.read_schema(tmp_path / "out.parquet").metadata).encode()
    with pytest.raises(shoal.errors.WriteError, match="never overwrites its input"):
        shoal.write_table(release.data, folder / "in.csv")


def test_single_precision_stays_single_precision():
    frame = pd.DataFrame({"x": np.arange(9, dtype=np.float32) ** 2})
    release = shoal.protect(frame, 3)
    assert release.data["x"].dtype == np.float32
    assert release.plan.outcome.became_float == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"blocks": 1.5},
        {"blocks": True},
        {"blocks": "a"},
        {"roles": ["a"]},
        {"kinds": 3},
        {"standardize": "no"},
        {"columns": 2.5},
    ],
)
def test_arguments_of_the_wrong_type_are_refused(frame, arguments):
    with pytest.raises(ParameterError):
        shoal.protect(frame, 3, **arguments)


def test_numpy_integers_are_whole_numbers(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Whole records are not")
        assert len(shoal.protect(frame, np.int64(3), blocks=np.int64(1)).partitions) == 3
