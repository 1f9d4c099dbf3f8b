"""The command that runs the whole flow on a built-in survey."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import Quiet
from shoal.cli.protect import print_release
from shoal.cli.terminal import one_line_warnings, progress_bar
from shoal.errors import WriteError

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
        print(f"A synthetic survey of {records:,} households is in {survey}.\n")
    with one_line_warnings(), progress_bar(quiet):
        release = protect(
            survey, k, roles={"household_id": "identifier"}, strata="region", weights="survey_weight", seed=1
        )
    release.write(masked, plan=plan)
    if not quiet:
        print_release(release, masked, plan, False)
        print("\nOne of the groups, before and after (weighted means; gross less tax is still net):\n")
        print(
            group_text(
                release,
                min(40, len(release.partitions[0].sizes) - 1),
                ["region", "age", "wage_income", "gross_income", "tax", "net_income"],
            )
        )
        print(f"\nLook at the columns:     shoal describe {survey}")
        print(f"Risk and utility:        shoal measure {survey} {masked} --plan {plan}")
        print(f"A report to look at:     shoal report {survey} {masked} --plan {plan}")
        print(f"The same release again:  shoal protect --plan {plan}")
