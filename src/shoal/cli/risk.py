"""The command that says how risky the key variables of a table are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.options import (
    CLUSTER,
    PROTECTION,
    READING,
    Json,
    Quiet,
    cluster_of,
    read_options,
    refuse_with_engine,
    takes,
)
from shoal.cli.terminal import progress_bar, say
from shoal.cli.texts import read_ks
from shoal.parameters.of_columns import read_names

if TYPE_CHECKING:
    from shoal.measure.risk.keys.overview import KeyRisk
    from shoal.recode.effect import RecodeEffect

__all__ = ["risk"]

_RECODING = {name: PROTECTION[name] for name in ("recodes", "missing_codes")}


@takes(recoding=_RECODING, reading=READING, cluster=CLUSTER)
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
    confidential: Annotated[
        list[str] | None,
        typer.Option(help="Confidential columns: how much the keys tell of them (l-diversity, t-closeness)."),
    ] = None,
    riskiest: Annotated[
        int, typer.Option(help="List so many of the riskiest records by number; not to be published.")
    ] = 0,
    json: Json = False,
    recoding: dict[str, Any],
    reading: dict[str, Any],
    cluster: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Print how risky the key variables of a table are.

    Counted are uniques, violators of k, expected re-identifications and special uniques (SUDA). A missing value counts
    as a category; the same counts with missing values that agree with every value stand below.

    With --recode, before the recodes and after them, and what each does for k. Nothing is written.
    """
    from functools import partial

    from shoal.flow.recoding.asked import refuse_recoded_roles
    from shoal.measure.risk.keys.overview import key_risk, likely_keys
    from shoal.read import as_table
    from shoal.recode.catalogue import written_recodes
    from shoal.recode.effect import effect_on
    from shoal.recode.missing_codes import written_missing_codes
    from shoal.recode.recoded_table import recoded_table

    ks = read_ks(k)
    workers = cluster_of(cluster)
    if workers is not None:
        refuse_with_engine(cluster, {**recoding, **reading, "confidential": confidential, "riskiest": riskiest})
        from shoal.scale.measured.keys.key_risk import key_risk_parts  # Dask is installed

        asked: dict[str, Any] = {"weights": weights, "unit": unit, "ks": ks}
        with progress_bar(quiet or json, "measuring"):
            found = key_risk_parts(file, workers, keys=keys and read_names(keys), **asked)
        if json or not quiet:
            say(_json(found, None, None) if json else _text(str(file), found, None, None, guessed=keys is None))
        return
    table = as_table(file, **reading)
    recoding = read_options(recoding, table.names)
    recodes, codes = written_recodes(recoding.get("recodes")), written_missing_codes(recoding.get("missing_codes"))
    refuse_recoded_roles(recodes, {str(name): role for name, role in ((weights, "weight"), (unit, "unit"))})
    largest = max(2, *ks)
    recoded = recoded_table(table, recodes, codes, k=largest)
    names, told = keys and read_names(keys), read_names(confidential or [])
    guessed = names is None
    if names is None:
        likely = {*likely_keys(recoded.table, (weights, unit, *told)), *recodes}
        names = [name for name in table.names if name in likely]
    measured = partial(
        key_risk,
        keys=names,
        weights=weights,
        unit=unit,
        ks=ks,
        confidential=told,
    )
    with progress_bar(quiet or json, "measuring"):
        found = measured(recoded.table, most=riskiest)
        before = measured(recoded.before) if recodes else None
        effect = effect_on(recoded, list(recodes), names, largest) if recodes else None
    if json or not quiet:
        say(_json(found, before, effect) if json else _text(str(file), found, before, effect, guessed=guessed))


def _json(found: KeyRisk, before: KeyRisk | None, effect: RecodeEffect | None) -> str:
    import json as to_json

    plain = found.to_dict()
    if before is not None and effect is not None:
        plain = {"before": before.to_dict(), "after": plain, "effect": effect.to_dict()}
    return to_json.dumps(plain, indent=2, ensure_ascii=False)


def _text(name: str, found: KeyRisk, before: KeyRisk | None, effect: RecodeEffect | None, *, guessed: bool) -> str:
    from shoal.report.terminal.key_risk import key_risk_text, recoded_risk_text

    if before is None or effect is None:
        return key_risk_text(name, found, guessed=guessed)
    return recoded_risk_text(name, before, found, effect, guessed=guessed)
