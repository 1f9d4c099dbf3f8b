"""A second step on a release of a random table, and whether what it promises holds: slow and written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from oracles.cases import SINGLE, Case, Fault
from oracles.native_tables import Cells, plain_cells

__all__ = ["drawn_step", "faults_of_step"]

WAYS = ({"method": "mdav"}, {"method": "mdav", "replace": "mean"}, {"method": "vmdav"}, {"replace": "rank-swap:p=50"})


def drawn_step(case: Case, release: Any, chance: float) -> dict[str, Any] | None:
    """Return the options of a second step over some numbers of a release, in some releases; else None."""
    rng = Random(f"then {case.seed}")
    after = _cells(case, release)
    numbers = [
        name
        for name in case.rewritten
        if case.variable(name).kind == "continuous" and name in after and None not in after[name]
    ]
    if rng.random() > chance or not numbers:
        return None
    chosen = rng.sample(numbers, rng.randint(1, min(2, len(numbers))))
    return {**rng.choice(WAYS), "columns": [case.labels[name] for name in chosen]}


def faults_of_step(case: Case, before: Any, release: Any, options: dict[str, Any]) -> Iterator[Fault]:
    """Give every promise of a second step that its release breaks."""
    chosen = [name for name in case.labels if case.labels[name] in options["columns"]]
    old, new = (_cells(case, one) for one in (before, release))
    for name in new:
        if name not in (*chosen, case.unit) and old[name] != new[name]:
            yield Fault("a step changes its own columns alone", name)
    if release.undo() is not before:
        yield Fault("a step can be undone", "another release")
    again = release.plan.run(case.data())
    if _cells(case, again) != new:
        yield Fault("a plan repeats the whole chain", f"{options}")
    yield from _alike(case, release, new)
    for name in chosen:
        if "rank-swap" in str(options.get("replace")):
            yield from _swapped(case, name, old[name], new[name])
        else:
            yield from _averaged(case, name, release, old[name], new[name])


def _alike(case: Case, release: Any, new: dict[str, Cells]) -> Iterator[Fault]:
    """The k of the outcome is that of the final table: a missing value is a category, weights and ids do not count."""
    columns = [cells for name, cells in new.items() if name not in (case.weights, case.unit)]
    rows = list(zip(*columns, strict=True))
    fewest = min(Counter(row for row, _ in set(zip(rows, case.unit_of_record, strict=True))).values())
    if release.plan.outcome.k != fewest:
        yield Fault("k of a chain is that of the final table", f"{release.plan.outcome.k} where {fewest} is")


def _swapped(case: Case, name: str, old: Cells, new: Cells) -> Iterator[Fault]:
    strata = case.stratum_of_record
    if Counter(zip(strata, old, strict=True)) != Counter(zip(strata, new, strict=True)):
        yield Fault("a second step exchanges values within strata", name)


def _averaged(case: Case, name: str, release: Any, old: Cells, new: Cells) -> Iterator[Fault]:
    """Every group of k units gets the weighted mean of what the first step released."""
    (partition,) = [one for one in release.partitions if str(case.labels[name]) in [str(own) for own in one.columns]]
    labels = [int(label) for label in partition.labels]
    units, strata = case.unit_of_record, case.stratum_of_record
    weights = [1] * case.records if case.weights is None else case.variable(case.weights).cells
    slack = (1e-5 if case.variable(name).storage in SINGLE else 1e-9) * max(map(abs, old), default=0)
    for group in set(labels):
        rows = [row for row in range(case.records) if labels[row] == group]
        of_one = len({strata[row] for row in rows}) == 1 and len({new[row] for row in rows}) == 1
        if group < 0 or len({units[row] for row in rows}) < case.k or not of_one:
            yield Fault("a second step has groups of at least k", f"{len(rows)} records")
    if case.unit is not None and len(set(zip(units, old, strict=True))) == len(set(units)):
        return  # where every unit counts once
    for value in set(zip(strata, new, strict=True)):  # groups that were joined share it
        rows = [row for row in range(case.records) if (strata[row], new[row]) == value]
        total = sum(Fraction(weights[row]) for row in rows)
        mean = sum(Fraction(weights[row]) * Fraction(old[row]) for row in rows) / total
        if any(abs(Fraction(new[row]) - mean) > slack for row in rows):
            yield Fault("a second step gives the mean of what the first released", name)


def _cells(case: Case, release: Any) -> dict[str, Cells]:
    dropped = {*case.identifiers, *([case.unit] if case.drop_unit else [])}
    names = [one.name for one in case.variables if one.name not in dropped]
    return dict(zip(names, plain_cells(release.data).values(), strict=True))
