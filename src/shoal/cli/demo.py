"""The command that runs the whole flow on a built-in survey."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import Quiet
from shoal.cli.protect import print_release
from shoal.cli.terminal import progress_bar, say
from shoal.errors import WriteError
from shoal.parameters.typed import typed_path

__all__ = ["demo"]


def demo(
    folder: Annotated[Path, typer.Option(help="Where to put the files.")] = Path("shoal-demo"),
    records: Annotated[int, typer.Option("-n", help="Number of households.")] = 2000,
    k: Annotated[int, typer.Option("-k", help="Fewest records that may share a released value.")] = 5,
    quiet: Quiet = False,
) -> None:
    """Run the whole flow on a built-in synthetic household survey."""
    from shoal.datasets import households
    from shoal.flow.protect import protect
    from shoal.report.terminal.group import group_text
    from shoal.write import write_table

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    survey, masked, plan = folder / "survey.csv", folder / "masked.csv", folder / "masked.csv.plan.toml"
    write_table(households(records, seed=1), survey)
    if not quiet:
        say(f"A synthetic survey of {records:,} households is in {survey}.\n")
    with progress_bar(quiet):
        release = protect(
            survey, k, roles={"household_id": "identifier"}, strata="region", weights="survey_weight", seed=1
        )
    release.write(masked)
    if not quiet:
        print_release(release, masked, plan, False)
        say("\nOne of the groups, before and after (weighted means; gross less tax is still net):\n")
        say(
            group_text(
                release,
                min(40, len(release.partitions[0].sizes) - 1),
                ["region", "age", "wage_income", "gross_income", "tax", "net_income"],
            )
        )
        say(f"\nLook at the columns:     shoal describe {typed_path(survey)}")
        say(f"Risk and utility:        shoal measure {typed_path(survey)} {typed_path(masked)}")
        say(f"A report to look at:     shoal report {typed_path(survey)} {typed_path(masked)}")
        say(f"The same release again:  shoal protect --plan {typed_path(plan)}")
