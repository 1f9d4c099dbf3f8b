"""A table after its missing codes and recodes, and what was counted on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from shoal.describe.variables import Kind
from shoal.errors import ColumnError, nearest_name_hint
from shoal.read import Table
from shoal.read.labels import Labels
from shoal.recode.base import Categories, Numbers, text_of
from shoal.recode.catalogue import build_recode
from shoal.recode.missing_codes import coded_missing, with_missing

__all__ = ["RecodedTable", "as_recoded", "recoded_table"]


@dataclass(frozen=True, eq=False)
class RecodedTable:
    """A table after its missing codes and recodes.

    Attributes
    ----------
    before, table
        The table with its missing codes made missing, and the same with its recodes made.
    kinds
        What recodes say their columns are.
    made_missing
        By column, how many values were codes for a missing one.
    """

    before: Table
    table: Table
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    made_missing: Mapping[str, int] = field(default_factory=dict)


def recoded_table(
    table: Table,
    recodes: Mapping[str, Sequence[Any]] | None,
    missing_codes: Mapping[str, Sequence[Any]] | None = None,
    *,
    k: int,
) -> RecodedTable:
    """Make codes missing, then columns coarser, one recode after the other. The table itself stays as it is.

    Parameters
    ----------
    table
        The table.
    recodes
        By column, the recodes in their order, as a plan writes them or as objects.
    missing_codes
        By column, the values that mean a missing one; "*" for all columns.
    k
        The fewest records that a value computed from records stands for.
    """
    blank = coded_missing(table, missing_codes or {})
    before = with_missing(table, blank, missing_codes or {})
    made_missing = {name: int(cells.sum()) for name, cells in blank.items()}
    for name in recodes or ():
        if name not in table:
            hint = nearest_name_hint(name, table.names)
            raise ColumnError(f'recodes names "{name}", which is no column.{hint}', column=name)
    kinds: dict[str, Kind] = {}
    made = before
    for name, several in (recodes or {}).items():
        for one in several:
            column = build_recode(one).recoded(made, name, k)
            made = _with_column(made, name, column)
            kind = _kind(made, name, column)
            if kind is not None:
                kinds[name] = kind
    return RecodedTable(before, made, kinds, made_missing)


def as_recoded(released: Table, recoded: Table, columns: Iterable[str]) -> Table:
    """Return a release that was read from a file with the types its recoded columns had: texts, and their order.

    A file of text tells neither the order of bands, nor that "1" and "2" were texts as long as "other" was among them.
    """
    for name in columns:
        if name not in released or recoded.type_of(name) == released.type_of(name):
            continue
        dtype = recoded.type_of(name)
        if not isinstance(dtype, nw.Enum | nw.String | nw.Categorical):
            continue
        cells = [None if cell is None else text_of(cell) for cell in released.cells(name)]
        texts = (
            list(dtype.categories) if isinstance(dtype, nw.Enum) else sorted({one for one in cells if one is not None})
        )
        place = {text: number for number, text in enumerate(texts)}
        if all(cell is None or cell in place for cell in cells):
            codes = np.array([-1 if cell is None else place[cell] for cell in cells], dtype=np.int64)
            released = _with_column(released, name, Categories(codes, tuple(texts), isinstance(dtype, nw.Enum)))
    return released


def _kind(table: Table, name: str, column: Numbers | Categories) -> Kind | None:
    if isinstance(column, Numbers):
        return column.kind
    if not column.decided:
        return None
    return "ordinal" if isinstance(table.type_of(name), nw.Enum) else "nominal"  # Arrow has no type with an order


def _with_column(table: Table, name: str, column: Numbers | Categories) -> Table:
    series = table.column(name)
    if isinstance(column, Categories):
        new = _categories(series, column)
        labels = _without_codes(table.labels, name, "ordinal" if column.ordered else "nominal")
    else:
        new = _numbers(series, column)
        labels = table.labels
        if column.labels is not None:
            labels = replace(labels, values={**labels.values, name: column.labels})
        if not series.dtype.is_numeric():
            labels = _without_codes(labels, name, column.kind)
    values = {one: codes for one, codes in labels.values.items() if codes}
    frame = table.frame.with_columns(new)
    return replace(table.replaced({}, {}), frame=frame, labels=replace(labels, values=values), source=table.source)


def _without_codes(labels: Labels, name: str, measure: str | None) -> Labels:
    """Return the labels without those of codes and formats that a column no longer has."""
    measures = dict(labels.measures)
    if measures.pop(name, None) is not None and measure in ("nominal", "ordinal"):
        measures[name] = measure
    return replace(
        labels,
        values={one: codes for one, codes in labels.values.items() if one != name},
        formats={one: text for one, text in labels.formats.items() if one != name},
        measures=measures,
    )


def _categories(series: nw.Series[Any], column: Categories) -> nw.Series[Any]:
    """Return categories: in an ordered type if they have an order, else as texts or in the type they had."""
    is_category = isinstance(series.dtype, nw.Categorical | nw.Enum)
    if not column.ordered and not is_category:
        cells = np.array([*column.texts, None], dtype=object)[column.codes].tolist()
        return nw.new_series(series.name, cells, nw.String, backend=series.implementation)
    if series.implementation.is_pandas():
        import pandas as pd  # here, to keep start-up quick

        native = series.to_native()
        texts = pd.Index(list(column.texts), dtype="str")
        categories = pd.Categorical.from_codes(column.codes, texts, ordered=column.ordered)
        return nw.from_native(pd.Series(categories, index=native.index, name=native.name), series_only=True)
    if series.implementation.is_pyarrow():
        import pyarrow

        indices = pyarrow.array(column.codes.astype(np.int32), mask=column.codes < 0)
        texts = pyarrow.array(list(column.texts), pyarrow.string())
        made = pyarrow.DictionaryArray.from_arrays(indices, texts, ordered=column.ordered)
        new: nw.Series[Any] = nw.from_native(pyarrow.chunked_array([made]), series_only=True).alias(series.name)
        return new
    cells = np.array([*column.texts, None], dtype=object)[column.codes].tolist()
    dtype = nw.Enum(list(column.texts)) if column.ordered else nw.Categorical()
    return nw.new_series(series.name, cells, dtype, backend=series.implementation)


def _numbers(series: nw.Series[Any], column: Numbers) -> nw.Series[Any]:
    """Return numbers in the type they had as far as it holds them: whole numbers stay whole."""
    values, present = column.values, np.flatnonzero(~np.isnan(column.values))
    whole = bool((values[present] % 1 == 0).all() and (np.abs(values[present]) < 2**53).all())
    if series.dtype.is_float():
        own = values[present].astype(np.float32) if isinstance(series.dtype, nw.Float32) else values[present]
        return series.scatter(present, own) if len(present) else series
    if not whole:
        return nw.new_series(series.name, values, nw.Float64, backend=series.implementation)
    if isinstance(series.dtype, nw.Int64):
        return series.scatter(present, values[present].astype(np.int64)) if len(present) else series
    cells = [None if np.isnan(value) else int(value) for value in values.tolist()]
    if series.implementation.is_pandas():
        import pandas as pd  # here, to keep start-up quick

        whole_numbers = pd.Series(cells, dtype="Int64").array
        if len(present) == len(values):
            whole_numbers = whole_numbers.astype("int64")
        native = pd.Series(whole_numbers, index=series.to_native().index, name=series.name)
        return nw.from_native(native, series_only=True)
    return nw.new_series(series.name, cells, nw.Int64, backend=series.implementation)
