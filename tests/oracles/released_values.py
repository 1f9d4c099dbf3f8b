"""What may be released, computed from plain Python cells and the groups of a release: slow and written out.

Nothing of shoal is used but what a release shows to its user: the table, the labels of the groups, the blocks of the
plan and what the plan counts. A release that breaks what it should look like is not looked into further.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import nnls

from oracles.cases import KEEPS_VALUES, SINGLE, Case, Fault, Variable
from oracles.group_values import group_values, values_behind, weight_behind
from oracles.native_tables import STORAGES, Cells, listed_categories, plain_cells, types
from oracles.slow_closeness import slow_distance
from oracles.slow_perturbations import perturbed_values

__all__ = ["faults"]

NULLABLE = {"int64": "Int64", "int16": "Int16", "bool": "boolean"}  # of pandas, where cells are suppressed
KEEPS_MEANS = {"hybrid", "ipso:variant=C", "ipso", "muralidhar-sarathy"}


def faults(case: Case, release: Any, warned: list[str]) -> list[Fault]:
    """Return every promise that the release of a case breaks, and the warnings that came with it."""
    dropped = {*case.identifiers, *([case.unit] if case.drop_unit else [])}
    released = [one for one in case.variables if one.name not in dropped]
    found = list(_shape(case, release, released))
    if found:
        return found
    after = dict(zip([one.name for one in released], plain_cells(release.data).values(), strict=True))
    found += _missing_stay(case, after)
    found += _kept(case, after, release.plan.outcome)
    if found:
        return found
    found += _untouched(case, after)
    found += _new_ids(case, after)
    found += _said(case, release.plan.outcome, warned)
    found += _recodes_counted(case, release.plan.outcome)
    found += _whole_records(case, after)
    found += _categories(case, release, released, after)
    blocks = [block for block in case.blocks if not case.confidential or set(block) & set(case.confidential)]
    for block, partition in zip(blocks, release.partitions, strict=True):
        labels = [int(label) for label in partition.labels]
        found += _groups(case, block, labels, partition)
        found += _kept_apart(case, block, labels, after)
        found += _close(case, block, labels)
        if case.is_perturbed:
            found += perturbed_values(case, block, after)
        elif case.confidential:
            found += _synthetic(case, block, labels, after)
        elif case.is_soft:
            found += _centres(case, block, after)
        else:
            found += _alike(case, block, after)
            found += _values_of_groups(case, block, partition, after, release.plan.outcome)
    return found


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
    for one in (one for one in released if one.name != case.unit and one.name not in case.raw):
        label = case.labels[one.name]
        wanted = before[label]
        if one.name in protected and _is_computed(case, one.name):
            wanted = STORAGES[case.engine][one.storage].computed
        if case.engine == "pandas" and str(label) in release.plan.outcome.suppressed:
            wanted = NULLABLE.get(wanted, wanted)
        if after[label] != wanted:
            yield Fault("type of column", f"{one.storage}: {after[label]} instead of {wanted}")
    if [[str(name) for name in block] for block in release.plan.blocks] != [
        [str(case.labels[name]) for name in block]
        for block in case.blocks
        if not case.confidential or set(block) & set(case.confidential)
    ]:
        yield Fault("blocks", f"{release.plan.blocks}")


def _is_computed(case: Case, name: str) -> bool:
    if name in case.categories:
        return False
    if case.confidential:
        return name in case.confidential and case.variable(name).kind == "continuous"
    return case.is_soft or case.way_of(name).split(":")[0] not in KEEPS_VALUES


def _missing_stay(case: Case, after: dict[str, Cells]) -> Iterator[Fault]:
    """Every observed value is released, and no missing one; where these are filled, all of them."""
    filled = set(case.rewritten) if case.missing == "fill" else set()
    for name, cells in after.items():
        if name in filled:
            if None in cells:
                yield Fault(
                    "missing values are filled", f"{case.variable(name).storage}: {cells.count(None)} of {name}"
                )
            continue
        before = case.variable(name).cells
        appeared = sum(one is None and other is not None for one, other in zip(before, cells, strict=True))
        vanished = sum(one is not None and other is None for one, other in zip(before, cells, strict=True))
        storage = case.variable(name).storage
        if appeared:
            yield Fault("missing values stay", f"{storage}: {appeared} missing values of {name} came out with a value")
        if vanished and case.categories.get(name) != "suppress":
            yield Fault("missing values stay", f"{storage}: {vanished} values of {name} went missing")


def _untouched(case: Case, after: dict[str, Cells]) -> Iterator[Fault]:
    for name, cells in after.items():
        if name not in (*case.rewritten, *case.categories, case.unit) and not _all_same(
            case.variable(name).cells, cells
        ):
            yield Fault("columns that are not protected stay", name)


def _kept(case: Case, after: dict[str, Cells], outcome: Any) -> Iterator[Fault]:
    """Categories that are kept have their true values, or none where cells are suppressed, which are counted."""
    counts = {}
    for name, way in case.categories.items():
        before, cells = case.variable(name).cells, after[name]
        gone = [row for row in range(case.records) if cells[row] is None and before[row] is not None]
        seen = [row for row in range(case.records) if cells[row] is not None]
        if not _all_same([before[row] for row in seen], [cells[row] for row in seen]) or (gone and way == "within"):
            yield Fault("kept categories are true or missing", f"{way} {case.variable(name).storage}: {name}")
        if gone:
            counts[str(case.labels[name])] = len(gone)
    if dict(outcome.suppressed) != counts:
        yield Fault("suppressed cells are counted", f"{dict(outcome.suppressed)} instead of {counts}")


def _kept_apart(case: Case, block: list[str], labels: list[int], after: dict[str, Cells]) -> Iterator[Fault]:
    """Groups stay within kept categories, and with missing numbers at least in the columns that are "within"."""
    complete = not any(None in case.variable(name).cells for name in block if name not in case.categories)
    kept = [name for name in block if complete or case.categories.get(name) == "within"]
    kept = [name for name in kept if name in case.categories]
    if kept:
        pairs = {(label, tuple(after[name][row] for name in kept)) for row, label in enumerate(labels) if label >= 0}
        if len(pairs) > len({label for label, _ in pairs}):
            yield Fault("groups stay within kept categories", f"{kept}")


def _new_ids(case: Case, after: dict[str, Cells]) -> Iterator[Fault]:
    """Units are numbered anew, 1 to their number, as texts where they were; the same records are of one unit."""
    if case.unit not in after:
        return
    pairs = set(zip(case.unit_of_record, after[case.unit], strict=True))
    new = sorted(int(one) for one in {new for _, new in pairs})
    one_to_one = len(pairs) == len(set(case.unit_of_record)) and new == list(range(1, len(pairs) + 1))
    if not one_to_one or any(isinstance(one, str) > isinstance(other, str) for one, other in pairs):
        yield Fault("units have new ids", f"{case.variable(case.unit).storage}: {len(pairs)} pairs, {len(new)} ids")


def _values_of_groups(
    case: Case, block: list[str], partition: Any, after: dict[str, Cells], outcome: Any
) -> Iterator[Fault]:
    """The values of every group, and of the records that the release says are behind each column.

    Of what has one value within every unit, each unit counts once, and its records get the same value.
    """
    grouped = [name for name in block if name not in case.categories]
    labels = [int(label) for label in partition.labels]
    behind = {name: [int(label) for label in partition.behind(str(case.labels[name]))] for name in grouped}
    if all(map(case.is_of_units, block)):
        for name in block:
            released = set(zip(case.unit_of_record, after[name], strict=True))
            if len(released) > len(set(case.unit_of_record)):
                yield Fault("records of a unit get its value", name)
                return
        case, rows = case.only_units()
        labels = [labels[row] for row in rows]
        behind, after = ({name: [cells[row] for row in rows] for name, cells in one.items()} for one in (behind, after))
    if case.replace == "medoid":
        varying = [name for name in grouped if not case.variable(name).is_constant]
        yield from _medoids(case, grouped, behind[varying[0]] if varying else labels, after)
        for name in varying:
            yield from weight_behind(case, name, behind[name])
        return
    yield from group_values(case, grouped, labels, after, outcome)
    yield from values_behind(case, grouped, behind, after)


def _recodes_counted(case: Case, outcome: Any) -> Iterator[Fault]:
    """The plan says how many values each recode left."""
    for name, own in outcome.recoded.items():
        one = next(one for one in case.variables if str(case.labels[one.name]) == name)
        counts = [len(set(cells) - {None}) for cells in (case.raw[one.name].cells, one.cells)]
        if [own.values_before, own.values_after] != counts:
            yield Fault("recodes are counted", f"{own} where {counts} was to be")


def _close(case: Case, block: list[str], labels: list[int]) -> Iterator[Fault]:
    """No group is farther from the file in a protected confidential variable than was asked for."""
    if case.closeness is None:
        return
    roles = {str(label): role for label, role in case.options["roles"].items()}
    for name in block:
        if roles.get(str(case.labels[name])) != "confidential":
            continue
        variable = case.variable(name)
        order = {cell: place for place, cell in enumerate(variable.categories)}
        whole = [cell if cell is None else order.get(cell, cell) for cell in variable.cells]
        for group in set(labels) - {-1}:
            inside = [cell for cell, label in zip(whole, labels, strict=True) if label == group]
            distance = slow_distance(inside, whole, ordered=variable.kind != "nominal")
            if distance is not None and distance > case.closeness + 1e-9:
                yield Fault("groups are close to the file", f"{float(distance)} where {case.closeness} was asked for")
                return


def _fewest(case: Case, keys: Iterable[Any]) -> int:
    """Return the fewest different units behind any of the keys that records have; -1 is none."""
    return min(Counter(key for key, _ in set(zip(keys, case.unit_of_record, strict=True)) if key != -1).values())


def _said(case: Case, outcome: Any, warned: list[str]) -> Iterator[Fault]:
    """What is released as it is is named and counted, in one warning, and nothing else is."""
    names = [str(case.labels[name]) for name in case.unchanged]
    alike = Counter(zip(*(case.variable(name).cells for name in case.unchanged), strict=True))
    unique = sum(count == 1 for count in alike.values())
    expected = [
        f"NOT PROTECTED ({len(names)}): {', '.join(names)}. On these, {unique} of {case.records} records are unique."
    ]
    said = [message for message in warned if "NOT PROTECTED" in message]
    if said != (expected if names else []) or (outcome.unchanged, outcome.unique_by_unchanged) != (names, unique):
        yield Fault("what is released as it is is said", f"{said} where {expected} was to be")


def _whole_records(case: Case, after: dict[str, Cells]) -> Iterator[Fault]:
    """If nothing is released as it is and nothing is missing, every record is there k times, but for its weight."""
    columns = {
        name: cells
        for name, cells in after.items()
        if name not in (case.weights, case.unit) and case.variable(name).observed
    }
    several = case.asked_blocks > 1 or case.confidential or case.is_perturbed
    counted = [cells for name, cells in columns.items() if name not in case.categories]  # there None is a category
    if not columns or several or case.unchanged or any(None in cells for cells in counted):
        return
    fewest = _fewest(case, zip(*columns.values(), strict=True))
    if fewest < case.k:
        yield Fault("whole records are k alike", f"{fewest} where k={case.k}")


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


def _groups(case: Case, block: list[str], labels: list[int], partition: Any) -> Iterator[Fault]:
    sizes = Counter(label for label in labels if label >= 0)
    if len(labels) != case.records or sorted(sizes) != list(range(len(sizes))):
        yield Fault("labels number the groups", f"{len(labels)} labels, groups {sorted(sizes)}")
    if sizes and not case.is_perturbed and (fewest := _fewest(case, labels)) < case.k:
        yield Fault("groups of at least k", f"{fewest} where k={case.k}")
    if [int(size) for size in partition.sizes] != [sizes[group] for group in sorted(sizes)]:
        yield Fault("sizes are those of the groups", f"{list(partition.sizes)}")
    strata = case.stratum_of_record
    mixed = [group for group in sizes if len({strata[row] for row in range(case.records) if labels[row] == group}) > 1]
    if mixed:
        storages = [case.variable(name).storage for name in case.strata]
        yield Fault("groups stay within strata", f"{len(mixed)} of {len(sizes)} do not; {storages}")
    grouped = [name for name in block if name not in case.categories]
    varying = [case.variable(name) for name in grouped if not case.variable(name).is_constant]
    for row in range(case.records):
        if labels[row] < 0 and (case.missing == "fill" or any(row in one.observed for one in varying)):
            yield Fault("every record is in a group", f"record {row} is in none and has values")
            return


def _alike(case: Case, block: list[str], after: dict[str, Cells]) -> Iterator[Fault]:
    """Without missing values, or with these filled, every released record of a block is there at least k times."""
    grouped = [name for name in block if name not in case.categories]
    if case.missing != "fill" and any(None in case.variable(name).cells for name in grouped):
        return
    fewest = _fewest(case, zip(*(after[name] for name in block), strict=True))
    if fewest < case.k:
        yield Fault("k records are alike", f"{fewest} where k={case.k}")


def _medoids(case: Case, block: list[str], labels: list[int], after: dict[str, Cells]) -> Iterator[Fault]:
    """The records of a group all get one complete record of the group."""
    columns = [case.variable(name) for name in block]
    if not columns:
        return
    if any(None in one.cells for one in columns):
        yield Fault("a medoid is a complete record", f"{sum(None in one.cells for one in columns)} columns are not")
        return
    for group in set(labels):
        rows = [row for row in range(case.records) if labels[row] == group]
        new = {tuple(after[name][row] for name in block) for row in rows}
        own = {tuple(one.cells[row] for one in columns) for row in rows}
        if len(new) > 1 or not new <= own:
            yield Fault("a medoid is a record of its group", f"{len(new)} records for one group")


# Centres drawn by membership.


def _centres(case: Case, block: list[str], after: dict[str, Cells]) -> Iterator[Fault]:
    """Every released centre is carried by k records, and is an average of k of its stratum."""
    varying = []
    for name in block:
        variable = case.variable(name)
        if not variable.is_constant:
            varying.append(name)
        elif 0 < len(variable.observed) < case.k:
            yield Fault("values rest on k observed", f"{case.method}: {name} rests on {len(variable.observed)}")
        elif not _all_same(variable.cells, after[name]):
            yield Fault("constant columns stay", f"{case.method}: {name}")
    if any(None in case.variable(name).cells for name in varying):
        yield Fault("centres are of complete records", case.method)
        return
    strata = case.stratum_of_record
    for stratum in dict.fromkeys(strata):
        rows = [row for row in range(case.records) if strata[row] == stratum]
        carried = Counter(tuple(after[name][row] for name in varying) for row in rows)
        if min(carried.values()) < case.k:
            yield Fault("centres are carried by k", f"{case.method}: {min(carried.values())} where k={case.k}")
        for centre in carried:
            number = _most_behind([case.variable(name).cells for name in varying], rows, centre)
            if number < case.k * (1 - 1e-4):
                yield Fault("centres average k records", f"{case.method}: at most {number:.2f} where k={case.k}")


def _most_behind(columns: list[Cells], rows: list[int], centre: tuple[float, ...]) -> float:
    """Return the largest effective number (sum w)^2 / sum w^2 of these records that any weights with this mean have.

    The weights w >= 0 with the smallest squares are found by least squares in which the mean and the sum of the
    weights count so much that they are kept. What differs by no more than rounding, in the file, is left out.
    """
    if not np.isfinite(centre).all():
        return 0.0
    places, goal = [], []
    for cells, released in zip(columns, centre, strict=True):
        size = max(abs(float(cell)) for cell in cells)
        own = np.array([float(cells[row]) for row in rows]) / size
        spread = own.max() - own.min()
        if spread > 1e-9:
            places.append((own - own.mean()) / spread)
            goal.append((released / size - own.mean()) / spread)
    penalty = 1e5
    matrix = np.vstack([penalty * np.array([*places, np.ones(len(rows))]), np.eye(len(rows))])
    weights, _ = nnls(matrix, np.array([*(penalty * np.array([*goal, 1.0])), *np.zeros(len(rows))]), maxiter=10_000)
    if np.abs(matrix[: len(goal)] @ weights - penalty * np.array(goal)).max(initial=0) > 1e-3 * penalty:
        return 0.0  # no average at all
    return float(weights.sum() ** 2 / (weights**2).sum())


# Synthetic and hybrid data.


def _synthetic(case: Case, block: list[str], labels: list[int], after: dict[str, Cells]) -> Iterator[Fault]:
    """No record keeps all its confidential numbers, means are kept by those replacements that promise it, and every
    group has as many of every confidential category as it had.
    """
    names = [name for name in block if name in case.confidential]
    unchanged = [any(case.variable(name).kind == "continuous" for name in names)] * case.records
    for name in names:
        before = case.variable(name).cells
        if None in before:
            yield Fault("synthetic data are of complete records", case.replace)
            return
        if case.variable(name).kind != "continuous":
            counts, new = (Counter(zip(labels, cells, strict=True)) for cells in (before, after[name]))
            if counts != new:
                yield Fault("categories are dealt inside groups", f"{case.replace}: {name}")
            continue
        largest: dict[int, float] = defaultdict(float)  # of each group, which rounding is relative to
        for label, cell in zip(labels, before, strict=True):
            largest[label] = max(largest[label], abs(cell))
        single = case.variable(name).storage in SINGLE
        for row in range(case.records):
            moved = abs(after[name][row] - before[row])
            unchanged[row] &= moved <= (1e-7 if single else 1e-12) * largest[labels[row]]
        ordered = sorted(map(Fraction, before))
        low, high = (sum(ends) / case.k for ends in (ordered[: case.k], ordered[-case.k :]))
        slack = Fraction(1e-6 if single else 1e-9) * Fraction(max(largest.values()))
        if case.bounds and not all(low - slack <= Fraction(cell) <= high + slack for cell in after[name]):
            yield Fault("bounds keep the range", f"{case.replace}: {name}")
        if case.replace.split(":small")[0].split(":alpha")[0] in KEEPS_MEANS and not case.bounds:
            old, new = (sum(map(Fraction, cells)) / case.records for cells in (before, after[name]))
            if abs(old - new) > slack:
                yield Fault("synthetic data keep means", f"{case.replace}: {name}")
    if any(unchanged):
        yield Fault("no record is unchanged", f"{case.replace}: {sum(unchanged)} are")
