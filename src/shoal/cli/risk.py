"""The command that says how risky the key variables of a table are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.options import READING, Json, Quiet, takes
from shoal.cli.terminal import progress_bar, say
from shoal.cli.texts import read_ks, read_names

__all__ = ["risk"]


@takes(reading=READING)
def risk(
    *,
    file: Annotated[Path, typer.Argument(help="The table, as it is or as it would be released.")],
    keys: Annotated[
        list[str] | None,
        typer.Option(help="Columns that an intruder may know, separated by commas. [those that seem to be categories]"),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="The column of sampling weights. [the file is the population]")
    ] = None,
    unit: Annotated[str | None, typer.Option(help="The column of the household, firm or other unit.")] = None,
    k: Annotated[str, typer.Option("-k", help="Values of k whose violators are counted.")] = "2,3,5",
    missing: Annotated[
        str, typer.Option(help="A missing value agrees with every value (wildcard) or with missing ones (category).")
    ] = "wildcard",
    confidential: Annotated[
        list[str] | None,
        typer.Option(help="Confidential columns: how much the keys tell of them (l-diversity, t-closeness)."),
    ] = None,
    riskiest: Annotated[
        int, typer.Option(help="List so many of the riskiest records by number; not to be published.")
    ] = 0,
    json: Json = False,
    reading: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Print how risky the key variables of a table are: uniques, violators of k, expected re-identifications, SUDA."""
    import json as to_json

    from shoal.measure.risk.keys.overview import key_risk, likely_keys
    from shoal.read import as_table
    from shoal.report.terminal.key_risk import key_risk_text

    ks = read_ks(k)
    table = as_table(file, **reading)
    names, told = read_names(keys), read_names(confidential) or []
    guessed = names is None
    if names is None:
        names = likely_keys(table, (weights, unit, *told))
    with progress_bar(quiet or json, "measuring"):
        found = key_risk(
            table,
            names,
            weights=weights,
            unit=unit,
            ks=ks,
            missing=missing,  # type: ignore[arg-type]  # checked there
            confidential=told,
            most=riskiest,
        )
    if json:
        say(to_json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        say(key_risk_text(str(file), found, guessed=guessed))
