"""The command that says what the columns of a table seem to be, and begins a job for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.options import READING, Json, takes
from shoal.cli.terminal import say
from shoal.errors import ParameterError, WriteError
from shoal.parameters.typed import typed_path

if TYPE_CHECKING:
    from shoal.read import Table

__all__ = ["describe"]


@takes(reading=READING)
def describe(
    *,
    file: Annotated[Path, typer.Argument(help="The table to describe.")],
    json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write a job (TOML) to edit, which protect takes: --job. [none]"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a job that is there.")] = False,
    reading: dict[str, Any],
) -> None:
    """Print what each column seems to be. These are suggestions: `protect` applies only what you tell it."""
    from shoal.describe import describe_table
    from shoal.read import as_table
    from shoal.report.terminal.description import description_json, description_text

    if output is not None and not force:
        _refuse_existing(output)
    table = as_table(file, **reading)
    variables = describe_table(table)
    if output is not None:
        _write_job(table, file, output, reading)
    say(description_json(variables) if json else description_text(str(file), len(table), variables))
    if output is not None and not json:
        command = f"shoal protect --job {typed_path(output)}"
        say(f"\nwritten to {output}: set k in it, decide what it leaves open, then: {command}")


def _refuse_existing(output: Path) -> None:
    if output == Path():
        raise ParameterError("-o needs the name of a file.")
    if output.exists():
        raise WriteError(
            f"{output} is there already, perhaps with changes of yours. Give another name, or add --force."
        )


def _write_job(table: Table, file: Path, output: Path, reading: dict[str, Any]) -> None:
    from shoal.flow.job.suggested import suggested_job
    from shoal.write import refuse_targets, replacing

    refuse_targets(table, [("job", output, ".toml")])
    release = output.parent / masked_name(file)
    text = suggested_job(table, output, release, reading)
    with replacing(output) as temporary:
        temporary.write_text(text, encoding="utf-8")


def masked_name(file: Path) -> str:
    """Return the name of a release: after its input, in its format where that can be written."""
    from shoal.read.files import ending_of
    from shoal.write.files import can_be_written

    ending = ending_of(file)  # CSV where the input's format can only be read
    return f"{file.name[: len(file.name) - len(ending)]}-masked{ending if can_be_written(ending) else '.csv'}"
