"""Which columns were made coarser before records were grouped, in one line each."""

from __future__ import annotations

from shoal.flow.chain.whole_chain import steps_of
from shoal.flow.plan import Plan
from shoal.report.facts.summary import Audience

__all__ = ["recode_lines"]


def recode_lines(plan: Plan | None, audience: Audience) -> list[str]:
    """Return a line for the recodes of every column; in public, without counts and without values of the data."""
    if plan is None:
        return []
    counted = {} if plan.outcome is None or audience == "public" else plan.outcome.recoded
    lines = []
    by_column: dict[str, list[str]] = {}
    for step in steps_of(plan):
        for name, recodes in step.column_recodes.items():
            by_column.setdefault(name, []).extend(one.text for one in recodes)
    for name, texts in by_column.items():
        how = ", ".join(texts)
        if name not in counted:
            lines.append(f"{name}: {how}")
            continue
        own = counted[name]
        effect = f"{name} is not among the keys"
        if own.is_key:
            effect = f"records below k over the keys {own.below_k_before:,} to {own.below_k_after:,}"
        lines.append(f"{name}: {own.values_before:,} values to {own.values_after:,} by {how}; {effect}")
    if len(counted) > 1 and not plan.before:  # of one step: those of several are counted one after the other
        first = next(iter(counted.values()))
        lines.append(
            f"all together: records below k over the keys {first.below_k_before:,} to {first.below_k_together:,}"
        )
    return lines
