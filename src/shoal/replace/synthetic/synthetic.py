"""What every synthetic replacement returns, and the rule that no record may be released unchanged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, ParameterError
from shoal.parameters.limits import Limit

__all__ = [
    "Names",
    "Synthetic",
    "Tally",
    "added_up",
    "as_tuple",
    "checked",
    "is_unchanged",
    "near_cells",
    "refuse_unchanged",
    "unchanged_cells",
    "unmoved_cells",
    "without_extremes",
]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

# A value has not moved if it did by no more than this share of its variable's standard deviation ...
_OF_SPREAD = 1e-9
# ... or by what rounding alone does to the largest value.
_OF_SIZE = 1e-14
# So many values may make a standard deviation by themselves; it is then so many times as large as without them.
_FAR, _OUT_OF_PROPORTION = 5, 100.0
# New values no farther than this part of the original are near it, and of the distance to other values.
_NEAR, _NEAR_OF_DISTANCES = 0.01, 0.1
# In variables with a smaller standard deviation than this, whole numbers round back by chance. Records are not redrawn
# for it: where there are few values, to know which one it is not is to know much.
_FEW_UNITS = 5.0


@dataclass(frozen=True)
class Tally:
    """How often something holds that a reader of the release should know.

    Attributes
    ----------
    text
        A sentence with {count} and {of} in it; without any value of the data.
    count, of
        How many there are, of how many.
    if_none
        The sentence for when there are none; by default there is none.
    """

    text: str
    count: int
    of: int
    if_none: str = ""


def added_up(tallies: Iterable[Tally]) -> tuple[str, ...]:
    """Return a sentence for every kind of tally, those of one kind taken together."""
    kinds: dict[str, list[Tally]] = {}
    for tally in tallies:
        kinds.setdefault(tally.text, []).append(tally)
    notes = []
    for text, same in kinds.items():
        count = sum(one.count for one in same)
        notes.append(text.format(count=count, of=sum(one.of for one in same)) if count else same[0].if_none)
    return tuple(note for note in notes if note)


@dataclass(frozen=True, eq=False)
class Synthetic:
    """Values that stand in for the confidential ones.

    Attributes
    ----------
    values
        The new values, n x L, in the units of the data.
    unchanged
        The number of records none of whose values changed. A value is unchanged if it moved by at most 1e-9 of its
        variable's standard deviation, or by rounding; in a variable of whole numbers also if it rounds to what it was,
        unless these have a standard deviation below 5 and round back by chance.
    tallies
        What a reader of the release should know, with counts.
    degrees
        The least number of residual degrees of freedom over the groups; None where the method has none.
    groups
        The group of every record, if groups were merged or divided; None if they are those that were given.
    watched
        The values that stand alone, in their own column or by what stays of their records, n x L; they ought not to
        come out near the original. None: none is known of.
    """

    values: Doubles
    unchanged: int
    tallies: tuple[Tally, ...] = ()
    degrees: int | None = None
    groups: Labels | None = None
    watched: NDArray[np.bool_] | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """The tallies, a sentence each."""
        return added_up(self.tallies)


@dataclass(frozen=True)
class Names(Limit):
    """Names of variables, each once."""

    @property
    def wanted(self) -> str:
        """What is accepted."""
        return "a list of names, each once"

    def accepts(self, value: Any) -> bool:
        """Whether `value` is such a list."""
        return (
            isinstance(value, tuple)
            and all(isinstance(name, str) and name for name in value)
            and len(set(value)) == len(value)
        )

    def bad_values(self) -> list[Any]:
        """Return some values that must be refused."""
        return ["a name", ["a", "a"], ("a", "a"), [1], [""], None, 3, True]


def as_tuple(given: Any) -> Any:
    """Return a list, also one of lists, as a tuple; anything else as it is."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    return tuple(as_tuple(one) for one in given) if isinstance(given, list | tuple) else given


def checked(X: Doubles, Y: Doubles, groups: Labels) -> tuple[Doubles, Doubles, Labels]:
    """Return the three as arrays of the right kind; an error if they do not fit together."""
    X = np.asarray(X, dtype=np.float64)
    Y = np.asarray(Y, dtype=np.float64)
    groups = np.asarray(groups, dtype=np.int64)
    if X.ndim != 2 or X.shape[0] == 0 or X.shape[1] == 0:
        raise ParameterError("X must be a matrix with at least one record and one confidential variable.")
    if Y.ndim != 2 or len(Y) != len(X) or groups.shape != (len(X),):
        raise ParameterError("X, Y and groups must have one row for every record.")
    if not (np.isfinite(X).all() and np.isfinite(Y).all()):
        raise DataError(
            "Synthetic values need complete and finite records. Fill missing values, or drop the variables."
        )
    return X, Y, groups


