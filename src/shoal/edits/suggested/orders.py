"""Orders: one column is never above another, although its values are often above those of other records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from shoal.edits.expressions import TermComparison, VariableName
from shoal.edits.suggested.implications import not_implied
from shoal.edits.suggested.number_columns import Booleans, Doubles, NumberColumns
from shoal.edits.suggested.suggestion import FEWEST, SuggestedRule, suggestion_of

__all__ = ["order_pairs", "order_suggestions"]

# The share of pairs of different records that break an order, and how many records would by chance. With a smaller
# share it holds for the sizes of the columns; with fewer records it is often an accident, as real files show.
_OFTEN, _EXPECTED = 0.02, 50
_MOST = 10  # orders; a table of series has hundreds


def order_pairs(columns: NumberColumns, among: list[str], known: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs of columns of which the first never exceeds the second, without those that follow from others.

    Parameters
    ----------
    columns
        The columns of the table.
    among
        Those to compare.
    known
        Pairs that follow from other rules.
    """
    if len(among) < 2:
        return []
    sample = np.array([columns.sample[name] for name in among])
    pairs = []
    for place, name in enumerate(among):
        never_above = ~(sample[place] > sample).any(axis=1)
        never_above[place] = False
        others = [among[other] for other in np.flatnonzero(never_above)]
        alike = [other for other in others if (name in columns.codes) == (other in columns.codes)]  # amounts, or counts
        pairs += [(name, other) for other in alike if _is_order(columns, name, other)]
    return not_implied(pairs, known)


def order_suggestions(columns: NumberColumns, pairs: Iterable[tuple[str, str]]) -> Iterator[SuggestedRule]:
    """Yield the suggestions for pairs of columns, at most ten, those first that chance would break most often."""
    by_share = sorted(pairs, key=lambda pair: -_share_above(columns.sample[pair[0]], columns.sample[pair[1]]))
    for lower, upper in by_share[:_MOST]:
        order = TermComparison("<=", VariableName(lower), VariableName(upper))
        suggestion = suggestion_of(order, "order", columns.records)
        if suggestion is not None:
            yield suggestion


def _is_order(columns: NumberColumns, lower: str, upper: str) -> bool:
    """Whether the first column never exceeds the second, and would if records were paired by chance."""
    one, other = columns.values[lower], columns.values[upper]
    both = ~np.isnan(one) & ~np.isnan(other)
    records = int(both.sum())
    if records < FEWEST or (one[both] > other[both]).any() or (one[both] == other[both]).all():
        return False
    share = _share_above(columns.sample[lower], columns.sample[upper])
    return share >= _OFTEN and share * records >= _EXPECTED


def _share_above(one: Doubles, other: Doubles) -> float:
    """Return in which share of the pairs of records the value of one column exceeds that of another."""
    both: Booleans = ~np.isnan(one) & ~np.isnan(other)
    if not both.any():
        return 0.0
    below = np.searchsorted(np.sort(other[both]), one[both], side="left")
    return float(below.mean()) / int(both.sum())
