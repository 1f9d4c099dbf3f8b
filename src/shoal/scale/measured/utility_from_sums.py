"""Measures of utility from sums over two files, as the measures of `shoal.measure` compute them from the files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from shoal.describe.standardize import Scale
from shoal.errors import NotApplicableError
from shoal.measure.measure import MeasuredValue
from shoal.measure.utility.differences import correlations_changed, covariances_changed
from shoal.measure.utility.joint_moments import JointMoments
from shoal.measure.utility.mean_variation import variation_of_statistics
from shoal.measure.utility.probabilistic_information_loss import QuantileChange, loss_of_statistics
from shoal.recode.effect import joined_loss
from shoal.scale.measured.passes.first_pass import FirstPass
from shoal.scale.measured.passes.second_pass import ColumnErrors
from shoal.scale.measured.passes.third_pass import CentralSums

__all__ = ["Sums", "utility_measures"]

_MOST_PAIRED = 500  # columns, as in `Pair.for_numeric_pairs`


@dataclass(frozen=True)
class Sums:
    """What was summed up over two files.

    Attributes
    ----------
    first, errors
        What the first pass and the second one found.
    numbers, categories, columns
        The columns that were compared: as numbers, by equality, and all in their order.
    scales
        The scale of every column of numbers in the original.
    central, moments
        Of the columns of numbers, in their order, in both files.
    quantiles
        By column of numbers that varies and has values in the release, its quantiles.
    tables
        By table of frequencies, the sum of the changes of its cells.
    lost_by_recoding
        What recodes took from columns before, in percent.
    """

    first: FirstPass
    errors: Mapping[str, ColumnErrors]
    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    columns: tuple[str, ...]
    scales: Mapping[str, Scale]
    central: tuple[CentralSums, CentralSums]
    moments: tuple[JointMoments, JointMoments]
    quantiles: Mapping[str, QuantileChange]
    tables: Mapping[tuple[str, ...], int]
    lost_by_recoding: Mapping[str, float]

    @property
    def varying(self) -> list[str]:
        """The columns of numbers that vary in the original; NotApplicableError if there are none."""
        self.need_numbers()
        names = [name for name in self.numbers if self.first.before[name].varies]
        if not names:
            raise NotApplicableError("This measure needs a numeric variable that varies; these are all constant.")
        return names

    def only(self, columns: Sequence[str]) -> Sums:
        """Return what was summed up of some of the columns alone."""
        numbers = tuple(name for name in self.numbers if name in columns)
        own = [self.place(name) for name in numbers]
        central = [
            CentralSums(
                *(getattr(one, each.name)[np.ix_(own, own) if each.name != "thirds" else own] for each in fields(one))
            )
            for one in self.central
        ]
        return replace(
            self,
            numbers=numbers,
            categories=tuple(name for name in self.categories if name in columns),
            columns=tuple(columns),
            central=(central[0], central[1]),
            moments=self.moments_of(numbers),
            tables={names: change for names, change in self.tables.items() if set(names) <= set(columns)},
            lost_by_recoding={name: loss for name, loss in self.lost_by_recoding.items() if name in columns},
        )

    def need_numbers(self) -> None:
        """Raise NotApplicableError if there are no numbers."""
        if not self.numbers:
            raise NotApplicableError("This measure needs a numeric variable; these files have none in common.")

    def place(self, name: str) -> int:
        """Return which of the columns of numbers one is."""
        return self.numbers.index(name)

    def paired(self) -> tuple[list[str], dict[str, int]]:
        """Return the columns of numbers whose pairs are compared, and how many, if not all."""
        count = len(self.numbers)
        if count <= _MOST_PAIRED:
            return list(self.numbers), {}
        return [self.numbers[j * count // _MOST_PAIRED] for j in range(_MOST_PAIRED)], {"of_variables": _MOST_PAIRED}

    def moments_of(self, names: Sequence[str]) -> tuple[JointMoments, JointMoments]:
        """Return the moments of some columns of numbers, of both files."""
        own = np.ix_(*[[self.place(name) for name in names]] * 2)
        one, other = (
            JointMoments(**{each.name: getattr(moments, each.name)[own] for each in fields(moments)})
            for moments in self.moments
        )
        return one, other


def utility_measures() -> dict[str, Callable[[Sums], MeasuredValue]]:
    """Return what can be measured, by name."""
    return {
        "sse": _sse,
        "information_loss": _information_loss,
        "mixed_information_loss": _mixed_information_loss,
        "il1s": _il1s,
        "probabilistic_information_loss": _probabilistic_information_loss,
        "mean_variation": _mean_variation,
        "mean_difference": _mean_difference,
        "variance_difference": _variance_difference,
        "covariance_difference": lambda sums: _by_pair(sums, covariances_changed),
        "correlation_difference": lambda sums: _by_pair(sums, correlations_changed),
        "quantile_difference": _quantile_difference,
        "third_moments": lambda sums: _moment_difference(sums, 3),
        "fourth_moments": lambda sums: _moment_difference(sums, 4),
        "frequency_difference": _frequency_difference,
        "categories_changed": _categories_changed,
    }


def _squared_errors(sums: Sums) -> dict[str, tuple[float, float]]:
    """Return the squared error and the total sum of squares of each column of numbers that varies."""
    found = {}
    for name in sums.varying:
        own = sums.errors[name]
        total = (
            float(sums.first.records - 1) if not sums.first.before[name].missing else float(own.squares.total)
        )  # of a standardised variable it is the number of values less one
        found[name] = float(own.squared.total), total
    return found


def _suppressed(sums: Sums, names: Sequence[str]) -> int:
    return sum(sums.first.cells[name].before - sums.first.cells[name].both for name in names)


def _sse(sums: Sums) -> MeasuredValue:
    errors = {name: one for name, (one, _) in _squared_errors(sums).items()}
    return MeasuredValue(math.fsum(errors.values()), by_column=errors, suppressed=_suppressed(sums, list(errors)))


def _information_loss(sums: Sums) -> MeasuredValue:
    errors = _squared_errors(sums)
    error, total = (math.fsum(own) for own in zip(*errors.values(), strict=True))
    by_column = {name: 100 * one / all_ for name, (one, all_) in errors.items()}
    return MeasuredValue(100 * error / total, by_column=by_column, suppressed=_suppressed(sums, list(errors)))


def _il1s(sums: Sums) -> MeasuredValue:
    changes = {name: float(sums.errors[name].absolute.total) / math.sqrt(2) for name in sums.varying}
    cells = {name: sums.first.before[name].counted for name in changes}
    by_column = {name: changes[name] / cells[name] for name in changes}
    return MeasuredValue(math.fsum(changes.values()) / sum(cells.values()), by_column=by_column)


def _mixed_information_loss(sums: Sums) -> MeasuredValue:
    lost = {name: loss for name, loss in sums.lost_by_recoding.items() if name in sums.first.cells}
    compared: dict[str, float] = {}
    for measure in (_information_loss, _categories_changed):
        try:
            compared |= measure(sums).parts["by_column"]
        except NotApplicableError:
            continue  # no numbers, or no categories
    names = [name for name in dict.fromkeys((*sums.columns, *lost)) if name in compared or name in lost]
    if not names:
        raise NotApplicableError("This measure needs a number that varies, or a category that has a value.")
    by_column = {name: joined_loss(compared.get(name, 0.0), lost.get(name, 0.0)) for name in names}
    return MeasuredValue(math.fsum(by_column.values()) / len(names), by_column=by_column, by_recoding=lost)


def _probabilistic_information_loss(sums: Sums) -> MeasuredValue:
    sums.need_numbers()
    names, taken = sums.paired()
    before, after = sums.moments_of(names)
    return loss_of_statistics(before, after, lambda j: sums.quantiles[names[j]], **taken)


def _mean_variation(sums: Sums) -> MeasuredValue:
    sums.need_numbers()
    names, taken = sums.paired()
    changes = [sums.errors[name].changes for name in names]
    cells = sum(one.counted for one in changes)
    values = float(sum(one.total for one in changes) / cells) if cells else None
    before, after = sums.moments_of(names)
    means = [_means(sums, name) for name in names if sums.first.before[name].counted and sums.first.after[name].counted]
    return variation_of_statistics(values, np.array(means).reshape(-1, 2), before, after, **taken)


def _means(sums: Sums, name: str) -> tuple[float, float]:
    """Return the means of one variable in both files, in units of its largest value in the original."""
    before, after = sums.first.before[name], sums.first.after[name]
    exponent = int(np.frexp(max(abs(before.lowest), abs(before.highest)))[1])
    return float(np.ldexp(before.mean, -exponent)), float(np.ldexp(after.mean, -exponent))


def _by_column(sums: Sums, least: int, difference: Callable[[str], float]) -> MeasuredValue:
    """Average the difference over the variables that have `least` values or more in the masked file."""
    by_column = {name: difference(name) for name in sums.varying if sums.first.after[name].counted >= least}
    if not by_column:
        values = "a value" if least == 1 else "two values"
        raise NotApplicableError(f"This measure needs a numeric variable that has {values} in the masked file.")
    return MeasuredValue(math.fsum(by_column.values()) / len(by_column), by_column=by_column)


def _mean_difference(sums: Sums) -> MeasuredValue:
    return _by_column(sums, 1, lambda name: abs(sums.errors[name].after.mean - sums.errors[name].before.mean))


def _variance_difference(sums: Sums) -> MeasuredValue:
    def difference(name: str) -> float:
        own = sums.place(name)
        before, after = (one.variances[own, own] * one.counts[own, own] / (one.counts[own, own] - 1)
                         for one in sums.moments)  # fmt: skip
        return abs(float(after / before) - 1)

    return _by_column(sums, 2, difference)


def _quantile_difference(sums: Sums) -> MeasuredValue:
    def difference(name: str) -> float:
        return float(np.abs(sums.quantiles[name].after - sums.quantiles[name].before).mean())

    return _by_column(sums, 1, difference)


def _by_pair(
    sums: Sums, changed: Callable[[Sequence[str], JointMoments, JointMoments], MeasuredValue]
) -> MeasuredValue:
    names, taken = sums.paired()
    varying = set(sums.varying)
    names = [name for name in names if name in varying]
    measured = changed(names, *sums.moments_of(names))
    return MeasuredValue(float(measured), **measured.parts, **taken)


def _moment_difference(sums: Sums, power: int) -> MeasuredValue:
    by_column = {}
    for name in sums.varying:
        own = sums.place(name)
        if sums.first.after[name].counted:
            both = [
                float((one.thirds[own] if power == 3 else one.fourths[own, own]) / moments.counts[own, own])
                for one, moments in zip(sums.central, sums.moments, strict=True)
            ]
            by_column[name] = {"original": both[0], "masked": both[1]}
    if not by_column:
        raise NotApplicableError("This measure needs a numeric variable that has a value in the masked file.")
    differences = [abs(one["masked"] - one["original"]) for one in by_column.values()]
    return MeasuredValue(math.fsum(differences) / len(differences), by_column=by_column)


def _need_categories(sums: Sums) -> None:
    if not sums.categories:
        raise NotApplicableError("This measure needs a categorical column; these files have none in common.")


def _frequency_difference(sums: Sums) -> MeasuredValue:
    _need_categories(sums)
    distances = {names: 100 * change / (2 * sums.first.records) for names, change in sums.tables.items()}
    by_column = {names[0]: one for names, one in distances.items() if len(names) == 1}
    two_way = [one for names, one in distances.items() if len(names) == 2]
    one_way = math.fsum(by_column.values()) / len(by_column)
    return MeasuredValue(
        one_way,
        one_way=one_way,
        two_way=math.fsum(two_way) / len(two_way) if two_way else None,
        by_column=by_column,
    )


def _categories_changed(sums: Sums) -> MeasuredValue:
    _need_categories(sums)
    cells = {name: sums.first.cells[name] for name in sums.categories if sums.first.cells[name].before}
    if not cells:
        raise NotApplicableError("This measure needs a categorical cell that has a value in the original.")
    changed = {name: one.before - one.same for name, one in cells.items()}
    return MeasuredValue(
        100 * sum(changed.values()) / sum(one.before for one in cells.values()),
        by_column={name: 100 * changed[name] / one.before for name, one in cells.items()},
        suppressed=_suppressed(sums, list(cells)),
    )
