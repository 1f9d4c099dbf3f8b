"""The command that checks whether records keep edit rules, or looks for rules that they keep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.options import CLUSTER, READING, Json, Quiet, cluster_of, refuse_with_engine, takes
from shoal.cli.terminal import progress_bar, say
from shoal.errors import ParameterError, ShoalError

__all__ = ["check"]


@takes(reading=READING, cluster=CLUSTER)
def check(
    *,
    file: Annotated[Path, typer.Argument(help="The table to check.")],
    edits: Annotated[
        Path | None,
        typer.Option("--edits", help="The rules: a text file with one a line, or a Schematron file (.sch, .xml)."),
    ] = None,
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="Print rules that every record keeps, as a file of rules to choose from."),
    ] = False,
    original: Annotated[
        Path | None, typer.Option(help='The table that rules such as "town in original" speak of.')
    ] = None,
    tolerance: Annotated[float, typer.Option(help="Relative tolerance for rules with arithmetic.")] = 1e-9,
    first: Annotated[int, typer.Option(help="For how many of the records that break a rule to print the number.")] = 10,
    show_values: Annotated[
        bool,
        typer.Option(
            "--show-values",
            help="Print their values too. These are the values of FILE: original ones, if it is the original.",
        ),
    ] = False,
    json: Json = False,
    reading: dict[str, Any],
    cluster: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Check whether every record keeps the rules. Exits with 0 if so, with 1 if not, with 2 if it cannot be checked.

    With --suggest, rules are looked for in the file instead.
    """
    import json as to_json

    if edits is None or suggest:
        with _exit_code_2():
            refuse_with_engine(cluster, {"suggest": suggest})
        _suggest_rules(file, edits, suggest, reading, json=json, quiet=quiet)
        return

    from shoal.edits import check, read_edits
    from shoal.edits.check import refuse_without_original
    from shoal.read import as_table
    from shoal.report.terminal.check import check_text

    with _exit_code_2():
        workers = cluster_of(cluster)
        rules = read_edits(edits)  # before the files, which may be large
        if original is None:
            refuse_without_original(rules)
        asked: dict[str, Any] = {"tolerance": tolerance, "first": first, "values": show_values}
        with progress_bar(quiet or json, "checking"):
            if workers is not None:
                from shoal.scale.measured.check import check_parts  # Dask is installed

                refuse_with_engine(cluster, reading)
                checked = check_parts(file, rules, workers, original=original, **asked)
            else:
                table = as_table(file, **reading)
                before = None if original is None else as_table(original, **reading)
                checked = check(table, rules, original=before, **asked)
    if json:
        say(to_json.dumps(checked.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        say(check_text(str(file), checked))
    if not checked.holds:
        raise typer.Exit(1)


def _suggest_rules(
    file: Path, edits: Path | None, suggest: bool, reading: dict[str, Any], *, json: bool, quiet: bool
) -> None:
    """Print rules that every record keeps; ParameterError unless these, and no others, were asked for."""
    import json as to_json
    from dataclasses import asdict

    from shoal.edits import suggested_rules
    from shoal.read import as_table
    from shoal.report.terminal.suggestions import suggestions_text

    if not suggest:
        raise ParameterError("There are no rules to check. Name them with --edits FILE, or find some with --suggest.")
    if edits is not None:
        raise ParameterError("--suggest finds rules, --edits checks others. Use one of them.")
    with _exit_code_2():
        table = as_table(file, **reading)
        with progress_bar(quiet or json, "looking for rules"):
            suggestions = suggested_rules(table)
    if json:
        say(to_json.dumps([asdict(one) for one in suggestions], indent=2, ensure_ascii=False))
    elif not quiet:
        say(suggestions_text(str(file), suggestions))


@contextmanager
def _exit_code_2() -> Iterator[None]:
    """Let every error inside the block exit with 2, because 1 is an answer."""
    try:
        yield
    except ShoalError as error:
        raise ParameterError(str(error)) from None
    except MemoryError:
        raise ParameterError("Not enough memory. Cut the file into parts and check each of them.") from None
