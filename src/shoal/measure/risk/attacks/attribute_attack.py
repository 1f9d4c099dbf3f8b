"""What an intruder who knows some variables of a person can guess of the others, and could not without the release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, NotApplicableError, nearest_name_hint
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.risk.attacks.guesses import Guesses, guesses_of
from shoal.measure.risk.sample_size import sample_size, sampling_parts
from shoal.measure.risk.standardized_records import StandardizedRecords, standardized_records, varying_columns
from shoal.parameters.limits import Number, OrNone, Whole
from shoal.parameters.of_columns import as_names
from shoal.progress import share

__all__ = ["attribute_attack"]

Doubles = NDArray[np.float64]

_MOST_GUESSED = 40  # variables, evenly spaced
_MOST_KNOWN = 100
_MOST_SEARCHED = 100_000  # records that targets are compared with
_DIGITS = 9  # after the point, of standard scores
_USUAL_WIDTH = 12  # columns; in wider files targets are drawn sooner


@file_measure(
    About(
        name="attribute_attack",
        title="Attribute attack",
        definition="What an intruder gains who knows some variables of a target and guesses another one from the "
        "release: by the nearest released record, the ten nearest ones, or for numbers a linear regression learned on "
        "the release, whichever is right most often. A category is guessed if it is the right one, a number if at most "
        "5 % of the original values lie between the guess and it. The value is the percentage of right guesses less "
        "that of the same guesses from the original records without the target's own, averaged over the variables; 0 "
        "if the release helps no more than these. Every record is a target; a value that is missing is not guessed.",
        reference="Giomi, Boenisch, Wehmeyer and Tasnádi (2023), A unified framework for quantifying privacy risk in "
        "synthetic data, PoPETs 2023(2); Taub, Elliot, Pampaka and Smith (2018), Differential correct attribution "
        "probability for synthetic data, Privacy in Statistical Databases; the comparison with all other original "
        "records is shoal's",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
        counts="records",
        slow=True,
        work=10,
        publication=Publication.AS_MEASURED,
    ),
    takes=("weight", "seed"),
    limits={
        "tolerance": Number(0, 100),
        "neighbours": Whole(1),
        "sample": OrNone(Whole(1)),
        "seed": Whole(0),
    },
    unpublished_options=("known",),
)
def attribute_attack(
    files: Pair,
    *,
    known: str | Iterable[str] | None = None,
    tolerance: float = 5.0,
    neighbours: int = 10,
    sample: int | None = 2_000,
    weight: str | None = None,
    seed: int = 0,
) -> MeasuredValue:
    """Return the gain of an intruder who guesses, with `.success`, `.baseline` and `.by_variable`.

    Parameters
    ----------
    files
        The two files. The variables that are compared are guessed, up to forty of them, evenly spaced.
    known
        The columns that the intruder knows, whether they are compared or not; the other compared ones are guessed. By
        default all columns of both files but the one that is guessed.
    tolerance
        How many per cent of the original values may lie between the guess of a number and the true one.
    neighbours
        How many records a guess by several takes: their median, or their most frequent category.
    sample
        How many targets are drawn in a file of more than 20,000 records, of fewer if it has more than twelve columns;
        None for all.
    weight
        The column of sampling weights, which the intruder does not know.
    seed
        The seed of the draws, and of the choice among records that are equally near.

    Returns
    -------
    MeasuredValue
        The gain in percentage points, at least 0, with these parts: `success`, the percentage of right guesses;
        `baseline`, that without the release; `gain`, the difference, also where it is negative; `by_variable`, the
        same three for every variable, and `by`, which guess is the best one from the release; `known`, how many
        columns the intruder knows; `records`; `sampled`, how many of them were targets, None if all were; a sample has
        a `standard_error`. A target whose value is missing counts as guessed neither with the release nor without.

    Notes
    -----
    Who has other records of the same population can guess without the release, and what follows from these is no
    disclosure: a total is known from its parts, whoever the person is. The guesses without the release are made from
    the true values of all the other records, which is more than an intruder has. A release of the original itself has
    a gain of 100 % less the baseline; a synthetic file from a model of the population has none.
    """
    guessed, used = _columns(files, known, weight)
    both = standardized_records(files.only(used), used, own_scale=False)
    # Digits beyond these come from units and from the order of sums, and decide nothing.
    both = replace(both, original=both.original.round(_DIGITS), masked=both.masked.round(_DIGITS))
    records, wide = len(both.original), max(1.0, both.original.shape[1] / _USUAL_WIDTH)
    if records <= 2:
        raise NotApplicableError("This measure needs three records.")
    sampled = sample_size(int(records * wide), sample)
    sampled = None if sampled is None or sampled >= records else sampled
    order = np.random.default_rng(seed).permutation(records)[:_MOST_SEARCHED]
    targets = sampled or min(records, _MOST_SEARCHED)
    places = [both.names.index(name) for name in guessed]
    looked_at = [place for place, name in enumerate(both.names) if known is None or name not in guessed]
    rows, known_of_targets = np.sort(order), both.original[order[:targets]]
    released_records, other_records = (_in_any_order(file[rows], seed) for file in (both.masked, both.original))
    own = np.argsort(other_records)[np.searchsorted(rows, order[:targets])]
    options: dict[str, Any] = {"known": looked_at, "guessed": places, "numbers": both.numbers, "neighbours": neighbours}
    lacking = [np.column_stack(columns) for columns in zip(*map(both.missing, places), strict=True)]
    with share(0.5):
        records_there = both.masked[rows][released_records]
        released = guesses_of(known_of_targets, records_there, lacking[1][rows][released_records], None, **options)
    with share(0.5):
        records_there = both.original[rows][other_records]
        others = guesses_of(known_of_targets, records_there, lacking[0][rows][other_records], own, **options)
    outcomes = [
        _compared(released[place], others[place], _Truth.of(both, place, order[:targets], tolerance))
        for place in places
    ]
    by_variable = {name: one.rates for name, one in zip(guessed, outcomes, strict=True)}
    rates = {
        which: float(np.mean([one[which] for one in by_variable.values()])) for which in ("success", "baseline", "gain")
    }
    gains = np.mean([one.gains for one in outcomes], axis=0)
    return MeasuredValue(
        max(0.0, rates["gain"]),
        **rates,
        by_variable=by_variable,
        known=len({both.names[place] for place in looked_at}) - (known is None),
        records=records,
        **sampling_parts(sampled, [gains], records),
    )


def _in_any_order(records: Doubles, seed: int) -> NDArray[np.int64]:
    """Return an order of the records that has nothing to do with their values, nor with the order they are in.

    Of equally near records the first is taken, and neither the original's order nor that of the values may decide.
    """
    keys = np.full(len(records), np.uint64(seed % (1 << 64)))
    for column in records.T:
        ranks = np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.uint64)
        keys = (keys ^ (ranks + np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
        keys ^= keys >> np.uint64(29)
    return np.argsort(keys, kind="stable")


@attribute_attack.check_first
def _columns(files: Pair, known: Any, weight: str | None) -> tuple[list[str], list[str]]:
    """Return the columns that are guessed, and all that are looked at; an error if there are none."""
    both = [name for name in files.original.names if name in files.masked and name != weight]
    if known is not None:
        names = [str(name) for name in as_names(known, "known")]
        for name in names:
            if name not in both:
                raise ColumnError(f'known names "{name}", which is not in both files.{nearest_name_hint(name, both)}')
    else:
        names = [name for name in both if name in files.columns or _is_alike(files, name)]
    guessed = [name for name in files.columns if name != weight and (known is None or name not in names)]
    names = _evenly([name for name in names if name not in guessed], _MOST_KNOWN)
    guessed = _evenly(varying_columns(files.only(guessed)), _MOST_GUESSED)
    beside = varying_columns(files.only(names), missing_counts=True)
    if not guessed or len(beside) + (len(guessed) if known is None else 1) < 2:
        raise NotApplicableError("This measure needs a variable that varies to guess, and another that is known.")
    return guessed, [*guessed, *beside]


def _is_alike(files: Pair, name: str) -> bool:
    """Whether a column can be used beside those that are compared: of one type, without infinite values."""
    tables = (files.original, files.masked)
    if tables[0].is_numeric(name) != tables[1].is_numeric(name):
        return False
    return not any(table.is_numeric(name) and np.isinf(table.numbers(name)).any() for table in tables)


def _evenly(names: Sequence[str], most: int) -> list[str]:
    count = len(names)
    return list(names) if count <= most else [names[place * count // most] for place in range(most)]


@dataclass(frozen=True, eq=False)
class _Truth:
    """The true values of the targets in one variable, and what counts as a right guess.

    Attributes
    ----------
    values, missing
        Those of the targets, and which are missing.
    levels, upto
        The different values of the whole original, in order, and how many records have each or a lower one; none for
        codes of categories, which are right or wrong.
    most
        How many records may have values between a guess and the truth.
    """

    values: Doubles
    missing: NDArray[np.bool_]
    levels: Doubles | None
    upto: NDArray[np.int64]
    most: float

    @classmethod
    def of(cls, both: StandardizedRecords, place: int, targets: NDArray[np.int64], tolerance: float) -> _Truth:
        column, missing = both.original[:, place], both.missing(place)[0]
        levels, counts = np.unique(column[~missing], return_counts=True)
        is_number = place < both.numbers
        return cls(
            column[targets],
            missing[targets],
            levels if is_number else None,
            np.concatenate([[0], np.cumsum(counts)]),
            tolerance / 100 * counts.sum(),
        )

    def is_right(self, guess: Doubles) -> NDArray[np.bool_]:
        """Return which guesses are right; numbers are rounded to the nearest value that occurs, as anyone would."""
        nobody = self.missing | np.isnan(guess)
        if self.levels is None:
            return np.asarray((guess == self.values) & ~nobody)
        guess = guess.round(_DIGITS)
        above = np.clip(np.searchsorted(self.levels, guess), 1, len(self.levels) - 1)
        # Halfway between two values is the lower one, also where rounding says otherwise.
        nearer_below = 2 * guess - self.levels[above - 1] - self.levels[above] <= 10.0 ** (1 - _DIGITS)
        own = above - nearer_below
        true = np.minimum(np.searchsorted(self.levels, self.values), len(self.levels) - 1)
        # The true value itself does not count, and that of the guess does.
        between = np.where(own > true, self.upto[own + 1] - self.upto[true + 1], self.upto[true] - self.upto[own])
        return np.asarray(((own == true) | (between <= self.most)) & ~nobody)


@dataclass(frozen=True, eq=False)
class _Outcome:
    """How often one variable was guessed, and what every target counts for the gain."""

    rates: dict[str, Any]
    gains: Doubles


def _compared(released: Guesses, others: Guesses, truth: _Truth) -> _Outcome:
    """Return how often the best guess from the release is right, and the best without it."""
    right = {by: truth.is_right(guess) for by, guess in released.items()}
    best = max(right, key=lambda by: int(right[by].sum()))
    without = max((truth.is_right(guess) for guess in others.values()), key=lambda some: int(some.sum()))
    success, baseline = (100 * float(some.mean()) for some in (right[best], without))
    rates = {"success": success, "baseline": baseline, "gain": success - baseline, "by": best}
    return _Outcome(rates, right[best].astype(np.float64) - without)
