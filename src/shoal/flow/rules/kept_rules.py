"""The rules of a plan: checked on the file, planned for in every block, checked again on the release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from shoal.describe.matrix import Matrix
from shoal.describe.strata import Strata
from shoal.edits import Rule
from shoal.edits.checked_records import TableRecords, orders_of
from shoal.edits.evaluation import TOLERANCE
from shoal.edits.keep.block_edits import BlockEdits, edits_of_block, joined_blocks
from shoal.edits.keep.cells import Cells, cells_of
from shoal.errors import ColumnError, DataError, MethodError, RuleError, TooFewRecordsError
from shoal.flow.rules.decimals import defines_unrounded
from shoal.parameters.choices import as_text
from shoal.parameters.default import BY_RULES
from shoal.read import Table
from shoal.replace.family import DRAWN

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = [
    "block_edits_of",
    "notes_on_rules",
    "planned_block_edits",
    "refuse_broken_counts",
    "refuse_broken_file",
    "refuse_broken_release",
    "split_by_rules",
]


def planned_block_edits(
    rules: Sequence[Rule],
    blocks: Iterable[Sequence[str]],
    kinds: Mapping[str, str],
    table: Table,
    asked: Mapping[str, str],
    *,
    repair: bool,
    drawn: bool = False,
) -> list[BlockEdits]:
    """Choose for every block what stands for a group; `asked` are the replacements that were asked for, as text."""
    blocks = list(blocks)
    protected = [name for block in blocks for name in block]
    texts = [name for name in table.names if not table.is_numeric(name)]
    orders = orders_of(table)
    return [
        edits_of_block(block, rules, kinds, protected, texts, asked, orders=orders, repair=repair, drawn=drawn)
        for block in blocks
    ]


def block_edits_of(plan: Plan, table: Table) -> list[BlockEdits]:
    """Return how each block keeps the rules of a plan; nothing where centres keep them, or there are none."""
    for rule in plan.edits:
        rule.refuse_unknown(table.names)
        for name in rule.variables:
            if name in plan.identifiers:
                raise ColumnError(
                    f'The rule "{rule.shown}" names "{name}", an identifier, which is dropped.', column=name
                )
    if not plan.edits or not plan.family.shows_groups or plan.centres_keep_rules:
        return []
    asked = {name: as_text(written) for name, written in plan.replace.items()}
    blocks = plan.grouped_blocks
    return planned_block_edits(
        plan.edits, blocks, plan.kinds, table, asked, repair=plan.repair, drawn=plan.family is DRAWN
    )


def refuse_broken_file(plan: Plan, table: Table, edits: Sequence[BlockEdits]) -> None:
    """Raise DataError if the file breaks a rule and the plan does not repair it."""
    records = TableRecords(table, table)
    broken = [rule.broken(records).nonzero()[0] for rule in plan.edits]
    counts = [(len(rows), rows[:5].tolist()) for rows in broken]
    refuse_broken_counts(plan, counts, len(table), edits, lambda name: bool(table.missing(name).any()))


def refuse_broken_counts(
    plan: Plan,
    counts: Sequence[tuple[int, Sequence[int]]],
    records: int,
    edits: Sequence[BlockEdits],
    is_incomplete: Callable[[str], bool],
) -> None:
    """Raise DataError if records break a rule and the plan does not repair them.

    Parameters
    ----------
    plan, edits
        The plan, and how each block keeps its rules.
    counts
        By rule, how many records break it, and the rows of the first.
    records
        How many records there are.
    is_incomplete
        Whether values of a column are missing.
    """
    by_centres = plan.centres_keep_rules  # which are always moved onto them
    movable = set(plan.columns)
    if not by_centres:
        movable = {name for block in edits for name in block.movable if not is_incomplete(name)}
    for rule, (broken, rows) in zip(plan.edits, counts, strict=True):
        fixed = [name for name in rule.variables if name not in movable]
        if broken and not (rule.is_linear and not fixed and (by_centres or plan.repair)):
            first = ", ".join(str(row + 1) for row in rows)
            raise DataError(
                f'{broken} of {records} records break the rule "{rule.shown}", first {first}. '
                f"Correct them, or {_way_out(plan, rule, fixed)}."
            )


def _way_out(plan: Plan, rule: Rule, fixed: Sequence[str]) -> str:
    if not plan.family.makes_groups:
        return "leave the rule out"
    if rule.is_linear and fixed and plan.repair and not plan.family.rewrites:
        return (
            "leave the rule out; only averages of variables without missing values can be repaired, and "
            f'"{fixed[0]}" is none'
        )
    continuous = all(plan.kinds.get(name) == "continuous" for name in rule.variables)
    if rule.is_linear and continuous and not plan.family.rewrites:
        return "set repair=True (--repair)" + ', or use the method "fuzzy"' * (plan.family is not DRAWN)
    return "leave the rule out"


def refuse_broken_release(plan: Plan, table: Table, masked: Table, edits: Sequence[BlockEdits]) -> list[str]:
    """Raise RuleError if a rule cannot be kept in some groups; return notes on the rules, which all hold.

    Rules on variables that have decimals are checked in decimal arithmetic, without tolerance. A rule that was certain
    to hold and does not is a defect, and a DataError.
    """
    records = TableRecords(masked, table)
    rules, decimals = plan.edits, plan.decimals
    uncertain = {rule: block.way_out for block in edits for rule in block.uncertain}
    up_to_rounding = []
    for rule in rules:
        if not set(decimals).isdisjoint(rule.variables):
            _refuse_broken_decimals(rule, records, 0.0 if defines_unrounded(rule, decimals) else None)
            continue
        broken = rule.broken(records)
        if broken.any() and rule in uncertain:
            raise RuleError(
                f'The representatives of some groups break the rule "{rule.shown}", for {int(broken.sum())} records. '
                f"Leave the rule out, choose another k, or {uncertain[rule]}.",
                rule=rule.text,
            )
        if broken.any():
            raise DataError(
                f'The rule "{rule.shown}" does not hold after masking, in {int(broken.sum())} records; nothing is '
                "released. This should not happen: please report it."
            )
        if rule.broken(records, tolerance=0.0).any():
            up_to_rounding.append(rule)
    return notes_on_rules(rules, up_to_rounding)


def notes_on_rules(rules: Sequence[Rule], up_to_rounding: Sequence[Rule]) -> list[str]:
    """Say that all rules hold, and which of them only up to rounding."""
    if not rules:
        return []
    notes = [f"All {len(rules)} rules hold in the release." if len(rules) > 1 else "The rule holds in the release."]
    return notes + [
        f'"{rule.shown}" holds up to rounding (within {TOLERANCE:g} of its terms).' for rule in up_to_rounding
    ]


def _refuse_broken_decimals(rule: Rule, records: TableRecords, tolerance: float | None) -> None:
    broken = rule.broken(records, tolerance)
    if broken.any():
        raise RuleError(
            f'No values near those of their groups keep the rule "{rule.shown}" with these decimals, for '
            f"{int(broken.sum())} records. Give its variables more decimals, or leave the rule out.",
            rule=rule.text,
        )


def split_by_rules(plan: Plan, table: Table, edits: BlockEdits, matrix: Matrix, strata: Strata) -> Cells:
    """Split the strata so that one alternative of every rule holds throughout a part."""
    incomplete = {name for name in edits.columns if table.missing(name).any()}
    for demand in edits.demands:
        between = set(demand.rule.variables).intersection(edits.columns)
        if len(between) > 1 and between & incomplete:
            raise MethodError(
                f'The rule "{demand.rule.shown}" is between variables, and some of them have missing values: '
                "averages of different records do not keep it. Fill them, or leave the rule out.",
                method=plan.masking.method.name,
            )
    records = TableRecords(table, table)
    try:
        return cells_of(edits, records, strata.codes, matrix.values, plan.k, repair=plan.repair)
    except TooFewRecordsError as error:
        apart = sum(len(block) > 1 for block in joined_blocks(plan.edits, plan.rewritten, size=1))
        if len(plan.blocks) > 1 or apart < 2:
            raise
        raise TooFewRecordsError(
            f'{error} blocks="{BY_RULES}" (--blocks {BY_RULES}) keeps rules that share no variable apart; whole '
            "records are then no longer k alike."
        ) from None
