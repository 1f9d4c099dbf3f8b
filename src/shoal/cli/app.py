"""The command line: one command per step of the flow, each in the file named after its kind.

Everything heavy is imported inside the commands, so that `shoal --help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from shoal import __version__
from shoal.cli.describe import check, describe
from shoal.cli.measure import compare, measure, report
from shoal.cli.protect import demo, protect
from shoal.cli.tune import tune

__all__ = ["app", "check", "compare", "demo", "describe", "measure", "protect", "report", "tune"]

app = typer.Typer(
    name="shoal",
    help="Protect microdata so that it can be shared, and measure what the protection costs and buys.",
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A record is safe in a shoal of at least k."""


for _command in (describe, check, protect, compare, tune, measure, report, demo):
    app.command()(_command)
