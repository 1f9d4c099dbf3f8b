"""One column of any library: its numbers, its missing values, a digest of it, and what it holds beside its values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.read.csv_columns import columns_to_pandas

if TYPE_CHECKING:
    from hashlib import _Hash

TEXTS = (nw.String, nw.Categorical, nw.Enum)  # types of columns in which records share values
_LONG_INTEGERS = (nw.Int128, nw.UInt128)  # which NumPy does not have
_AT_ONCE = 1 << 20  # letters that are hashed at once

__all__ = [
    "TEXTS",
    "are_told_apart",
    "blanked",
    "cells",
    "digest",
    "is_numeric",
    "missing",
    "numbers",
    "only_present",
    "present_value_labels",
    "read_as_numbers",
    "values_and_places",
    "whole_numbers",
    "with_numbers",
    "with_whole_numbers",
    "written_alike",
]


def missing(series: nw.Series[Any]) -> NDArray[np.bool_]:
    """Return which values of a column are missing: null, or NaN."""
    held = _held_in_numpy(series)
    if held is not None:
        return np.asarray(np.isnan(held))
    is_missing = series.is_null().to_numpy().astype(bool)
    if series.dtype.is_float():
        is_missing |= series.is_nan().fill_null(True).to_numpy().astype(bool)
    elif isinstance(series.dtype, nw.Object):
        is_missing |= np.fromiter((_is_nan(cell) for cell in series.to_list()), bool, len(series))
    elif _has_float_categories(series):
        is_missing |= values_and_places(series)[1] < 0
    return is_missing


def cells(series: nw.Series[Any]) -> NDArray[np.object_]:
    """Return the values of a column as Python objects, None for a missing value; equal texts are one object."""
    if isinstance(series.dtype, TEXTS):
        values, places = values_and_places(series)
        return np.fromiter([*values, None], dtype=object, count=len(values) + 1)[places]
    held = np.empty(len(series), dtype=object)
    held[:] = series.to_list()
    held[missing(series)] = None
    return held


def values_and_places(series: nw.Series[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the different values of a column of `TEXTS`, as they come, and the place of every record's among them.

    A missing value has the place -1. Nothing is made of the value of every record: a long text that many share is there
    once.
    """
    import pandas as pd  # here, to keep start-up quick

    native = series.to_native()
    if not series.implementation.is_pandas_like():
        return _as_they_come(*_dictionary_of(series.to_arrow()))
    if isinstance(native.dtype, pd.CategoricalDtype):  # not by way of Arrow, which has no categories of several types
        return _as_they_come(native.cat.categories.tolist(), native.cat.codes.to_numpy())
    if isinstance(native.dtype, pd.ArrowDtype) or getattr(native.dtype, "storage", "") == "pyarrow":
        return _as_they_come(*_dictionary_of(native.array.__arrow_array__()))
    places, values = pd.factorize(native.to_numpy(dtype=object))
    return values.tolist(), places.astype(np.int64)


def _dictionary_of(column: Any) -> tuple[list[Any], NDArray[Any]]:
    """Return the values in the dictionary of an Arrow column, and the place of every record's, -1 for none."""
    import pyarrow

    column = column if isinstance(column, pyarrow.ChunkedArray) else pyarrow.chunked_array([column])
    if pyarrow.types.is_string_view(column.type):
        column = column.cast(pyarrow.large_string())
    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    is_one = not any(chunk.dictionary.null_count for chunk in column.chunks)  # those with nulls cannot be unified
    values: list[Any] = []
    places, first = [np.zeros(0, dtype=np.int64)], 0
    for chunk in (column.unify_dictionaries() if is_one else column).chunks:
        if not (is_one and values):
            first = len(values)
            values += chunk.dictionary.to_pylist()
        indices = chunk.indices.cast(pyarrow.int64()).fill_null(-1).to_numpy()
        places.append(np.where(indices < 0, -1, indices + first))
    return values, np.concatenate(places)


