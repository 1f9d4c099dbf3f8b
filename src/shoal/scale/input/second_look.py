"""The second look at a file: moments, missing values and what no group may mix, after missing codes and recodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.missing import refuse_counted_missing
from shoal.describe.standardize import Scale
from shoal.describe.weights import EVERY_RECORD_NEEDS_A_WEIGHT
from shoal.edits.checked_records import TableRecords
from shoal.errors import DataError, TooFewRecordsError
from shoal.flow.carry_out import refuse_incomplete
from shoal.flow.plan import Plan
from shoal.parameters.typed import listed, typed
from shoal.scale.input.chunks import RowSource, read_rows
from shoal.scale.input.keys import keys_of
from shoal.scale.input.moments import ExactMoments, joined_moments, moments_of
from shoal.scale.input.row_hashes import Hashes, hashed_values
from shoal.scale.scattered import row_numbers
from shoal.scale.setting import RunSetting, prepared_rows, table_of_rows

__all__ = ["SecondLook", "look_again_at", "numbers_of", "second_look"]

_FIRST = 5  # records that break a rule, which are named


@dataclass(frozen=True)
class SecondLook:
    """What the second look at some rows shows.

    Attributes
    ----------
    moments
        By variable with an order, its moments: of its numbers, or of the numbers of its categories.
    missing
        By column, how many values are missing.
    keys
        How many records have each key: what no group may mix, hashed.
    broken
        By rule, how many records break it, and the rows of the first.
    parts_units
        Whether some unit has records with different keys.
    """

    moments: Mapping[str, ExactMoments]
    missing: Mapping[str, int]
    keys: Mapping[int, int]
    broken: Sequence[tuple[int, Sequence[int]]]
    parts_units: bool

    def scales(self, plan: Plan) -> dict[str, Scale]:
        """Return the scales of the whole file, of every variable with an order that varies."""
        by_range = plan.masking.method.scaled_for == "gower"
        return {
            name: one.range_scale if by_range else one.scale
            for name, one in self.moments.items()
            if one.varies and name in plan.columns
        }

    def with_missing(self, plan: Plan) -> list[str]:
        """Return the columns that are grouped and have missing values."""
        names = [name for name in plan.columns if plan.categories.get(name, "group") == "group"]
        return [name for name in names if self.missing[name]]

    def refuse(self, plan: Plan) -> None:
        """Raise DataError if values are missing or infinite that the plan cannot do with."""
        for name in plan.columns:
            if name in self.moments and (count := self.moments[name].infinite):
                raise DataError(
                    f'Column "{name}" has {count:,} infinite value{"s" * (count > 1)}. Correct them, or make them '
                    "missing."
                )
        refuse_incomplete(plan, lambda name: self.missing[name])
        if plan.weights is not None:
            self._refuse_weights(plan.weights)
        within = [name for name, way in plan.categories.items() if way == "within"]
        if within and len(plan.blocks) == 1 and not plan.edits and plan.unit is None:
            self._refuse_few_within(within, plan.k)

    def _refuse_few_within(self, within: Sequence[str], k: int) -> None:
        few = [count for count in self.keys.values() if count < k]
        if few:
            raise TooFewRecordsError(
                f"k={k}: {len(few):,} of {len(self.keys):,} combinations of {', '.join(within)} have fewer than {k} "
                f'records ({sum(few):,} records). Make them coarser (--recode), leave some of them to "suppress" '
                f"({typed('--categories', listed([f'{within[0]}=suppress']))}), or lower k.",
                k=k,
                records=min(few),
                strata=tuple(within),
            )

    def _refuse_weights(self, name: str) -> None:
        refuse_counted_missing({name: self.missing[name]}, EVERY_RECORD_NEEDS_A_WEIGHT)
        if self.moments[name].infinite or self.moments[name].lowest <= 0:
            raise DataError(
                f'Weights must be positive and finite; some in "{name}" are not. Correct them, or leave those records '
                "out."
            )


def look_again_at(chunk: tuple[int, RowSource], setting: RunSetting) -> SecondLook:
    """Look at one chunk of the file."""
    rows = prepared_rows(read_rows(chunk[1]), setting)
    of_rows = keys_of(rows, setting)
    keys, counts = np.unique(of_rows, return_counts=True)
    return SecondLook(
        {name: moments_of(numbers_of(rows, name, setting), origin) for name, origin in setting.origins.items()},
        {name: int(np.asarray(rows[name].is_null(nan_is_null=True)).sum()) for name in rows.column_names[:-1]},
        dict(zip(keys.tolist(), counts.tolist(), strict=True)),
        _broken_in(rows, setting),
        setting.plan.unit is not None and _parts_units(of_rows, hashed_values(rows[setting.plan.unit])),
    )


def _parts_units(keys: Hashes, units: Hashes) -> bool:
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    return bool((keys[first][unit.reshape(-1)] != keys).any())


def _broken_in(rows: Any, setting: RunSetting) -> list[tuple[int, list[int]]]:
    """Return by rule how many records break it, and the rows of the first."""
    if not setting.plan.edits:
        return []
    table, numbers = table_of_rows(rows, setting.recoded_labels, setting.recoded_orders), row_numbers(rows)
    records = TableRecords(table, table)
    broken = [numbers[rule.broken(records)] for rule in setting.plan.edits]
    return [(len(one), one[:_FIRST].tolist()) for one in broken]


def second_look(looks: Sequence[SecondLook]) -> SecondLook:
    """Put together what chunks show."""
    missing, keys = Counter[str](), Counter[int]()
    for one in looks:
        missing.update(one.missing)
        keys.update(one.keys)
    broken = [
        (sum(count for count, _ in rule), sorted(row for _, rows in rule for row in rows)[:_FIRST])
        for rule in zip(*(one.broken for one in looks), strict=True)
    ]
    parts_units = any(one.parts_units for one in looks)
    return SecondLook(joined_moments([one.moments for one in looks]), missing, keys, broken, parts_units)


def numbers_of(rows: Any, name: str, setting: RunSetting) -> NDArray[np.float64]:
    """Return a column of prepared rows as numbers: its values, or the numbers of its categories; NaN if missing."""
    if name not in setting.recoded_orders:
        return np.asarray(rows[name].cast("float64", safe=False).to_numpy(), dtype=np.float64)
    place = {category: number for number, category in enumerate(setting.recoded_orders[name][0])}
    return np.array([place.get(one, np.nan) for one in rows[name].to_pylist()], dtype=np.float64)
