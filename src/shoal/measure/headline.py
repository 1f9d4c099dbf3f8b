"""The headline of a release: how alike its records are, and how many are linked, over everything that is released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import numbers_of_values, same_combinations
from shoal.describe.variables import Kind, Role
from shoal.errors import ColumnError, NotApplicableError, nearest_name_hint
from shoal.measure.measure import MeasuredValue
from shoal.measure.pairs import pair_of_everything
from shoal.measure.risk.distance_linkage import distance_linkage
from shoal.read import Table

__all__ = [
    "EVERYTHING",
    "Alike",
    "Headline",
    "ScenarioRisk",
    "alike_records",
    "released_columns",
    "risk_of_scenarios",
    "unique_units",
    "unit_numbers",
    "usual_scenarios",
    "whole_linkage",
]

Whole64 = NDArray[np.int64]

EVERYTHING = "*"  # in a scenario: all released columns but sampling weights and ids of units


class Headline(TypedDict):
    """What is said first of a release, over every released column but sampling weights and ids of units.

    `units` is None without a unit; with one, `k` is the fewest different units behind any combination of values and
    `uniques` counts units. `linkage` is in %. A missing value counts as a category.
    """

    records: int
    units: int | None
    k: int
    uniques: int
    linkage: float


class ScenarioRisk(TypedDict):
    """The same for an intruder who knows some of the columns."""

    columns: list[str]
    k: int
    uniques: int
    linkage: float


@dataclass(frozen=True)
class Alike:
    """How alike the records of a file are.

    Attributes
    ----------
    k
        The fewest records that are alike; with a unit, the fewest different units behind any combination of values.
    uniques
        The records that no other is like; with a unit, the units that have a record which only they have.
    units
        How many units there are; None without a unit.
    """

    k: int
    uniques: int
    units: int | None


def released_columns(masked: Table, weights: str | None = None, unit: str | None = None) -> list[str]:
    """Return the released columns that count: all but sampling weights and ids of units."""
    return [name for name in masked.names if name not in (weights, unit)]


def alike_records(combinations: Whole64, unit: Whole64 | None = None) -> Alike:
    """Count how alike records are.

    Parameters
    ----------
    combinations
        The combination of values of every record, numbered (`same_combinations`).
    unit
        The unit of every record, numbered; None where every record is its own.
    """
    if unit is None:
        sizes = np.bincount(combinations)
        return Alike(int(sizes.min()), int((sizes == 1).sum()), None)
    count = int(unit.max()) + 1
    pairs = np.unique(combinations * count + unit)
    behind = np.bincount(pairs // count)
    alone = np.unique(pairs[behind[pairs // count] == 1] % count)
    return Alike(int(behind.min()), len(alone), len(np.unique(unit)))


def unique_units(combinations: Whole64, unit: Whole64) -> int:
    """Return how many units no other is like in the set of their records: how many they are, and which values."""
    combinations = combinations[np.lexsort((combinations, unit))]
    ends = np.cumsum(np.bincount(unit)).tolist()
    alike = Counter(combinations[start:end].tobytes() for start, end in pairwise([0, *ends]))
    return sum(times == 1 for times in alike.values())


def unit_numbers(original: Table, masked: Table, unit: str | None) -> Whole64 | None:
    """Return the unit of every record, numbered; the release may have other ids, or none."""
    if unit is None:
        return None
    for table in (original, masked):
        if unit in table:
            numbers = numbers_of_values(table, unit)
            # A record without a unit is its own.
            lone = np.flatnonzero(numbers < 0)
            numbers[lone] = numbers.max(initial=-1) + 1 + np.arange(len(lone))
            return numbers
    raise ColumnError(f'unit: There is no column "{unit}".{nearest_name_hint(unit, original.names)}')


def whole_linkage(
    original: Table, masked: Table, columns: Sequence[str], kinds: Mapping[str, Kind] | None = None
) -> MeasuredValue:
    """Return the percentage of original records that are linked to their own, by those of the columns that both have.

    A missing value counts as a category, and so does a value that is no number. Where nothing tells records apart, one
    is drawn of all.
    """
    shared = [name for name in columns if name in original and name in masked]
    try:
        return distance_linkage.of(pair_of_everything(original, masked, shared, kinds))
    except NotApplicableError:  # all columns are constant
        return MeasuredValue(100 / len(masked), records=len(masked), sampled=None)


def risk_of_scenarios(
    original: Table,
    masked: Table,
    scenarios: Mapping[str, Sequence[str]],
    *,
    kinds: Mapping[str, Kind] | None = None,
    weights: str | None = None,
    unit: str | None = None,
    known: Mapping[frozenset[str], float] | None = None,
) -> dict[str, ScenarioRisk]:
    """Return k, uniques and linkage by the columns of every scenario that are in the release.

    Parameters
    ----------
    original, masked
        The two files.
    scenarios
        The columns that an intruder knows, by the name of the scenario; "*" is everything that is released, but for
        weights and ids of units.
    kinds, weights, unit
        As in `shoal.evaluate`.
    known
        Linkages that were measured already, by their columns.
    """
    linkages = dict(known or {})
    numbers = unit_numbers(original, masked, unit)
    risks: dict[str, ScenarioRisk] = {}
    for scenario, named in scenarios.items():
        wanted = set(named)
        for name in named:
            if name == EVERYTHING:
                wanted.update(released_columns(masked, weights, unit))
            elif name not in original and name not in masked:
                hint = nearest_name_hint(name, masked.names)
                raise ColumnError(f'The scenario "{scenario}" names "{name}", which is in neither file.{hint}')
        columns = [name for name in masked.names if name in wanted]
        alike = alike_records(same_combinations(masked, columns), numbers)
        place = frozenset(columns)
        if place not in linkages:
            linkages[place] = float(whole_linkage(original, masked, columns, kinds))
        risks[scenario] = {
            "columns": columns,
            "k": alike.k,
            "uniques": alike.uniques,
            "linkage": linkages[place],
        }
    return risks


def usual_scenarios(roles: Mapping[str, Role]) -> dict[str, list[str]]:
    """Return the columns that an intruder knows, by the name of the scenario.

    Key variables alone, where there are some, and everything that is released; each also with the sampling weights.
    """
    keys = [name for name, role in roles.items() if role == "key"]
    weights = [name for name, role in roles.items() if role == "weight"]
    scenarios = {"keys": keys} if keys else {}
    scenarios["everything"] = [EVERYTHING]
    with_weights = {f"{name} and weights": [*columns, *weights] for name, columns in scenarios.items()}
    return scenarios | with_weights if weights else scenarios
