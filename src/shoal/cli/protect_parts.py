"""Protecting a folder of Parquet files on a cluster, as `shoal protect --engine dask` does.

Everything heavy is imported inside the functions, so that `shoal --help` answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.options import cluster_of, protection_options, refuse_beside_plan
from shoal.cli.release.two_folders import refuse_in_folders
from shoal.cli.terminal import progress_bar, say, say_report
from shoal.errors import ParameterError, WriteError

if TYPE_CHECKING:
    from shoal.flow.job.reading import Job
    from shoal.flow.plan import Plan

__all__ = ["is_on_cluster", "protect_folder"]


def is_on_cluster(engine: Mapping[str, Any], plan: Plan | None) -> bool:
    """Whether an engine is named, or the plan is one for a cluster; ParameterError for options without one."""
    if plan is not None and plan.divided is not None:
        return True
    if "engine" not in engine:
        cluster_of(engine)  # refuses what needs one
    return "engine" in engine


def protect_folder(
    file: Path | None,
    k: int | None,
    output: Path | None,
    *,
    plan: Plan | None,
    job: Job,
    options: Mapping[str, Any],
    chosen: Mapping[str, Any],
    engine: dict[str, Any],
    keep_order: bool,
    save_plan: Path | None,
    report: Path | None,
    quiet: bool,
) -> None:
    """Protect a folder of Parquet files, and print what was done.

    Parameters
    ----------
    file, k, output, keep_order, save_plan, report, quiet
        As in `protect`.
    plan
        A plan that is carried out again.
    job
        What a job asks for; nothing where there is none.
    options, chosen
        The options of `shoal.protect` as texts, and those that are read already.
    engine
        The options of the cluster.
    """
    from shoal.flow.release import plan_beside, warn_of_order
    from shoal.report.terminal.cluster_release import cluster_release_text
    from shoal.scale.input.parts import parts_of
    from shoal.scale.protect import BLOCK_RECORDS, protect_parts
    from shoal.scale.run_folder import refuse_output

    source, output = _source_and_output(file, output, plan)
    if plan is None and k is None:
        raise ParameterError("Say how many records must share a value: -k 5, for instance. There is no default.")
    if job.then:
        raise ParameterError("Further steps of a job are not carried out on a cluster. Take [[then]] out of it.")
    refuse_output(output, source)
    save_plan = save_plan or plan_beside(output)
    _refuse_report(report, save_plan, source, output)
    asked = None
    if plan is None:
        asked = job.with_options({**chosen, **protection_options(options, parts_of(source).names)})
    else:
        refuse_beside_plan([name for name in ("block_records", "refine_borders") if name in engine])
        if file is not None:  # another file is meant
            plan = plan.model_copy(update={"input": None})
    workers = cluster_of({"engine": "dask"} | engine)
    with progress_bar(quiet):
        release = protect_parts(
            source,
            output,
            workers,
            k=k,
            options=asked,
            plan=plan,
            block_records=engine.get("block_records", BLOCK_RECORDS),
            refine_borders=engine.get("refine_borders", False),
            keep_order=keep_order,
            save_plan=save_plan,
        )
    if keep_order:
        warn_of_order(output)
    if not quiet:
        say(
            cluster_release_text(
                release.plan,
                release.headline,
                release.losses,
                release.blocks,
                output,
                save_plan,
                in_input_order=keep_order,
            )
        )
    if report is not None:
        with progress_bar(quiet, "measuring"):
            release.report(report, cluster=workers)
        if not quiet:
            say_report(report)


def _source_and_output(file: Path | None, output: Path | None, plan: Plan | None) -> tuple[Path, Path]:
    """Return what is protected and where it is written: as named, or as the plan says."""
    source = file if file is not None else None if plan is None or plan.input is None else plan.input.path
    if source is None:
        raise ParameterError("Name the folder to protect, or a plan with --plan.")
    if output is None and file is None and plan is not None and plan.output is not None:
        output = Path(plan.output.path)
    return Path(source), output or Path(f"{Path(source).name.removesuffix('.parquet')}-masked")


def _refuse_report(report: Path | None, plan: Path, *folders: Path) -> None:
    """Raise WriteError if the report cannot be written, or has the place of the plan or of a folder."""
    if report is not None and report.resolve() == plan.resolve():
        raise WriteError(f"{report} cannot be both the plan and the report. Give the report another name.")
    refuse_in_folders(report, ".html", *folders)
