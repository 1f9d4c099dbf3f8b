"""The value that every group gets: the mean, median, mode, ... of at least k observed values, computed exactly."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from oracles.cases import KEEPS_VALUES, SINGLE, Case, Fault, Variable
from oracles.convex_medians import groups_behind_convex_medians
from oracles.native_tables import Cells

__all__ = ["differencing", "group_values", "values_behind", "weight_behind"]

# Whether the records that two tied means do not share have to be none or k on either side; False: on both together,
# which is what can be computed from the two.
EACH_WAY = True
ROUNDING = 1e-12  # sums of weights that differ by less are equal


@dataclass(frozen=True)
class Support:
    """The groups that share one released value of a variable, and the records it may be the mean, median, ... of.

    Mostly that is one set of records; the mean of four can be that of three of them.
    """

    groups: frozenset[int]
    choices: tuple[frozenset[int], ...]

    @property
    def records(self) -> frozenset[int]:
        """The largest of them."""
        return self.choices[0]


def group_values(
    case: Case, block: list[str], labels: list[int], after: dict[str, Cells], outcome: Any
) -> Iterator[Fault]:
    supports: dict[str, list[Support]] = {}
    for name in block:
        found: list[Fault] = []
        supports[name] = _supports(case, block, name, labels, after[name], found)
        yield from found
        yield from _held_by_one(case, name, supports[name], after[name], getattr(outcome, "held_by_one", {}))
        yield from _shares(case, name, after[name], supports[name])
        yield from _counts(case, name, after[name], supports[name], outcome)
    for tied in case.tied:
        if all(name in block and case.way_of(name) == "mean" for name in tied):  # else the relation is not seen
            yield from differencing(case, [supports[name] for name in tied])


def _supports(
    case: Case, block: list[str], name: str, labels: list[int], cells: Cells, found: list[Fault]
) -> list[Support]:
    """Return what each released value rests on, and add to `found` what is wrong with it.

    A group with fewer than k observed values shares the value of its neighbours in the stratum: a value rests on all
    the groups that have it. Groups that have the same value by chance do not matter, since a mean, median or mode of
    each is that of all of them together. The values of a constant variable are one, whatever the stratum.
    """
    variable, strata = case.variable(name), case.stratum_of_record
    shared = defaultdict(set)
    value_of: dict[Any, Any] = {}
    for record in range(case.records) if case.missing == "fill" else sorted(variable.observed):
        if value_of.setdefault(labels[record], cells[record]) != cells[record]:
            found.append(Fault("one value for a group", f"{name} ({case.way_of(name)}) has several"))
            return []
        shared[(None if variable.is_constant else strata[record], cells[record])].add(labels[record])
    supports = []
    if case.way_of(name) == "convex-median":
        behind = groups_behind_convex_medians(case, name, labels, shared)
        if behind is None:
            found.append(Fault("values are those of their group", f"{variable.storage} convex-median: {name}"))
        return [Support(groups, (rows,)) for groups, rows in behind or ()]
    for (_, value), groups in shared.items():
        choices = _counted(case, block, name, {row for row in range(case.records) if labels[row] in groups}, value)
        what = f"{variable.storage} {case.way_of(name)}: {name}"
        if not choices:
            found.append(Fault("values are those of their group", f"{what} of {len(groups)} groups"))
            continue
        supports.append(Support(frozenset(groups), choices))
        number = max(len({case.unit_of_record[row] for row in rows}) for rows in choices)
        if number < case.k:
            found.append(Fault("values rest on k observed", f"{what} rests on {number}, k={case.k}"))
    return supports


def _shares(case: Case, name: str, cells: Cells, supports: list[Support]) -> Iterator[Fault]:
    """No record carries more than half of the weight behind a value, nor more of its sum than `dominance`.

    Groups of a stratum with the same value may be one: convex medians do not tell.
    """
    variable, strata = case.variable(name), case.stratum_of_record
    if variable.is_constant:
        return
    behind = defaultdict(set)
    for support in supports:
        first = min(support.records)
        behind[(strata[first], cells[first])] |= support.records
    for rows in map(sorted, behind.values()):
        if case.weights is not None:
            weights = [Fraction(case.variable(case.weights).cells[row]) for row in rows]
            if max(weights) > sum(weights) * Fraction(0.5 + 1e-9):
                yield Fault("no record carries more than half of a weight", f"{case.way_of(name)}: {name}")
        if case.dominance is not None and case.way_of(name) in ("mean", "geometric-mean"):
            amounts: dict[Any, Fraction] = defaultdict(Fraction)  # of units, or of records
            for row in rows:
                amounts[case.unit_of_record[row]] += _amount(variable, row)
            if max(amounts.values()) > sum(amounts.values()) * Fraction(case.dominance / 100 + 1e-9):
                yield Fault("no record dominates a sum", f"{case.way_of(name)}: {name}, {case.dominance} %")


def values_behind(
    case: Case, block: list[str], behind: dict[str, list[int]], after: dict[str, Cells]
) -> Iterator[Fault]:
    """What a release says is behind each column: records that share one value, which is computed from them alone.

    Groups that were joined to others are one group there, and the value of a record that does not count is that of a
    group all the same.
    """
    for name in block:
        variable, way = case.variable(name), case.way_of(name)
        what = f"{variable.storage} {way}: {name}"
        for rows in _rows_of(behind[name]):
            values = {after[name][row] for row in rows}
            if not rows <= variable.observed or len(values) > 1:
                yield Fault("records behind a value share it", f"{what} has {len(values)} for {len(rows)} records")
                return
            if len({case.unit_of_record[row] for row in rows}) < case.k:
                yield Fault("values rest on k observed", f"{what} rests on {len(rows)} records, k={case.k}")
            if way != "convex-median" and not _is_right(
                variable, way, values.pop(), *_values_and_weights(case, name, rows)
            ):
                yield Fault("values are those of the records behind them", f"{what}, of {len(rows)} records")
                return
        if not variable.is_constant:
            yield from weight_behind(case, name, behind[name])


def weight_behind(case: Case, name: str, behind: list[int]) -> Iterator[Fault]:
    """No unit carries more than half of the weight behind a value, nor more of its sum than `dominance`."""
    for rows in _rows_of(behind):
        if case.weights is not None:
            weights = {row: Fraction(case.variable(case.weights).cells[row]) for row in rows}
            if _largest_of_units(case, weights) > sum(weights.values()) * Fraction(0.5 + 1e-9):
                yield Fault("no record carries more than half of a weight", f"{case.way_of(name)}: {name}")
        if case.dominance is not None and case.way_of(name) in ("mean", "geometric-mean"):
            amounts = {row: _amount(case.variable(name), row) for row in rows}
            if _largest_of_units(case, amounts) > sum(amounts.values()) * Fraction(case.dominance / 100 + 1e-9):
                yield Fault("no record dominates a sum", f"{case.way_of(name)}: {name}, {case.dominance} %")


def _rows_of(labels: list[int]) -> list[set[int]]:
    """Return the records of every label; those with -1 are in none."""
    rows = defaultdict(set)
    for row, label in enumerate(labels):
        if label >= 0:
            rows[label].add(row)
    return list(rows.values())


def _largest_of_units(case: Case, amounts: dict[int, Fraction]) -> Fraction:
    of_unit: dict[Any, Fraction] = defaultdict(Fraction)
    for row, amount in amounts.items():
        of_unit[case.unit_of_record[row]] += amount
    return max(of_unit.values())


def _amount(variable: Variable, row: int) -> Fraction:
    """Return the absolute value; what is next to nothing beside values at the end of the range counts as nothing."""
    amount = abs(Fraction(variable.cells[row]))
    return amount if amount > Fraction(1e-280) else Fraction(0)


def _counts(case: Case, name: str, cells: Cells, supports: list[Support], outcome: Any) -> Iterator[Fault]:
    """The plan counts the missing values that were filled, and the sums that one record makes up."""
    variable, label = case.variable(name), str(case.labels[name])
    filled = sum(one is None and other is not None for one, other in zip(variable.cells, cells, strict=True))
    if filled != outcome.filled.get(label, 0):
        yield Fault("filled values are counted", f"{outcome.filled.get(label, 0)} of {filled}: {name}")
    if case.way_of(name) not in ("mean", "geometric-mean") or variable.is_constant:
        return
    lone = sum(sum(_amount(variable, row) > 0 for row in support.records) == 1 for support in supports)
    if lone and label not in outcome.lone:  # groups with the same value by chance are one here
        yield Fault("sums that one record makes up are counted", f"{lone}: {name}")


def _held_by_one(case: Case, name: str, supports: list[Support], cells: Cells, counted: Any) -> Iterator[Fault]:
    """Where a group gets the value of one record alone, the plan says so."""
    if case.way_of(name).split(":")[0] not in KEEPS_VALUES or str(case.labels[name]) in counted:
        return
    for support in supports:
        value = cells[min(support.records)]
        if sum(case.variable(name).cells[row] == value for row in support.records) == 1:
            yield Fault("values that one record has are counted", f"{case.way_of(name)}: {name}, k={case.k}")
            return


def _counted(case: Case, block: list[str], name: str, members: set[int], value: Any) -> tuple[frozenset[int], ...]:
    """Return the sets of records whose mean, median, mode, ... a released value is and may be, the largest first.

    These are the records of its groups that have the variable observed. A mean may be over fewer: those that have
    others observed as well to which a linear relation ties it.
    """
    variable = case.variable(name)
    others = [other for other in block if other != name and case.way_of(other) == case.way_of(name)]
    averages = case.way_of(name) in ("mean", "geometric-mean")
    choices = []
    for count in range(len(others) + 1 if averages else 1):
        for together in combinations(others, count):
            rows = members & variable.observed
            for other in together:
                rows &= case.variable(other).observed
            if not rows or frozenset(rows) in choices or (together and rows == members & variable.observed):
                continue
            if together and not _is_tied(case, [name, *together]):
                continue
            if _is_right(variable, case.way_of(name), value, *_values_and_weights(case, name, rows)):
                choices.append(frozenset(rows))
    return tuple(sorted(choices, key=len, reverse=True))


def _is_tied(case: Case, names: list[str]) -> bool:
    """Whether one of some variables nearly follows from the others, where all of them are observed.

    In a file of fewer than twenty records nobody can tell, and they may count as tied.
    """
    if case.records < 20:
        return True
    rows = set.intersection(*(case.variable(name).observed for name in names))
    columns = [np.array([float(case.variable(name).cells[row]) for row in sorted(rows)]) for name in names]
    if case.way_of(names[0]) == "geometric-mean":
        columns = [np.log(column) for column in columns]
    columns = [column / max(np.abs(column).max(), 1e-300) for column in columns]
    for place, column in enumerate(columns):
        rest = np.column_stack([np.ones(len(rows)), *columns[:place], *columns[place + 1 :]])
        left = column - rest @ np.linalg.lstsq(rest, column, rcond=None)[0]
        if left.std() <= 0.02 * column.std():
            return True
    return False


def _values_and_weights(case: Case, name: str, rows: set[int]) -> tuple[Cells, list[Fraction]]:
    in_order = sorted(rows)
    weights = [Fraction(1)] * len(rows)
    if case.weights is not None:
        weights = [Fraction(case.variable(case.weights).cells[row]) for row in in_order]
    return [case.variable(name).cells[row] for row in in_order], weights


def _is_right(variable: Variable, way: str, value: Any, values: Cells, weights: list[Fraction]) -> bool:
    if way == "mean":
        mean = sum(w * Fraction(x) for w, x in zip(weights, values, strict=True)) / sum(weights)
        digits = 2e-7 if variable.storage in SINGLE else 1e-15
        return abs(Fraction(value) - mean) <= Fraction(digits) * max(abs(Fraction(x)) for x in values) + Fraction(
            5e-324
        )
    if way == "geometric-mean":
        total = float(sum(weights))
        logarithm = math.fsum(float(w) * math.log(x) for w, x in zip(weights, values, strict=True)) / total
        return math.isclose(math.log(value), logarithm, rel_tol=1e-6, abs_tol=1e-6)
    totals: dict[Any, Fraction] = defaultdict(Fraction)
    for weight, cell in zip(weights, values, strict=True):
        totals[cell] += weight
    if value not in totals or any(isinstance(value, bool) != isinstance(cell, bool) for cell in totals):
        return False
    if way == "mode":
        return totals[value] >= max(totals.values()) * (1 - Fraction(ROUNDING))
    share = Fraction(way.split("=")[1]) if way.startswith("order-statistic") else Fraction(1, 2)
    place = list(variable.categories).index if variable.categories else lambda cell: cell
    up_to = sum(total for cell, total in totals.items() if place(cell) <= place(value)) / sum(weights)
    below = sum(total for cell, total in totals.items() if place(cell) < place(value)) / sum(weights)
    slack = Fraction(ROUNDING) if len(set(weights)) > 1 else 0
    return up_to >= share - slack and (below < share + slack)


def differencing(case: Case, supports: list[list[Support]]) -> Iterator[Fault]:
    """Nobody gets a sum over fewer than k records from the means of variables that a linear relation ties.

    Means times counts are sums, and sums of several groups add up. Wherever the groups behind some means of one
    variable are those behind some means of the others, what the relation leaves is a sum over the records that only
    some of the variables count.
    """
    for groups in _same_groups(supports):
        choices = [[one.choices for one in of_variable if one.groups <= groups] for of_variable in supports]
        counted = [[frozenset().union(*sets) for sets in product(*of_variable)] for of_variable in choices]
        if all(_too_close(case.k, sets) for sets in product(*counted)):
            yield Fault("no difference of sums over fewer than k", f"{len(groups)} groups, k={case.k}")
            return


def _too_close(k: int, sets: tuple[frozenset[int], ...]) -> bool:
    """Whether the records that some variables count differ, but by fewer than k."""
    if EACH_WAY:
        return any(0 < len(one - other) < k for one, other in permutations(sets, 2))
    return 0 < len(frozenset().union(*sets) - frozenset.intersection(*sets)) < k


def _same_groups(supports: list[list[Support]]) -> list[frozenset[int]]:
    """Return the smallest sets of groups that are unions of those behind some means, for every variable."""
    unions: list[frozenset[int]] = []
    for support in (one for of_variable in supports for one in of_variable):
        met = [union for union in unions if union & support.groups]
        unions = [union for union in unions if union not in met] + [support.groups.union(*met)]
    return unions
