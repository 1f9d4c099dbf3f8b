"""The steps of a chain, as a report shows them."""

from __future__ import annotations

from shoal.flow.chain.whole_chain import steps_of
from shoal.flow.plan import Plan
from shoal.parameters.choices import as_text
from shoal.report.facts.summary import KEPT, StepFacts

__all__ = ["step_facts"]


def step_facts(plan: Plan | None) -> list[StepFacts]:
    """Return what every step of a chain did, oldest first; nothing where a release was made in one step."""
    if plan is None or not plan.before:
        return []
    return [
        StepFacts(
            k=None if step.no_k else step.k,
            method=as_text(step.public()["method"]),
            replace=sorted({as_text(step.replace[name]) for name in step.rewritten})
            + sorted({KEPT[way] for way in step.categories.values()}),
            columns=step.protected,
        )
        for step in steps_of(plan)
    ]
