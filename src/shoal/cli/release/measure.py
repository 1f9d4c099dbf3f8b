"""The command that measures a masked file against its original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.options import (
    CLUSTER,
    MEASURED,
    READING,
    Json,
    MeasureOption,
    Quick,
    Quiet,
    SampleSeed,
    given_options,
    measure_options,
    read_options,
    refuse_beside_plan,
    takes,
)
from shoal.cli.release.two_files import Aligned, NoPlan, TwoFiles, read_two_files, refuse_output
from shoal.cli.release.two_folders import plan_of_folder, refuse_in_folders, workers_of
from shoal.cli.terminal import progress_bar, say
from shoal.parameters.of_columns import read_names

# Imported inside the functions, so that `shoal --help` answers at once.
if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.measure import Evaluation

__all__ = ["measure"]


@takes(known=MEASURED, reading=READING, cluster=CLUSTER)
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
    k: Annotated[int | None, typer.Option("-k", help="The k of the release, if there is no plan.")] = None,
    known: dict[str, Any],
    measures: Annotated[
        list[str] | None,
        typer.Option(help="Names as in the last column of the table that is printed, separated by commas. [all]"),
    ] = None,
    option: MeasureOption = None,
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

    beside = [*given_options(k=k), *known]
    if plan is not None:
        refuse_beside_plan(beside)
    asked: dict[str, Any] = {"measures": measures and read_names(measures), "options": measure_options(option)}
    asked["seed"] = seed
    alone = {name: value for name, value in known.items() if name in ("method", "blocks", "strata")}
    workers = workers_of(cluster, {**reading, **alone, "quick": quick})
    facts = given_options(k=k) | read_options(known)
    if workers is not None:
        refuse_in_folders(output, "", original, masked)
        with workers:
            of_plan, its_own = plan_of_folder(
                workers, masked, plan, output, look_beside=not no_plan, options=beside, quiet=quiet
            )
            asked["aligned"] = aligned or its_own
            with progress_bar(quiet or json, "measuring"):
                evaluation = _measured_parts(original, masked, workers, of_plan, facts, **asked)
    else:
        files = read_two_files(original, masked, plan, reading, look_beside=not no_plan, options=beside, quiet=quiet)
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

    return measure_parts(original, masked, workers, plan=plan, **facts, **asked)
