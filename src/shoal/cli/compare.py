"""The command that compares methods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.options import (
    PROTECTION,
    READING,
    MeasureOption,
    Quiet,
    given_options,
    measure_options,
    read_options,
    takes,
)
from shoal.cli.terminal import progress_bar, say
from shoal.cli.texts import read_ks, read_methods
from shoal.parameters.of_columns import read_names

__all__ = ["compare"]


@takes(options=PROTECTION, reading=READING)
def compare(
    *,
    file: Annotated[Path, typer.Argument(help="The table to compare the methods on.")],
    k: Annotated[str, typer.Option("-k", help="One k, or several separated by commas.")],
    methods: Annotated[
        str, typer.Option(help='Names separated by commas, "mdav,fuzzy,mdav+hybrid,ipso", or "all".')
    ] = "all",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the table. [FILE-compared.csv]")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page there (.html): the table, and the map of risk and loss.")
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(help="Further measures for every row, separated by commas: names that `shoal measure` prints."),
    ] = None,
    option: MeasureOption = None,
    options: dict[str, Any],
    seed: Annotated[int | None, typer.Option(help="Where random choices start. [0]")] = None,
    reading: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Compare methods, each at several k, by risk and loss.

    Prints disclosure risk and information loss of each. Nothing is released.
    """
    from shoal.read import as_table
    from shoal.report.terminal.comparison import comparison_text
    from shoal.search.comparison import compare
    from shoal.search.trial import further_measures
    from shoal.write import refuse_targets, write_table

    ks = read_ks(k)
    further = further_measures(measures and read_names(measures))
    chosen = measure_options(option, in_trials=True, further=further)
    output = output or Path(f"{file.stem}-compared.csv")
    table = as_table(file, **reading)
    written = [("table", output, None), ("report", report, ".html")]
    refuse_targets(table, written, read=[("file of rules", options.get("edits"))])
    with progress_bar(quiet, "comparing"):
        comparison = compare(
            table,
            ks,
            "all" if methods == "all" else read_methods(methods),
            measures=further,
            options=chosen,
            **read_options(options, table.names),
            **given_options(seed=seed),
        )
    write_table(comparison.to_frame(), output, owner_only=True)
    if report is not None:
        comparison.report(report, title=f"Methods side by side on {file.name}")
    if not quiet:
        say(comparison_text(comparison))
        say(f"\nwritten to {output}" + (f" and {report}" if report is not None else ""))
