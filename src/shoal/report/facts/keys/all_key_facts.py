"""All facts about key variables, as a summary takes them."""

from __future__ import annotations

from typing import Any

from shoal.flow.chain.whole_chain import steps_of
from shoal.flow.plan import Plan
from shoal.read import Table
from shoal.report.facts.keys.key_facts import RecodeFacts

__all__ = ["key_facts"]


def key_facts(plan: Plan | None, original: Table, masked: Table, audience: str, *, of_both: bool) -> dict[str, Any]:
    """Return the risk over keys, what recodes did for it, and how PRAM drew categories; in public the risk alone.

    Parameters
    ----------
    plan
        How the file was masked, if that is known.
    original, masked
        The original as it was recoded, and the release; their records in the same order.
    audience
        "internal" or "public".
    of_both
        Whether the two files are looked at, which takes longest.
    """
    if plan is None or not of_both:
        return {}
    from shoal.report.facts.keys.key_risk import key_risk_facts  # quick start-up
    from shoal.report.facts.keys.transitions import transition_facts

    internal = audience == "internal"
    found: dict[str, Any] = {"key_risk": key_risk_facts(plan, original, masked, internal=internal)}
    if not internal:
        return found
    return found | {"recode_effects": _recode_facts(plan), "transitions": transition_facts(plan, original)}


def _recode_facts(plan: Plan) -> list[RecodeFacts]:
    """Return what the recodes of each column did for k, and all of them together."""
    counted = {} if plan.outcome is None else plan.outcome.recoded
    recodes = {name: own for step in steps_of(plan) for name, own in step.column_recodes.items()}
    facts = [
        RecodeFacts(
            column=name,
            how=", ".join(one.text for one in recodes.get(name, [])),
            values=(own.values_before, own.values_after),
            below_k=(own.below_k_before, own.below_k_after),
        )
        for name, own in counted.items()
    ]
    steps = [step for step in steps_of(plan) if step.recodes]
    if len(steps) == 1 and len(facts) > 1:  # of several steps, each started from what the one before it released
        one = next(iter(counted.values()))
        facts.append(RecodeFacts(column="", how="", values=None, below_k=(one.below_k_before, one.below_k_together)))
    return facts
