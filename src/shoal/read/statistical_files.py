"""Read Stata, SPSS and SAS files with their labels, by pyreadstat."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.read.files import ReadOptions, refuse_duplicates
from shoal.read.labels import Code, Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEASUREMENT_LEVELS", "read_dta", "read_por", "read_sas7bdat", "read_sav", "read_xpt"]

# pandas, pyarrow and pyreadstat are imported inside functions, to keep start-up quick.

MEASUREMENT_LEVELS = ("nominal", "ordinal", "scale")

# A numeric format without decimals, of SPSS (F8.0, F8, N4) or of SAS (8, 8.0, BEST12 does not say).
WITHOUT_DECIMALS = re.compile(r"[FN]?\d+(\.0?)?")


def read_sav(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a .sav or .zsav file; values that the file declares missing are missing."""
    import pyreadstat

    return _frame_and_labels(path, *pyreadstat.read_sav(path, **_encoding(options)))


def read_por(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read an SPSS portable file."""
    import pyreadstat

    return _frame_and_labels(path, *pyreadstat.read_por(path))


def read_dta(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a .dta file; extended missing values (.a to .z) are read as missing values."""
    import pyreadstat

    return _frame_and_labels(path, *pyreadstat.read_dta(path, **_encoding(options)))


def read_xpt(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a SAS transport file."""
    import pyreadstat

    return _frame_and_labels(path, *pyreadstat.read_xport(path, **_encoding(options)))


def read_sas7bdat(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, Labels]:
    """Read a SAS data file, and its value labels if a catalogue of the same name (.sas7bcat) stands beside it."""
    import pyreadstat

    frame, metadata = pyreadstat.read_sas7bdat(path, **_encoding(options))
    catalogue = path.with_suffix(".sas7bcat")
    values: dict[str, dict[Code, str]] = {}
    if catalogue.is_file():
        # Not through catalog_file=, which would replace the values by their labels.
        sets = pyreadstat.read_sas7bcat(catalogue, **_encoding(options))[1].value_labels
        formats = {name: str(text or "").upper() for name, text in metadata.original_variable_types.items()}
        values = {name: sets[text] for name, text in formats.items() if text in sets}
    return _frame_and_labels(path, frame, metadata, values)


def _encoding(options: ReadOptions) -> dict[str, Any]:
    # By default the file says its own encoding.
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
