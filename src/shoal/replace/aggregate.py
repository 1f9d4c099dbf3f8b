"""The representative of a group: a mean, a median, another order statistic, a mode or a geometric mean.

Two families. Mean and geometric mean *compute* a new number. Medians, order statistic and mode *select* a record
whose value stands for the group, so that the value exists in the data and keeps its type, category and label.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import exp, log
from shoal.errors import DataError
from shoal.parameters.limits import Limit, Number, check_limits
from shoal.replace.base import Replacement
from shoal.replace.members import Members

# Sums of weights that differ by less than this share are equal: rounding must not decide a tie.
_SLACK = 1e-12


@dataclass(frozen=True)
class Aggregate(Replacement, ABC):
    """Base of the replacements that give every group one representative.

    Attributes
    ----------
    keeps_values
        Whether it selects a record (True) or computes a number (False).
    """

    keeps_values: ClassVar[bool]

    def __post_init__(self) -> None:
        check_limits(self.limits, vars(self))

    def representatives(
        self,
        values: NDArray[np.float64],
        members: Members,
        *,
        rng: np.random.Generator,
        weights: NDArray[np.float64] | None = None,
        column: str = "the variable",
    ) -> NDArray[Any]:
        """Return one representative per entry of `members`.

        Parameters
        ----------
        values
            The variable, n numbers; finite wherever `members` points. For a nominal or ordinal variable, codes
            that are equal where values are equal, in the order of the values.
        members
            The records of every group.
        rng
            Breaks ties where there is no other rule; only the mode draws from it.
        weights
            How many records each record stands for, n positive numbers; None: each for itself.
        column
            The name of the variable, for messages.

        Returns
        -------
        ndarray
            The numbers themselves (float64), or where `keeps_values` is True the number of a record that has the
            representative value (int64).
        """
        return self._of(_GroupedValues(values, members, members.relative_weights(weights), column), rng)

    def averaged(self, values: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the numbers whose mean gives the representative, None if it is no mean of any.

        Two means over nearly the same records disclose the value in which they differ.
        """
        return None

    @abstractmethod
    def _of(self, variable: _GroupedValues, rng: np.random.Generator) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class _GroupedValues:
    """One variable in its groups; the weights of a group are relative to its largest."""

    values: NDArray[np.float64]
    members: Members
    relative: NDArray[np.float64]
    column: str


