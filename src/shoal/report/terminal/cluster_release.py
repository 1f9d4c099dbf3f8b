"""What was protected on a cluster and what it cost, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from shoal.flow.plan import Plan
from shoal.measure.headline import Headline
from shoal.report.facts.headline import headline_lines
from shoal.report.facts.summary import HeadlineFacts
from shoal.report.terminal.names import first_names, one_line

__all__ = ["cluster_release_text"]


def cluster_release_text(
    plan: Plan,
    headline: Headline,
    losses: Mapping[str, float],
    blocks: int,
    output: Path,
    plan_path: Path,
    *,
    in_input_order: bool,
) -> str:
    """Return how safe everything released is, what was protected, what it cost, and where the files are, a fact a line.

    Parameters
    ----------
    plan
        What was done.
    headline
        How alike and how linkable the released records are.
    losses
        By column of numbers, the information loss in %.
    blocks
        In how many blocks the file was protected.
    output, plan_path
        Where the release and its plan were written.
    in_input_order
        Whether the rows were written in the order of the input, not in random order.
    """
    outcome = plan.outcome
    assert outcome is not None
    released = [name for name in plan.columns if name not in plan.identifiers] + outcome.unchanged + plan.strata
    facts = HeadlineFacts(
        **headline,
        columns=len(dict.fromkeys(released)),
        k_promised=None if plan.family.no_k else plan.k,
        are_k_alike=headline["k"] >= plan.k,
        sampled=min(headline["records"], 10_000),
        weights=plan.weights,
        uniques_with_weights=outcome.uniques_with_weights,
        unit=plan.unit,
    )
    lines = [*headline_lines(facts, None, plan.family.no_k), *_protection(plan, headline, blocks), *_loss(losses)]
    lines += [("dropped", f"{first_names(plan.identifiers)} (identifiers)")] if plan.identifiers else []
    lines += [("as it is", f"{first_names(outcome.unchanged)} (NOT PROTECTED)")] if outcome.unchanged else []
    lines += [("note", note) for note in outcome.notes]
    lines.append(("written", f"{output}, rows in {'the order of the input' if in_input_order else 'random order'}"))
    lines.append(("plan", f"{plan_path} (says which row is whose: keep it as safe as the input)"))
    return "\n".join(f"{word:<11} {text}" for word, text in lines)


def _protection(plan: Plan, headline: Headline, blocks: int) -> Iterator[tuple[str, str]]:
    outcome = plan.outcome
    assert outcome is not None
    yield (
        "protected",
        f"{len(plan.protected)} columns of {headline['records']:,} records: {first_names(plan.protected)}",
    )
    if not plan.family.no_k:
        sizes = f"{outcome.smallest_group} to {outcome.largest_group} records each"
        yield "groups", f"{sum(outcome.groups):,} by {plan.masking.method.name}, {sizes}"
    yield "cluster", f"{blocks:,} block{'s' * (blocks != 1)} of records, protected one by one"


def _loss(losses: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    if losses:
        yield "cost", f"{sum(losses.values()) / len(losses):.2f} % of the variation is lost"
    if len(losses) > 1:
        worst = max(losses, key=losses.__getitem__)
        yield "", f"most in {one_line(worst)}, {losses[worst]:.2f} %"
