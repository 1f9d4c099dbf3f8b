"""Probabilistic record linkage, by the pattern of variables that agree: the model of Fellegi and Sunter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.risk.distinct_rows import distinct_rows
from shoal.measure.risk.sample_size import sample_size, sampling_parts
from shoal.measure.risk.standardized_records import StandardizedRecords, standardized_records, varying_columns
from shoal.parameters.limits import Number, OneOf, OrNone, Whole
from shoal.progress import advance

__all__ = ["probabilistic_linkage"]

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]
Patterns = NDArray[np.unsignedinteger[Any]]

_MOST_VARIABLES = 63  # one bit each
_FEW_VARIABLES = 20  # all their patterns fit into a table
_MOST_BITS = 1 << 26  # where there are more variables, and almost as many patterns as pairs
_AT_ONCE, _MOST_ACROSS = 1 << 17, 1 << 15  # pairs, and records of the pool: few enough to stay in the cache
_APART = -1e200  # where a missing number is: no other is near
_ROUNDING = 1e-9  # of standard deviations, and of weights
_LEAST = 1e-6  # no probability is nearer to 0 or 1
_FIRST_M = 0.9
_ROUNDS, _SETTLED = 1000, 1e-8


@file_measure(
    About(
        name="probabilistic_linkage",
        title="Probabilistic record linkage",
        definition="The percentage of records linked to their own counterpart, if each is linked to the record of the "
        "other file with the largest Fellegi-Sunter weight; of records with the same weight each is as likely. "
        "Numbers agree if they differ by at most `tolerance` standard deviations, each file on its own scale, "
        "categories if they are equal; a missing value agrees with missing values. Constant variables are left out.",
        reference="Fellegi and Sunter (1969), A theory for record linkage, JASA 64; Jaro (1989), Advances in "
        "record-linkage methodology as applied to matching the 1985 census of Tampa, Florida, JASA 84",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
        counts="records",
        slow=True,
        work=10,
        publication=Publication.AS_MEASURED,
    ),
    takes=("seed",),
    limits={
        "tolerance": Number(0),
        "direction": OneOf(("original-to-masked", "masked-to-original")),
        "scale": OneOf(("own", "original")),
        "prior": OneOf(("fixed", "estimated")),
        "sample": OrNone(Whole(1)),
        "seed": Whole(0),
    },
)
def probabilistic_linkage(
    files: Pair,
    *,
    tolerance: float = 0.1,
    direction: Literal["original-to-masked", "masked-to-original"] = "original-to-masked",
    scale: Literal["own", "original"] = "own",
    prior: Literal["fixed", "estimated"] = "fixed",
    sample: int | None = 2_000,
    seed: int = 0,
) -> MeasuredValue:
    """Return the percentage of records linked correctly.

    `.m` and `.u` are the probabilities that each variable agrees in a match, and in any other pair of records. Where a
    sample was looked for, `.standard_error` is that of the percentage, in percentage points, given these probabilities.

    Parameters
    ----------
    files
        The two files.
    tolerance
        How many standard deviations two numbers that agree may differ. The papers give no value: 0.1 is shoal's choice.
    direction
        Which records are looked for, and in which file. The intruder who knows people and searches the released file
        is "original-to-masked".
    scale
        "own": each file in units of its own mean and standard deviation. "original": both in the original's.
    prior
        The probability that a pair is a match. "fixed": 1/n, because each of the n records has one counterpart.
        "estimated": by the EM algorithm like the other parameters, which tends to find a larger class of similar pairs.
    sample
        How many records are looked for if the file has more than 20,000; None for all. They are searched in the whole
        file.
    seed
        The seed of that sample.

    Notes
    -----
    The probabilities m (that a variable agrees in a match) and u (in any other pair) are the maximum likelihood
    estimates of the EM algorithm, from the counts of all patterns of agreement; with more than 20 variables and some
    thousand records, from the counts in a part of the pairs. A variable that agrees less often in matches than in
    other pairs has no weight.
    """
    varying = varying_columns(files, missing_counts=True)
    both = _with_missing_apart(standardized_records(files, varying, own_scale=scale == "own"))
    n, variables = both.original.shape
    if variables > _MOST_VARIABLES:
        raise NotApplicableError(
            f"Probabilistic linkage compares at most {_MOST_VARIABLES} variables; these files have {variables}. "
            "Name fewer in columns."
        )
    # Two different codes differ by at least one.
    reach = np.where(np.arange(variables) < both.numbers, tolerance + _ROUNDING, 0.5)
    sought, pool = both.original, both.masked
    if direction == "masked-to-original":
        sought, pool = pool, sought
    sampled = sample_size(n, sample)
    drawn = np.arange(n)
    if sampled is not None:
        drawn = np.sort(np.random.default_rng(seed).choice(n, sampled, replace=False))
    pairs = _pairs(sought[drawn], pool, pool[drawn], reach)
    patterns, counts = _count(pairs)
    model = _estimate(_bits(patterns, variables), counts, 1 / max(n, 2), fixed=prior == "fixed")
    chances = _chances(pairs, model)
    return MeasuredValue(
        100 * float(chances.mean()),
        m=dict(zip(both.names, model.m.tolist(), strict=True)),
        u=dict(zip(both.names, model.u.tolist(), strict=True)),
        prior=prior,
        share_of_matches=model.prior,
        tolerance=float(tolerance),
        direction=direction,
        scale=scale,
        records=n,
        **sampling_parts(sampled, [chances], n),
    )


def _with_missing_apart(both: StandardizedRecords) -> StandardizedRecords:
    """Return the same, a missing number as one that is far from all others, and no column for what is missing."""
    original, masked = both.original.copy(), both.masked.copy()
    for place in range(both.numbers):
        before, after = both.missing(place)
        original[before, place], masked[after, place] = _APART, _APART
    numbers = both.names[: both.numbers]
    kept = [place for place, name in enumerate(both.names) if place < both.numbers or name not in numbers]
    names = tuple(both.names[place] for place in kept)
    return StandardizedRecords(names, both.numbers, original[:, kept], masked[:, kept])


@dataclass(frozen=True)
class _Pairs:
    """All pairs of a record that is sought and a record of the pool, without storing them.

    The pool's values are stored as ranks. Those that agree with a value that is sought have consecutive ranks, so that
    two whole numbers describe them. Equal records are compared once.

    Attributes
    ----------
    low, width
        The first rank that agrees and how many do, for the distinct records sought and each variable.
    sought, times
        Which of these each record sought is, and how often each occurs.
    ranks, members
        The distinct records of the pool, a row for each variable, and how often each occurs.
    true
        The ranks of the counterpart of each record sought.
    """

    low: Patterns
    width: Patterns
    sought: Whole64
    times: Whole64
    ranks: Patterns
    members: Whole64
    true: Patterns

    @property
    def variables(self) -> int:
        return len(self.ranks)

    def patterns(self) -> Iterator[tuple[slice, slice, Patterns]]:
        """Yield which variables agree, as the bits of a number, for one part of the pairs after the other."""
        across = min(_MOST_ACROSS, self.ranks.shape[1])
        down = _AT_ONCE // across
        for first in range(0, len(self.low), down):
            rows = slice(first, first + down)
            low, width = self.low[rows, :, np.newaxis], self.width[rows, :, np.newaxis]
            for start in range(0, self.ranks.shape[1], across):
                columns = slice(start, start + across)
                yield rows, columns, _patterns(self.ranks[:, columns], low, width)
            advance(0.5 * min(down, len(self.low) - first) / len(self.low))

    def true_patterns(self) -> Patterns:
        """Return the patterns of the records sought with their counterparts."""
        return _patterns(self.true, self.low[self.sought], self.width[self.sought])


def _pairs(sought: Doubles, pool: Doubles, true: Doubles, reach: Doubles) -> _Pairs:
    ranks, true_ranks, low, high = [], [], [], []
    for column, apart in enumerate(reach):
        values, rank = np.unique(pool[:, column], return_inverse=True)
        ranks.append(rank)
        true_ranks.append(np.searchsorted(values, true[:, column]))
        low.append(np.searchsorted(values, sought[:, column] - apart, side="left"))
        high.append(np.searchsorted(values, sought[:, column] + apart, side="right"))
    distinct_sought = distinct_rows(np.column_stack([*low, *high]))
    distinct_pool = distinct_rows(np.column_stack(ranks))
    first, beyond = (np.column_stack(ends)[distinct_sought.examples] for ends in (low, high))
    narrow = np.min_scalar_type(len(pool))  # a smaller type is a faster one
    return _Pairs(
        low=first.astype(narrow),
        width=(beyond - first).astype(narrow),
        sought=distinct_sought.labels,
        times=distinct_sought.counts,
        ranks=np.array(ranks)[:, distinct_pool.examples].astype(narrow),
        members=distinct_pool.counts,
        true=np.array(true_ranks).astype(narrow),
    )


def _patterns(ranks: Patterns, low: Patterns, width: Patterns) -> Patterns:
    kind = np.min_scalar_type(2 ** len(ranks) - 1)
    patterns = np.zeros(np.broadcast_shapes(ranks.shape[1:], low[:, 0].shape), dtype=kind)
    for column, rank in enumerate(ranks):
        agrees = rank - low[:, column] < width[:, column]  # unsigned: a rank below `low` wraps around and is too large
        patterns |= agrees.astype(kind) << kind.type(column)
    return patterns


def _count(pairs: _Pairs) -> tuple[Patterns, Doubles]:
    """Return the patterns that occur, in increasing order, and how many pairs have each."""
    if pairs.variables > _FEW_VARIABLES:
        return _count_some(pairs)
    counts = np.zeros(2**pairs.variables)
    for rows, columns, patterns in pairs.patterns():
        weights = np.outer(pairs.times[rows].astype(np.float64), pairs.members[columns])
        counts += np.bincount(patterns.ravel(), weights.ravel(), minlength=len(counts))
    occurring = np.flatnonzero(counts)
    return occurring.astype(np.uint64), counts[occurring]


def _count_some(pairs: _Pairs) -> tuple[Patterns, Doubles]:
    """Return the patterns and their counts for an even selection of the records sought, as many as fit into memory."""
    most = max(1, _MOST_BITS // (pairs.variables * len(pairs.members)))
    rows = np.unique(np.linspace(0, len(pairs.low) - 1, most).astype(np.int64))
    of_pairs = _patterns(pairs.ranks, pairs.low[rows, :, np.newaxis], pairs.width[rows, :, np.newaxis])
    weights = np.outer(pairs.times[rows].astype(np.float64), pairs.members)
    patterns, place = np.unique(of_pairs, return_inverse=True)
    advance(0.5)
    return patterns, np.bincount(place.ravel(), weights.ravel()).astype(np.float64)


def _bits(patterns: Patterns, variables: int) -> Doubles:
    """Return the patterns as rows of zeros and ones."""
    places = np.arange(variables, dtype=np.uint64)
    return (patterns.astype(np.uint64)[:, np.newaxis] >> places & np.uint64(1)).astype(np.float64)


@dataclass(frozen=True)
class _Model:
    """The probabilities that each variable agrees, in matches and in other pairs, and that a pair is a match."""

    m: Doubles
    u: Doubles
    prior: float

    @property
    def weights(self) -> tuple[Doubles, Doubles]:
        """What a variable adds to a pair's weight if it agrees, and if it does not."""
        return np.log(self.m / self.u), np.log((1 - self.m) / (1 - self.u))


