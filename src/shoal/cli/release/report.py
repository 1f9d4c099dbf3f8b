"""The command that writes a report on a masked file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.options import (
    CLUSTER,
    MEASURED,
    READING,
    MeasureOption,
    Quick,
    Quiet,
    SampleSeed,
    measure_options,
    read_options,
    refuse_beside_plan,
    takes,
)
from shoal.cli.release.two_files import Aligned, NoPlan, TwoFiles, read_two_files, refuse_output
from shoal.cli.release.two_folders import plan_of_folder, refuse_in_folders, workers_of
from shoal.cli.terminal import progress_bar, say

# Imported inside the functions, so that `shoal --help` answers at once.
if TYPE_CHECKING:
    from shoal.report.facts.summary import Audience, Summary

__all__ = ["report"]

_COMPARED = {name: MEASURED[name] for name in ("columns", "kinds")}


@takes(compared=_COMPARED, reading=READING, cluster=CLUSTER)
def report(
    *,
    original: Annotated[Path, typer.Argument(help="The table as it was.")],
    masked: Annotated[
        Path, typer.Argument(help="The protected table: the same records in the same order, or its plan's.")
    ],
    plan: Annotated[
        Path | None,
        typer.Option(help="The plan of the release: says what was done. [MASKED.plan.toml, if it is there]"),
    ] = None,
    no_plan: NoPlan = False,
    aligned: Aligned = False,
    audience: Annotated[
        str,
        typer.Option(
            help='"internal" shows distributions of the original; "public" can be published with the release.'
        ),
    ] = "internal",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page (.html). [MASKED-report.html]")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print every fact as JSON; the page is written only if -o names it.")
    ] = False,
    compared: dict[str, Any],
    option: MeasureOption = None,
    quick: Quick = False,
    seed: SampleSeed = 0,
    reading: dict[str, Any],
    cluster: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Write a report on a protected table, one HTML file."""
    import json as to_json

    from shoal.parameters.limits import OneOf, check_limits
    from shoal.report.page.html import write_report

    check_limits({"audience": OneOf(("internal", "public"))}, {"audience": audience})
    asked: dict[str, Any] = {"options": measure_options(option), "seed": seed}
    beside = list(compared)
    if plan is not None:
        refuse_beside_plan(beside)
    if output is None and not json:
        output = Path(f"{masked.stem}-report.html")
    facts = read_options(compared)
    workers = workers_of(cluster, {**reading, "quick": quick})
    if workers is not None:
        refuse_in_folders(output, ".html", original, masked)
        how = {**asked, **facts}
        with workers:
            known, its_own = plan_of_folder(
                workers, masked, plan, output, look_beside=not no_plan, options=beside, quiet=quiet
            )
            how |= {"plan": known, "audience": audience, "aligned": aligned or its_own}
            with progress_bar(quiet or json, "measuring"):
                summary = _of_folders(original, masked, workers, **how)
    else:
        files = read_two_files(original, masked, plan, reading, look_beside=not no_plan, options=beside, quiet=quiet)
        if output is not None:
            refuse_output(output, "report", ".html", files)
        if files.plan is not None:
            facts = files.plan.facts
        how = {**asked, **facts, "aligned": aligned or files.aligned, "quick": quick}
        with progress_bar(quiet or json, "measuring"):
            summary = _of_files(files, audience, how)  # type: ignore[arg-type]  # checked above
    if output is not None:
        write_report(summary, output)
    if json:
        say(to_json.dumps(summary.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        say(f"{summary.verdict}\nwritten to {output}")


def _of_files(files: TwoFiles, audience: Audience, how: dict[str, Any]) -> Summary:
    """Measure two tables that were read, and collect what is known of them."""
    from shoal.measure import evaluate
    from shoal.report.facts.collect import summarize_files

    evaluation = evaluate(files.before, files.after, **how)
    return summarize_files(files.before, files.after, evaluation, files.plan, audience, are_of_plan=files.aligned)


def _of_folders(original: Path, masked: Path, workers: Any, **how: Any) -> Summary:
    """Measure two folders on a cluster, and collect what is known of them."""
    from shoal.scale.measured.report import report_parts

    return report_parts(original, masked, workers, **how)
