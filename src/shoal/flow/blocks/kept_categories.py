"""Categories that keep their true values in a block: cells of them are suppressed, or groups stay within them.

"suppress": cells are made missing until every combination, a missing value counted as a category, is carried by k
records. "within": nothing is changed, and combinations of fewer than k records are refused. All other columns of the
block are then grouped inside the combinations, so that whole records are k alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe import Selection
from shoal.describe.combinations import joined_codes
from shoal.describe.strata import Strata, combined, joined_to_enough
from shoal.describe.variables import codes
from shoal.errors import (
    ColumnError,
    DataError,
    DisclosureWarning,
    ParameterError,
    TooFewRecordsError,
    nearest_name_hint,
    warn,
)
from shoal.flow.blocks.work import Levels, ProtectedBlock, Work
from shoal.parameters.typed import typed
from shoal.partition import Partition
from shoal.partition.geometry.different_units import count_units
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = [
    "KeptCategories",
    "categories_per_column",
    "keep_categories",
    "notes_on_suppressed",
    "refuse_few_within",
    "warn_of_readable_cells",
    "within_parts",
]

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

_MOSTLY_ONE_VALUE = 0.9  # the share of units of several records in which a variable of units has one value


def categories_per_column(given: Any, selection: Selection, replace_by_column: Any = None) -> dict[str, str]:
    """Return how the categories of every column are kept, as a plan writes it: "group" is not written.

    Parameters
    ----------
    given
        One word for all columns that are not continuous, or a mapping from columns to words.
    selection
        The columns that are protected.
    replace_by_column
        What was asked to replace the values of single columns, which none that are kept can have.
    """
    if not isinstance(given, Mapping):
        named = {name: given for name in selection.columns if selection.kinds[name] != "continuous"}
    else:
        named = dict(given)
        for name in named:
            _refuse_column(name, selection)
    kept = {name: named[name] for name in selection.columns if named.get(name, "group") != "group"}
    asked = replace_by_column if isinstance(replace_by_column, Mapping) and "name" not in replace_by_column else {}
    for name in asked:
        if name in kept:
            raise ParameterError(
                f'replace names "{name}", whose values are kept (categories "{kept[name]}"). Leave it out of one of '
                "them.",
                parameter="replace",
            )
    return kept


def _refuse_column(name: str, selection: Selection) -> None:
    if name not in selection.columns:
        hint = nearest_name_hint(name, selection.columns)
        raise ColumnError(f'categories names "{name}", which is not among the columns to protect.{hint}', column=name)
    if selection.kinds[name] == "continuous":
        raise ColumnError(
            f'categories names "{name}", which is continuous. Leave it out, or say that it holds codes '
            f"({typed('--kind', name, 'nominal')}).",
            column=name,
        )


@dataclass(frozen=True, eq=False)
class KeptCategories:
    """What became of the categories of a block that keep their values.

    Attributes
    ----------
    work
        The work with the combinations as strata, and the suppressed cells missing in its table.
    others
        The columns of the block that are grouped inside the combinations.
    suppressed
        By column, which cells are suppressed; columns without any are left out.
    combinations
        The combination of kept values of every record; zeros where none are kept.
    can_suppress
        Whether some columns are "suppress".
    """

    work: Work
    others: tuple[str, ...]
    suppressed: Mapping[str, Booleans] = field(default_factory=dict)
    combinations: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    can_suppress: bool = False

    def alone(self, number: int, block: Sequence[str]) -> ProtectedBlock:
        """Return a block that has no other columns: its groups are the combinations."""
        return ProtectedBlock(
            matrix=self.work.matrices[number],
            partition=Partition(self.combinations, tuple(block)),
            computed={},
            taken={},
            joined={},
            suppressed=self.suppressed,
            smallest_support=int(_counts(self.combinations, self.work.units).min()),
            steps=[],
        )


def keep_categories(work: Work, number: int, block: Sequence[str]) -> KeptCategories:
    """Suppress cells of a block where that is asked for, and make the combinations the strata of the other columns."""
    plan = work.plan
    names = [name for name in block if name in plan.categories]
    others = tuple(name for name in block if name not in plan.categories)
    if not names:
        return KeptCategories(work, others)
    own = {name: codes(work.table, name) for name in names}
    within = {name: own[name] for name in names if plan.categories[name] == "within"}
    free = [name for name in names if name not in within]
    _refuse_few(plan, work.table, within, work.strata.codes, work.units, inside=work.wider is not None)
    cells = {}
    if free:
        from shoal.recode.suppression import suppressed_cells  # quick start-up

        fixed = joined_codes([work.strata.codes, *within.values()], len(work.table))
        found = suppressed_cells(
            [own[name] for name in free], plan.k, missing="category", strata=fixed, units=work.units
        ).cells
        cells = {name: found[:, place] for place, name in enumerate(free) if found[:, place].any()}
        own |= {name: np.where(suppressed, -1, own[name]) for name, suppressed in cells.items()}
    wide = (work.strata if work.wider is None else work.wider).codes
    for values in within.values():
        wide = combined(wide, values)
    parts = combined(wide, work.strata.codes)
    for values in own.values():
        parts = combined(parts, values)
    combinations = parts
    fewest = int(_counts(combinations, work.units).min())
    if fewest < plan.k:  # whatever suppression says of itself, k is a promise
        raise DataError(f"A combination of {', '.join(names)} has {fewest} where k={plan.k}; nothing is released.")
    observed = np.asarray(~np.isnan(work.matrices[number].values).all(axis=1))
    joins_groups = plan.diversity is not None or plan.closeness is not None  # never those of two combinations
    if others and not joins_groups and not observed.all():
        # As inside groups of units: too few values to group by are put together with those of the next combination.
        fill = plan.missing == "fill"
        counts = _counts(np.where(observed, parts, -1), work.units)
        units = None if work.units is None else _units_of(parts, observed, work.units)
        parts = joined_to_enough(parts, wide, counts, 1 if fill else plan.k, fill=fill, units=units)
    columns = (*work.strata.columns, *names)
    inside = replace(
        work,
        table=work.table.blanked(cells),
        strata=Strata(parts, int(parts.max()) + 1, columns),
        # Groups that are alike in the combination need not share a value with others; they may where they have to.
        wider=None if joins_groups else Strata(wide, int(wide.max()) + 1, columns),
    )
    return KeptCategories(inside, others, cells, combinations, can_suppress=bool(free))


def within_parts(work: Work, block: Sequence[str]) -> Strata:
    """Return the strata of the work divided by the columns of a block that groups stay within."""
    parts, names = work.strata.codes, [name for name in block if work.plan.categories.get(name) == "within"]
    for name in names:
        parts = combined(parts, codes(work.table, name))
    return Strata(parts, int(parts.max()) + 1, (*work.strata.columns, *names))


def refuse_few_within(plan: Plan, table: Table, strata: Strata, levels: Levels | None) -> None:
    """Raise TooFewRecordsError if combinations of columns that groups stay within have fewer than k records.

    Inside groups of units there are fewer still: what is refused there is known when these are made.
    """
    units = None if levels is None else levels.units
    for number, block in enumerate(plan.blocks):
        within = {name: codes(table, name) for name in block if plan.categories.get(name) == "within"}
        later = levels is not None and levels.is_inside(number)
        _refuse_few(plan, table, within, strata.codes, units, later=later)


def _refuse_few(
    plan: Plan,
    table: Table,
    within: Mapping[str, Integers],
    strata: Integers,
    units: Integers | None,
    *,
    inside: bool = False,
    later: bool = False,
) -> None:
    """Raise TooFewRecordsError; `inside` groups of units, or in the whole file of what is `later` kept inside these."""
    if not within:
        return
    combinations = joined_codes([strata, *within.values()], len(strata))
    counts = _counts(combinations, units)
    below = np.flatnonzero(counts < plan.k)
    if not len(below):
        return
    from shoal.flow.blocks.helpful_merges import what_helps_within  # quick start-up

    records = int(np.isin(combinations, below).sum())
    what = "records" if units is None else "different units"
    where = ", each inside groups of units," if inside else ""
    helps = what_helps_within(plan, table, within, strata, units, inside=inside or later)
    raise TooFewRecordsError(
        f"k={plan.k}: {len(below):,} of {len(counts):,} combinations of {', '.join(within)}{where} have fewer than "
        f"{plan.k} {what} ({records:,} record{'s' * (records != 1)}). {helps}",
        k=plan.k,
        records=int(counts.min()),
        strata=tuple(within),
    )


def _counts(groups: Integers, units: Integers | None) -> Integers:
    """Return the records, or the different units, of every group; -1 is none."""
    if units is not None:
        return count_units(groups, units)
    return np.bincount(groups[groups >= 0]).astype(np.int64)


def _units_of(parts: Integers, observed: Booleans, units: Integers) -> list[set[int]]:
    """Return the units that have an observed record in every part."""
    found: list[set[int]] = [set() for _ in range(int(parts.max()) + 1)]
    for part, unit in zip(parts[observed].tolist(), units[observed].tolist(), strict=True):
        found[part].add(unit)
    return found


def warn_of_readable_cells(work: Work, blocks: Sequence[ProtectedBlock]) -> None:
    """Warn of suppressed cells that other records of the unit show, in columns that mostly have one value in a unit.

    What has one value within every unit is suppressed for the whole unit; a single slip in the file, and it is not.
    """
    units = work.units
    if units is None or work.plan.drop_unit:
        return
    for name, cells in ((name, cells) for block in blocks for name, cells in block.suppressed.items()):
        values = codes(work.table, name)
        observed, shown = values >= 0, (values >= 0) & ~cells
        many = int(units.max()) + 1
        several = np.bincount(units[observed], minlength=many) > 1
        of_unit, of_shown = (count_units(np.where(rows, units, -1), values, many) for rows in (observed, shown))
        alike = several & (of_unit == 1)
        readable = int((cells & (of_shown == 1)[units]).sum())
        if readable and alike.sum() >= _MOSTLY_ONE_VALUE * several.sum():
            warn(
                f'Suppressed cells of "{name}" can be read from other records of the unit: {readable:,} of '
                f"{int(cells.sum()):,}. It has one value in {int(alike.sum()):,} of {int(several.sum()):,} units of "
                f'several records; correct "{name}" where it differs or is missing within a unit, so that it is '
                "suppressed for whole units, or leave out the ids of units, drop_unit=True (--drop-unit).",
                DisclosureWarning,
            )


def notes_on_suppressed(plan: Plan, suppressed: Mapping[str, int], records: int) -> list[str]:
    """Say how many cells were suppressed, of how many in the columns whose cells may be, and in which columns."""
    kept = list(plan.categories.values()).count("suppress")
    if not kept:
        return []
    total = sum(suppressed.values())
    share = 100 * total / (kept * records)
    listed = ", ".join(f'"{name}" ({count:,})' for name, count in suppressed.items())
    return [f"Cells suppressed: {total:,} of {kept * records:,} ({share:.2f} %){f', in {listed}' if listed else ''}."]
