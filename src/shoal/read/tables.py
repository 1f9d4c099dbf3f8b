"""A table with its labels, made from a file, a pandas, polars or Arrow frame, or an array."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, DataError, ParameterError, ReadError, nearest_name_hint
from shoal.read import columns
from shoal.read.arrow_files import (
    as_passed,
    labels_in_schema,
    plain_table,
    with_labels,
    with_plain_types,
)
from shoal.read.files import ReadOptions, identity_of, last_change, quoted_names, read_file, refuse_duplicates
from shoal.read.labels import Labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table", "as_table", "read_table"]

# Where labels and the identity of the source travel in the attrs of a pandas frame: plain dictionaries and text, as
# pandas copies, compares and writes attrs as JSON into Parquet files; no path, as such a file may leave the machine.
LABELS_IN_ATTRS = "shoal_labels"
SOURCE_IN_ATTRS = "shoal_source"

ACCEPTED = "a pandas, polars or Arrow table, a 2-D NumPy array, or the path of a file"


@dataclass(frozen=True)
class _Origin:
    """What a table needs to be returned in the type that was passed in, beyond its values."""

    is_array: bool = False
    pandas_columns: Any = None  # the column labels of a pandas frame, which need not be text
    names: tuple[str, ...] = ()  # the same as text
    attrs: Mapping[Any, Any] = field(default_factory=dict)
    arrow_types: Mapping[str, Any] = field(default_factory=dict)  # of the columns of an Arrow table


@dataclass(frozen=True, eq=False)
class Table:
    """A table with its labels; its methods return new tables and leave this one unchanged.

    Parameters
    ----------
    frame : narwhals DataFrame
        The values, under unique names that are text.
    labels : Labels
        Variable labels, value labels, measures and formats.
    source : Path, optional
        The file the table was read from; a table in memory has none.
    reading : mapping
        How the file had to be read: delimiter, encoding and the like.
    identity : str
        A mark of the file that the values come from, so that it is never overwritten; tables made of this one keep it.

    Examples
    --------
    >>> import pandas as pd
    >>> table = as_table(pd.DataFrame({"age": [31, 45, 52], "town": ["A", "A", "B"]}))
    >>> table.names, len(table), table.is_numeric("town")
    (['age', 'town'], 3, False)
    >>> table.replaced({"age": np.array([38.0, 38.0, 52.0])}, {}, drop=["town"]).to_native()["age"].tolist()
    [38.0, 38.0, 52.0]
    """

    frame: nw.DataFrame[Any]
    labels: Labels = field(default_factory=Labels)
    source: Path | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    identity: str = field(default="", repr=False)
    _origin: _Origin = field(default_factory=_Origin, repr=False)
    _file_digest: str | None = field(default=None, repr=False)

    @property
    def names(self) -> list[str]:
        """The column names, in file order; `name in table` is the quick way to look for one."""
        return list(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def _columns(self) -> dict[str, nw.Series[Any]]:
        # Once for all: libraries go through all names, or all types, to look one up.
        return {series.name: series for series in self.frame.iter_columns()}  # type: ignore[misc]  # stable ones

    def column(self, name: str) -> nw.Series[Any]:
        """Return a column as a narwhals series; ColumnError if there is none of this name."""
        if name not in self._columns:
            raise ColumnError(f'There is no column "{name}".{nearest_name_hint(name, self.names)}')
        return self._columns[name]

    @cached_property
    def _types(self) -> dict[str, nw.dtypes.DType]:
        return {name: series.dtype for name, series in self._columns.items()}

    def type_of(self, name: str) -> nw.dtypes.DType:
        """Return the type of a column, in narwhals' terms; ColumnError if there is none of this name."""
        self.column(name)
        return self._types[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column as floats, NaN for a missing value; DataError if it does not hold numbers."""
        return columns.numbers(self.column(name))

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers: integers, floats or decimals, but not truth values or dates."""
        if isinstance(self.type_of(name), nw.Object):
            return columns.is_numeric(self.column(name))
        return bool(self.type_of(name).is_numeric())

    def has_exact_numbers(self, name: str) -> bool:
        """Whether no two different values of a numeric column are the same as floats."""
        return columns.are_told_apart(self.column(name), self.numbers(name))

    def is_integer(self, name: str) -> bool:
        """Whether a column is of an integer type."""
        return bool(self.type_of(name).is_integer())

    def whole_numbers(self, name: str, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the values of an integer column in some rows, none missing, so that all are told apart."""
        return columns.whole_numbers(self.column(name)[rows])

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return which values of a column are missing: null, or NaN."""
        return columns.missing(self.column(name))

    def cells(self, name: str) -> NDArray[np.object_]:
        """Return the values of a column as Python objects, None for a missing value."""
        return columns.cells(self.column(name))

    def holds_texts(self, name: str) -> bool:
        """Whether a column is one of texts or categories, whose values `values_and_places` gives."""
        return isinstance(self.type_of(name), columns.TEXTS)

    def values_and_places(self, name: str) -> tuple[list[Any], NDArray[np.int64]]:
        """Return the different values of a column of texts or categories, as they come, and every record's place there.

        A missing value has the place -1.
        """
        return columns.values_and_places(self.column(name))

    def replaced(
        self,
        computed: Mapping[str, NDArray[np.float64]],
        taken: Mapping[str, NDArray[np.int64]],
        drop: Collection[str] = (),
        *,
        fill: bool = False,
    ) -> Table:
        """Return a table with some columns rewritten and some dropped, everything else as it was.

        Parameters
        ----------
        computed : mapping of column name to n floats
            New values; the column becomes a float column. A missing value of the original stays missing, unless `fill`.
        taken : mapping of column name to n row numbers
            Row i gets the original value of row ``taken[name][i]`` of the same column, whose type stays.
        drop : collection of column names
            Columns to leave out.
        fill : bool
            Whether missing values of the original get computed values too.
        """
        both = sorted(set(computed) & set(taken))
        if both:
            raise ParameterError(f"Columns are both computed and taken: {quoted_names(both)}.")
        for name, array in [*computed.items(), *taken.items()]:
            if np.shape(array) != (len(self),):
                raise ParameterError(f'The new values of "{name}" have shape {np.shape(array)}; needed ({len(self)},).')
        series = [columns.with_numbers(self.column(name), np.asarray(new), fill=fill) for name, new in computed.items()]
        series += [self.column(name)[np.asarray(rows)] for name, rows in taken.items()]
        frame = self.frame.with_columns(*series) if series else self.frame
        for name in drop:
            self.column(name)
        if drop:
            frame = frame.drop(list(drop))
        return self._with_frame(frame)

    def blanked(self, cells: Mapping[str, NDArray[np.bool_]]) -> Table:
        """Return a table with some cells missing, by column; types and labels stay, integers become nullable."""
        series = [columns.blanked(self.column(name), cells[name], self._origin.is_array) for name in cells]
        return self._with_frame(self.frame.with_columns(*series)) if series else self

    def renumbered(self, name: str, numbers: NDArray[np.int64]) -> Table:
        """Return a table with whole numbers for the values of a column, as texts where these are; no value labels."""
        frame = self.frame.with_columns(columns.with_whole_numbers(self.column(name), numbers))
        values = {other: codes for other, codes in self.labels.values.items() if other != name}
        return replace(self._with_frame(frame), labels=replace(self.labels, values=values))

    def written_alike(self) -> Table:
        """Return a table in which equal values are written alike, so that a file tells no more of them apart."""
        written = [(series, columns.written_alike(series)) for series in self._columns.values()]
        changed = [new for series, new in written if new is not series]
        return self._with_frame(self.frame.with_columns(*changed)) if changed else self

    def only_present(self) -> Table:
        """Return a table that knows of no value but those it shows: no unused category, no label without its code."""
        frame = self.frame.with_columns(*(columns.only_present(self.column(name)) for name in self.names))
        values = {name: columns.present_value_labels(frame[name], codes) for name, codes in self.labels.values.items()}
        return replace(
            self._with_frame(frame),
            labels=replace(self.labels, values={name: codes for name, codes in values.items() if codes}),
        )

    def rows(self, order: NDArray[np.int64]) -> Table:
        """Return these rows in this order; a pandas index starts again at 0, since the old one shows the old order."""
        return self._with_frame(nw.maybe_reset_index(self.frame[np.asarray(order)]))

    def to_native(self) -> Any:
        """Return the table in the type that was passed in, with its own column labels, index and attrs."""
        native = self.frame.to_native()
        if self._origin.is_array:
            return native.to_numpy()
        if self.frame.implementation.is_pyarrow():
            return with_labels(as_passed(native, self._origin.arrow_types), self.labels)
        if self._origin.pandas_columns is not None:
            native = native.copy(deep=False)
            place = {name: position for position, name in enumerate(self._origin.names)}
            native.columns = self._origin.pandas_columns[[place[name] for name in self.names]]
            native.attrs = dict(self._origin.attrs)
            if LABELS_IN_ATTRS in native.attrs:
                native.attrs[LABELS_IN_ATTRS] = self.labels.to_plain()
        return native

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file or, for a table in memory, of its names, types and values, in hexadecimal."""
        if self._file_digest is not None:
            return self._file_digest
        digest = hashlib.sha256()
        for series in self._columns.values():
            columns.digest(series, digest)
        return digest.hexdigest()

    def _with_frame(self, frame: nw.DataFrame[Any]) -> Table:
        return replace(self, frame=frame, labels=self.labels.only(frame.columns), source=None, _file_digest=None)


def as_table(data: Any, **reading: Any) -> Table:
    """Return `data` as a Table.

    Parameters
    ----------
    data : pandas, polars or Arrow table, 2-D array, str or PathLike
        Text is always the path of a file. The columns of an array are named "0", "1", and so on.
    **reading
        How to read a file, as in `read_table`.

    Raises
    ------
    ParameterError
        Something else was given.
    ColumnError
        Two columns have the same name, or the columns have several levels.
    DataError
        There are no columns or no rows, or the file cannot be read (ReadError).
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, (str, os.PathLike)):
        return _table_of_file(Path(data), reading)
    if isinstance(data, np.ndarray):
        table = _table_of_array(data)
    else:
        table = _table_of_frame(nw.to_native(data, pass_through=True))
    if not table.names:
        raise DataError("The table has no columns.")
    if not len(table):
        raise DataError("The table has no rows.")
    return table


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str = "utf-8",
    sheet: str | int | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    budget: float = 1,
) -> pd.DataFrame:
    """Read a file into a pandas frame, its labels kept.

    Parameters
    ----------
    path : str or PathLike
        A CSV file (.csv, .tsv, .txt, each also with .gz), Parquet (.parquet), Feather or Arrow (.feather, .arrow),
        Excel (.xlsx), XML (.xml), Stata (.dta), SPSS (.sav, .zsav, .por) or SAS (.sas7bdat, .xpt) file.
    delimiter : str, optional
        What separates the cells of a CSV file; by default whichever of ``, ; | tab`` its header shows.
    decimal : "." or ",", optional
        The decimal mark of a CSV file; by default a point, and where cells are separated by ";" also a comma,
        column by column.
    encoding : str
        The encoding of a CSV file, or of the text in a Stata, SPSS or SAS file that does not state its own.
    sheet : str or int, optional
        The sheet of an Excel file, by name or by position from 0; by default the first.
    orders : mapping, optional
        The categories of columns of text that have an order, from the least: ``{"size": ["small", "large"]}``.
    budget : float
        How many times the usual budget reading may take. A file that would become far more than files of its size
        do, in cells, columns, unpacked bytes or processor time, is refused.

    Returns
    -------
    pandas.DataFrame
        Labels are in its ``attrs``, from where `write_table` and `protect` pick them up.

    Raises
    ------
    ReadError
        The file is not there, not a table, damaged, larger than its budget, or in a format that shoal does not know.
    ColumnError
        Two columns have the same name.
    """
    options = ReadOptions(
        delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet, orders=orders, budget=budget
    )
    frame, labels = read_file(Path(path), options)
    frame.attrs = {LABELS_IN_ATTRS: labels.to_plain(), SOURCE_IN_ATTRS: identity_of(path)}
    return frame


