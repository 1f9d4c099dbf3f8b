"""How a plan keeps its rules, as text."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.edits import Rule
from shoal.edits.atoms import Linear
from shoal.edits.keep.records import RecordEdits
from shoal.flow.explained_rules import ExplainedBlock
from shoal.flow.plan import Plan
from shoal.flow.request import OPTIONS, PlannedOptions
from shoal.flow.rules.ruled_values import REDRAWS, ExplainedRecords
from shoal.replace import SyntheticReplacement

__all__ = ["explanation_text"]


def explanation_text(source: str, records: int, plan: Plan, blocks: Sequence[ExplainedBlock | ExplainedRecords]) -> str:
    """Say how a plan keeps its rules in every block, and why it does so that way."""
    rules = plan.edits
    lines = [f"{source}: {records:,} records, {len(rules)} rule{'s' * (len(rules) != 1)}, k = {plan.k}", ""]
    width = max((len(rule.kind) for rule in rules), default=0)
    lines += [f"rule {number}  {rule.kind:{width}}  {rule.shown}" for number, rule in enumerate(rules, start=1)]
    if not blocks:
        centres = "Cluster centres are moved to where all rules hold, and drawn by membership."
        lines += ["", *(f"block {number}  {', '.join(block)}" for number, block in enumerate(plan.blocks, 1)), centres]
    for number, one in enumerate(blocks, start=1):
        kept = f"rule{'s' * (len(one.rules) > 1)} {', '.join(map(str, one.rules))}" if one.rules else "no rules"
        lines += ["", f"block {number}  {kept}"]
        lines += _of_groups(one) if isinstance(one, ExplainedBlock) else _of_records(one, plan, number - 1)
    said = [OPTIONS[name].says(getattr(plan, name)) for name in PlannedOptions.model_fields if OPTIONS[name].of_groups]
    lines += [line for sentence in said if sentence for line in ("", sentence)]
    return "\n".join([*lines, "", "Nothing was masked or written."])


def _of_groups(one: ExplainedBlock) -> list[str]:
    """Say what represents a group, and why."""
    edits, lines = one.edits, []
    for name in edits.columns:
        how = "centre of a cluster" if edits.drawn else edits.operators[name].replace("-", " ")
        how += ", rounded" if name in edits.whole else ""
        how = "computed from the others" if name in edits.dependent else how
        lines.append(f"  {name}: {how}")
    if len(one.parts) > 1:
        lines.append(f"  in {len(one.parts)} parts that are grouped separately: {_counts(one.parts)} records")
    return [*lines, *(f"  {reason}" for reason in (*one.filled, *edits.reasons))]


def _of_records(one: ExplainedRecords, plan: Plan, block: int) -> list[str]:
    """Say how values that are drawn for each record keep the rules."""
    replacement = plan.masking.replacement
    assert isinstance(replacement, SyntheticReplacement)
    lines = [f"  {', '.join(one.edits.columns)}: rewritten by {replacement.name}; the others stay"]
    for number, rule in zip(one.rules, one.edits.rules, strict=True):
        lines.append(f"  rule {number}: {_way_of_rule(rule, one.edits, replacement, plan.blocks[block])}")
    return lines


def _way_of_rule(rule: Rule, edits: RecordEdits, replacement: SyntheticReplacement, block: Sequence[str]) -> str:
    """Say how a rule is kept in every record."""
    computed = [one.name for one in edits.computed if one.rule == rule]
    if computed:
        return f"{computed[0]} is computed from the others"
    own = [demand for demand in edits.demands if demand.rule == rule]
    atoms = [atom for demand in own for alternative in demand.alternatives for atom in alternative]
    sums = [atom for atom in atoms if isinstance(atom, Linear) and atom.relation == "=="]
    is_drawn = replacement.keeps_sums and all(set(atom.variables) <= set(block) for atom in sums)
    again = f"drawn again inside groups, up to {REDRAWS} times, then " * replacement.redraws
    moved = f"{again}moved to the nearest values that keep it"
    if any(len(demand.alternatives) > 1 for demand in own):
        return f"where a record breaks it, {moved} in a way in which the original record does"
    if sums and is_drawn:
        return "holds as drawn; a variable is computed from the others, to the last digit"
    if any(isinstance(atom, Linear) for atom in atoms):
        return f"where a record breaks it, {moved}"
    if set(edits.columns).isdisjoint(rule.variables):
        return "new categories are some that occur"
    return "values are rounded" if edits.whole.intersection(rule.variables) else "the nearest of the listed values"


def _counts(sizes: Sequence[int]) -> str:
    shown = [f"{size:,}" for size in sizes[:6]] + ([f"{len(sizes) - 6} more"] if len(sizes) > 6 else [])
    return ", ".join(shown[:-1]) + f" and {shown[-1]}"
