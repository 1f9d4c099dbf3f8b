"""The facts about files too large to be held: of a sample of their rows, and of what was measured on all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from shoal.flow.plan import Plan
from shoal.measure import Evaluation
from shoal.read import Table
from shoal.report.facts.collect import Collector
from shoal.report.facts.summary import Audience, Summary

__all__ = ["summarize_sample"]


def summarize_sample(
    original: Table,
    masked: Table,
    evaluation: Evaluation,
    plan: Plan | None,
    audience: Audience,
    *,
    missing: Mapping[str, int],
    broken: Collection[str],
    source: str,
) -> Summary:
    """Collect every fact about files of which a sample is at hand; their measures are those of all rows.

    Risk over keys and sizes of groups, which a sample does not show, are left out.

    Parameters
    ----------
    original, masked
        The same rows of both files.
    evaluation, plan, audience
        As in `summarize_files`.
    missing, broken
        By column, how many values are missing in all rows of the original; and the rules that some record breaks.
    source
        The name of the original.
    """
    collector = Collector(original, masked, evaluation, plan, audience)
    summary = collector.summary([], distributions=True, just_made=False, of_sample=True)
    internal = audience == "internal"
    variables = [
        one.model_copy(update={"missing": missing.get(one.name) if internal else None}) for one in summary.variables
    ]
    rows = f"a sample of {len(masked):,} rows" if internal else "a sample of the rows"
    return summary.model_copy(
        update={
            "records": evaluation.records,
            "title": f"Protection of {source}" if internal else summary.title,
            "variables": variables,
            "rules": [one.model_copy(update={"holds": one.rule not in broken}) for one in summary.rules],
            "notes": [*summary.notes, f"Distributions and correlations are of {rows}; measures are of all rows."],
        }
    )
