"""Write Stata, SPSS and SAS files with the labels each can hold, by pyreadstat."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from shoal.errors import WriteError
from shoal.read import Labels, columns
from shoal.read.arrow_files import arrow_to_pandas
from shoal.read.statistical_files import MEASUREMENT_LEVELS
from shoal.write.arrow_files import to_arrow
from shoal.write.timestamps import remove_timestamps

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["write_dta", "write_sav", "write_xpt"]

# pandas and pyreadstat are imported inside functions, to keep start-up quick.

EXACT = 2**53  # beyond this, not every integer is a float


@dataclass(frozen=True)
class _FormatLimits:
    """What a format allows: names of columns, text, numbers and the length of labels."""

    name: str
    column_name: re.Pattern[str]
    column_name_rule: str
    column_name_bytes: int
    reserved: frozenset[str]
    case_matters: bool
    text_bytes: int
    largest_number: float
    variable_label: int
    file_label: int
    length_of: Callable[[str], int]  # in characters or in bytes, as the two lengths of labels above


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


SPSS = _FormatLimits(
    name="SPSS",
    column_name=re.compile(r"[^\W\d_](?:[\w.$#@]*[\w$#@])?"),
    column_name_rule="at most 64 bytes: a letter, then letters, digits and . _ $ # @, not ending in a point",
    column_name_bytes=64,
    reserved=frozenset(("all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with")),
    case_matters=False,
    text_bytes=32_767,
    largest_number=1.7976931348623155e308,  # the two largest floats stand for missing and for the highest value
    variable_label=255,
    file_label=64,
    length_of=_bytes,
)
STATA = _FormatLimits(
    name="Stata",
    column_name=re.compile(r"[^\W\d]\w{0,31}"),
    column_name_rule="at most 32 characters: a letter or _, then letters, digits and _",
    column_name_bytes=128,
    reserved=frozenset(
        {"_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n", "_N"}
        | {"_pi", "_pred", "_rc", "_skip", "strL", "using", "with"}
    ),
    case_matters=True,
    text_bytes=100_000,
    largest_number=8.9e307,
    variable_label=80,
    file_label=80,
    length_of=len,
)
SAS = _FormatLimits(
    name="SAS transport",
    column_name=re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,7}"),
    column_name_rule="at most 8 characters: a letter from A to Z or _, then letters, digits and _",
    column_name_bytes=8,
    reserved=frozenset(),
    case_matters=False,
    text_bytes=200,
    largest_number=7.2e75,
    variable_label=40,
    file_label=40,
    length_of=_bytes,
)


def write_sav(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write a .sav or .zsav file with all labels."""
    import pyreadstat

    ready = _prepared(frame, SPSS)
    codes = {name: kept for name, one in labels.values.items() if (kept := _spss_codes(one, ready[name]))}
    formats = _spss_formats(ready, labels.formats)
    # pyreadstat needs codes of the column's type; to SPSS all numbers are floats, so all become floats.
    ready = ready.astype({name: "float64" for name in codes if ready[name].dtype.kind in "iu"})
    _write_and_check(
        pyreadstat.write_sav,
        pyreadstat.read_sav,
        ready,
        path,
        **_names_and_labels(labels, SPSS),
        compress=path.suffix.lower() == ".zsav",
        variable_value_labels=codes,
        variable_measure={name: level for name, level in labels.measures.items() if level in MEASUREMENT_LEVELS},
        variable_format=formats,
    )


