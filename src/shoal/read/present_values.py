"""What a table holds beside its values, cut down to the values that are there.

Types know more than a column shows: categories that no record has, labels of codes that are gone, and whatever was
stored where a value is missing now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from shoal.read.columns import cells

__all__ = ["only_present", "present_value_labels"]


def only_present(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return the column with no category that no record has, and nothing stored beneath its missing values."""
    native = series.to_native()
    if series.implementation.is_pandas():
        return nw.from_native(_present_in_pandas(native), series_only=True)
    if series.implementation.is_pyarrow():
        present: nw.Series[Any] = nw.from_native(_present_in_arrow(native), series_only=True).alias(series.name)
        return present
    if isinstance(series.dtype, nw.Enum):
        values = set(series.drop_nulls().to_list())
        return series.cast(nw.Enum([category for category in series.dtype.categories if category in values]))
    return series


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
    plain = pc.cast(native, native.type.value_type)
    observed = set(plain.unique().to_pylist()) - {None}
    in_order = dict.fromkeys(one for chunk in native.chunks for one in chunk.dictionary.to_pylist())
    categories = pyarrow.array([one for one in in_order if one in observed], native.type.value_type)
    indices = pc.index_in(plain, categories, skip_nulls=True).combine_chunks().cast(native.type.index_type)
    present = pyarrow.DictionaryArray.from_arrays(indices, categories, ordered=native.type.ordered)
    return pyarrow.chunked_array([present], native.type)