def _table_of_file(path: Path, reading: Mapping[str, Any]) -> Table:
    before = last_change(path)
    frame, labels = read_file(path, ReadOptions(**reading))
    with path.open("rb") as file:
        file_digest = hashlib.file_digest(file, "sha256").hexdigest()
    if last_change(path) != before:
        raise ReadError(f"{path} was changed while it was being read. Try again when nobody writes to it.")
    attrs = {LABELS_IN_ATTRS: labels.to_plain(), SOURCE_IN_ATTRS: identity_of(path)}
    origin = _Origin(pandas_columns=frame.columns, names=tuple(frame.columns), attrs=attrs)
    table = nw.from_native(frame, eager_only=True)
    return Table(table, labels, path.absolute(), dict(reading), identity_of(path), origin, file_digest)


def _table_of_array(array: NDArray[Any]) -> Table:
    import pandas as pd  # here, to keep start-up quick

    if isinstance(array, np.ma.MaskedArray):
        raise ParameterError("A masked array cannot be used; fill what is masked with NaN first: array.filled(np.nan).")
    if array.ndim != 2:
        hint = " Make one column of it with array.reshape(-1, 1)." if array.ndim == 1 else ""
        raise ParameterError(f"An array must have 2 dimensions, rows and columns; got {array.ndim}.{hint}")
    if array.dtype.kind not in "biufOU":
        raise ParameterError(f"An array of {array.dtype} cannot be used; give one of numbers.")
    names = [str(position) for position in range(array.shape[1])]
    frame = pd.DataFrame(array, columns=names)
    if array.dtype.kind == "O":
        frame = frame.infer_objects()
    return Table(nw.from_native(frame, eager_only=True), _origin=_Origin(is_array=True))


