"""Clusters in microaggregated files: every clustering and index of `shoal.measure.clustering_similarity`."""

from __future__ import annotations

import warnings

import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from shoal.measure import clustering_similarity

__all__ = ["microaggregated"]

_SIZES = (3, 10)
_STARTS = 10
_METHODS = ("c-means", "fuzzy", "noise", "possibilistic")
_INDICES = ("rand", "adjusted-rand", "jaccard", "fuzzy-rand", "alpha-cuts")


def microaggregated(census: pd.DataFrame) -> pd.DataFrame:
    """Return every index of ten clusters after MDAV, beside the same file from another start and chance."""
    original = census.astype(float)
    files = {k: shoal.protect(original, k, method="mdav").data for k in _SIZES}
    rows = []
    for method in _METHODS:
        for index in _INDICES:
            if (method, index) == ("c-means", "fuzzy-rand"):
                continue  # the Rand index again
            row: dict[str, object] = {"method": method, "index": index}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ShoalWarning)
                for k, masked in files.items():
                    one = clustering_similarity(original, masked, method=method, index=index, repetitions=_STARTS)
                    row |= {f"k = {k}": one.value, f"sd at k = {k}": one.spread["value"]}
                    row |= {"same file": one.again, "sd of the same file": one.spread["again"]}
                    row[f"chance at k = {k}"] = round(one.chance, 6) + 0.0
            rows.append(row)
    return pd.DataFrame(rows)
