"""What is behind the values of every variable, beyond that there are k records."""

from __future__ import annotations

from typing import Any

from shoal.flow.blocks.largest_shares import COUNTED_FROM
from shoal.flow.plan import Plan
from shoal.report.facts.summary import Audience, CountFacts

__all__ = ["count_facts"]

_BY_COLUMN = ("filled", "joined", "held_by_one", "lone", "dominated")


def count_facts(plan: Plan | None, audience: Audience) -> dict[str, Any]:
    """Return what a plan's outcome counts, as `Summary` takes it.

    In public there are only filled values, k or more of them: how many groups one record dominates tells an intruder
    where to look.
    """
    if plan is None or plan.outcome is None:
        return {}
    outcome = plan.outcome
    if audience == "public":
        filled = {name: count for name, count in outcome.filled.items() if count >= plan.k}
        return {"counts": [CountFacts(name=name, filled=count) for name, count in filled.items()]}
    by_column: dict[str, dict[str, int]] = {what: getattr(outcome, what) for what in _BY_COLUMN}
    named = [name for name in plan.columns if any(name in own for own in by_column.values())]
    return {
        "counts": [
            CountFacts(name=name, **{what: own[name] for what, own in by_column.items() if name in own})
            for name in named
        ],
        "counted_from": COUNTED_FROM if plan.dominance is None else plan.dominance,
        "effective_number": outcome.effective_number,
    }
