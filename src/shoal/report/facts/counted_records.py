"""What is behind the values of every variable, beyond that there are k records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.flow.blocks.largest_shares import COUNTED_FROM
from shoal.flow.chain.whole_chain import kinds_in_chain
from shoal.flow.plan import Plan
from shoal.report.facts.summary import Audience, CountFacts

__all__ = ["count_facts"]

_BY_COLUMN = ("suppressed", "filled", "joined", "held_by_one", "lone", "dominated")


def count_facts(plan: Plan | None, audience: Audience) -> dict[str, Any]:
    """Return what a plan's outcome counts, as `Summary` takes it.

    In public there are only suppressed cells and filled values, k or more of them: how many groups one record dominates
    tells an intruder where to look.
    """
    if plan is None or plan.outcome is None:
        return {}
    outcome = plan.outcome
    if audience == "public":
        by_public = {
            what: {name: count for name, count in getattr(outcome, what).items() if count >= plan.k}
            for what in _BY_COLUMN[:2]
        }
        return {"counts": _facts(plan, by_public)}
    return {
        "counts": _facts(plan, {what: getattr(outcome, what) for what in _BY_COLUMN}),
        "counted_from": COUNTED_FROM if plan.dominance is None else plan.dominance,
        "effective_number": outcome.effective_number,
    }


def _facts(plan: Plan, by_column: Mapping[str, Mapping[str, int]]) -> list[CountFacts]:
    columns = kinds_in_chain(plan) if plan.before else plan.columns
    named = [name for name in columns if any(name in own for own in by_column.values())]
    return [
        CountFacts(name=name, **{what: own[name] for what, own in by_column.items() if name in own}) for name in named
    ]
