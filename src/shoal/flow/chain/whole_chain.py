"""What a plan with steps before it comes to as a whole: which columns get new values, of which kind, and by what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from shoal.describe import Kind
from shoal.edits import Rule

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = [
    "MOST_STEPS",
    "all_promise",
    "facts_of_chain",
    "hides_groups",
    "kinds_in_chain",
    "largest_k",
    "last_steps",
    "lost_in",
    "no_k_in_chain",
    "protected_in_chain",
    "rules_in_chain",
    "steps_of",
    "unnamed_in_chain",
]


MOST_STEPS = 50  # before the last of a chain


def steps_of(plan: Plan) -> list[Plan]:
    """Return the steps of a plan, oldest first; the plan alone where there are none before it."""
    return [*plan.before, plan]


def protected_in_chain(plan: Plan) -> list[str]:
    """Return the columns that some step protects and no later step drops."""
    names: dict[str, None] = {}
    for step in steps_of(plan):
        for dropped in step.identifiers:
            names.pop(dropped, None)
        names |= dict.fromkeys(step.protected)
    return list(names)


def unnamed_in_chain(plan: Plan, columns: Iterable[str]) -> list[str]:
    """Return the columns of a table of which the plan says nothing: it would release them as they are."""
    named = {name for step in steps_of(plan) for name in (*step.columns, *step.roles, *step.kinds, *step.strata)}
    released = [] if plan.outcome is None else plan.outcome.unchanged
    return [name for name in columns if name not in {*named, *released}]


def kinds_in_chain(plan: Plan) -> dict[str, Kind]:
    """Return the kinds of all columns that a step takes, as the last of them takes each."""
    return {name: kind for step in steps_of(plan) for name, kind in step.kinds.items()}


def last_steps(plan: Plan) -> dict[str, Plan]:
    """Return the last step that takes every column."""
    return {name: step for step in steps_of(plan) for name in step.columns}


def rules_in_chain(plan: Plan) -> list[Rule]:
    """Return the rules of all steps, each once, but for those that name a column which a later step drops."""
    rules: dict[Rule, None] = {}
    for step in steps_of(plan):
        dropped = set(step.identifiers)
        rules = {rule: None for rule in rules if dropped.isdisjoint(rule.variables)} | dict.fromkeys(step.edits)
    return list(rules)


def largest_k(plan: Plan) -> int:
    """Return the largest k of all steps."""
    return max(step.k for step in steps_of(plan))


def all_promise(plan: Plan) -> bool:
    """Whether every step before a plan promises its k, so that it holds behind all values."""
    return not any(step.family.no_k or step.k < plan.k for step in plan.before)


def no_k_in_chain(plan: Plan) -> str:
    """Return why the steps together promise no k, "" if they do: some values of the release come from no groups."""
    reason = ""
    remaining: set[str] = set()  # what steps that promise no k have written, and no later one has grouped
    for step in steps_of(plan):
        remaining.difference_update(step.protected, step.identifiers)
        if step.family.no_k:
            reason = step.family.no_k
            remaining.update(step.rewritten)
    return reason if remaining else ""


def hides_groups(plan: Plan) -> bool:
    """Whether some step of a chain makes groups, and they cannot be made again from the original."""
    groups = any(step.family.shows_groups for step in steps_of(plan))
    return bool(plan.before) and groups and "method" not in facts_of_chain(plan)


def lost_in(plan: Plan) -> dict[str, Any]:
    """Return what the recodes of all steps took from columns, as `shoal.evaluate` takes it; nothing without recodes."""
    lost = {} if plan.outcome is None else plan.outcome.lost_by_recoding
    return {"lost_by_recoding": lost} if lost else {}


def facts_of_chain(plan: Plan) -> dict[str, Any]:
    """Return what an intruder knows of a chain once it is published, as `shoal.evaluate` takes it.

    The method is among it where one step alone makes groups, and no other step changes their columns: groups of values
    that were changed before or after cannot be made again from the original.
    """
    facts = {
        "columns": protected_in_chain(plan),
        "kinds": kinds_in_chain(plan),
        "weights": plan.weights,
        "unit": plan.unit,
        "scenarios": plan.scenarios,
        **lost_in(plan),
    }
    steps = steps_of(plan)
    grouping = [step for step in steps if step.family.shows_groups]
    if len(grouping) != 1:
        return facts
    (step,) = grouping
    others = {name for other in steps if other is not step for name in (*other.protected, *other.identifiers)}
    if others.intersection([*step.columns, *step.strata]):
        return facts
    of_groups = ("method", "k", "blocks", "replace", "strata", "standardize")
    own = step.model_copy(update={"before": []}).facts  # the last step has the others before it
    return facts | {name: known for name, known in own.items() if name in of_groups}
