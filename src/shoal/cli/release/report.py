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
    measure_options,
    refuse_beside_plan,
    takes,
)
from shoal.cli.release.two_files import Aligned, NoPlan, read_two_files, refuse_output
from shoal.cli.terminal import progress_bar, say
from shoal.cli.texts import read_assignments, read_names

__all__ = ["report"]


@takes(reading=READING)
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
    beside = [name for name, value in {"columns": columns, "kind": kind}.items() if value not in (None, [])]
    if plan is not None:
        refuse_beside_plan(beside)
    files = read_two_files(original, masked, plan, reading, look_beside=not no_plan, options=beside, quiet=quiet)
    if output is None and not json:
        output = Path(f"{masked.stem}-report.html")
    if output is not None:
        refuse_output(output, "report", files)
    facts: dict[str, Any] = {"columns": read_names(columns), "kinds": read_assignments("--kind", kind)}
    if files.plan is not None:
        facts = files.plan.facts
    facts["aligned"] = aligned or files.aligned
    before, after = files.before, files.after
    with progress_bar(quiet or json, "measuring"):
        evaluation = evaluate(before, after, options=options, quick=quick, seed=seed, **facts)
        summary = summarize_files(
            before,
            after,
            evaluation,
            files.plan,
            audience,  # type: ignore[arg-type]  # checked above
            are_of_plan=files.aligned,
        )
    if output is not None:
        write_report(summary, output)
    if json:
        say(to_json.dumps(summary.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        say(f"{summary.verdict}\nwritten to {output}")
