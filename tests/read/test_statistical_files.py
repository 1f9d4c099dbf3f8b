"""Stata, SPSS and SAS files that pyreadstat wrote."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from oracles.mutated_files import sas7bdat, survey
from oracles.sample_tables import VALUES, VARIABLES, check_values, write_survey
from shoal.errors import ReadError
from shoal.read import Labels, as_table, read_table
from shoal.read.arrow_files import labels_in_schema
from shoal.read.files import ReadOptions
from shoal.read.statistical_files import statistical_table


@pytest.fixture
def sav(tmp_path: Path) -> Path:
    return write_survey(tmp_path / "survey.sav")


def test_sav_is_read_with_labels_and_types(sav: Path) -> None:
    frame = read_table(sav)
    check_values(frame)
    assert str(frame["age"].dtype) == "Int64"  # its format has no decimals and every value is whole
    assert str(frame["sex"].dtype) == "int64"
    assert str(frame["score"].dtype) == "float64"
    labels = as_table(frame).labels
    assert labels.variables == VARIABLES
    assert labels.values == VALUES
    assert labels.measures == {"sex": "nominal", "age": "scale"}
    assert labels.formats["age"] == "F3.0"
    assert labels.file == "A survey"


def test_values_declared_missing_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "m.sav"
    pyreadstat.write_sav(pd.DataFrame({"x": [1.0, 99.0, 3.0]}), path, missing_ranges={"x": [99]})
    assert as_table(path).missing("x").tolist() == [False, True, False]


def test_sas7bdat_takes_value_labels_from_the_catalogue_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyreadstat writes no such files, so its answers are put in the place of a real one."""
    about = SimpleNamespace(
        column_names=["sex"],
        number_rows=2,
        number_columns=1,
        column_names_to_labels={"sex": "Sex"},
        original_variable_types={"sex": "sexf"},
        readstat_variable_types={"sex": "double"},
        variable_value_labels={},
        variable_measure={},
        file_label="",
    )
    catalogue = SimpleNamespace(value_labels={"SEXF": {1.0: "male"}})
    monkeypatch.setattr(pyreadstat, "read_sas7bdat", lambda path, **_: (pd.DataFrame({"sex": [1.0, 2.5]}), about))
    monkeypatch.setattr(pyreadstat, "read_sas7bcat", lambda path, **_: (None, catalogue))
    (tmp_path / "t.sas7bdat").write_bytes(b"stands in")

    def labels() -> Labels:
        return labels_in_schema(statistical_table(tmp_path / "t.sas7bdat", ReadOptions()).schema)

    assert labels().values == {}
    (tmp_path / "t.sas7bcat").write_bytes(b"stands in")
    assert labels().values == {"sex": {1: "male"}}


@pytest.mark.parametrize("compressed", [False, True])
def test_sas7bdat_is_read(tmp_path: Path, compressed: bool) -> None:
    (tmp_path / "t.sas7bdat").write_bytes(sas7bdat(compressed=compressed))
    frame = read_table(tmp_path / "t.sas7bdat")
    assert frame["x"].tolist() == survey()["i"].tolist()
    assert frame["s"].tolist() == survey()["s"].tolist()


def test_por_is_read_with_labels(tmp_path: Path) -> None:
    """A file written by pyreadstat itself, whose portable files have names in capitals."""
    frame = pd.DataFrame({"SEX": [1.0, 2.0, np.nan], "X": [0.5, 1.25, -3.0], "S": ["a", "b", ""]})
    pyreadstat.write_por(frame, tmp_path / "t.por", column_labels={"SEX": "Sex"})
    back = read_table(tmp_path / "t.por")
    np.testing.assert_array_equal(as_table(back).numbers("SEX"), [1, 2, np.nan])
    assert back["X"].tolist() == [0.5, 1.25, -3.0]
    assert as_table(back).missing("S").tolist() == [False, False, True]
    assert as_table(back).labels.variables == {"SEX": "Sex"}


@pytest.mark.parametrize("ending", [".por", ".sas7bdat"])
def test_a_damaged_file_of_a_format_that_is_only_read(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"bad{ending}").write_bytes(b"no such thing" * 100)
    with pytest.raises(ReadError, match="is damaged, or not"):
        read_table(tmp_path / f"bad{ending}")
