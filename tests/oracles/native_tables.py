"""Columns of plain Python cells as every library can hold them, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

__all__ = [
    "STORAGES",
    "Cells",
    "Engine",
    "Storage",
    "fits",
    "listed_categories",
    "native_table",
    "plain_cells",
    "types",
]

Engine = Literal["pandas", "polars", "arrow", "numpy"]
Cells = list[Any]
NUMBER, WORD = ("continuous", "nominal", "ordinal"), ("nominal",)


class Held(Protocol):
    """What is needed of a variable to build its column."""

    name: str
    cells: Cells
    storage: str
    categories: tuple[Any, ...]


@dataclass(frozen=True)
class Storage:
    """One way in which a library holds a column.

    Attributes
    ----------
    build
        Makes the column from cells (None: missing), the categories and a source of random choices.
    holds
        Whether it can hold one such cell; complete ones hold no missing value.
    kinds
        What a column held like this can be treated as; `by_type` is what it is unless something else is stated.
    computed
        The type of the column where its values were computed anew; empty: such a column cannot have been.
    """

    build: Callable[[Cells, tuple[Any, ...], Random], Any]
    holds: Callable[[Any], bool]
    kinds: tuple[str, ...]
    computed: str = ""
    complete: bool = False
    has_categories: bool = False
    single: bool = False

    @property
    def by_type(self) -> str:
        """The kind of a column held like this, if none is stated."""
        return self.kinds[0]

    def stored(self, cells: Cells) -> Cells:
        """Return the cells as they are held: in single precision they differ."""
        return [float(np.float32(cell)) if self.single and cell is not None else cell for cell in cells]


def fits(storage: Storage, cells: Cells) -> bool:
    """Whether a storage can hold all of the cells."""
    return all((not storage.complete) if cell is None else storage.holds(cell) for cell in cells)


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str)


def _is_truth(cell: Any) -> bool:
    return isinstance(cell, bool)


def _is_real(cell: Any) -> bool:
    return isinstance(cell, float) or (_is_whole(cell) and abs(cell) <= 2**53)


def _is_whole(cell: Any) -> bool:
    return isinstance(cell, int) and not isinstance(cell, bool)


def _is_small(cell: Any) -> bool:
    return _is_whole(cell) and abs(cell) < 30_000


def _is_count(cell: Any) -> bool:
    return _is_whole(cell) and cell >= 0


def _is_single(cell: Any) -> bool:
    return _is_real(cell) and (cell == 0 or 1e-30 < abs(cell) < 1e30)


def _is_cents(cell: Any) -> bool:
    return _is_real(cell) and abs(cell) < 1e9 and round(cell, 2) == cell


def _marked(cells: Cells, rng: Random, marks: Sequence[Any]) -> Cells:
    return [rng.choice(marks) if cell is None else cell for cell in cells]


def _in_cents(cells: Cells) -> Cells:
    return [None if cell is None else Decimal(f"{cell:.2f}") for cell in cells]


def _floats(cells: Cells) -> Cells:
    return [None if cell is None else float(cell) for cell in cells]


def _pandas(dtype: Any, change: Callable[[Cells], Cells] = list) -> Callable[..., Any]:
    return lambda cells, categories, rng: pd.Series(change(cells), dtype=dtype)


def _pandas_objects(change: Callable[[Cells], Cells], marks: Sequence[Any]) -> Callable[..., Any]:
    return lambda cells, categories, rng: pd.Series(_marked(change(cells), rng, marks), dtype=object)


def _pandas_category(ordered: bool) -> Callable[..., Any]:
    return lambda cells, categories, rng: pd.Series(pd.Categorical(cells, categories=list(categories), ordered=ordered))


def _pandas_dictionary(cells: Cells, categories: tuple[Any, ...], rng: Random) -> Any:
    return pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([_dictionary(pa.string())(cells, categories, rng)]))
    )


def _dictionary(value_type: Any, index_type: Any = None, *, nulls: str = "codes") -> Callable[..., Any]:
    """Return what builds an Arrow dictionary; a missing value is one of the codes, or one of the dictionary."""

    def build(cells: Cells, categories: tuple[Any, ...], rng: Random) -> Any:
        words = [*categories, None] if nulls == "dictionary" else list(categories)
        if nulls == "codes":
            numbers = [None if cell is None else words.index(cell) for cell in cells]
        else:
            numbers = [rng.choice((None, words.index(cell))) if cell is None else words.index(cell) for cell in cells]
        codes = pa.array(numbers, index_type or pa.int32())
        return pa.DictionaryArray.from_arrays(codes, pa.array(words, value_type))

    return build


def _arrow(dtype: Any, change: Callable[[Cells], Cells] = list, marks: Sequence[Any] = (None,)) -> Callable[..., Any]:
    return lambda cells, categories, rng: pa.array(_marked(change(cells), rng, marks), dtype)


def _polars(dtype: Any, change: Callable[[Cells], Cells] = list, marks: Sequence[Any] = (None,)) -> Callable[..., Any]:
    return lambda cells, categories, rng: pl.Series(_marked(change(cells), rng, marks), dtype=dtype)


def _polars_enum(cells: Cells, categories: tuple[Any, ...], rng: Random) -> Any:
    return pl.Series(cells, dtype=pl.Enum(list(categories)))


_NAN = float("nan")
_ARROW_TEXT, _ARROW_LARGE = pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.large_string())

STORAGES: dict[str, dict[str, Storage]] = {
    "pandas": {
        "float64": Storage(_pandas("float64", _floats), _is_real, NUMBER, "float64"),
        "float32": Storage(_pandas("float32", _floats), _is_single, NUMBER, "float32", single=True),
        "Float64": Storage(_pandas("Float64", _floats), _is_real, NUMBER, "Float64"),
        "double[pyarrow]": Storage(_pandas("double[pyarrow]", _floats), _is_real, NUMBER, "double[pyarrow]"),
        "int64": Storage(_pandas("int64"), _is_whole, NUMBER, "float64", complete=True),
        "int16": Storage(_pandas("int16"), _is_small, NUMBER, "float64", complete=True),
        "Int64": Storage(_pandas("Int64"), _is_whole, NUMBER, "Float64"),
        "int64[pyarrow]": Storage(_pandas("int64[pyarrow]"), _is_whole, NUMBER, "double[pyarrow]"),
        "objects, whole": Storage(_pandas_objects(list, (None, _NAN, pd.NA)), _is_whole, NUMBER, "float64"),
        "objects, decimal": Storage(_pandas_objects(_in_cents, (None, _NAN)), _is_cents, NUMBER, "float64"),
        "decimal[pyarrow]": Storage(
            _pandas(pd.ArrowDtype(pa.decimal128(18, 2)), _in_cents), _is_cents, NUMBER, "double[pyarrow]"
        ),
        "str": Storage(_pandas("str"), _is_text, WORD),
        "objects, text": Storage(_pandas_objects(list, (None, _NAN, pd.NA)), _is_text, WORD),
        "string[python]": Storage(_pandas("string[python]"), _is_text, WORD),
        "string[pyarrow]": Storage(_pandas("string[pyarrow]"), _is_text, WORD),
        "text[pyarrow]": Storage(_pandas(_ARROW_TEXT), _is_text, WORD),
        "large text[pyarrow]": Storage(_pandas(_ARROW_LARGE), _is_text, WORD),
        "category": Storage(_pandas_category(False), lambda cell: True, WORD, has_categories=True),
        "ordered category": Storage(
            _pandas_category(True), lambda cell: True, ("ordinal", "nominal"), has_categories=True
        ),
        "dictionary[pyarrow]": Storage(_pandas_dictionary, _is_text, WORD, has_categories=True),
        "bool": Storage(_pandas("bool"), _is_truth, WORD, complete=True),
        "boolean": Storage(_pandas("boolean"), _is_truth, WORD),
        "bool[pyarrow]": Storage(_pandas("bool[pyarrow]"), _is_truth, WORD),
        "objects, truth": Storage(_pandas_objects(list, (None, _NAN)), _is_truth, WORD),
    },
    "polars": {
        "Float64": Storage(_polars(pl.Float64, _floats), _is_real, NUMBER, "Float64"),
        "Float64 with NaN": Storage(_polars(pl.Float64, _floats, (None, _NAN)), _is_real, NUMBER, "Float64"),
        "Float32": Storage(_polars(pl.Float32, _floats), _is_single, NUMBER, "Float32", single=True),
        "Int64": Storage(_polars(pl.Int64), _is_whole, NUMBER, "Float64"),
        "Int16": Storage(_polars(pl.Int16), _is_small, NUMBER, "Float64"),
        "UInt64": Storage(_polars(pl.UInt64), _is_count, NUMBER, "Float64"),
        "Decimal": Storage(_polars(pl.Decimal(18, 2), _in_cents), _is_cents, NUMBER, "Float64"),
        "String": Storage(_polars(pl.String), _is_text, WORD),
        "Categorical": Storage(_polars(pl.Categorical), _is_text, WORD),
        "Enum": Storage(_polars_enum, _is_text, ("ordinal", "nominal"), has_categories=True),
        "Boolean": Storage(_polars(pl.Boolean), _is_truth, WORD),
    },
    "arrow": {
        "double": Storage(_arrow(pa.float64(), _floats), _is_real, NUMBER, "double"),
        "double with NaN": Storage(_arrow(pa.float64(), _floats, (None, _NAN)), _is_real, NUMBER, "double"),
        "float": Storage(_arrow(pa.float32(), _floats), _is_single, NUMBER, "float", single=True),
        "int64": Storage(_arrow(pa.int64()), _is_whole, NUMBER, "double"),
        "int16": Storage(_arrow(pa.int16()), _is_small, NUMBER, "double"),
        "uint64": Storage(_arrow(pa.uint64()), _is_count, NUMBER, "double"),
        "decimal": Storage(_arrow(pa.decimal128(18, 2), _in_cents), _is_cents, NUMBER, "double"),
        "string": Storage(_arrow(pa.string()), _is_text, WORD),
        "large_string": Storage(_arrow(pa.large_string()), _is_text, WORD),
        "string_view": Storage(_arrow(pa.string_view()), _is_text, WORD),
        "dictionary": Storage(_dictionary(pa.string()), _is_text, WORD, has_categories=True),
        "dictionary with null": Storage(
            _dictionary(pa.string(), pa.int8(), nulls="dictionary"), _is_text, WORD, has_categories=True
        ),
        "large dictionary": Storage(_dictionary(pa.large_string(), pa.int64()), _is_text, WORD, has_categories=True),
        "bool": Storage(_arrow(pa.bool_()), _is_truth, WORD),
    },
}


def native_table(engine: Engine, variables: Sequence[Held], labels: Mapping[str, Any], rng: Random) -> Any:
    """Return the variables as a table of a library."""
    if engine == "numpy":
        return _array(variables)
    if engine == "arrow":
        return _arrow_table(variables, labels, rng)
    built = {labels[one.name]: STORAGES[engine][one.storage].build(one.cells, one.categories, rng) for one in variables}
    if engine == "polars":
        return pl.DataFrame(built)
    frame = pd.DataFrame(built)
    index = rng.choice(("range", "range", "text", "repeated", "reversed"))
    if index == "text":
        frame.index = pd.Index([f"row {place}" for place in range(len(frame))], name="row")
    elif index == "repeated":
        frame.index = pd.Index([place // 3 for place in range(len(frame))])
    elif index == "reversed":
        frame.index = pd.RangeIndex(len(frame), 0, -1)
    return frame


def _array(variables: Sequence[Held]) -> Any:
    """Return an array of floats where it can hold all cells, else one of objects."""
    columns = [one.cells for one in variables]
    if all(cell is None or _is_real(cell) for cells in columns for cell in cells):
        return np.array([_floats(cells) for cells in columns], dtype=np.float64).T
    rows = np.empty((len(columns[0]), len(columns)), dtype=object)
    for place, cells in enumerate(columns):
        rows[:, place] = cells
    return rows


def _arrow_table(variables: Sequence[Held], labels: Mapping[str, Any], rng: Random) -> pa.Table:
    """Return a table in chunks, cut out of a longer one or not."""
    before, after = rng.choice((0, 0, 1, 3)), rng.choice((0, 0, 2))
    columns = {}
    for one in variables:
        cells = [*one.cells[:1] * before, *one.cells, *one.cells[-1:] * after]
        cuts = sorted({0, len(cells), *(rng.randrange(len(cells)) for _ in range(rng.choice((0, 0, 1, 3))))})
        storage = STORAGES["arrow"][one.storage]
        chunks = [storage.build(cells[start:end], one.categories, rng) for start, end in pairwise(cuts)]
        columns[labels[one.name]] = pa.chunked_array(chunks)
    return pa.table(columns).slice(before, len(variables[0].cells))


def plain_cells(native: Any) -> dict[Any, Cells]:
    """Return the cells of a table in plain Python, None for a missing value."""
    if isinstance(native, np.ndarray):
        return {str(place): [_plain(cell) for cell in column] for place, column in enumerate(native.T.tolist())}
    if isinstance(native, pa.Table):
        return {name: [_plain(cell) for cell in native[name].to_pylist()] for name in native.column_names}
    if isinstance(native, pl.DataFrame):
        return {name: [_plain(cell) for cell in native[name].to_list()] for name in native.columns}
    return {name: [_plain(cell) for cell in native[name].tolist()] for name in native.columns}


def _plain(cell: Any) -> Any:
    if cell is None or cell is pd.NA or cell != cell:
        return None
    if isinstance(cell, Decimal):
        return float(cell)
    return cell.item() if isinstance(cell, np.generic) else cell


def types(native: Any) -> dict[Any, str]:
    """Return the type of every column as text, without categories."""
    if isinstance(native, np.ndarray):
        return dict.fromkeys(map(str, range(native.shape[1])), "")
    if isinstance(native, pa.Table):
        return {field.name: str(field.type) for field in native.schema}
    if isinstance(native, pl.DataFrame):
        return {name: "Enum" if isinstance(one, pl.Enum) else str(one) for name, one in native.schema.items()}
    return {name: _pandas_type(native[name].dtype) for name in native.columns}


def _pandas_type(dtype: Any) -> str:
    if isinstance(dtype, pd.CategoricalDtype):
        return "ordered category" if dtype.ordered else "category"
    return str(dtype)


def listed_categories(native: Any) -> dict[Any, Cells]:
    """Return what every column with a list of categories has in it, whether a record has it or not."""
    if isinstance(native, pa.Table):
        listed = {name: native[name] for name in native.column_names if pa.types.is_dictionary(native[name].type)}
        return {
            name: [word for chunk in column.chunks for word in chunk.dictionary.to_pylist() if word is not None]
            for name, column in listed.items()
        }
    if isinstance(native, pl.DataFrame):
        return {name: one.categories.to_list() for name, one in native.schema.items() if isinstance(one, pl.Enum)}
    if isinstance(native, pd.DataFrame):
        return {name: words for name in native.columns if (words := _of_pandas(native[name])) is not None}
    return {}


def _of_pandas(column: pd.Series) -> Cells | None:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.categories.tolist()
    if isinstance(column.dtype, pd.ArrowDtype) and pa.types.is_dictionary(column.dtype.pyarrow_dtype):
        return listed_categories(pa.table({"column": column.array.__arrow_array__()}))["column"]
    return None
