"""How variables are distributed, in few enough bins to be drawn and to disclose no record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.edits.checked_records import TableRecords
from shoal.read import Table
from shoal.report.facts.summary import Shape
from shoal.report.wording import rounded_edges

__all__ = ["categories_in", "shape_of_amounts", "shape_of_categories", "with_labels"]

Doubles = NDArray[np.float64]

_BINS = 40
_TAIL = 0.005  # share of the records beyond either end of the bins
_MOST_CATEGORIES = 20


def shape_of_amounts(columns: Sequence[Doubles], fewest: int) -> Shape | None:
    """Return the shares of records in bins of values, of the masked column and of the original if it may be seen.

    Parameters
    ----------
    columns
        The masked column, then the original one if it may be seen.
    fewest
        A bin with fewer records is merged with the next one. If more than 1, the edges are round numbers.
    """
    columns = [column[np.isfinite(column)] for column in columns]
    if any(len(column) == 0 for column in columns):
        return None
    edges = _edges(columns)
    if fewest > 1:
        edges = np.array(rounded_edges(edges.tolist()), dtype=np.float64)
    masked, *original = [_shares(column, edges, fewest) for column in columns]
    return Shape(edges=edges.tolist(), masked=masked, original=original[0] if original else None)


def shape_of_categories(columns: Sequence[NDArray[Any]], labels: Mapping[Any, str], fewest: int) -> Shape | None:
    """Return the shares of records by category, the most frequent first; None where no cell has a value.

    Parameters
    ----------
    columns
        The masked column as texts without missing values, then the original one if it may be seen.
    labels
        The meanings of codes, as far as the file has them.
    fewest
        Categories with fewer records are put together.
    """
    counts = [dict(zip(*np.unique(one, return_counts=True), strict=True)) for one in columns]
    if not any(counts):
        return None
    names = sorted(set().union(*counts), key=lambda one: (-sum(count.get(one, 0) for count in counts), one))
    listed, rest = names[:_MOST_CATEGORIES], names[_MOST_CATEGORIES:]
    if fewest > 1:
        rest += [one for one in listed if _fewest_in(counts, [one]) < fewest]
        listed = [one for one in listed if _fewest_in(counts, [one]) >= fewest]
        if listed and rest and _fewest_in(counts, rest) < fewest:  # together still too few
            rest = [listed.pop(), *rest]
    shares: list[list[float]] = []
    for one, count in zip(columns, counts, strict=True):
        own = [count.get(category, 0) / max(len(one), 1) for category in listed]
        shares.append(own + ([max(1 - sum(own), 0.0)] if rest else []))
    return Shape(
        categories=with_labels(listed, labels) + ([f"{len(rest)} more"] if rest else []),
        masked=shares[0],
        original=shares[1] if len(shares) > 1 else None,
    )


def with_labels(categories: Iterable[Any], labels: Mapping[Any, str]) -> list[str]:
    """Return categories, as the texts of their cells, with what they are labelled."""
    meaning = {_code(code): label for code, label in labels.items()}
    return [f"{meaning[one]} ({one})" if meaning.get(one) else str(one) for one in categories]


def _fewest_in(counts: Sequence[Mapping[Any, int]], categories: Sequence[Any]) -> int:
    """Return how many records have one of these categories, in the column where fewest have."""
    return min(sum(count.get(category, 0) for category in categories) for count in counts)


def categories_in(table: Table, name: str) -> NDArray[Any]:
    """Return a column as texts, without missing values."""
    texts = TableRecords(table).texts(name)
    return np.asarray(texts[~table.missing(name)], dtype=str)


def _code(code: Any) -> str:
    """Return a code as the text of a cell with that code."""
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _edges(columns: Sequence[Doubles]) -> Doubles:
    """Return edges of bins that leave out the tails, so that one extreme value does not squeeze all others together."""
    low = min(float(np.quantile(column, _TAIL)) for column in columns)
    high = max(float(np.quantile(column, 1 - _TAIL)) for column in columns)
    if not high > low:
        low, high = low - 0.5, high + 0.5
    distinct = len(np.unique(np.concatenate(columns)))
    return np.linspace(low, high, min(_BINS, max(distinct, 2)) + 1)


def _shares(column: Doubles, edges: Doubles, fewest: int) -> list[float]:
    counts, _ = np.histogram(np.clip(column, edges[0], edges[-1]), edges)
    return [share / len(column) for share in _merge_small_counts(counts.tolist(), fewest)]


def _merge_small_counts(counts: list[int], fewest: int) -> list[int]:
    """Add counts that are too small to the next bin, at the end to the last one kept."""
    kept, carried = [0] * len(counts), 0
    for place, count in enumerate(counts):
        carried += count
        if count and carried >= fewest:
            kept[place], carried = carried, 0
    last = max((place for place, count in enumerate(kept) if count), default=len(kept) - 1)
    kept[last] += carried
    return kept