@dataclass(frozen=True)
class Mean(Aggregate):
    """The arithmetic mean."""

    name: ClassVar[str] = "mean"
    keeps_values: ClassVar[bool] = False

    def averaged(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values themselves."""
        return values

    def _of(self, variable: _GroupedValues, rng: np.random.Generator) -> NDArray[np.float64]:
        members = variable.members
        return _means(variable.values[members.records], members, variable.relative)


@dataclass(frozen=True)
class GeometricMean(Aggregate):
    """The geometric mean, for values that multiply; all of them have to be positive."""

    name: ClassVar[str] = "geometric-mean"
    keeps_values: ClassVar[bool] = False

    def averaged(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logarithms of the values; those that have none are refused when it is computed."""
        return log(np.where(values > 0, values, np.nan))

    def _of(self, variable: _GroupedValues, rng: np.random.Generator) -> NDArray[np.float64]:
        members = variable.members
        gathered = variable.values[members.records]
        if not np.all(gathered > 0):
            count = len(np.unique(members.records[~(gathered > 0)]))
            raise DataError(
                f'The geometric mean needs positive values; "{variable.column}" has {count} that are zero or negative. '
                'Use "mean" or "median" for it.'
            )
        logarithms = _means(log(gathered), members, variable.relative)
        # exp of a logarithm next to the largest double overflows by a rounding error; the clip repairs it.
        return _clipped(exp(logarithms), gathered, members)


@dataclass(frozen=True)
class OrderStatistic(Aggregate):
    """The smallest value at or below which at least the share `q` of the records lies.

    It is the Boolean max-min function of a group: the largest of the least values of all sets of records that stand
    for more than the share 1 - q of it. A Boolean max-min function that does not depend on which record is which is
    an order statistic; sampling weights make it one that does.

    Parameters
    ----------
    q
        The share, 0 to 1: 0 is the smallest value, 0.5 the (lower) median, 1 the largest value.
    """

    q: float

    name: ClassVar[str] = "order-statistic"
    reference: ClassVar[str] = (
        "V. Torra and Y. Narukawa (2007), Modeling Decisions: Information Fusion and Aggregation Operators, Springer."
    )
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal"})
    keeps_values: ClassVar[bool] = True
    limits: ClassVar[Mapping[str, Limit]] = {"q": Number(0, 1)}

    def _of(self, variable: _GroupedValues, rng: np.random.Generator) -> NDArray[np.int64]:
        members, relative = variable.members, variable.relative
        order = _sorted_within_groups(variable.values, members, relative)
        if self.q == 1:  # the slack must not cost the largest value its place, however light it is
            return members.records[order][members.starts[1:] - 1]
        running = _running(np.add, relative[order], members.starts[:-1])
        needed = self.q * (1 - _SLACK) * running[members.starts[1:] - 1]
        too_low = np.add.reduceat(running < np.repeat(needed, members.sizes), members.starts[:-1], dtype=np.int64)
        return members.records[order][members.starts[:-1] + too_low]


@dataclass(frozen=True)
class Median(Aggregate):
    """The median; of an even number of values the lower of the middle two, so that it exists in the data."""

    name: ClassVar[str] = "median"
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal"})
    keeps_values: ClassVar[bool] = True

    def _of(self, variable: _GroupedValues, rng: np.random.Generator) -> NDArray[np.int64]:
        return OrderStatistic(0.5)._of(variable, rng)


@dataclass(frozen=True)
class Mode(Aggregate):
    """The most frequent value, or the one with the largest total weight; among equals, one drawn at random.

    One number is drawn for every distinct value of every group, in that order, so that the order of the rows has
    no say in the outcome.
    """

    name: ClassVar[str] = "mode"
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous", "ordinal", "nominal"})
    keeps_values: ClassVar[bool] = True

    def _of(self, variable: _GroupedValues, rng: np.random.Generator) -> NDArray[np.int64]:
        records, starts, totals = _frequencies(variable)
        pairs = np.diff(np.append(starts, len(totals)))
        largest = np.repeat(_reduce(np.maximum, totals, starts), pairs)
        keys = np.where(totals >= largest * (1 - _SLACK), rng.random(len(totals)), -1.0)
        highest = np.repeat(_reduce(np.maximum, keys, starts), pairs)
        winners = np.flatnonzero(keys == highest)
        return records[winners[np.searchsorted(winners, starts)]]


@dataclass(frozen=True)
class ConvexMedian(Aggregate):
    """The median of a scale of categories, each counted as often as a more frequent one on either side of it.

    A category x with the frequency f(x) counts as min(max of f up to x, max of f from x on): frequencies without
    valleys, the least that are nowhere below f. So the convex median of two low and two high values is in the middle
    of the scale, where the median is low. The lower of two middle categories is taken.

    The scale is made of the categories of the group and, between them, of those that at least as many records of the
    file have as the smallest group. What is released is therefore within the range of the group, but not always one of
    its values. It is not monotone: it keeps bounds, and no order between two variables.
    """

    name: ClassVar[str] = "convex-median"
    reference: ClassVar[str] = (
        "J. Domingo-Ferrer and V. Torra (2003), Median-based aggregation operators for prototype construction in "
        "ordinal scales, International Journal of Intelligent Systems 18."
    )
    kinds: ClassVar[frozenset[str]] = frozenset({"ordinal"})
    keeps_values: ClassVar[bool] = True

    def _of(self, variable: _GroupedValues, rng: np.random.Generator) -> NDArray[np.int64]:
        if len(variable.members.groups) == 0:
            return variable.members.records
        records, starts, totals = _frequencies(variable)
        up_to = _running(np.maximum, totals, starts)
        from_here = _running(np.maximum, totals[::-1], len(totals) - np.append(starts[1:], len(totals))[::-1])[::-1]
        # What is between one value of a group and its next: how many categories, and how often each counts.
        scale, scale_records = _scale(variable)
        values = variable.values[records]
        first_above = np.searchsorted(scale, values, side="right")
        between = np.append(np.searchsorted(scale, values[1:]), 0) - first_above
        between[np.append(starts[1:], len(totals)) - 1] = 0
        level = np.minimum(up_to, np.append(from_here[1:], 0.0))
        counted = np.column_stack([np.minimum(up_to, from_here), between * level]).ravel()
        running = _running(np.add, counted, 2 * starts)
        half = running[np.append(2 * starts[1:], len(counted)) - 1] / 2 * (1 - _SLACK)
        parts = np.diff(np.append(2 * starts, len(counted)))
        place = 2 * starts + np.add.reduceat(running < np.repeat(half, parts), 2 * starts, dtype=np.int64)
        chosen = records[place // 2]
        inside = np.flatnonzero(place % 2)  # the groups whose middle is between two of their values
        pair = place[inside] // 2
        steps = np.ceil((half[inside] - running[place[inside] - 1]) / level[pair]).astype(np.int64)
        chosen[inside] = scale_records[first_above[pair] + np.clip(steps, 1, between[pair]) - 1]
        return chosen


def _frequencies(variable: _GroupedValues) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the distinct values of every group in order: a record with each, where groups start, and its weight."""
    values, members = variable.values, variable.members
    order = _sorted_within_groups(values, members, variable.relative)
    records = members.records[order]
    is_new = np.ones(len(records), dtype=bool)
    is_new[1:] = values[records[1:]] != values[records[:-1]]
    is_new[members.starts[:-1]] = True
    first = np.flatnonzero(is_new)
    totals = _reduce(np.add, variable.relative[order], first)
    return records[first], np.searchsorted(first, members.starts[:-1]), totals


def _scale(variable: _GroupedValues) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the values that no fewer records have than the smallest group, in order, and a record with each."""
    records = np.unique(variable.members.records)
    scale, first, counts = np.unique(variable.values[records], return_index=True, return_counts=True)
    is_frequent = counts >= variable.members.sizes.min()
    return scale[is_frequent], records[first[is_frequent]]


def _means(gathered: NDArray[np.float64], members: Members, relative: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted mean of every group, from values gathered in the order of `members`."""
    starts, sizes = members.starts[:-1], members.sizes
    # A power of two brings each group below 1, without rounding: no sum of large values overflows.
    exponents = np.frexp(_reduce(np.maximum, np.abs(gathered), starts))[1]
    with np.errstate(under="ignore"):
        scaled = np.ldexp(gathered, np.repeat(-exponents, sizes))
        total_weight = _reduce(np.add, relative, starts)
        means = _reduce(np.add, relative * scaled, starts) / total_weight
        means += _reduce(np.add, relative * (scaled - np.repeat(means, sizes)), starts) / total_weight
        means = np.clip(means, _reduce(np.minimum, scaled, starts), _reduce(np.maximum, scaled, starts))
        return _clipped(np.ldexp(means, exponents), gathered, members)


def _clipped(
    representatives: NDArray[np.float64], gathered: NDArray[np.float64], members: Members
) -> NDArray[np.float64]:
    """Return the representatives, those outside the range of their group's values moved to its nearest end."""
    starts = members.starts[:-1]
    return np.clip(representatives, _reduce(np.minimum, gathered, starts), _reduce(np.maximum, gathered, starts))


def _sorted_within_groups(
    values: NDArray[np.float64], members: Members, relative: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the order of members by group, then value, then weight, so that row order cannot change a sum."""
    return np.lexsort((relative, values[members.records], members.entries))


def _running(operation: np.ufunc, amounts: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the running sum, or largest, of each stretch of `amounts` that begins at one of `starts`.

    One running sum over all groups, less its value at each group's start, would carry the rounding errors of the
    whole file into every group. Here the span each sum covers doubles until it covers the largest group.
    """
    sizes = np.diff(np.append(starts, len(amounts)))
    position = np.arange(len(amounts)) - np.repeat(starts, sizes)
    running = amounts.copy()
    span = 1
    while span < int(sizes.max(initial=0)):
        wider = operation(running[span:], running[:-span])
        running[span:] = np.where(position[span:] >= span, wider, running[span:])
        span *= 2
    return running


def _reduce(operation: np.ufunc, amounts: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return `operation` over each stretch of `amounts` that begins at one of `starts`."""
    reduced: NDArray[np.float64] = operation.reduceat(amounts, starts)
    return reduced


Doubles = NDArray[np.float64]


def signed_geometric_means(
    columns: Mapping[str, Doubles], members: Members, weights: Doubles | None, rng: np.random.Generator
) -> dict[str, Doubles]:
    """Return the geometric mean of every group and column, with the sign that all records of the group have.

    A group in which the values of one column differ in sign has no geometric mean there; it gets plain means in all
    columns alike.

    Parameters
    ----------
    columns
        The variables, n numbers each.
    members
        The records of every group.
    weights
        How many records each record stands for; None: each for itself.
    rng
        Passed on to the replacements, which do not draw from it.
    """
    starts = members.starts[:-1]
    signs = {name: np.sign(column[members.records]) for name, column in columns.items()}
    same_sign = np.ones(len(starts), dtype=bool)
    for sign in signs.values():
        same_sign &= np.minimum.reduceat(sign, starts) == np.maximum.reduceat(sign, starts)
    means = {}
    for name, column in columns.items():
        plain = Mean().representatives(column, members, rng=rng, weights=weights, column=name)
        sizes = np.where(column == 0, 1.0, np.abs(column))
        geometric = GeometricMean().representatives(sizes, members, rng=rng, weights=weights, column=name)
        means[name] = np.where(same_sign, signs[name][starts] * geometric, plain)
    return means
