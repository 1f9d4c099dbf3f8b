"""The command that writes a report on a masked file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.options import (
    READING,
    Kind,
    Option,
    Quick,
    Quiet,
    SampleSeed,
    given_options,
    measure_options,
    refuse_beside_plan,
    takes,
)
from shoal.cli.terminal import progress_bar, say
from shoal.cli.texts import read_assignments, read_names
from shoal.cli.two_files import read_two_files, refuse_output

__all__ = ["report"]


@takes(reading=READING)
def report(
    *,
    original: Annotated[Path, typer.Argument(help="The table as it was.")],
    masked: Annotated[Path, typer.Argument(help="The protected table: the same records in the same order.")],
    plan: Annotated[Path | None, typer.Option(help="The plan of the release: says what was done.")] = None,
    audience: Annotated[
        str,
        typer.Option(
            help='"internal" shows distributions of the original; "public" can be published with the release.'
        ),
    ] = "internal",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page. [MASKED-report.html]")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print every fact as JSON; the page is written only if -o names it.")
    ] = False,
    columns: Annotated[
        list[str] | None, typer.Option(help="Columns to compare, separated by commas. [all in both files]")
    ] = None,
    kind: Kind = None,
    option: Option = None,
    quick: Quick = False,
    seed: SampleSeed = 0,
    reading: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Write a report on a protected table as one HTML file that needs nothing else."""
    import json as to_json

    from shoal.measure import evaluate
    from shoal.parameters.limits import OneOf, check_limits
    from shoal.report.facts.collect import summarize_files
    from shoal.report.page.html import write_report

    check_limits({"audience": OneOf(("internal", "public"))}, {"audience": audience})
    options = measure_options(option)
    if plan is not None:
        refuse_beside_plan(list(given_options(columns=columns, kind=kind)))
    before, after, known = read_two_files(original, masked, plan, reading)
    if output is None and not json:
        output = Path(f"{masked.stem}-report.html")
    if output is not None:
        refuse_output(output, "report", before, after, plan)
    facts: dict[str, Any] = {"columns": read_names(columns), "kinds": read_assignments("--kind", kind)}
    if known is not None:
        facts = known.facts
    with progress_bar(quiet or json, "measuring"):
        evaluation = evaluate(before, after, options=options, quick=quick, seed=seed, **facts)
        summary = summarize_files(before, after, evaluation, known, audience)  # type: ignore[arg-type]  # checked above
    if output is not None:
        write_report(summary, output)
    if json:
        say(to_json.dumps(summary.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        say(f"{summary.verdict}\nwritten to {output}")
