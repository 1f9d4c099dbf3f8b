"""The report of a release that was measured on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal.describe.variables import Kind
from shoal.flow.chain.whole_chain import rules_in_chain
from shoal.flow.plan import Plan
from shoal.measure.options import MeasureOptions
from shoal.report.facts.collect import refuse_without_plan
from shoal.report.facts.sampled_rows import summarize_sample
from shoal.report.facts.summary import Audience, Summary
from shoal.report.page.html import write_report
from shoal.scale.cluster import Cluster
from shoal.scale.input.parts import CHUNK
from shoal.scale.measured.check import broken_rules
from shoal.scale.measured.measure import measured_with_sample

__all__ = ["report_parts"]


def report_parts(
    original: str | os.PathLike[str],
    masked: str | os.PathLike[str],
    cluster: Cluster,
    output: str | os.PathLike[str] | None = None,
    *,
    plan: Plan | None = None,
    columns: Iterable[Any] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    audience: Audience = "internal",
    options: MeasureOptions | None = None,
    seed: int = 0,
    aligned: bool = False,
    chunk_rows: int = CHUNK,
) -> Summary:
    """Write a report on a release as one HTML page, from what is measured on a cluster.

    How variables are distributed and correlated is shown of a sample of rows, and the page says so; all measures but
    linkage are over all rows, and so are rules.

    Parameters
    ----------
    original, masked
        The folders.
    cluster
        The workers.
    output
        Where to write the page; None for none.
    plan
        The plan of the release. A public report needs it.
    columns, kinds
        As in `measure_parts`; not with a plan, which knows them.
    audience
        "internal", for those who may see the original, or "public".
    options, seed, aligned, chunk_rows
        As in `measure_parts`.
    """
    facts = {"columns": columns, "kinds": kinds}
    how: dict[str, Any] = {"options": options, "seed": seed, "aligned": aligned, "chunk_rows": chunk_rows}
    refuse_without_plan(plan, audience)  # before any work
    with cluster:
        evaluation, files = measured_with_sample(original, masked, cluster, plan, facts, **how)
        rules = () if plan is None else rules_in_chain(plan)
        broken = broken_rules(cluster, masked, original, rules, chunk_rows)
    sample = files.compared
    summary = summarize_sample(
        sample.original,
        sample.masked,
        evaluation,
        plan,
        audience,
        missing=evaluation.whole.missing,
        broken=broken,
        source=Path(original).name,
    )
    if output is not None:
        write_report(summary, output)
    return summary