def without_extremes(V: Doubles) -> tuple[Doubles, NDArray[np.int32]]:
    """Return the columns divided by powers of two that bring them below 1, and the exponents; no digit changes."""
    exponents = np.frexp(np.abs(V).max(axis=0, initial=0.0))[1].astype(np.int32)
    with np.errstate(under="ignore"):
        scaled: Doubles = np.ldexp(V, -exponents)
    return scaled, exponents


def unmoved_cells(X: Doubles, before: Doubles, after: Doubles) -> NDArray[np.bool_]:
    """Return which values are the same before and after, but for rounding; X gives the scale of each variable."""
    scaled, exponents = without_extremes(X)
    with np.errstate(under="ignore"):
        was = np.ldexp(before, -exponents)
        moved = np.abs(was - np.ldexp(after, -exponents))
    spread, size = _spread_and_size(scaled, 1)
    allowed = np.maximum(_OF_SPREAD * spread, _OF_SIZE * np.maximum(size, np.abs(was)))
    return np.asarray(moved <= allowed, dtype=bool)


def _spread_and_size(X: Doubles, ddof: int) -> tuple[Doubles, Doubles]:
    """Return the standard deviation of every column and its largest absolute value.

    Without the few farthest values, where these alone make the standard deviation: beside theirs, what the others do
    would be rounding.
    """
    if len(X) <= ddof:
        return np.zeros(X.shape[1]), np.abs(X).max(axis=0, initial=0.0)
    spread, size = X.std(axis=0, ddof=ddof), np.abs(X).max(axis=0)
    if len(X) <= 2 * _FAR:
        return spread, size
    order = np.argsort(np.abs(X - np.median(X, axis=0)), axis=0, kind="stable")
    inner = np.take_along_axis(X, order[:-_FAR], axis=0)
    own = inner.std(axis=0, ddof=ddof)
    is_far = (own > 0) & (spread > _OUT_OF_PROPORTION * own)
    return np.where(is_far, own, spread), np.where(is_far, np.abs(inner).max(axis=0), size)


def unchanged_cells(X: Doubles, values: Doubles) -> NDArray[np.bool_]:
    """Return which values did not change, n x L; whole numbers did not if they round to what they were."""
    return np.asarray(unmoved_cells(X, X, values) | _rounds_back(X, values), dtype=bool)


def is_unchanged(X: Doubles, values: Doubles) -> NDArray[np.bool_]:
    """Return which records have no value that changed; values that round back by chance have."""
    scaled, exponents = without_extremes(X)
    with np.errstate(over="ignore"):
        has_many = np.ldexp(_spread_and_size(scaled, 0)[0], exponents) >= _FEW_UNITS
    same = unmoved_cells(X, X, values) | (has_many & _rounds_back(X, values))
    return np.asarray(same.all(axis=1), dtype=bool)


def near_cells(X: Doubles, before: Doubles, after: Doubles) -> NDArray[np.bool_]:
    """Return which values are within 1 % of what they were; X gives the scale of each variable.

    Where all values of a variable are about as large, 1 % is far, and a tenth of the distances between them is near.
    """
    scaled, exponents = without_extremes(X)
    with np.errstate(over="ignore", under="ignore"):
        was = np.ldexp(before, -exponents)
        moved = np.abs(was - np.ldexp(after, -exponents))
    between = np.maximum(_spread_and_size(scaled, 0)[0], np.abs(was - np.median(scaled, axis=0)))
    return np.asarray(moved <= np.minimum(_NEAR * np.abs(was), _NEAR_OF_DISTANCES * between), dtype=bool)


def _rounds_back(X: Doubles, values: Doubles) -> NDArray[np.bool_]:
    """Return which values of variables of whole numbers round to what they were."""
    is_whole = (np.rint(X) == X).all(axis=0)
    return np.asarray(is_whole & (np.rint(values) == X), dtype=bool)


def refuse_unchanged(method: str, unchanged: int, n: int, what_to_do: str) -> None:
    """Raise DataError if a record came out unchanged."""
    if unchanged:
        raise DataError(
            f"{method} leaves {unchanged} of {n} records as they are, which would release them. {what_to_do}"
        )