def _estimate(bits: Doubles, counts: Doubles, prior: float, *, fixed: bool) -> _Model:
    """Estimate the probabilities by the EM algorithm, from the patterns (`bits`) and how many pairs have each."""
    pairs = counts.sum()
    agreeing = counts @ bits
    model = _Model(np.full(bits.shape[1], _FIRST_M), _within(agreeing / pairs), prior)
    for _ in range(_ROUNDS):
        agree, differ = model.weights
        weight = np.log(model.prior / (1 - model.prior)) + bits @ (agree - differ) + differ.sum()
        expected = counts / (1 + np.exp(np.clip(-weight, -700, 700)))
        matches = expected.sum()
        agreeing_matches = expected @ bits
        new = _Model(
            _within(agreeing_matches / max(matches, _LEAST)),
            _within((agreeing - agreeing_matches) / max(pairs - matches, _LEAST)),
            prior if fixed else float(np.clip(matches / pairs, _LEAST / pairs, 1 - _LEAST)),
        )
        change = max(np.abs(new.m - model.m).max(), np.abs(new.u - model.u).max())
        model = new
        if change < _SETTLED:
            break
    return _Model(np.maximum(model.m, model.u), model.u, model.prior)


def _within(probabilities: Doubles) -> Doubles:
    return np.clip(probabilities, _LEAST, 1 - _LEAST)


