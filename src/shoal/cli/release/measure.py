"""The command that measures a masked file against its original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.options import (
    CLUSTER,
    READING,
    Blocks,
    Json,
    Kind,
    Option,
    Quick,
    Quiet,
    SampleSeed,
    Strata,
    measure_options,
    refuse_beside_plan,
    takes,
)
from shoal.cli.release.two_files import Aligned, NoPlan, TwoFiles, read_two_files, refuse_output
from shoal.cli.release.two_folders import plan_of_folder, refuse_in_folders, workers_of
from shoal.cli.terminal import progress_bar, say
from shoal.cli.texts import read_assignments, read_blocks, read_names

# Imported inside the functions, so that `shoal --help` answers at once.
if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.measure import Evaluation

__all__ = ["measure"]


@takes(reading=READING, cluster=CLUSTER)
def measure(
    *,
    original: Annotated[Path, typer.Argument(help="The table as it was.")],
    masked: Annotated[
        Path, typer.Argument(help="The protected table: the same records in the same order, or its plan's.")
    ],
    json: Json = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the measures there, as JSON.")] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="The plan of the release: with it, the attack of an intruder who knows the method is measured. "
            "[MASKED.plan.toml, if it is there]"
        ),
    ] = None,
    no_plan: NoPlan = False,
    aligned: Aligned = False,
    method: Annotated[str | None, typer.Option(help="The method of the release, if there is no plan.")] = None,
    k: Annotated[int | None, typer.Option("-k", help="The k of the release, if there is no plan.")] = None,
    blocks: Blocks = None,
    strata: Strata = None,
    weights: Annotated[str | None, typer.Option(help="The column of sampling weights, which risks leave out.")] = None,
    unit: Annotated[str | None, typer.Option(help="The column of units, such as households: they are counted.")] = None,
    columns: Annotated[
        list[str] | None, typer.Option(help="Columns to compare, separated by commas. [all in both files]")
    ] = None,
    kind: Kind = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(help="Names as in the last column of the table that is printed, separated by commas. [all]"),
    ] = None,
    option: Option = None,
    quick: Quick = False,
    seed: SampleSeed = 0,
    reading: dict[str, Any],
    cluster: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Measure disclosure risk and information loss of a release."""
    import json as to_json

    from shoal.report.terminal.evaluation import evaluation_text
    from shoal.write import replacing

    decided = {"method": method, "k": k, "blocks": blocks, "strata": strata, "columns": columns, "kind": kind}
    decided |= {"weights": weights, "unit": unit}
    beside = [name for name, value in decided.items() if value not in (None, [])]
    if plan is not None:
        refuse_beside_plan(beside)
    asked: dict[str, Any] = {"measures": read_names(measures), "options": measure_options(option), "seed": seed}
    facts: dict[str, Any] = {"k": k, "columns": read_names(columns), "kinds": read_assignments("--kind", kind)}
    facts |= {"weights": weights, "unit": unit}
    workers = workers_of(cluster, {**reading, "method": method, "blocks": blocks, "strata": strata, "quick": quick})
    if workers is not None:
        refuse_in_folders(output, "", original, masked)
        with workers:
            known, its_own = plan_of_folder(
                workers, masked, plan, output, look_beside=not no_plan, options=beside, quiet=quiet
            )
            asked["aligned"] = aligned or its_own
            with progress_bar(quiet or json, "measuring"):
                evaluation = _measured_parts(original, masked, workers, known, facts, **asked)
    else:
        files = read_two_files(original, masked, plan, reading, look_beside=not no_plan, options=beside, quiet=quiet)
        facts |= {"method": method, "blocks": read_blocks(blocks), "strata": read_names(strata)}
        if output is not None:
            refuse_output(output, "measures", "", files)
        with progress_bar(quiet or json, "measuring"):
            evaluation = _measured_files(files, facts, aligned=aligned, quick=quick, **asked)
    as_json = to_json.dumps(evaluation.to_dict(), indent=2, ensure_ascii=False)
    if output is not None:
        with replacing(output, owner_only=True) as temporary:
            temporary.write_text(as_json + "\n", encoding="utf-8")
    if json:
        say(as_json)
    elif not quiet:
        say(evaluation_text(f"{original.name} and {masked.name}", evaluation))


def _measured_files(files: TwoFiles, facts: dict[str, Any], *, aligned: bool, **asked: Any) -> Evaluation:
    """Measure two tables that were read."""
    from shoal.measure import evaluate

    known = facts if files.plan is None else files.plan.facts
    return evaluate(files.before, files.after, aligned=aligned or files.aligned, **asked, **known)


def _measured_parts(
    original: Path, masked: Path, workers: Any, plan: Plan | None, facts: dict[str, Any], **asked: Any
) -> Evaluation:
    """Measure two folders on a cluster."""
    from shoal.scale.measured.measure import measure_parts

    given = {name: value for name, value in facts.items() if value not in (None, {})}
    return measure_parts(original, masked, workers, plan=plan, **given, **asked)
