"""Protecting a folder of Parquet files on a cluster, as `shoal protect --engine dask` does.

Everything heavy is imported inside the functions, so that `shoal --help` answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.options import cluster_of, read_options, refuse_beside_plan
from shoal.cli.release.two_folders import refuse_in_folders
from shoal.cli.targets import Named, Targets
from shoal.cli.terminal import progress_bar, say, say_report
from shoal.errors import ParameterError

if TYPE_CHECKING:
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
    named: Named,
    k: int | None,
    options: Mapping[str, Any],
    chosen: Mapping[str, Any],
    *,
    engine: dict[str, Any],
    keep_order: bool,
    quiet: bool,
) -> None:
    """Protect a folder of Parquet files, and print what was done.

    Parameters
    ----------
    named
        What is named by the command line, a job and a plan.
    k, keep_order, quiet
        As in `protect`.
    options, chosen
        The options of `shoal.protect` as texts, and those that are read already.
    engine
        The options of the cluster.
    """
    from shoal.flow.release import warn_of_order
    from shoal.report.terminal.cluster_release import cluster_release_text
    from shoal.scale.input.parts import parts_of
    from shoal.scale.protect import BLOCK_RECORDS, protect_parts
    from shoal.scale.run_folder import refuse_output

    plan, job = named.plan, named.job
    source = _source(named)
    targets = named.targets(Path(f"{source.name.removesuffix('.parquet')}-masked"))
    if plan is None and k is None:
        raise ParameterError("Say how many records must share a value: -k 5, for instance. There is no default.")
    if job.then:
        raise ParameterError("Further steps of a job are not carried out on a cluster. Take [[then]] out of it.")
    refuse_output(targets.output, source)
    _refuse_targets(targets, source, options.get("edits"))
    asked = None
    if plan is None:
        asked = job.with_options({**chosen, **read_options(options, parts_of(source).names)})
    else:
        refuse_beside_plan([name for name in ("block_records", "refine_borders") if name in engine])
        if named.file is not None:  # another file is meant
            plan = plan.model_copy(update={"input": None})
    workers = cluster_of({"engine": "dask"} | engine)
    targets.refuse_to_replace(workers)
    with progress_bar(quiet):
        release = protect_parts(
            source,
            targets.output,
            workers,
            k=k,
            options=asked,
            plan=plan,
            block_records=engine.get("block_records", BLOCK_RECORDS),
            refine_borders=engine.get("refine_borders", False),
            keep_order=keep_order,
            save_plan=targets.save_plan,
        )
    if keep_order:
        warn_of_order(targets.output)
    if not quiet:
        say(
            cluster_release_text(
                release.plan,
                release.headline,
                release.losses,
                release.blocks,
                targets.output,
                targets.save_plan,
                in_input_order=keep_order,
            )
        )
    if targets.report is not None:
        with progress_bar(quiet, "measuring"):
            release.report(targets.report, cluster=workers)
        targets.record_report()
        if not quiet:
            say_report(targets.report)


def _source(named: Named) -> Path:
    """Return what is protected: as the command line names it, a job, or the plan."""
    of_plan = None if named.plan is None or named.plan.input is None else named.plan.input.path
    source = named.file or named.job.file or of_plan
    if source is None:
        raise ParameterError("Name the folder to protect, or a plan with --plan.")
    return Path(source)


def _refuse_targets(targets: Targets, source: Path, edits: Path | None) -> None:
    """Raise WriteError if the plan or the report cannot be written, or would overwrite what is read."""
    from shoal.write import refuse_targets

    written = [("plan", targets.save_plan, ".toml"), ("report", targets.report, ".html")]
    refuse_targets(None, written, read=targets.named.read(edits))
    refuse_in_folders(targets.report, ".html", source, targets.output)