def _as_they_come(values: list[Any], places: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Return only values that a record has, each once and in the order in which they come."""
    import pandas as pd  # here, to keep start-up quick

    observed = places >= 0
    come, order = pd.factorize(places[observed])
    first: dict[Any, int] = {}
    numbers = np.full(len(order), -1, dtype=np.int64)
    for number, place in enumerate(order.tolist()):
        value = values[place]
        if value is not None and not _is_nan(value):  # a dictionary of Arrow may hold missing values, and one twice
            numbers[number] = first.setdefault(value, len(first))
    found = np.full(len(places), -1, dtype=np.int64)
    found[observed] = numbers[come]
    return list(first), found


def is_numeric(series: nw.Series[Any]) -> bool:
    """Whether a column holds integers, floats or decimals."""
    if isinstance(series.dtype, nw.Object):
        # Columns of Python objects may hold numbers too: Decimal, or integers beside None.
        cells = [cell for cell, absent in zip(series.to_list(), missing(series), strict=True) if not absent]
        return bool(cells) and all(_is_number(cell) for cell in cells)
    return bool(series.dtype.is_numeric())


def numbers(series: nw.Series[Any]) -> NDArray[np.float64]:
    """Return a column of numbers or truth values as floats, NaN for a missing value."""
    held = _held_in_numpy(series)
    if held is not None:
        return held.astype(np.float64)
    dtype = series.dtype
    if not is_numeric(series) and not isinstance(dtype, nw.Boolean):
        raise _not_numeric(series)
    is_missing = missing(series)
    if isinstance(dtype, nw.Object):
        cells = series.to_list()
        return np.array([math.nan if absent else float(cell) for cell, absent in zip(cells, is_missing, strict=True)])
    if dtype.is_float() or isinstance(dtype, (nw.Decimal, *_LONG_INTEGERS)):
        series = series.cast(nw.Float64)  # other integers go through NumPy: Arrow refuses to round them beyond 2**53
    filled = series.fill_null(False if isinstance(dtype, nw.Boolean) else 0)
    values = np.array(filled.to_numpy(), dtype=np.float64)
    values[is_missing] = math.nan
    return values


def whole_numbers(series: nw.Series[Any]) -> NDArray[Any]:
    """Return a column of integers, none missing, as an array: of Python's integers where NumPy has none so long."""
    is_long = isinstance(series.dtype, _LONG_INTEGERS)
    return np.array(series.to_list(), dtype=object) if is_long else series.to_numpy()


def are_told_apart(series: nw.Series[Any], values: NDArray[np.float64]) -> bool:
    """Whether the values of a numeric column that differ, beyond 2**53 or with many decimals, differ as floats too."""
    is_missing = np.isnan(values)
    observed = values[~is_missing]
    if series.dtype.is_float() or (series.dtype.is_integer() and np.abs(observed).max(initial=0) < 2**53):
        return True
    exact = series[np.flatnonzero(~is_missing)]
    distinct = len(set(exact.to_list())) if isinstance(series.dtype, nw.Object) else exact.n_unique()
    return bool(distinct == len(np.unique(observed)))


def with_numbers(series: nw.Series[Any], values: NDArray[np.float64], *, fill: bool = False) -> nw.Series[Any]:
    """Return a float column with new values.

    Those missing in `series` stay missing, null as null and NaN as NaN; with `fill` they get new values too.
    """
    is_missing = missing(series) & (np.isnan(values) | (not fill))
    if isinstance(series.dtype, nw.Object):
        filled = np.where(is_missing, math.nan, values)
        return nw.new_series(series.name, filled, nw.Float64, backend=series.implementation)
    # Writing into a cast copy, not making a new column, keeps nulls and the library's own kind of float
    # (NumPy, nullable or Arrow in pandas). Integers are set to 0 first, for the reason given in `numbers`.
    float_type = nw.Float32 if isinstance(series.dtype, nw.Float32) else nw.Float64
    floats = (series - series if series.dtype.is_integer() else series).cast(float_type)
    present = np.flatnonzero(~is_missing)
    new = values[present].astype(np.float32 if float_type is nw.Float32 else np.float64)
    return floats.scatter(present.tolist() if not len(present) else present, new)


def read_as_numbers(series: nw.Series[Any], *, comma: bool) -> nw.Series[Any]:
    """Return a pandas column of text as numbers if all of its texts are plain numbers, as they are read from a file."""
    import pandas as pd  # here, to keep start-up quick
    import pyarrow

    native = series.to_native()
    texts = pyarrow.chunked_array([pyarrow.array(native, pyarrow.string(), from_pandas=True)])
    (read,) = columns_to_pandas([texts], point=not comma, comma=comma)
    if not pd.api.types.is_numeric_dtype(read.dtype):
        return series
    return nw.from_native(pd.Series(read, index=native.index, name=native.name), series_only=True)


def with_whole_numbers(series: nw.Series[Any], values: NDArray[np.int64]) -> nw.Series[Any]:
    """Return a column with whole numbers, none missing: in its own type if it holds numbers, otherwise as texts."""
    dtype, everywhere = series.dtype, np.arange(len(series))
    if dtype.is_float() or (dtype.is_integer() and not isinstance(dtype, nw.Int8 | nw.UInt8 | nw.Int16)):
        # Written into the column, which keeps the library's own kind of number, as in `with_numbers`.
        held = np.int64 if isinstance(dtype, _LONG_INTEGERS) else series.to_numpy().dtype
        return series.scatter(everywhere, values.astype(held))
    if is_numeric(series) or dtype.is_numeric():
        return nw.new_series(series.name, values, nw.Int64, backend=series.implementation)
    texts = [str(value) for value in values.tolist()]
    if isinstance(dtype, nw.String) and series.implementation.is_pandas():  # which has several kinds of text
        return series.scatter(everywhere, texts)
    return nw.new_series(series.name, texts, nw.String, backend=series.implementation)


def blanked(series: nw.Series[Any], blank: NDArray[np.bool_], is_array: bool = False) -> nw.Series[Any]:
    """Return a column in which the cells of `blank` are missing, and nothing is stored beneath them.

    The type stays. Integers and truth values that pandas holds in NumPy become nullable ones; in an array, floats and
    objects.
    """
    if not blank.any():
        return series
    rows = np.where(blank, -1, np.arange(len(series)))
    native = series.to_native()
    if not series.implementation.is_pandas_like():
        places = nw.new_series("", rows, nw.Int64, backend=series.implementation)
        none = nw.new_series("", [None] * len(rows), nw.Int64, backend=series.implementation)
        indices = places.zip_with(places >= 0, none).to_native()
        taken = native.take(indices) if series.implementation.is_pyarrow() else native.gather(indices)
        without: nw.Series[Any] = nw.from_native(taken, series_only=True).alias(series.name)
        return without
    import pandas as pd  # here, to keep start-up quick

    kind = native.dtype
    if isinstance(kind, np.dtype) and kind.kind in "iub":
        nullable = {"i": f"Int{8 * kind.itemsize}", "u": f"UInt{8 * kind.itemsize}", "b": "boolean"}
        in_array = {"i": "float64", "u": "float64", "b": "object"}
        native = native.astype((in_array if is_array else nullable)[kind.kind])
    taken = pd.api.extensions.take(native.array, rows, allow_fill=True)
    return nw.from_native(pd.Series(taken, index=native.index, name=native.name, dtype=native.dtype), series_only=True)


def digest(series: nw.Series[Any], into: _Hash) -> None:
    """Add the name, type and values of a column to a hash, in the same way for every library."""
    is_missing = missing(series)
    categories = ""
    if isinstance(series.dtype, nw.Enum):
        categories = repr(list(series.dtype.categories))
    into.update(repr((series.name, str(series.dtype), categories, len(series))).encode("utf-8", "surrogatepass"))
    into.update(np.packbits(is_missing).tobytes())
    if series.dtype.is_integer() and not isinstance(series.dtype, _LONG_INTEGERS):
        whole = series.fill_null(0).to_numpy()
        into.update(whole.astype("<u8" if whole.dtype.kind == "u" else "<i8").tobytes())
    elif series.dtype.is_float() or isinstance(series.dtype, nw.Boolean):
        into.update(np.where(is_missing, 0.0, numbers(series)).astype("<f8").tobytes())
    else:
        texts = ["" if cell is None else str(cell) for cell in cells(series)]
        lengths = np.fromiter(map(len, texts), dtype="<i8", count=len(texts))
        into.update(lengths.tobytes())
        ends = np.flatnonzero(np.diff(np.cumsum(lengths) // _AT_ONCE)) + 1
        for begin, end in pairwise([0, *ends.tolist(), len(texts)]):
            into.update("".join(texts[begin:end]).encode("utf-8", "surrogatepass"))


def only_present(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return the column with no category that no record has, and nothing stored beneath its missing values."""
    native = series.to_native()
    if series.implementation.is_pandas():
        return nw.from_native(_present_in_pandas(native), series_only=True)
    if series.implementation.is_pyarrow():
        present: nw.Series[Any] = nw.from_native(_present_in_arrow(native), series_only=True).alias(series.name)
        return present
    if isinstance(series.dtype, nw.Enum):
        values = set(values_and_places(series)[0])
        return series.cast(nw.Enum([category for category in series.dtype.categories if category in values]))
    if not series.null_count():
        return series
    if isinstance(series.dtype, nw.String):  # a copy would share the texts, those beneath missing values too
        return series.fill_null("").scatter(np.flatnonzero(missing(series)), None)
    return series[np.arange(len(series))]


def written_alike(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return the column with equal values written alike: 0 for minus zero, and one of 1, 1.0 and True, of 1.0 and 1.00.

    Records are counted as alike by values that are equal; a file would tell them apart by how these are written.
    """
    if series.dtype.is_float():
        values = numbers(series)
        rows = np.flatnonzero((values == 0) & np.signbit(values))
        zeros = np.zeros(len(rows), np.float32 if isinstance(series.dtype, nw.Float32) else np.float64)
        return series.scatter(rows, zeros) if len(rows) else series
    if not isinstance(series.dtype, nw.Object):
        return series
    cells = series.to_list()
    first: dict[Any, Any] = {}
    try:
        written = [cell if _is_nan(cell) else first.setdefault(cell, cell) for cell in cells]
    except TypeError:  # lists and the like, compared by how they are written
        return series
    rows = np.flatnonzero([new is not cell for new, cell in zip(written, cells, strict=True)])
    return series.scatter(rows, [written[row] for row in rows.tolist()]) if len(rows) else series


def present_value_labels(series: nw.Series[Any], labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the labels of the values that the column has."""
    present = set(cells(series))
    return {code: text for code, text in labels.items() if code in present}


def _present_in_pandas(native: Any) -> Any:
    import pandas as pd  # here, to keep start-up quick

    kind = native.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return native.cat.remove_unused_categories()
    if isinstance(kind, pd.ArrowDtype):
        import pyarrow

        present = _present_in_arrow(pyarrow.chunked_array([pyarrow.array(native.array)]))
        return pd.Series(pd.arrays.ArrowExtensionArray(present), index=native.index, name=native.name)
    if kind.kind in "iufb" and not isinstance(kind, np.dtype | pd.SparseDtype) and native.hasnans:
        # Filled first: a masked array that is told of a missing value keeps the old one beneath it.
        return native.fillna(kind.type(0)).mask(native.isna())
    return native


def _present_in_arrow(native: Any) -> Any:
    import pyarrow
    import pyarrow.compute as pc

    if not pyarrow.types.is_dictionary(native.type):
        return pc.take(native, np.arange(len(native))) if native.null_count else native
    values, places = _as_they_come(*_dictionary_of(native))
    observed = set(values)
    in_order = dict.fromkeys(one for chunk in native.chunks for one in chunk.dictionary.to_pylist() if one in observed)
    rank = dict(zip(in_order, range(len(in_order)), strict=True))
    new = np.array([*(rank[value] for value in values), -1])[places]
    indices = pyarrow.array(new, native.type.index_type, mask=new < 0)
    categories = pyarrow.array(list(in_order), native.type.value_type)
    present = pyarrow.DictionaryArray.from_arrays(indices, categories, ordered=native.type.ordered)
    return pyarrow.chunked_array([present], native.type)


def _has_float_categories(series: nw.Series[Any]) -> bool:
    """Whether a column is an Arrow dictionary of floats, the only categories that can be NaN."""
    if not isinstance(series.dtype, nw.Categorical):
        return False
    native = series.to_native()
    arrow_type = getattr(native, "type", None) or getattr(native.dtype, "pyarrow_dtype", None)
    return str(getattr(arrow_type, "value_type", "")) in ("halffloat", "float", "double")


def _held_in_numpy(series: nw.Series[Any]) -> NDArray[Any] | None:
    """Return the numbers or truth values of a pandas column that is a NumPy array already: the quick way to them."""
    if not series.implementation.is_pandas_like():
        return None
    native = series.to_native()
    is_held = isinstance(native.dtype, np.dtype) and native.dtype.kind in "biuf" and native.dtype.itemsize <= 8
    return native.to_numpy() if is_held else None


def _is_nan(cell: Any) -> bool:
    return isinstance(cell, (float, Decimal, np.floating)) and bool(cell != cell)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (Real, Decimal)) and not isinstance(cell, (bool, np.bool_))


def _not_numeric(series: nw.Series[Any]) -> DataError:
    """Return an error that says why a column is not numeric, by counts and row numbers only."""
    problem = f'Column "{series.name}" is not numeric'
    if not isinstance(series.dtype, (nw.String, nw.Object)):
        return DataError(f"{problem}: its type is {_type_name(series.dtype)}.")
    is_missing = missing(series)
    if is_missing.all():
        return DataError(f"{problem}: it has no values at all.")
    not_numbers = [
        row
        for row, cell in enumerate(series.to_list())
        if not is_missing[row] and not (_is_number(cell) or (isinstance(cell, str) and _reads_as_number(cell)))
    ]
    if not not_numbers:
        return DataError(
            f"{problem}: it holds numbers written as text, perhaps codes with leading zeros. "
            "Convert it to numbers first if it is meant to be a quantity."
        )
    cells = "cells is not a number" if len(not_numbers) == 1 else "cells are not numbers"
    return DataError(
        f"{problem}: {len(not_numbers)} of its {len(series)} {cells}, the first in row {not_numbers[0] + 1}."
    )


def _type_name(dtype: Any) -> str:
    # Only the name: the categories of an Enum, which its text form lists, are values of the data.
    name: str = type(dtype).__name__
    return "Categorical" if name == "Enum" else name


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
