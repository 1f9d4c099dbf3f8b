"""Units of several records (households, firms): what is constant within them is grouped first, the rest inside.

A block of variables that are constant within every unit is grouped with one row for each unit. The block after it, of
variables that are not, is grouped inside those groups, so that whole records have those of at least k units like them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.matrix import Matrix, block_matrix, block_values
from shoal.describe.standardize import is_constant, range_scale, standard_scale
from shoal.describe.strata import Strata, combined, joined_to_enough
from shoal.describe.units import columns_within, likely_unit, units_of
from shoal.describe.variables import codes
from shoal.edits import Rule
from shoal.errors import ColumnError, DataError, DisclosureWarning, MethodError, RuleError, TooFewRecordsError, warn
from shoal.flow.blocks.crisp import protect_crisp_block
from shoal.flow.blocks.grouping import points_of
from shoal.flow.blocks.work import Levels, ProtectedBlock, Work
from shoal.parameters.typed import in_python, typed
from shoal.partition import Partition
from shoal.partition.geometry.different_units import count_units
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["at_level", "blocks_by_level", "levels_of", "protect_levels", "warn_of_unit"]


def blocks_by_level(
    table: Table, unit: str, blocks: Iterable[Sequence[str]], rules: Sequence[Rule], kept: Collection[str] = ()
) -> tuple[tuple[str, ...], ...]:
    """Split every block into the variables that are constant within every unit, which come first, and the others.

    Those that are constant in the whole file say nothing and are with the others. RuleError for a rule between the two,
    unless what it has of the units is `kept` as it is.
    """
    units = units_of(table, unit)
    split: list[tuple[str, ...]] = []
    upper: set[str] = set()
    for block in blocks:
        constant = [name for name in columns_within(table, units, block) if len(np.unique(codes(table, name))) > 1]
        others = [name for name in block if name not in constant]
        upper.update(constant)
        split += [tuple(part) for part in (constant, others) if part]
    _refuse_rules_between(rules, upper.difference(kept), {name for block in split for name in block} - upper)
    return tuple(split)


def _refuse_rules_between(rules: Iterable[Rule], upper: set[str], lower: set[str]) -> None:
    """Raise RuleError if a rule ties variables of units to variables of records: they are grouped apart."""
    for rule in rules:
        of_units, of_records = ([name for name in rule.variables if name in level] for level in (upper, lower))
        if of_units and of_records:
            raise RuleError(
                f'The rule "{rule.shown}" ties "{of_units[0]}", which has one value within every unit, to '
                f'"{of_records[0]}", which differs within units: they are grouped apart, and it cannot be kept. Leave '
                "the rule out.",
                rule=rule.text,
            )


def levels_of(plan: Plan, table: Table, strata: Strata) -> Levels | None:
    """Return the units and the levels of the blocks; an error if they do not go with k, strata, diversity or closeness.

    None where the plan has no unit.
    """
    if plan.unit is None:
        return None
    units = units_of(table, plan.unit)
    first = np.unique(units, return_index=True)[1]
    constant = tuple(len(columns_within(table, units, block)) == len(block) for block in plan.blocks)
    levels = Levels(units, first, constant)
    if not plan.family.makes_groups:
        return levels
    _refuse_few_units(plan, levels, strata)
    divided = len(np.unique(units * len(strata) + strata.codes)) - len(first)
    if divided and any(constant):
        count = int((np.bincount(np.unique(units * len(strata) + strata.codes) // len(strata)) > 1).sum())
        names = [name for block, own in zip(plan.blocks, constant, strict=True) if own for name in block]
        raise ColumnError(
            f"Strata of {', '.join(plan.strata)} divide {count:,} of {len(first):,} units, whose values of "
            f'"{names[0]}" stay together. Leave out those strata.'
        )
    if plan.diversity is not None and any(map(levels.is_inside, range(len(constant)))):
        raise MethodError(
            "diversity is not kept inside groups of units. Leave it out.",
            method=plan.masking.method.name,
        )
    if plan.closeness is not None and any(constant):
        raise MethodError(
            "closeness is about records, and is not kept in groups of units. Leave it out.",
            method=plan.masking.method.name,
        )
    return levels


def _refuse_few_units(plan: Plan, levels: Levels, strata: Strata) -> None:
    counts = count_units(strata.codes, levels.units)
    fewest, below = int(counts.min()), int((counts < plan.k).sum())
    if not below:
        return
    where = f"in every stratum of {', '.join(strata.columns)}" if strata.columns else f'in "{plan.unit}"'
    there = f"{below:,} of {len(strata):,} have fewer, the smallest has" if strata.columns else "there are"
    ways = (["merge strata"] if strata.columns else []) + ([f"lower k to {fewest} at most"] if fewest > 1 else [])
    raise TooFewRecordsError(
        f"k={plan.k} needs at least {plan.k} different units {where}; {there} {fewest}. "
        f"{' or '.join(ways).capitalize() or 'Name another unit'}.",
        k=plan.k,
        records=fewest,
        strata=strata.columns or None,
    )


def protect_levels(work: Work, number: int, block: Sequence[str], before: Sequence[ProtectedBlock]) -> ProtectedBlock:
    """Protect a block of a plan that has units; `before` are the blocks that were protected before it."""
    levels = work.levels
    assert levels is not None
    if levels.constant[number]:
        return _protect_units(work, levels, number, block)
    if levels.is_inside(number):
        table = work.table.blanked(before[-1].suppressed)
        work = replace(work, strata=_parts(work, levels, number, before[-1]), wider=work.strata, table=table)
    protected = protect_crisp_block(work, number, block)
    fewest = int(count_units(protected.partition.labels, levels.units).min())
    if fewest < work.plan.k:  # whatever was done to keep it, k is a promise
        raise DataError(f"A group has records of {fewest} units where k={work.plan.k}; nothing is released.")
    return protected


def _protect_units(work: Work, levels: Levels, number: int, block: Sequence[str]) -> ProtectedBlock:
    """Protect a block with one row for each unit, and give every record what its unit gets."""
    first, units = levels.first, levels.units
    matrices = [*work.matrices]
    matrices[number] = _with_composition(work, levels, number)
    protected = protect_crisp_block(_of_units(replace(work, matrices=matrices), levels), number, block)
    return replace(
        protected,
        matrix=work.matrices[number],
        partition=protected.partition.of_records(units),
        computed={name: values[units] for name, values in protected.computed.items()},
        taken={name: first[rows[units]] for name, rows in protected.taken.items()},
        suppressed={name: cells[units] for name, cells in protected.suppressed.items()},
    )


def at_level(work: Work, number: int) -> Work:
    """Return the work with one row for each unit if a block is one of variables of units; as it is for any other."""
    levels = work.levels
    return work if levels is None or not levels.constant[number] else _of_units(work, levels)


def _of_units(work: Work, levels: Levels) -> Work:
    first = levels.first
    return replace(
        work,
        table=work.table.rows(first),
        strata=Strata(work.strata.codes[first], len(work.strata), work.strata.columns),
        weights=None if work.weights is None else _mean_weights(work.weights, levels),
        values=[{name: values[first] for name, values in one.items()} for one in work.values],
        matrices=[replace(one, values=one.values[first]) for one in work.matrices],
        levels=None,
    )


def _mean_weights(weights: NDArray[np.float64], levels: Levels) -> NDArray[np.float64]:
    """Return the weight of every unit: that of its records, their mean where they differ."""
    of_first = weights[levels.first]
    beyond = np.bincount(levels.units, weights=weights - of_first[levels.units])
    return np.asarray(of_first + beyond / np.bincount(levels.units), dtype=np.float64)


def _with_composition(work: Work, levels: Levels, number: int) -> Matrix:
    """Return the matrix of a block of units, with what the block inside its groups needs them to be alike in as well.

    That is their number of records, since a group of k units has at most as many groups of records inside it as its
    smallest unit has records, and the means of their records.
    """
    matrix = work.matrices[number]
    if not (levels.is_inside(number + 1) and work.plan.standardize) or work.plan.masking.method.scope == "column":
        return matrix
    units, sizes = levels.units, np.bincount(levels.units)
    inside = _with_kept(work, number + 1)
    columns = [matrix.values, _scaled(sizes[units].astype(np.float64), matrix)]
    if inside.distance == matrix.distance:
        means = [np.bincount(units, weights=column) / sizes for column in points_of(inside).T]
        columns += [mean[units] for mean in means]
    return replace(matrix, values=np.column_stack(columns))


def _with_kept(work: Work, number: int) -> Matrix:
    """Return the matrix of a block with the categories in it that are kept, whose combinations need k units too."""
    plan, block = work.plan, work.plan.blocks[number]
    if plan.categories.keys().isdisjoint(block):
        return work.matrices[number]
    values, distance = block_values(work.table, block, plan.kinds), work.matrices[number].distance
    return block_matrix(values, plan.kinds, standardize=plan.standardize, distance=distance)


def _scaled(values: NDArray[np.float64], matrix: Matrix) -> NDArray[np.float64]:
    """Return a variable on the scale of a matrix; zeros if all its values are the same."""
    if is_constant(values):
        return np.zeros_like(values)
    return (standard_scale(values) if matrix.distance == "euclidean" else range_scale(values)).apply(values)


def _parts(work: Work, levels: Levels, number: int, of_units: ProtectedBlock) -> Strata:
    """Return the parts of the file inside which a block is grouped: records alike in the block before it.

    With missing values the parts are its groups, and records that are in none, or in one with fewer than k units that
    have a value to group by, are put together with those next to them.
    """
    if of_units.matrix.complete:
        parts = work.strata.codes
        for name, rows in of_units.taken.items():
            parts = combined(parts, work.values[number - 1][name][rows])
        for values in of_units.computed.values():
            parts = combined(parts, values)
    else:
        parts = combined(work.strata.codes, of_units.partition.labels)
    for name in work.plan.blocks[number - 1]:
        if name in work.plan.categories:
            kept = codes(work.table, name)
            parts = combined(parts, np.where(of_units.suppressed.get(name, False), -1, kept))
    if not work.plan.categories.keys().isdisjoint(work.plan.blocks[number]):  # its combinations are joined instead
        parts = joined_to_enough(parts, work.strata.codes, count_units(parts, levels.units), work.plan.k, fill=True)
        return Strata(parts, int(parts.max()) + 1, work.strata.columns)
    observed = ~np.isnan(work.matrices[number].values).all(axis=1)
    counts = count_units(np.where(observed, parts, -1), levels.units)
    fill = work.plan.missing == "fill"  # then one that has too few to be grouped is one group, and borrows its values
    parts = joined_to_enough(parts, work.strata.codes, counts, 1 if fill else work.plan.k, fill=fill)
    return Strata(parts, int(parts.max()) + 1, work.strata.columns)


def warn_of_unit(work: Work, partitions: Sequence[Partition]) -> None:
    """Warn of a column that looks like the ids of units, if no unit is given and some groups have too few of them."""
    plan = work.plan
    name = likely_unit(work.table) if plan.unit is None and plan.family.shows_groups else ""
    if not name or plan.roles.get(name) == "other":
        return
    units = codes(work.table, name)
    counts = np.concatenate([count_units(one.labels, units) for one in partitions])
    few, alone = int((counts < plan.k).sum()), int((counts == 1).sum())
    if few:
        warn(
            f'Column "{name}" looks like the number of a household, a firm or another unit: {few:,} of '
            f"{len(counts):,} groups have fewer than {plan.k} of them, {alone:,} only one. "
            f"unit={in_python(name)} ({typed('--unit', name)}) puts at least {plan.k} different ones into every group; "
            'the role "other" says that it is none.',
            DisclosureWarning,
        )
