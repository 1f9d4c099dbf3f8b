"""The command that says what the columns of a table seem to be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.options import READING, Json, takes
from shoal.cli.terminal import say

__all__ = ["describe"]


@takes(reading=READING)
def describe(
    *,
    file: Annotated[Path, typer.Argument(help="The table to describe.")],
    json: Json = False,
    reading: dict[str, Any],
) -> None:
    """Print what each column seems to be. These are suggestions: `protect` applies only what you tell it."""
    from shoal.describe import describe_table
    from shoal.read import as_table
    from shoal.report.terminal.description import description_json, description_text

    table = as_table(file, **reading)
    variables = describe_table(table)
    say(description_json(variables) if json else description_text(str(file), len(table), variables))
