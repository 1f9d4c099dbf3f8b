"""The command line: one file a command.

Everything heavy is imported inside the commands, so that `shoal --help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from shoal import __version__
from shoal.cli.check import check
from shoal.cli.compare import compare
from shoal.cli.demo import demo
from shoal.cli.describe import describe
from shoal.cli.options import CommandWithCatalogue, CommandWithMeasures
from shoal.cli.protect import protect
from shoal.cli.release.measure import measure
from shoal.cli.release.report import report
from shoal.cli.risk import risk
from shoal.cli.studio import studio
from shoal.cli.terminal import say
from shoal.cli.tune import tune

__all__ = ["app"]

app = typer.Typer(
    name="shoal",
    help="Protect microdata so that it can be shared, and measure its disclosure risk and utility.",
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A record is safe in a shoal of at least k."""


# In the order of the flow, which is that of the help.
for _command in (demo, describe, risk, check):
    app.command()(_command)
app.command(cls=CommandWithCatalogue)(protect)
for _command in (measure, report):
    app.command(cls=CommandWithMeasures)(_command)
for _command in (compare, tune):
    app.command(cls=CommandWithCatalogue)(_command)
app.command()(studio)
