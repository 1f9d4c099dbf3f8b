"""Read Stata, SPSS and SAS files with their labels, by pyreadstat."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.read.apart import read_apart
from shoal.read.arrow_files import LABELS_IN_SCHEMA, frame_and_labels
from shoal.read.budget import budget_of
from shoal.read.files import ReadOptions, ending_of, refuse_duplicates
from shoal.read.labels import Code, Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEASUREMENT_LEVELS", "read_statistical", "statistical_table"]

# pandas, pyarrow and pyreadstat are imported inside functions, to keep start-up quick.

# Which function of pyreadstat reads what ends in this.
READERS = {
    ".dta": "read_dta",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".sav": "read_sav",
    ".xpt": "read_xport",
    ".zsav": "read_sav",
}
MEASUREMENT_LEVELS = ("nominal", "ordinal", "scale")

# A numeric format without decimals, of SPSS (F8.0, F8, N4) or of SAS (8, 8.0, BEST12 does not say).
WITHOUT_DECIMALS = re.compile(r"[FN]?\d+(\.0?)?")


def read_statistical(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a Stata, SPSS or SAS file.

    Values that an SPSS file declares missing and the extended missing values of Stata (.a to .z) are missing. The value
    labels of a .sas7bdat file are in a catalogue of the same name (.sas7bcat), if one stands beside it.
    """
    return frame_and_labels(read_apart("statistical_files.statistical_table", path, options))


def statistical_table(path: Path, options: ReadOptions) -> Any:
    """Return a Stata, SPSS or SAS file as an Arrow table with labels."""
    import pyarrow
    import pyreadstat

    read = getattr(pyreadstat, READERS[ending_of(path)])
    budget = budget_of(path, options.budget)
    about = read(path, metadataonly=True, **_encoding(options))[1]
    budget.refuse_table(about.number_rows or 0, about.number_columns)
    # The number of rows that a file states may be wrong, and some state none.
    most_rows = budget.cells // max(1, about.number_columns) + 1
    frame, metadata = read(path, row_limit=most_rows, **_encoding(options))
    frame, labels = _frame_and_labels(path, frame, metadata, _catalogue(path, metadata, options))
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    return table.replace_schema_metadata({LABELS_IN_SCHEMA: labels.to_json()})


def _catalogue(path: Path, metadata: Any, options: ReadOptions) -> dict[str, dict[Code, str]] | None:
    """Return the value labels of a SAS file; None for other files, which hold their own."""
    import pyreadstat

    if ending_of(path) != ".sas7bdat":
        return None
    catalogue = path.with_suffix(".sas7bcat")
    if not catalogue.is_file():
        return {}
    # Not through catalog_file=, which would replace the values by their labels.
    sets = pyreadstat.read_sas7bcat(catalogue, **_encoding(options))[1].value_labels
    formats = {name: str(text or "").upper() for name, text in metadata.original_variable_types.items()}
    return {name: sets[text] for name, text in formats.items() if text in sets}


def _encoding(options: ReadOptions) -> dict[str, Any]:
    # By default the file says its own encoding; portable files have none to choose.
    return {} if options.encoding == ReadOptions().encoding else {"encoding": options.encoding}


def _frame_and_labels(
    path: Path, frame: pd.DataFrame, metadata: Any, values: dict[str, dict[Code, str]] | None = None
) -> tuple[pd.DataFrame, Labels]:
    import pandas as pd

    names = [str(name) for name in metadata.column_names]
    refuse_duplicates(names, path)
    formats = metadata.original_variable_types or {}
    stored = metadata.readstat_variable_types or {}
    columns = {name: _column(frame[name], str(formats.get(name) or ""), str(stored.get(name) or "")) for name in names}
    coded = values if values is not None else metadata.variable_value_labels
    labels = Labels(
        variables={name: text for name, text in metadata.column_names_to_labels.items() if text},
        values={
            name: {_whole(code): str(text) for code, text in codes.items()} for name, codes in coded.items() if codes
        },
        measures={
            name: level for name, level in (metadata.variable_measure or {}).items() if level in MEASUREMENT_LEVELS
        },
        formats={name: text for name, text in formats.items() if text and text != "NULL"},
        file=metadata.file_label or "",
    )
    return pd.DataFrame(columns, index=pd.RangeIndex(len(frame))), labels


def _whole(code: Code) -> Code:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _column(series: pd.Series[Any], format_: str, stored: str) -> pd.Series[Any]:
    """Return a column in the type that its format says: integers, days and times of day as such."""
    import pandas as pd
    import pyarrow

    if stored == "string":
        return series.mask(series == "")  # these formats have no other missing value in text
    if series.dtype == object:
        first = series.loc[series.first_valid_index()] if series.notna().any() else None
        clean: pd.Series[Any] = series.astype(object).where(series.notna(), None)
        if isinstance(first, datetime.datetime):
            return pd.to_datetime(clean)
        if isinstance(first, datetime.date) or (first is None and "D" in format_.upper()):
            return clean.astype(pd.ArrowDtype(pyarrow.date32()))
        if isinstance(first, datetime.time):
            return clean.astype(pd.ArrowDtype(pyarrow.time64("us")))
        return _integers(pd.to_numeric(series))
    if stored.startswith("int") or (series.dtype.kind == "f" and WITHOUT_DECIMALS.fullmatch(format_)):
        return _integers(series)
    return series


def _integers(series: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as integers if every value that is not missing is whole and a float holds it exactly."""
    if series.dtype.kind != "f":
        return series
    present = series.to_numpy()[series.notna().to_numpy()]
    if not len(present) or not np.all((np.abs(present) <= 2**53) & (np.floor(present) == present)):
        return series
    return series.astype("int64" if len(present) == len(series) else "Int64")