def write_dta(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write a .dta file (of Stata 14 and later); value labels on text or fractions cannot go into it."""
    import pyreadstat

    ready = _prepared(frame, STATA)
    _write_and_check(
        pyreadstat.write_dta,
        pyreadstat.read_dta,
        ready,
        path,
        **_names_and_labels(labels, STATA),
        version=14,
        variable_value_labels={
            name: kept
            for name, codes in labels.values.items()
            if ready[name].dtype.kind in "iuf" and (kept := _stata_codes(codes))
        },
        variable_format={
            name: text
            for name, text in labels.formats.items()
            if re.fullmatch(r"%-?0?\d+(\.\d+)?[gfe]c?", text) and ready[name].dtype.kind in "iuf"
        },
    )


def write_xpt(frame: nw.DataFrame[Any], labels: Labels, path: Path) -> None:
    """Write a SAS transport file of version 5, which every SAS reads."""
    import pyreadstat

    ready = _prepared(frame, SAS)
    if all(isinstance(_first(ready[name]), str) for name in ready.columns) and (ready.iloc[-1] == "").all():
        raise WriteError(
            "The last record is empty, which a SAS transport file of text alone cannot show. Write .sav or .dta."
        )
    options = {**_names_and_labels(labels, SAS), "file_format_version": 5}
    _write_and_check(pyreadstat.write_xport, pyreadstat.read_xport, ready, path, **options)


def _write_and_check(
    write: Callable[..., Any], read: Callable[..., Any], ready: pd.DataFrame, path: Path, **options: Any
) -> None:
    """Write a file and check that all of it is there.

    ReadStat, the library beneath pyreadstat, does not notice every write the system refuses: on a full disk
    it can end without an error and leave a file that ends between two records. So the file is read back.
    """
    import pyreadstat

    try:
        write(ready, path, **options)
    except pyreadstat.ReadstatError as error:
        _refuse_full_disk(path)
        raise WriteError(f"{str(error).rstrip('.')}.") from None  # one of ReadStat's fixed sentences
    try:
        records = len(read(path, usecols=[ready.columns[0]])[0])
    except Exception:
        records = -1
    with path.open("rb") as file:
        file.seek(-min(12, path.stat().st_size), 2)
        is_closed = path.suffix.lower() != ".dta" or file.read() == b"</stata_dta>"
    if records != len(ready) or not is_closed:
        _refuse_full_disk(path)
        raise WriteError("The system refused a write.")
    remove_timestamps(path)


def _refuse_full_disk(path: Path) -> None:
    """Raise the OSError of a full disk, which ReadStat does not pass on, if the file cannot grow."""
    with path.open("ab", buffering=0) as file:
        for _ in range(16):
            file.write(bytes(1 << 16))
        os.fsync(file.fileno())


def _names_and_labels(labels: Labels, limits: _FormatLimits) -> dict[str, Any]:
    return {
        "file_label": _cut(labels.file, limits.file_label, limits),
        "column_labels": {name: _cut(text, limits.variable_label, limits) for name, text in labels.variables.items()},
    }


def _cut(text: str, most: int, limits: _FormatLimits) -> str:
    text = text[:most]
    while limits.length_of(text) > most:
        text = text[:-1]
    return text


def _spss_codes(codes: Mapping[Any, str], series: pd.Series[Any]) -> dict[Any, str]:
    if series.dtype.kind in "iuf":
        return {code: _cut(text, 120, SPSS) for code, text in codes.items() if not isinstance(code, str)}
    if isinstance(_first(series), str):
        return {code: _cut(text, 120, SPSS) for code, text in codes.items() if isinstance(code, str)}
    return {}


def _stata_codes(codes: Mapping[Any, str]) -> dict[Any, str]:
    low, high = -(2**31) + 1, 2_147_483_620
    return {
        int(code): text
        for code, text in codes.items()
        if not isinstance(code, str) and low <= code <= high and int(code) == code
    }


def _spss_formats(ready: pd.DataFrame, formats: Mapping[str, str]) -> dict[str, str]:
    """Return the display formats that still fit their columns; integers without one get one without decimals."""
    fitting: dict[str, str] = {}
    for name in ready.columns:
        series, text = ready[name], formats.get(name, "")
        if series.dtype.kind in "iu":
            digits = len(str(int(series.abs().max()))) + 1 if series.notna().any() else 1
            fitting[name] = text if re.fullmatch(r"[FN]\d+(\.\d+)?", text) else f"F{max(8, digits)}.0"
        elif series.dtype.kind == "f":
            # A format without decimals would show a protected 3.4 as 3.
            if re.fullmatch(r"(F|COMMA|DOT|DOLLAR|E|PCT)\d+\.[1-9]\d*", text):
                fitting[name] = text
        elif series.dtype.kind == "M":
            if re.fullmatch(r"(DATETIME|YMDHMS)\d+(\.\d+)?", text):
                fitting[name] = text
        elif isinstance(_first(series), datetime.date) and re.fullmatch(r"[AEJS]?DATE\d+", text):
            fitting[name] = text
    return fitting


def _first(series: pd.Series[Any]) -> Any:
    index = series.first_valid_index()
    return None if index is None else series.loc[index]


def _prepared(frame: nw.DataFrame[Any], limits: _FormatLimits) -> pd.DataFrame:
    """Return a pandas frame of the few types pyreadstat writes; WriteError if a column cannot be written."""
    import pandas as pd

    _check_names(frame.columns, limits)
    native = frame.to_native() if frame.implementation.is_pandas() else arrow_to_pandas(to_arrow(frame))
    native = native.reset_index(drop=True)
    wrapped = nw.from_native(native, eager_only=True)
    return pd.DataFrame({name: _plain_column(wrapped[name], native[name], limits) for name in frame.columns})


def _check_names(names: list[str], limits: _FormatLimits) -> None:
    for name in names:
        reserved = (name if limits.case_matters else name.lower()) in limits.reserved
        if not limits.column_name.fullmatch(name) or _bytes(name) > limits.column_name_bytes or reserved:
            why = "is a reserved word there" if reserved else f"must be {limits.column_name_rule}"
            raise WriteError(f'The column name "{name}" does not fit a {limits.name} file; it {why}. Rename it first.')
    if not limits.case_matters and len({name.lower() for name in names}) < len(names):
        raise WriteError(
            f"Column names differ only in upper and lower case, which a {limits.name} file does not tell apart."
        )


def _plain_column(series: nw.Series[Any], native: pd.Series[Any], limits: _FormatLimits) -> pd.Series[Any]:
    """Return one column in a type pyreadstat writes; `native` is the pandas form of `series`."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        native = native.astype(native.cat.categories.dtype)
        series = nw.from_native(native, series_only=True)
        dtype = series.dtype
    if isinstance(dtype, nw.Boolean) or dtype.is_integer():
        return _plain_integers(native, limits)
    if isinstance(dtype, (nw.String, nw.Object)) and not columns.is_numeric(series):
        return _plain_objects(native, limits)
    if columns.is_numeric(series):
        values = columns.numbers(series)
        if np.any(np.abs(values) > limits.largest_number):
            raise WriteError(f'Column "{native.name}" holds numbers too large for a {limits.name} file.')
        return pd.Series(values, name=native.name)
    if isinstance(dtype, nw.Date | nw.Time):
        return native.astype(object).where(native.notna(), None)
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is None:
        return native.astype("datetime64[us]")
    if isinstance(dtype, nw.Datetime):
        raise WriteError(f'Column "{native.name}" has times with a time zone, which a {limits.name} file cannot hold.')
    raise WriteError(f'Column "{native.name}" holds values that a {limits.name} file cannot hold.')


def _plain_integers(native: pd.Series[Any], limits: _FormatLimits) -> pd.Series[Any]:
    import pandas as pd

    is_missing = native.isna().to_numpy()
    values = native.astype("Int64").fillna(0).to_numpy(dtype=np.int64)
    if np.any(values > EXACT) or np.any(values < -EXACT):
        raise WriteError(
            f'Column "{native.name}" holds whole numbers beyond 2**53, which a {limits.name} file '
            "would round. Make it text first."
        )
    # As narrow as Stata's long, because pyreadstat stores wider ones as floats.
    narrow = len(values) == 0 or (values.max() <= 2_147_483_620 and values.min() >= -(2**31) + 1)
    series = pd.Series(values, name=native.name).astype("Int32" if narrow else "Int64")
    if is_missing.any():
        return series.mask(is_missing)
    return series.astype("int32" if narrow else "int64")


def _plain_objects(native: pd.Series[Any], limits: _FormatLimits) -> pd.Series[Any]:
    """Return a column of text, of days or of times of day; WriteError for a mixture of them."""
    present = native.dropna()
    for kind in (str, datetime.datetime, datetime.date, datetime.time):
        if present.map(lambda cell, kind=kind: isinstance(cell, kind)).all():
            break
    else:
        raise WriteError(f'Column "{native.name}" holds values of several types; make them one type first.')
    if kind is str and len(present) and present.map(_bytes).max() > limits.text_bytes:
        raise WriteError(
            f'Column "{native.name}" has text of more than {limits.text_bytes} bytes, the most in a {limits.name} file.'
        )
    # A missing value in text is empty text: these formats have no other, and ReadStat fails on None beside long text.
    return native.astype(object).where(native.notna(), "" if kind is str else None)
