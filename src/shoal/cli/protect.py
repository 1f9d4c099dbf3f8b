"""The command that protects a table.

Everything heavy is imported inside the functions of the commands, so that `shoal --help` answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.describe import masked_name
from shoal.cli.large_files import suggest_engine
from shoal.cli.options import (
    CLUSTER,
    DIVISION,
    PROTECTION,
    READING,
    Quiet,
    given_options,
    read_options,
    refuse_beside_plan,
    refuse_with_engine,
    takes,
)
from shoal.cli.protect_parts import is_on_cluster, protect_folder
from shoal.cli.targets import Named, Targets
from shoal.cli.terminal import progress_bar, say, say_report
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.flow.release import Release
    from shoal.flow.settle import Settled
    from shoal.read import Table

__all__ = ["print_release", "protect"]


@takes(options=PROTECTION, reading=READING, engine=CLUSTER | DIVISION)
def protect(
    *,
    file: Annotated[
        Path | None, typer.Argument(help="The table to protect; with --plan, the plan's input by default.")
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", help="Fewest records that may share a released value, 2 or more.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; the ending says the format. [FILE-masked]")
    ] = None,
    method: Annotated[str | None, typer.Option()] = None,  # its help: CommandWithCatalogue
    options: dict[str, Any],
    explain: Annotated[
        bool, typer.Option("--explain", help="Print how the rules would be kept, and why. Nothing is masked.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what the recodes do for k over the categories. Nothing is written.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Where random choices start; drawn and recorded if not given.")
    ] = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Write the rows in the order of the input, not in random order.")
    ] = False,
    shuffle: Annotated[bool, typer.Option("--shuffle", hidden=True)] = False,  # of before; its error says what to do
    reading: dict[str, Any],
    job: Annotated[
        Path | None,
        typer.Option(help="A job, as describe -o begins one: its file and options, over which options here win."),
    ] = None,
    plan: Annotated[Path | None, typer.Option(help="Repeat the release this plan describes.")] = None,
    save_plan: Annotated[Path | None, typer.Option(help="Where to write the plan (.toml). [OUTPUT.plan.toml]")] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Where to write a report (.html) for those who may see the original. [none]"),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Let a job or a plan replace files in its folder that shoal did not write."),
    ] = False,
    engine: dict[str, Any],
    quiet: Quiet = False,
) -> None:
    """Protect a table, in groups of at least k records.

    Every record gets the values of its group, or a synthetic version of them.
    """
    from shoal.flow.carry_out import carry_out, table_for
    from shoal.flow.job.reading import Job, read_job
    from shoal.flow.settle import Settled, settle
    from shoal.read import as_table

    if shuffle:
        raise ParameterError("Rows leave in random order: leave --shuffle out. --keep-order keeps that of the input.")
    known = _plan_at(plan, given_options(job=job, k=k, **options, method=method, seed=seed, **reading))
    asked = Job() if job is None else read_job(job)
    k, keep_order = asked.k if k is None else k, keep_order or asked.keep_order or _in_input_order(known)
    named = Named(output, save_plan, report, file=file, job=asked, plan=known, plan_path=plan, overwrite=overwrite)
    if is_on_cluster(engine, known):
        refuse_with_engine(engine, {**reading, "explain": explain, "dry_run": dry_run})
        chosen = given_options(method=method, seed=seed)
        protect_folder(named, k, options, chosen, engine=engine, keep_order=keep_order, quiet=quiet)
        return
    writes = not (explain or dry_run)
    if known is not None:
        targets = named.targets(None if file is None else Path(masked_name(file))) if writes else None
        table = table_for(known, file)
    else:
        source = _named(file or asked.file, k, job)
        targets = named.targets(Path(masked_name(source))) if writes else None
        suggest_engine(source)
        table = as_table(source, **{**asked.reading, **reading})
    if targets is not None:
        _refuse_targets(table, targets, plan, options.get("edits"), repeats=file is None)
        targets.refuse_to_replace()
    chosen = given_options(method=method, seed=seed) | read_options(options, table.names)
    if targets is None:
        first = settle(table, k or 0, **asked.with_options(chosen)) if known is None else Settled(known, table)
        _print_effect(first) if dry_run else _print_explanation(file or asked.file, table, first.plan)
        return
    with progress_bar(quiet):
        release = asked.run(table, k=k, **chosen) if known is None else carry_out(known, table)
    release.write(targets.output, keep_order=keep_order, plan=targets.save_plan)
    if not quiet:
        print_release(release, targets.output, targets.save_plan, keep_order)
    if targets.report is not None:
        with progress_bar(quiet, "measuring"):
            release.report(targets.report)
        targets.record_report()
        if not quiet:
            say_report(targets.report)


def _plan_at(path: Path | None, beside: Mapping[str, Any]) -> Plan | None:
    """Return the plan that is carried out again, if there is one; ParameterError for options beside it."""
    from shoal.flow.plan import Plan

    if path is None:
        return None
    refuse_beside_plan(list(beside))
    return Plan.from_toml(path)


def _in_input_order(plan: Plan | None) -> bool:
    return plan is not None and plan.output is not None and plan.output.in_input_order


def print_release(release: Release, output: Path, plan: Path | None, in_input_order: bool) -> None:
    """Print what was protected, what was lost, and where the files are."""
    from shoal.report.facts.collect import summarize
    from shoal.report.terminal.release import release_text

    evaluation = release.evaluate(measures=["sse", "information_loss", "categories_changed"])
    summary = summarize(release, "internal", evaluation, distributions=False)
    say(release_text(summary, output, plan, in_input_order))


def _named(file: Path | None, k: int | None, job: Path | None) -> Path:
    if file is None:
        in_job = f' file = "..." in {job},' if job is not None else ""
        raise ParameterError(f"Name the file to protect,{in_job} or a plan with --plan.")
    if k is None:
        in_job = f", or k = 5 in {job}" if job is not None else ""
        raise ParameterError(
            f"Say how many records must share a value: -k 5, for instance{in_job}. There is no default."
        )
    return file


def _refuse_targets(table: Table, targets: Targets, plan: Path | None, edits: Path | None, *, repeats: bool) -> None:
    """Raise WriteError if something cannot be written, or would overwrite what is read."""
    from shoal.write import refuse_targets

    again = plan is not None and repeats and targets.save_plan.resolve() == plan.resolve()
    written = [
        ("release", targets.output, None),
        ("plan", targets.save_plan, ".toml"),
        ("report", targets.report, ".html"),
    ]
    refuse_targets(table, written, read=[("plan", None if again else plan), *targets.named.read(edits)])


def _print_effect(settled: Settled) -> None:
    from shoal.flow.recoding.asked import recoded_by_plan
    from shoal.flow.recoding.counted import effect_of_plan

    effect = effect_of_plan(settled.plan, settled.recoded or recoded_by_plan(settled.plan, settled.table))
    if effect is None:
        raise ParameterError("There are no categories and no recodes to count. Add --recode COLUMN=RECODE.")
    say(str(effect))


def _print_explanation(file: Path | None, table: Table, plan: Plan) -> None:
    from shoal.flow.explained_rules import explain
    from shoal.report.terminal.explanation import explanation_text

    if not plan.edits:
        raise ParameterError("There are no rules to explain. Name a file of rules with --edits.")
    say(explanation_text(str(file or table.source), len(table), plan, explain(plan, table)))
