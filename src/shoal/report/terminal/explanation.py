"""How a plan keeps its rules, as text."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.flow.explained_rules import ExplainedBlock
from shoal.flow.plan import Plan

__all__ = ["explanation_text"]


def explanation_text(source: str, records: int, plan: Plan, blocks: Sequence[ExplainedBlock]) -> str:
    """Say how a plan keeps its rules in every block, and why it does so that way."""
    rules = plan.edits
    lines = [f"{source}: {records:,} records, {len(rules)} rule{'s' * (len(rules) != 1)}, k = {plan.k}", ""]
    width = max((len(rule.kind) for rule in rules), default=0)
    lines += [f"rule {number}  {rule.kind:{width}}  {rule.shown}" for number, rule in enumerate(rules, start=1)]
    if not blocks:
        centres = "Cluster centres are moved to where all rules hold, and drawn by membership."
        lines += ["", *(f"block {number}  {', '.join(block)}" for number, block in enumerate(plan.blocks, 1)), centres]
    for number, one in enumerate(blocks, start=1):
        edits = one.edits
        kept = f"rule{'s' * (len(one.rules) > 1)} {', '.join(map(str, one.rules))}" if one.rules else "no rules"
        lines += ["", f"block {number}  {kept}"]
        for name in edits.columns:
            how = edits.operators[name].replace("-", " ") + (", rounded" if name in edits.whole else "")
            how = "computed from the others" if name in edits.dependent else how
            lines.append(f"  {name}: {how}")
        if len(one.parts) > 1:
            lines.append(f"  in {len(one.parts)} parts that are grouped separately: {_counts(one.parts)} records")
        lines += [f"  {reason}" for reason in (*one.filled, *edits.reasons)]
    return "\n".join([*lines, "", "Nothing was masked or written."])


def _counts(sizes: Sequence[int]) -> str:
    shown = [f"{size:,}" for size in sizes[:6]] + ([f"{len(sizes) - 6} more"] if len(sizes) > 6 else [])
    return ", ".join(shown[:-1]) + f" and {shown[-1]}"
