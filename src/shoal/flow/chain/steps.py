"""The steps of a chain: what the next one starts from, and what becomes of the release when it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.edits.checked_records import TableRecords
from shoal.errors import DisclosureWarning, RuleError, warn
from shoal.flow.chain.whole_chain import steps_of
from shoal.flow.outcome import Outcome
from shoal.flow.recoding.asked import recoded_by_plan
from shoal.flow.rules.decimals import defines_unrounded
from shoal.measure.headline import Alike
from shoal.read import Table
from shoal.recode.effect import joined_losses, lost_by_recoding

if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.flow.release import Release

__all__ = ["as_step", "from_earlier_steps", "joined_to", "plan_before", "table_after", "warn_of_steps"]

_BY_COLUMN = ("recoded", "suppressed", "joined", "filled", "lone", "dominated", "held_by_one", "alike", "outside")
_STEP = "Step "


def as_step(plan: Plan) -> Plan:
    """Return a plan as a step of a longer one, which has the input, the output and what came of it once."""
    return plan.model_copy(update={"before": [], "input": None, "output": None, "outcome": None, "versions": {}})


def plan_before(plan: Plan) -> Plan:
    """Return the plan without its last step."""
    return plan.before[-1].model_copy(update={"before": plan.before[:-1]})


def table_after(release: Release) -> Table:
    """Return what the next step starts from: the released table, with the units of the original where there are some.

    New ids are drawn once, when all is done; a step that counts units needs those that belong together.
    """
    unit, original, masked = release.plan.unit, release.original, release.masked
    if unit is None:
        return masked
    frame = masked.frame.with_columns(original.column(unit))
    names = set(masked.names) | {unit}
    frame = frame.select([name for name in original.names if name in names])
    labels = masked.labels
    if unit in original.labels.variables:
        labels = replace(labels, variables={**labels.variables, unit: original.labels.variables[unit]})
    return replace(masked, frame=frame, labels=labels)


def joined_to(before: Release, release: Release) -> Release:
    """Return the release of a step as that of the whole chain, whose original is that of the first step.

    RuleError if the step breaks a rule of a step before it.
    """
    _refuse_broken_rules(before, release)
    plan = release.plan
    assert plan.outcome is not None
    outcome = _outcome_of_all(before.plan, plan, plan.outcome)
    recoded = recoded_by_plan(plan, before.recoded)
    earlier = {} if before.plan.outcome is None else before.plan.outcome.lost_by_recoding
    lost = joined_losses(earlier, lost_by_recoding(recoded, plan.recodes))
    return replace(
        release,
        original=before.original,
        coarser=recoded.table,
        plan=plan.model_copy(
            update={
                "input": before.plan.input,
                "outcome": outcome.model_copy(update={"lost_by_recoding": lost}),
            }
        ),
        _before=before,
    )


def from_earlier_steps(plan: Plan, released: Sequence[str]) -> list[str]:
    """Return those of the released columns that only steps before this one give new values."""
    earlier = {name for step in plan.before for name in step.protected}
    return [name for name in released if name in earlier and name not in set(plan.protected)]


def warn_of_steps(plan: Plan, alike: Alike, records: int) -> None:
    """Warn where fewer whole records are alike than the steps promise, each for its own columns.

    Parameters
    ----------
    plan
        The plan, with steps before it.
    alike
        How alike the records of the final table are.
    records
        How many there are.
    """
    promised = [step.k for step in steps_of(plan) if not step.family.no_k]
    if not promised or alike.k >= max(promised):
        return
    of_all = f"{records:,} records" if alike.units is None else f"{alike.units:,} units"
    warn(
        f"Whole records are not {max(promised)} alike after {len(plan.before) + 1} steps: over all released columns "
        f"{alike.uniques:,} of {of_all} are unique, and the fewest alike are {alike.k}. What a step promises holds for "
        "its own columns; group all columns in the last step to keep k.",
        DisclosureWarning,
    )


def _refuse_broken_rules(before: Release, release: Release) -> None:
    """Raise RuleError if a rule of an earlier step does not hold any more."""
    plan, masked = release.plan, release.masked
    records = TableRecords(masked, before.original)
    changed = set(plan.protected)
    for step in plan.before:
        for rule in step.edits:
            named = set(rule.variables)
            if rule in plan.edits or named.isdisjoint(changed) or not named.issubset(masked.names):
                continue  # kept by this step, or not touched by it, or about a column that is gone
            in_text = not named.isdisjoint(step.decimals)
            exact = 0.0 if in_text and defines_unrounded(rule, step.decimals) else None
            broken = rule.broken(records, exact) if in_text else rule.broken(records)
            if broken.any():
                raise RuleError(
                    f'This step breaks the rule "{rule.shown}" of a step before it, for {int(broken.sum())} records. '
                    "Give the rule in edits again, so that the step keeps it, or protect other columns.",
                    rule=rule.text,
                )


def _outcome_of_all(before: Plan, plan: Plan, outcome: Outcome) -> Outcome:
    """Return the outcome of the last step with what earlier ones counted in columns that it did not change."""
    earlier = before.outcome
    assert earlier is not None
    changed = {*plan.protected, *plan.identifiers}
    counts = {
        what: {name: count for name, count in getattr(earlier, what).items() if name not in changed}
        | getattr(outcome, what)
        for what in _BY_COLUMN
    }
    effective = [one for one in (earlier.effective_number, outcome.effective_number) if one is not None]
    number = f"{_STEP}{len(before.before) + 1}: "
    notes = [note if note.startswith(_STEP) else number + note for note in earlier.notes]
    return outcome.model_copy(
        update={
            **counts,
            "smallest_support": min(earlier.smallest_support, outcome.smallest_support),
            "became_float": list(dict.fromkeys([*earlier.became_float, *outcome.became_float])),
            "effective_number": min(effective, default=None),
            "empty_records": max(earlier.empty_records, outcome.empty_records),
            "notes": [*notes, *outcome.notes],
        }
    )
