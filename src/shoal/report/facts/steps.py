"""The steps of a chain, as a report shows them."""

from __future__ import annotations

from typing import Any

from shoal.flow.chain.whole_chain import last_steps, steps_of
from shoal.flow.plan import Plan
from shoal.parameters.choices import as_text
from shoal.report.facts.summary import KEPT, StepFacts

__all__ = ["step_facts", "treatment_of"]


def step_facts(plan: Plan | None, *, internal: bool) -> list[StepFacts]:
    """Return what every step of a chain did, oldest first; nothing where a release was made in one step."""
    if plan is None or not plan.before:
        return []
    return [
        StepFacts(
            k=None if step.family.no_k else step.k,
            no_k=step.family.no_k,
            perturbs=not step.family.makes_groups,
            recoded=[f"{name}: {', '.join(one.text for one in own)}" for name, own in step.column_recodes.items()],
            method=as_text(step.public()["method"]),
            replace=sorted({as_text(_replacements(step, internal)[name]) for name in step.rewritten})
            + sorted({KEPT[way] for way in step.categories.values()}),
            columns=step.protected,
        )
        for step in steps_of(plan)
    ]


def treatment_of(plan: Plan, name: str, *, internal: bool) -> str:
    """Return what was done to a column that is protected, step after step: its recodes, and what gave it its values."""
    step = last_steps(plan)[name]
    last = KEPT[step.categories[name]] if name in step.categories else as_text(_replacements(step, internal)[name])
    recodes = [one.text for each in steps_of(plan) for one in each.column_recodes.get(name, [])]
    return ", then ".join([*recodes, last])


def _replacements(step: Plan, internal: bool) -> dict[str, dict[str, Any]]:
    """Return the written replacement of every column, in public without the parameters that nobody may know."""
    return step.replace if internal else step.public()["replace"]
