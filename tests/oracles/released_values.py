"""What may be released, computed from plain Python cells and the groups of a release: slow and written out.

`faults` judges a release, `reasons_to_refuse` a refusal. Nothing of shoal is used but what a release shows to its user:
the table, the labels of the groups and the blocks of the plan.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy.optimize import nnls

from oracles.native_tables import STORAGES, Cells, listed_categories, plain_cells, types
from oracles.random_releases import Case, Variable

__all__ = ["Fault", "faults", "reasons_to_refuse", "values_in_message"]

SERVES = {
    "mean": {"continuous"},
    "geometric-mean": {"continuous"},
    "median": {"continuous", "ordinal"},
    "order-statistic": {"continuous", "ordinal"},
}
INSTEAD = {"continuous": "mean", "ordinal": "median", "nominal": "mode"}
KEEPS_VALUES = {"median", "order-statistic", "mode", "medoid"}
SINGLE = ("float32", "Float32", "float")
KEEPS_MEANS = {"hybrid", "ipso:variant=C", "ipso", "muralidhar-sarathy"}
ROUNDING = 1e-12  # sums of weights that differ by less are equal


@dataclass(frozen=True)
class Fault:
    """One promise that a release broke, and where."""

    promise: str
    where: str


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


def faults(case: Case, release: Any) -> list[Fault]:
    """Return every promise that the release of a case breaks."""
    released = [one for one in case.variables if one.name not in case.identifiers]
    found = list(_shape(case, release, released))
    if found:
        return found
    after = dict(zip([one.name for one in released], plain_cells(release.data).values(), strict=True))
    found += _missing_stay(case, after)
    if found:
        return found
    found += _untouched(case, after)
    found += _categories(case, release, released, after)
    blocks = [block for block in case.blocks if not case.confidential or set(block) & set(case.confidential)]
    for block, partition in zip(blocks, release.partitions, strict=True):
        labels = [int(label) for label in partition.labels]
        if case.confidential:
            found += _groups(case, block, labels, partition)
            found += _synthetic(case, block, labels, after)
        elif is_soft(case):
            found += _groups(case, block, labels, partition)
            found += _centres(case, block, labels, after)
        else:
            found += _groups(case, block, labels, partition)
            found += _alike(case, block, after)
            if case.replace == "medoid":
                found += _medoids(case, block, labels, after)
            else:
                found += _representatives(case, block, labels, after, release.plan.outcome)
    return found


def is_soft(case: Case) -> bool:
    """Whether centres are drawn by membership."""
    return case.method.split(":")[0] in ("fuzzy", "entropy")


def way_of(case: Case, name: str) -> str:
    """Return how the values of a column are replaced: as asked for, or what serves its kind."""
    asked = case.replace
    if isinstance(asked, dict):
        asked = asked.get(case.labels[name], "mean")
    kind = case.variable(name).kind
    return asked if kind in SERVES.get(asked.split(":")[0], {kind}) else INSTEAD[kind]


# What a release looks like.


def _shape(case: Case, release: Any, released: list[Variable]) -> Iterator[Fault]:
    given, native = case.data(), release.data
    if type(native) is not type(given):
        yield Fault("type of table", f"{type(given).__name__} became {type(native).__name__}")
        return
    if len(native) != case.records:
        yield Fault("rows", f"{case.records} became {len(native)}")
    if case.engine == "numpy":
        if native.shape[1] != len(released):
            yield Fault("columns", f"{native.shape[1]} of {len(released)}")
        return
    expected = [case.labels[one.name] for one in released]
    if list(native.columns if case.engine != "arrow" else native.column_names) != expected:
        yield Fault("columns", f"{expected} became {list(native.columns)}")
        return
    if case.engine == "pandas" and not (native.index.equals(given.index) and native.index.name == given.index.name):
        yield Fault("index", "is another one")
    protected = [name for block in case.blocks for name in block]
    before, after = types(given), types(native)
    for one in released:
        label = case.labels[one.name]
        wanted = before[label]
        if one.name in protected and _is_computed(case, one.name):
            wanted = STORAGES[case.engine][one.storage].computed
        if after[label] != wanted:
            yield Fault("type of column", f"{one.storage}: {after[label]} instead of {wanted}")
    if [[str(name) for name in block] for block in release.plan.blocks] != [
        [str(case.labels[name]) for name in block]
        for block in case.blocks
        if not case.confidential or set(block) & set(case.confidential)
    ]:
        yield Fault("blocks", f"{release.plan.blocks}")


def _is_computed(case: Case, name: str) -> bool:
    if case.confidential:
        return name in case.confidential
    return is_soft(case) or way_of(case, name).split(":")[0] not in KEEPS_VALUES


def _missing_stay(case: Case, after: dict[str, Cells]) -> Iterator[Fault]:
    """Every observed value is released, and no missing one."""
    for name, cells in after.items():
        before = case.variable(name).cells
        appeared = sum(one is None and other is not None for one, other in zip(before, cells, strict=True))
        vanished = sum(one is not None and other is None for one, other in zip(before, cells, strict=True))
        storage = case.variable(name).storage
        if appeared:
            yield Fault("missing values stay", f"{storage}: {appeared} missing values of {name} came out with a value")
        if vanished:
            yield Fault("missing values stay", f"{storage}: {vanished} values of {name} went missing")


def _untouched(case: Case, after: dict[str, Cells]) -> Iterator[Fault]:
    protected = {name for block in case.blocks for name in block}
    if case.confidential:
        protected = set(case.confidential)
    for name, cells in after.items():
        if name not in protected and not _all_same(case.variable(name).cells, cells):
            yield Fault("columns that are not protected stay", name)


def _all_same(one: Cells, other: Cells) -> bool:
    pairs = zip(one, other, strict=True)
    return all(left == right and isinstance(left, bool) == isinstance(right, bool) for left, right in pairs)


def _categories(case: Case, release: Any, released: list[Variable], after: dict[str, Cells]) -> Iterator[Fault]:
    """No list of categories has in it what no released record has."""
    listed = listed_categories(release.data)
    for one in released:
        unused = set(listed.get(case.labels[one.name], ())) - set(after[one.name])
        if unused:
            yield Fault(
                "only released categories are listed", f"{one.storage}: {len(unused)} of {one.name} are nobody's"
            )
        order = [word for word in one.categories if word in set(after[one.name])]
        kept = [word for word in listed.get(case.labels[one.name], order) if word in set(order)]
        if order != kept and case.engine != "arrow" and "dictionary" not in one.storage:
            yield Fault("order of categories", one.storage)


# Groups.


def _strata(case: Case) -> list[tuple[Any, ...]]:
    """Return the stratum of every record; a missing value is one of its own."""
    columns = [case.variable(name).cells for name in case.strata]
    return [tuple(column[record] for column in columns) for record in range(case.records)]


def _is_constant(variable: Variable) -> bool:
    return len({variable.cells[record] for record in variable.observed}) <= 1


def _groups(case: Case, block: list[str], labels: list[int], partition: Any) -> Iterator[Fault]:
    sizes = Counter(label for label in labels if label >= 0)
    if len(labels) != case.records or sorted(sizes) != list(range(len(sizes))):
        yield Fault("labels number the groups", f"{len(labels)} labels, groups {sorted(sizes)}")
    if sizes and min(sizes.values()) < case.k:
        yield Fault("groups of at least k", f"{min(sizes.values())} records where k={case.k}")
    if [int(size) for size in partition.sizes] != [sizes[group] for group in sorted(sizes)]:
        yield Fault("sizes are those of the groups", f"{list(partition.sizes)}")
    strata = _strata(case)
    mixed = [group for group in sizes if len({strata[row] for row in range(case.records) if labels[row] == group}) > 1]
    if mixed:
        storages = [case.variable(name).storage for name in case.strata]
        yield Fault("groups stay within strata", f"{len(mixed)} of {len(sizes)} do not; {storages}")
    varying = [case.variable(name) for name in block if not _is_constant(case.variable(name))]
    for row in range(case.records):
        if labels[row] < 0 and any(row in one.observed for one in varying):
            yield Fault("every record is in a group", f"record {row} is in none and has values")
            return


def _alike(case: Case, block: list[str], after: dict[str, Cells]) -> Iterator[Fault]:
    """Without missing values every released record of a block is there at least k times."""
    if any(None in case.variable(name).cells for name in block):
        return
    counts = Counter(zip(*(after[name] for name in block), strict=True))
    if min(counts.values()) < case.k:
        yield Fault("k records are alike", f"{min(counts.values())} where k={case.k}")


# Representatives.


def _representatives(
    case: Case, block: list[str], labels: list[int], after: dict[str, Cells], outcome: Any
) -> Iterator[Fault]:
    supports: dict[str, list[Support]] = {}
    for name in block:
        found: list[Fault] = []
        supports[name] = _supports(case, block, name, labels, after[name], found)
        yield from found
        yield from _held_by_one(case, name, supports[name], after[name], getattr(outcome, "held_by_one", {}))
    for tied in case.tied:
        if all(name in block and way_of(case, name) == "mean" for name in tied):  # else the relation is not seen
            for one, other in combinations(tied, 2):
                yield from differencing(case, supports[one], supports[other])


def _supports(
    case: Case, block: list[str], name: str, labels: list[int], cells: Cells, found: list[Fault]
) -> list[Support]:
    """Return what each released value rests on, and add to `found` what is wrong with it.

    A group with fewer than k observed values shares the value of its neighbours in the stratum: a value rests on all
    the groups that have it. Groups that have the same value by chance do not matter, since a mean, median or mode of
    each is that of all of them together. The values of a constant variable are one, whatever the stratum.
    """
    variable, strata = case.variable(name), _strata(case)
    shared = defaultdict(set)
    value_of: dict[Any, Any] = {}
    for record in sorted(variable.observed):
        if value_of.setdefault(labels[record], cells[record]) != cells[record]:
            found.append(Fault("one value for a group", f"{name} ({way_of(case, name)}) has several"))
            return []
        shared[(None if _is_constant(variable) else strata[record], cells[record])].add(labels[record])
    supports = []
    for (_, value), groups in shared.items():
        choices = _counted(case, block, name, {row for row in range(case.records) if labels[row] in groups}, value)
        what = f"{variable.storage} {way_of(case, name)}: {name}"
        if not choices:
            found.append(Fault("values are those of their group", f"{what} of {len(groups)} groups"))
            continue
        supports.append(Support(frozenset(groups), choices))
        if len(choices[0]) < case.k:
            found.append(Fault("values rest on k observed", f"{what} rests on {len(choices[0])}, k={case.k}"))
    return supports


def _held_by_one(case: Case, name: str, supports: list[Support], cells: Cells, counted: Any) -> Iterator[Fault]:
    """Where a group gets the value of one record alone, the plan says so."""
    if way_of(case, name).split(":")[0] not in KEEPS_VALUES or str(case.labels[name]) in counted:
        return
    for support in supports:
        value = cells[min(support.records)]
        if sum(case.variable(name).cells[row] == value for row in support.records) == 1:
            yield Fault("values that one record has are counted", f"{way_of(case, name)}: {name}, k={case.k}")
            return


def _counted(case: Case, block: list[str], name: str, members: set[int], value: Any) -> tuple[frozenset[int], ...]:
    """Return the sets of records whose mean, median, mode, ... a released value is and may be, the largest first.

    These are the records of its groups that have the variable observed. A mean may be over fewer: those that have
    others observed as well to which a linear relation ties it.
    """
    variable = case.variable(name)
    others = [other for other in block if other != name and way_of(case, other) == way_of(case, name)]
    averages = way_of(case, name) in ("mean", "geometric-mean")
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
            if _is_right(variable, way_of(case, name), value, *_values_and_weights(case, name, rows)):
                choices.append(frozenset(rows))
    return tuple(sorted(choices, key=len, reverse=True))


def _is_tied(case: Case, names: list[str]) -> bool:
    """Whether one of some variables nearly follows from the others, where all of them are observed."""
    rows = set.intersection(*(case.variable(name).observed for name in names))
    columns = [np.array([float(case.variable(name).cells[row]) for row in sorted(rows)]) for name in names]
    if way_of(case, names[0]) == "geometric-mean":
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


def _medoids(case: Case, block: list[str], labels: list[int], after: dict[str, Cells]) -> Iterator[Fault]:
    """The records of a group all get one complete record of the group."""
    columns = [case.variable(name) for name in block]
    if any(None in one.cells for one in columns):
        yield Fault("a medoid is a complete record", f"{sum(None in one.cells for one in columns)} columns are not")
        return
    for group in set(labels):
        rows = [row for row in range(case.records) if labels[row] == group]
        new = {tuple(after[name][row] for name in block) for row in rows}
        own = {tuple(one.cells[row] for one in columns) for row in rows}
        if len(new) > 1 or not new <= own:
            yield Fault("a medoid is a record of its group", f"{len(new)} records for one group")


def differencing(case: Case, these: list[Support], those: list[Support]) -> Iterator[Fault]:
    """Nobody gets a sum over fewer than k records from the means of two variables that a linear relation ties.

    Means times counts are sums, and sums of several groups add up. Wherever the groups behind some means of one
    variable are those behind some means of the other, the sums differ by those of the records observed in one only.
    """
    for groups in _same_groups(these, those):
        of_one = [support.choices for support in these if support.groups <= groups]
        of_other = [support.choices for support in those if support.groups <= groups]
        apart = [
            _fewest_apart(set().union(*one), set().union(*other))
            for one in product(*of_one)
            for other in product(*of_other)
        ]
        if 0 not in apart and max(apart) < case.k:
            yield Fault("no difference of sums over fewer than k", f"{max(apart)} records, k={case.k}")
            return


def _fewest_apart(one: set[int], other: set[int]) -> float:
    """Return how many records are in one set only, on the side with fewer of them; 0 if the sets are the same."""
    return min((len(apart) for apart in (one - other, other - one) if apart), default=0)


def _same_groups(these: list[Support], those: list[Support]) -> list[frozenset[Any]]:
    """Return the smallest sets of groups that are unions on both sides."""
    unions: list[frozenset[Any]] = []
    for support in (*these, *those):
        met = [union for union in unions if union & support.groups]
        unions = [union for union in unions if union not in met] + [frozenset(support.groups).union(*met)]
    return unions


# Centres drawn by membership.


def _centres(case: Case, block: list[str], labels: list[int], after: dict[str, Cells]) -> Iterator[Fault]:
    """Every released centre is carried by k records, and is an average of k of its stratum."""
    varying = []
    for name in block:
        variable = case.variable(name)
        if not _is_constant(variable):
            varying.append(name)
        elif 0 < len(variable.observed) < case.k:
            yield Fault("values rest on k observed", f"{case.method}: {name} rests on {len(variable.observed)}")
        elif not _all_same(variable.cells, after[name]):
            yield Fault("constant columns stay", f"{case.method}: {name}")
    if any(None in case.variable(name).cells for name in varying):
        yield Fault("centres are of complete records", case.method)
        return
    strata = _strata(case)
    for stratum in dict.fromkeys(strata):
        rows = [row for row in range(case.records) if strata[row] == stratum]
        carried = Counter(tuple(after[name][row] for name in varying) for row in rows)
        if min(carried.values()) < case.k:
            yield Fault("centres are carried by k", f"{case.method}: {min(carried.values())} where k={case.k}")
        for centre in carried:
            number = _most_behind(
                np.array([[case.variable(name).cells[row] for name in varying] for row in rows]), centre
            )
            if number < case.k * (1 - 1e-4):
                yield Fault("centres average k records", f"{case.method}: at most {number:.2f} where k={case.k}")


def _most_behind(records: np.ndarray, centre: tuple[float, ...]) -> float:
    """Return the largest effective number (sum w)^2 / sum w^2 of records that any weights with this mean can have."""
    records, centre = records.astype(np.float64).reshape(len(records), -1), np.array(centre, dtype=np.float64)
    if not np.isfinite(centre).all():
        return 0.0
    size = np.maximum(np.abs(records).max(axis=0, initial=0), 1e-300)
    records, centre = records / size, centre / size
    spread = np.ptp(records, axis=0)
    varying = spread > 1e-12
    records, centre = (
        (records - records.mean(axis=0))[:, varying] / spread[varying],
        (centre - records.mean(axis=0))[varying],
    )
    centre = centre / spread[varying]
    penalty = 1e5
    matrix = np.vstack([penalty * records.T, penalty * np.ones(len(records)), np.eye(len(records))])
    weights, _ = nnls(matrix, np.concatenate([penalty * centre, [penalty], np.zeros(len(records))]), maxiter=10_000)
    if np.abs(records.T @ weights - centre).max(initial=0) > 1e-3:
        return 0.0  # no average at all
    return float(weights.sum() ** 2 / (weights**2).sum())


# Synthetic and hybrid data.


def _synthetic(case: Case, block: list[str], labels: list[int], after: dict[str, Cells]) -> Iterator[Fault]:
    """No record keeps all its confidential values, and means are kept by those replacements that promise it."""
    names = [name for name in block if name in case.confidential]
    unchanged = [True] * case.records
    for name in names:
        before = case.variable(name).cells
        if None in before:
            yield Fault("synthetic data are of complete records", case.replace)
            return
        largest: dict[int, float] = defaultdict(float)  # of each group, which rounding is relative to
        for label, cell in zip(labels, before, strict=True):
            largest[label] = max(largest[label], abs(cell))
        single = case.variable(name).storage in SINGLE
        for row in range(case.records):
            moved = abs(after[name][row] - before[row])
            unchanged[row] &= moved <= (1e-7 if single else 1e-12) * largest[labels[row]]
        if case.replace.split(":small")[0].split(":alpha")[0] in KEEPS_MEANS:
            old, new = (sum(map(Fraction, cells)) / case.records for cells in (before, after[name]))
            if abs(old - new) > Fraction(1e-6 if single else 1e-9) * Fraction(max(largest.values())):
                yield Fault("synthetic data keep means", f"{case.replace}: {name}")
    if any(unchanged):
        yield Fault("no record is unchanged", f"{case.replace}: {sum(unchanged)} are")


# Refusals.


def reasons_to_refuse(case: Case) -> set[str]:
    """Return everything about a case that a refusal may be for."""
    reasons = set()
    protected = [case.variable(name) for block in case.blocks for name in block]
    incomplete = any(None in one.cells for one in protected)
    method = case.method.split(":")[0]
    if case.records < case.k:
        reasons.add("fewer records than k")
    if case.missing == "error" and (incomplete or any(None in case.variable(name).cells for name in case.strata)):
        reasons.add("missing values")
    if incomplete and (method != "mdav" or case.confidential or case.replace == "medoid"):
        reasons.add("method without missing values")
    if any(not one.observed for one in protected):
        reasons.add("a column without any value")
    if any(one.kind != "continuous" for one in protected) and (
        (method != "mdav" and case.method != "hac:distance=hamming") or case.confidential
    ):
        reasons.add("method for numbers")
    if case.method == "hac:distance=hamming" and any(one.kind != "nominal" for one in protected):
        reasons.add("method for categories")
    if method == "optimal-univariate" and any(len(block) > 1 for block in case.blocks):
        reasons.add("method for one variable")
    if any(
        isinstance(cell, int) and abs(cell) > 2**53 for one in case.variables for cell in one.cells if cell is not None
    ):
        reasons.add("numbers that floats do not hold")
    if case.engine == "arrow" and any(one.storage == "string_view" for one in case.variables):
        reasons.add("a type that cannot be protected")
    if case.confidential:
        reasons.add("synthetic data of such a table")
    if is_soft(case):
        reasons.add("no centre averages k")
    reasons |= (
        _reasons_of_weights(case) | _reasons_of_strata(case, protected) | _reasons_of_replacements(case, protected)
    )
    return reasons


def _reasons_of_weights(case: Case) -> set[str]:
    if case.weights is None:
        return set()
    reasons = set()
    if any(cell is None or cell <= 0 for cell in case.variable(case.weights).cells):
        reasons.add("weights that are not positive")
    if case.confidential or is_soft(case):
        reasons.add("method without weights")
    return reasons


def _reasons_of_strata(case: Case, protected: list[Variable]) -> set[str]:
    reasons = set()
    strata = _strata(case)
    for stratum in set(strata):
        rows = {row for row in range(case.records) if strata[row] == stratum}
        if len(rows) < case.k:
            reasons.add("a stratum with fewer records than k")
        if any(0 < len(rows & one.observed) < case.k for one in protected):
            reasons.add("a variable with fewer observed values than k")
        for block in case.blocks:
            varying = [case.variable(name) for name in block if not _is_constant(case.variable(name))]
            if varying and 0 < len({row for row in rows if any(row in one.observed for one in varying)}) < case.k:
                reasons.add("a block with fewer records than k")
            averaged = [one for one in varying if way_of(case, one.name) in ("mean", "geometric-mean")]
            if averaged and len(rows.intersection(*(one.observed for one in averaged))) < case.k:
                reasons.add("variables with fewer common records than k, which may be tied")
    return reasons


def _reasons_of_replacements(case: Case, protected: list[Variable]) -> set[str]:
    reasons = set()
    for one in protected:
        if case.confidential or is_soft(case):
            continue
        if way_of(case, one.name) == "geometric-mean" and any(cell <= 0 for cell in one.cells if cell is not None):
            reasons.add("values that are not positive")
        if isinstance(case.replace, dict):
            asked = case.replace.get(case.labels[one.name])
            if asked is not None and asked != way_of(case, one.name):
                reasons.add("a replacement for another kind")
    return reasons


def values_in_message(case: Case, message: str) -> list[str]:
    """Return the values of protected columns that a message shows; numbers of few digits may be counts."""
    shown = []
    strata = {str(cell) for name in case.strata for cell in case.variable(name).cells}
    for name in (name for block in case.blocks for name in block):
        for cell in {str(cell) for cell in case.variable(name).cells if cell is not None}:
            if len(cell) > 4 and cell in message and cell not in strata:
                shown.append(name)
    return shown
