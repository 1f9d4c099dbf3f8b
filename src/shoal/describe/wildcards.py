"""How many records agree with each, where a missing value agrees with every value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes

__all__ = ["agreeing_records", "agreeing_sums", "agreeing_sums_within"]

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]

_FEW_PAIRS = 2**17  # are compared one by one rather than divided further
_PAIRS_A_ROW = 2  # likewise, for every row that would have to be divided


def agreeing_records(columns: Sequence[Whole64], records: int, *, most: float = math.inf) -> Whole64 | None:
    """Return for every record how many agree with it, itself among them; None where that takes more than `most` work.

    Parameters
    ----------
    columns
        Codes of the values, -1 for a missing value, which agrees with every value.
    records
        How many records there are.
    most
        How many rows and pairs of rows may be looked at: 10 ** 8 take some four seconds. There is no limit by default.
    """
    sums = _sums(columns, np.ones((records, 1)), None, most)
    return None if sums is None else sums[:, 0].astype(np.int64)


def agreeing_sums(columns: Sequence[Whole64], amounts: Doubles, *, of: Sequence[Whole64] | None = None) -> Doubles:
    """Return for every record the sums of amounts over the records that agree with it.

    Parameters
    ----------
    columns
        Codes of the values, -1 for a missing value, which agrees with every value.
    amounts
        What is summed, a row for every record: ones to count the records, weights to count those they stand for.
    of
        The records that others agree with, where these are not the same: their codes, which mean the same.

    Notes
    -----
    Pairs of records are divided column by column into those observed in both, which have to be equal; those missing in
    the second; and those missing in the first only. Where few pairs are left, they are compared one by one; where no
    column is left, all of them agree. So most of the pairs that differ are never looked at, and memory stays small.
    """
    sums = _sums(columns, amounts, of, math.inf)
    assert sums is not None  # there is no limit
    return sums


def agreeing_sums_within(columns: Sequence[Whole64], amounts: Doubles, most: float) -> Doubles | None:
    """Return the same as `agreeing_sums`; None where that takes more than `most` work, as in `agreeing_records`."""
    return _sums(columns, amounts, None, most)


def _sums(columns: Sequence[Whole64], amounts: Doubles, of: Sequence[Whole64] | None, most: float) -> Doubles | None:
    among, among_rows = _distinct(columns, len(amounts))
    counted = np.column_stack([np.bincount(among_rows, one, len(among)) for one in amounts.T]).astype(np.float64)
    asked, asked_rows = (among, among_rows) if of is None else _distinct(of, len(of[0]))
    sums = np.zeros((len(asked), amounts.shape[1]))
    work = 0.0
    for part in _divided(asked, among):
        work += part.work()
        if work > most:
            return None
        if part.is_few and part.columns:
            _add_pairs(part, asked, among, counted, sums)
        elif part.is_few:
            for place, one in enumerate(counted.T):
                totals = np.bincount(part.among_group, one[part.among])
                sums[part.asked, place] += totals[part.asked_group]
    return sums[asked_rows]


@dataclass(frozen=True, eq=False)
class _PairsLeft:
    """Pairs of rows of the same group that may agree, if they do so in the columns that are left."""

    asked: Whole64  # rows
    asked_group: Whole64
    among: Whole64
    among_group: Whole64
    columns: tuple[int, ...]  # that are left, the next one last

    @cached_property
    def pairs(self) -> float:
        """How many they are."""
        groups = 1 + int(max(self.asked_group.max(initial=0), self.among_group.max(initial=0)))
        sizes = [np.bincount(one, minlength=groups).astype(np.float64) for one in (self.asked_group, self.among_group)]
        return float((sizes[0] * sizes[1]).sum())

    @property
    def rows(self) -> int:
        """How many rows they are made of."""
        return len(self.asked) + len(self.among)

    @property
    def is_few(self) -> bool:
        """Whether it is quicker to compare them one by one than to divide them further, or no column is left."""
        return not self.columns or self.pairs <= max(_FEW_PAIRS, _PAIRS_A_ROW * self.rows)

    def work(self) -> float:
        """How many rows and pairs are looked at to compare or to divide them."""
        return self.rows + (self.pairs if self.columns and self.is_few else 0.0)


def _distinct(columns: Sequence[Whole64], records: int) -> tuple[Whole64, Whole64]:
    """Return the different rows as a matrix, and which of them every record has."""
    rows = joined_codes(columns, records)
    first = np.unique(rows, return_index=True)[1]
    table = np.column_stack([column[first] for column in columns]) if columns else np.zeros((len(first), 0), np.int64)
    return table, rows


def _divided(asked: Whole64, among: Whole64) -> Iterator[_PairsLeft]:
    """Yield all pairs of rows that may agree: many of them, and then the same divided, down to few of them."""
    is_missing = (asked < 0).any(axis=0) | (among < 0).any(axis=0)
    complete = np.flatnonzero(~is_missing)
    together = joined_codes(
        [np.concatenate([asked[:, place], among[:, place]]) for place in complete], len(asked) + len(among)
    )
    order = sorted(np.flatnonzero(is_missing).tolist(), key=lambda place: -_agreement(asked[:, place], among[:, place]))
    rows = np.arange(len(asked)), np.arange(len(among))
    left = [_PairsLeft(rows[0], together[: len(asked)], rows[1], together[len(asked) :], tuple(order))]
    while left:
        part = _in_both(left.pop())
        if not len(part.asked):
            continue
        yield part
        if not part.is_few:
            left += _parts_by(part, asked[:, part.columns[-1]], among[:, part.columns[-1]])


def _agreement(asked: Whole64, among: Whole64) -> float:
    """Return the share of pairs that agree in a column."""
    size = 1 + int(max(asked.max(initial=0), among.max(initial=0)))
    shares = [np.bincount(one[one >= 0], minlength=size) / len(one) for one in (asked, among)]
    return 1 - float(shares[0].sum() * shares[1].sum()) + float((shares[0] * shares[1]).sum())


def _in_both(part: _PairsLeft) -> _PairsLeft:
    """Return only rows of groups that both sides have."""
    groups = 1 + int(max(part.asked_group.max(initial=-1), part.among_group.max(initial=-1)))
    both = np.zeros(groups, dtype=bool)
    both[part.among_group] = True
    asked = both[part.asked_group]
    both[:] = False
    both[part.asked_group] = True
    among = both[part.among_group]
    return _PairsLeft(
        part.asked[asked], part.asked_group[asked], part.among[among], part.among_group[among], part.columns
    )


def _parts_by(part: _PairsLeft, asked: Whole64, among: Whole64) -> Iterator[_PairsLeft]:
    """Yield the pairs divided by one column: observed in both, missing in one, missing in the other only."""
    import pandas as pd  # here, to keep start-up quick

    left = part.columns[:-1]
    values, others = asked[part.asked], among[part.among]
    seen, seen_among = np.flatnonzero(values >= 0), np.flatnonzero(others >= 0)
    missing, missing_among = np.flatnonzero(values < 0), np.flatnonzero(others < 0)
    if len(missing_among):
        yield _PairsLeft(part.asked, part.asked_group, part.among[missing_among], part.among_group[missing_among], left)
    if len(missing) and len(seen_among):
        yield _PairsLeft(
            part.asked[missing], part.asked_group[missing], part.among[seen_among], part.among_group[seen_among], left
        )
    if len(seen) and len(seen_among):
        size = 1 + int(max(values.max(), others.max()))
        keys = [part.asked_group[seen] * size + values[seen], part.among_group[seen_among] * size + others[seen_among]]
        groups = pd.factorize(np.concatenate(keys))[0].astype(np.int64)
        yield _PairsLeft(part.asked[seen], groups[: len(seen)], part.among[seen_among], groups[len(seen) :], left)


def _add_pairs(part: _PairsLeft, asked: Whole64, among: Whole64, counted: Doubles, sums: Doubles) -> None:
    """Add the amounts of pairs that agree, comparing each."""
    order = np.argsort(part.among_group, kind="stable")
    groups = 1 + int(max(part.asked_group.max(), part.among_group.max()))
    sizes = np.bincount(part.among_group, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    times = sizes[part.asked_group]
    ones = np.repeat(np.arange(len(part.asked)), times)
    within = np.arange(len(ones)) - np.repeat(np.cumsum(times) - times, times)
    first = part.asked[ones]
    second = part.among[order[starts[part.asked_group[ones]] + within]]
    for place in reversed(part.columns):
        one, other = asked[first, place], among[second, place]
        agree = np.flatnonzero((one == other) | (one < 0) | (other < 0))
        first, second = first[agree], second[agree]
    for place, own in enumerate(counted.T):
        sums[:, place] += np.bincount(first, own[second], len(sums))
