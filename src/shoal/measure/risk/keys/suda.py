"""Special uniques: records that few of their key variables are enough to single out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import packed_rows
from shoal.describe.wildcards import agreeing_sums
from shoal.errors import ParameterError
from shoal.measure.measure import About, partition_measure
from shoal.measure.risk.keys.frequencies import key_frequencies
from shoal.measure.risk.keys.key_values import MISSING, Missing, key_values
from shoal.parameters.limits import Above, Limit, OrNone, Whole, check_limits
from shoal.progress import advance

__all__ = ["Suda", "largest_size", "suda"]

Whole64 = NDArray[np.int64]
Doubles = NDArray[np.float64]

_MOST_WORK = 5e9  # rows of all sets of keys: some minutes; far fewer are looked at where most fall away in small sets
_QUICK_WORK = 5e8
_A_SET = 3000  # rows take as long as to begin with another set


@dataclass(frozen=True, eq=False)
class Suda:
    """How special the uniques of a file are.

    Attributes
    ----------
    keys
        The names of the key variables.
    missing
        Whether a missing value was a "category" or a "wildcard".
    scores
        The SUDA score of every record: (A - size)! summed over its minimal sample uniques, the sets of keys on which it
        is unique and on no smaller set in them; A is the number of keys. 0 for a record that others are like.
    dis
        The DIS score of every record: an estimate of how likely a unique match with it is right.
    contributions
        For every key, the percentage of the sum of all scores that comes from sets with this key in them. A set has
        several keys, so that they add up to more than 100.
    minimal_uniques
        How many minimal sample uniques there are, by the number of keys in them.
    fraction, max_size
        The sampling fraction, and the largest set of keys that was looked at.
    """

    keys: tuple[str, ...]
    missing: Missing
    scores: Doubles
    dis: Doubles
    contributions: Mapping[str, float]
    minimal_uniques: Mapping[int, int]
    fraction: float
    max_size: int

    @property
    def records(self) -> int:
        """How many records have a score."""
        return int(np.count_nonzero(self.scores))


@partition_measure(
    About(
        name="suda",
        title="Special uniques",
        definition="For every record, (A - size)! summed over its minimal sample uniques: the sets of key variables "
        "on which it is unique, and on no smaller set in them; A is the number of key variables.",
        reference="Manning, Haglin and Keane (2008), A recursive search algorithm for statistical disclosure "
        "assessment, Data Mining and Knowledge Discovery 16; Elliot (2000), DIS: a new approach to the measurement of"
        " statistical disclosure risk, Risk Management 2",
        range=(0, math.inf),
        better="lower",
        side="risk",
        unit="",
        counts="neither",
        slow=True,
    )
)
def suda(
    data: Any,
    keys: Iterable[Any] | str,
    *,
    fraction: float = 0.01,
    max_size: int | None = None,
    missing: Missing = "category",
) -> Suda:
    """Score how special every unique record is, by the special uniques detection algorithm (SUDA2).

    Parameters
    ----------
    data
        A pandas, polars or Arrow frame, a 2-D array, or the path of a file.
    keys
        The columns that an intruder may know.
    fraction
        The sampling fraction, for DIS scores: the part of the population that is in the file.
    max_size
        The most keys in a minimal sample unique; all by default.
    missing
        Whether a missing value agrees with missing values only ("category"), or with every value ("wildcard").

    Returns
    -------
    Suda
        The scores of every record, and what each key contributes to them.

    Examples
    --------
    >>> import pandas as pd
    >>> persons = pd.DataFrame({"sex": [1, 1, 2, 2], "age": [30, 30, 30, 99], "town": ["A", "A", "A", "A"]})
    >>> found = suda(persons, ["sex", "age", "town"])
    >>> found.scores.tolist(), dict(found.minimal_uniques)
    ([0.0, 0.0, 1.0, 2.0], {1: 1, 2: 1})
    """
    limits: dict[str, Limit] = {"fraction": Above(0, high=1), "max_size": OrNone(Whole(1)), "missing": MISSING}
    check_limits(limits, {"fraction": fraction, "max_size": max_size, "missing": missing})
    values = key_values(data, keys)
    frequencies = key_frequencies(values, values.names, missing=missing)
    first = np.unique(values.combinations, return_index=True)[1]
    columns = [column[first] for column in values.columns]
    special = frequencies.sample[first] == 1
    most = len(columns) if max_size is None else min(max_size, len(columns))
    if most > largest_size(len(columns), len(first)):
        raise ParameterError(
            f"{len(columns)} keys have too many sets to look at in {len(first):,} combinations of values. Give "
            f"max_size, such as {max(1, min(3, largest_size(len(columns), len(first))))}, or fewer keys.",
            parameter="max_size",
        )
    scores = np.zeros(len(first))
    by_key, by_size = dict.fromkeys(values.names, 0.0), dict.fromkeys(range(1, most + 1), 0)
    for chosen, rows in _minimal_uniques(columns, special, most, missing):
        score = float(math.factorial(len(columns) - len(chosen)))
        scores[rows] += score
        by_size[len(chosen)] += len(rows)
        for place in chosen:
            by_key[values.names[place]] += score * len(rows)
    total = float(scores.sum())
    of_records = scores[values.combinations]
    return Suda(
        keys=values.names,
        missing=missing,
        scores=of_records,
        dis=_dis_scores(of_records, frequencies.sample, len(columns), fraction),
        contributions={name: 100 * part / total if total else 0.0 for name, part in by_key.items()},
        minimal_uniques={size: count for size, count in by_size.items() if count},
        fraction=fraction,
        max_size=most,
    )


def largest_size(keys: int, rows: int, *, quick: bool = False, most: float | None = None) -> int:
    """Return how many keys a set may have so that all sets of up to so many are looked at in minutes, or in seconds.

    `most` is how many rows of all sets may be looked at: 10 ** 8 take about a second.
    """
    if most is None:
        most = _QUICK_WORK if quick else _MOST_WORK
    work = 0
    for size in range(1, keys + 1):
        work += math.comb(keys, size) * (rows + _A_SET)
        if work > most:
            return size - 1
    return keys


def _minimal_uniques(
    columns: list[Whole64], special: NDArray[np.bool_], most: int, missing: Missing
) -> Iterator[tuple[tuple[int, ...], Whole64]]:
    """Yield sets of keys, small ones first, with the rows that are unique on the set and on no smaller one in it.

    Once a row is unique on a set of keys, it is on every larger one, and agrees with no other row there; a row that
    agrees with no special one on a set does not on a larger one either. So both are left out of all larger sets, and
    what is unique among the others is minimal.
    """
    count = len(special)
    none = np.packbits(np.zeros(count, dtype=bool))
    gone: dict[tuple[int, ...], NDArray[np.uint8]] = {(): none}
    for size in range(1, most + 1):
        larger: dict[tuple[int, ...], NDArray[np.uint8]] = {}
        any_left = False
        for chosen in combinations(range(len(columns)), size):
            bits = none
            for left_out in range(size):
                bits = bits | gone[chosen[:left_out] + chosen[left_out + 1 :]]
            out = np.unpackbits(bits, count=count).view(bool)
            rows = np.flatnonzero(~out)
            if special[rows].any():
                any_left = True
                unique, apart = _alone([columns[place][rows] for place in chosen], special[rows], missing)
                if unique.any():
                    yield chosen, rows[unique]
                out[rows[unique | apart]] = True
                bits = np.packbits(out)
            else:
                bits = ~none
            larger[chosen] = bits
        gone = larger
        advance(1 / most)
        if not any_left:
            return


def _alone(
    columns: list[Whole64], special: NDArray[np.bool_], missing: Missing
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which special rows no other row agrees with, and which other rows agree with no special one."""
    if missing == "wildcard" and any((column < 0).any() for column in columns):
        sums = agreeing_sums(columns, np.column_stack([np.ones(len(special)), special]))
        agreeing, with_special = sums[:, 0] > 1, sums[:, 1] > 0
    else:
        groups = _groups(columns)
        agreeing = (np.bincount(groups) > 1)[groups]
        with_special = (np.bincount(groups, special) > 0)[groups]
    return special & ~agreeing, ~special & ~with_special


def _groups(columns: list[Whole64]) -> Whole64:
    """Number the rows of columns of codes, of which -1 is one too; numbers may be left out."""
    import pandas as pd  # here, to keep start-up quick

    combined, span = packed_rows(columns, len(columns[0]))
    return combined if span <= 4 * len(combined) else np.asarray(pd.factorize(combined)[0], dtype=np.int64)


def _dis_scores(scores: Doubles, sample: Whole64, keys: int, fraction: float) -> Doubles:
    """Return the DIS scores: how likely a unique match is right, by uniques and pairs, shared out by SUDA scores."""
    uniques, in_pairs = np.count_nonzero(sample == 1), np.count_nonzero(sample == 2)
    dis = np.zeros(len(scores))
    scored = scores > 0
    if not scored.any():
        return dis
    right = uniques * fraction / (uniques * fraction + in_pairs * (1 - fraction))
    powers = scores[scored] ** (1 + (8 - keys) / 20)
    dis[scored] = 1 / (1 + (uniques / right - uniques) / (powers * (1 / powers).sum()))
    return dis