def _chances(pairs: _Pairs, model: _Model) -> Doubles:
    """Return the probability that each record sought is linked to its counterpart."""
    tables = _tables(model)
    largest, ties = np.full(len(pairs.low), -np.inf), np.zeros(len(pairs.low))
    for rows, columns, patterns in pairs.patterns():
        weights = _weigh(patterns, tables)
        before, largest[rows] = largest[rows].copy(), np.maximum(largest[rows], weights.max(axis=1))
        still = before >= largest[rows] - _ROUNDING
        here = (weights >= largest[rows, np.newaxis] - _ROUNDING) @ pairs.members[columns]
        ties[rows] = np.where(still, ties[rows], 0) + here
    is_linked = _weigh(pairs.true_patterns(), tables) >= largest[pairs.sought] - _ROUNDING
    return is_linked / ties[pairs.sought]


def _tables(model: _Model) -> list[Doubles]:
    """Return the weight of every pattern of the first 16 variables, of the next 16, and so on."""
    tables = []
    agree, differ = model.weights
    for start in range(0, len(agree), 16):
        table = np.zeros(1)
        for one, other in zip(agree[start : start + 16], differ[start : start + 16], strict=True):
            table = np.concatenate([table + other, table + one])
        tables.append(table)
    return tables


def _weigh(patterns: Patterns, tables: list[Doubles]) -> Doubles:
    weights = tables[0][patterns & patterns.dtype.type(min(0xFFFF, np.iinfo(patterns.dtype).max))]
    for place, table in enumerate(tables[1:], start=1):
        weights = weights + table[patterns >> patterns.dtype.type(16 * place) & patterns.dtype.type(0xFFFF)]
    return np.asarray(weights)