def _table_of_frame(native: Any) -> Table:
    arrow = sys.modules.get("pyarrow")  # if it is not imported, this is not one of its objects
    if arrow is not None and isinstance(native, arrow.RecordBatch):
        native = arrow.Table.from_batches([native])
    if nw.dependencies.is_pandas_dataframe(native):
        return _table_of_pandas(native)
    labels, origin = Labels(), _Origin()
    if nw.dependencies.is_pyarrow_table(native):
        refuse_duplicates(native.column_names)
        origin = _Origin(arrow_types={field.name: field.type for field in native.schema})
        native, labels = plain_table(native), labels_in_schema(native.schema)
    frame = nw.from_native(native, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ParameterError("The data are a lazy frame, which has no rows yet; call .collect() (or .compute()) first.")
    if not isinstance(frame, nw.DataFrame):
        hint = " Make a table of a series with .to_frame()." if hasattr(native, "to_frame") else ""
        raise ParameterError(f"The data must be {ACCEPTED}; got {type(native).__name__}.{hint}")
    return Table(frame, labels.only(frame.columns), _origin=origin)


def _table_of_pandas(native: pd.DataFrame) -> Table:
    import pandas as pd  # here, to keep start-up quick

    if native.columns.nlevels > 1:
        raise ColumnError(
            f"The columns have {native.columns.nlevels} levels; join them into one name each first, "
            "such as frame.columns = ['_'.join(map(str, one)) for one in frame.columns]."
        )
    names = [str(label) for label in native.columns]
    refuse_duplicates(names)
    origin = _Origin(pandas_columns=native.columns, names=tuple(names), attrs=dict(native.attrs))
    frame = native.copy(deep=False)
    frame.columns = names  # type: ignore[assignment]  # pandas-stubs knows only Index, pandas takes lists
    frame.attrs = {}
    frame = with_plain_types(frame)
    for name, dtype in zip(names, frame.dtypes.tolist(), strict=True):
        if isinstance(dtype, pd.SparseDtype):
            frame[name] = frame[name].astype(dtype.subtype)
    labels = Labels.from_plain(native.attrs.get(LABELS_IN_ATTRS)).only(names)
    identity = str(native.attrs.get(SOURCE_IN_ATTRS, ""))
    return Table(nw.from_native(frame, eager_only=True), labels, identity=identity, _origin=origin)
