"""The commands that look at a table: describe and check."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import (
    Decimal,
    Delimiter,
    Encoding,
    First,
    Original,
    Quiet,
    Rules,
    Sheet,
    ShowValues,
    Tolerance,
    what_was_given,
)
from shoal.cli.terminal import one_line_warnings, progress_bar
from shoal.errors import ParameterError, ShoalError

__all__ = ["check", "describe"]


def describe(
    file: Annotated[Path, typer.Argument(help="The table to describe.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
) -> None:
    """Print what each column seems to be. These are suggestions: `protect` applies only what you tell it."""
    from shoal.describe import describe_table
    from shoal.read import as_table
    from shoal.report.terminal.description import description_json, description_text

    table = as_table(file, **what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet))
    variables = describe_table(table)
    print(description_json(variables) if json else description_text(str(file), len(table), variables))


def check(
    file: Annotated[Path, typer.Argument(help="The table to check.")],
    edits: Rules,
    original: Original = None,
    tolerance: Tolerance = 1e-9,
    first: First = 10,
    show_values: ShowValues = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Check whether every record keeps the rules. Exits with 0 if so, with 1 if not, with 2 if it cannot be checked."""
    import json as to_json

    from shoal.edits import check, read_edits
    from shoal.edits.check import refuse_without_original
    from shoal.read import as_table
    from shoal.report.terminal.check import check_text

    reading = what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet)
    with _exit_code_2(), one_line_warnings():
        rules = read_edits(edits)  # before the files, which may be large
        if original is None:
            refuse_without_original(rules)
        table = as_table(file, **reading)
        known = None if original is None else as_table(original, **reading)
        with progress_bar(quiet or json, "checking"):
            found = check(table, rules, original=known, tolerance=tolerance, first=first, values=show_values)
    if json:
        print(to_json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        print(check_text(str(file), found))
    if not found.holds:
        raise typer.Exit(1)


@contextmanager
def _exit_code_2() -> Iterator[None]:
    """Let every error inside the block exit with 2, because 1 is an answer."""
    try:
        yield
    except ShoalError as error:
        raise ParameterError(str(error)) from None
    except MemoryError:
        raise ParameterError("Not enough memory. Cut the file into parts and check each of them.") from None
