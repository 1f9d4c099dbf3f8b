"""The commands that protect a table: protect and demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.options import (
    Blocks,
    Columns,
    Confidential,
    Decimal,
    Delimiter,
    Edits,
    Encoding,
    Kind,
    Missing,
    Quiet,
    Repair,
    Replace,
    Role,
    Sheet,
    Standardize,
    Strata,
    Weights,
    refuse_beside_plan,
    settings_in,
    what_was_given,
)
from shoal.cli.terminal import one_line_warnings, progress_bar
from shoal.errors import ParameterError, WriteError

if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.flow.release import Release
    from shoal.read import Table

__all__ = ["demo", "protect"]


def protect(
    file: Annotated[
        Path | None, typer.Argument(help="The table to protect; with --plan, the plan's input by default.")
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", help="Fewest records that may share a released value, 2 or more.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; the ending says the format. [FILE-masked]")
    ] = None,
    columns: Columns = None,
    role: Role = None,
    kind: Kind = None,
    method: Annotated[
        str | None, typer.Option(help='How to group: "mdav", "mdav:variant=two-k", "fuzzy", "entropy" and more. [mdav]')
    ] = None,
    replace: Replace = None,
    blocks: Blocks = None,
    strata: Strata = None,
    weights: Weights = None,
    confidential: Confidential = None,
    edits: Edits = None,
    repair: Repair = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print how the rules would be kept, and why. Nothing is masked.")
    ] = False,
    missing: Missing = None,
    standardize: Standardize = None,
    seed: Annotated[
        int | None, typer.Option(help="Where random choices start; drawn and recorded if not given.")
    ] = None,
    shuffle: Annotated[bool, typer.Option("--shuffle", help="Write the rows in random order.")] = False,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    plan: Annotated[Path | None, typer.Option(help="Repeat the release this plan describes.")] = None,
    save_plan: Annotated[Path | None, typer.Option(help="Where to write the plan. [OUTPUT.plan.toml]")] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Where to write a report (HTML) for those who may see the original. [none]"),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Protect a table: groups of at least k records, one set of values for each group."""
    from shoal.flow.carry_out import carry_out, table_for
    from shoal.flow.plan import Plan
    from shoal.flow.settle import settle
    from shoal.read import as_table
    from shoal.write import refuse_targets

    reading = what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet)
    asked = what_was_given(method=method, repair=repair or None, missing=missing, standardize=standardize, seed=seed)
    texts = {
        "columns": columns,
        "role": role,
        "kind": kind,
        "replace": replace,
        "blocks": blocks,
        "strata": strata,
        "weights": weights,
        "confidential": confidential,
        "edits": edits,
    }
    with one_line_warnings():
        if plan is not None:
            beside = what_was_given(k=k, **texts)
            refuse_beside_plan([*beside, *asked, *reading])
            known = Plan.from_toml(plan)
            table = table_for(known, file)
            if known.output is not None:
                shuffle = shuffle or known.output.shuffle
                if file is None:  # the same release again, in its place
                    output = output or Path(known.output.path)
        elif file is None:
            raise ParameterError("Name the file to protect, or a plan with --plan.")
        elif k is None:
            raise ParameterError("Say how many records must share a value: -k 5, for instance. There is no default.")
        else:
            table = as_table(file, **reading)
        if output == Path():
            raise ParameterError("-o needs the name of a file.")
        if output is None and not explain:
            if file is None:
                raise ParameterError("The plan does not say where to write. Add -o FILE.")
            output = _masked_name(file)
        if output is not None:
            if save_plan is None and file is not None:
                save_plan = output.with_name(f"{output.name}.plan.toml")
            written = [("release", output), ("plan", save_plan), ("report", report)]
            again = (
                plan is not None and file is None and save_plan is not None and save_plan.resolve() == plan.resolve()
            )
            read = [("plan", None if again else plan), ("file of rules", edits)]
            refuse_targets(table, written, table="release", read=read)
        if plan is None:
            known = settle(
                table,
                k,  # type: ignore[arg-type]  # not None here
                **settings_in(table.names, **texts),
                **asked,
            ).plan
        if explain or output is None:
            _print_explanation(file, known, table)
            return
        with progress_bar(quiet):
            release = carry_out(known, table)
    release.write(output, shuffle=shuffle, plan=save_plan)
    if not quiet:
        _print_release(release, output, save_plan, shuffle)
    if report is not None:
        with one_line_warnings(), progress_bar(quiet, "measuring"):
            release.report(report)
        if not quiet:
            print(f"report      {report} (shows distributions of the original: not for publication)")


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
        _print_release(release, masked, plan, False)
        print("\nOne of the groups, before and after (weighted means; gross less tax is still net):\n")
        print(
            group_text(
                release,
                min(40, len(release.partitions[0].sizes) - 1),
                ["region", "age", "wage_income", "gross_income", "tax", "net_income"],
            )
        )
        print(f"\nLook at the columns:     shoal describe {survey}")
        print(f"What an intruder learns: shoal measure {survey} {masked} --plan {plan}")
        print(f"A report to look at:     shoal report {survey} {masked} --plan {plan}")
        print(f"The same release again:  shoal protect --plan {plan}")


def _print_explanation(file: Path | None, plan: Plan, table: Table) -> None:
    from shoal.flow.kept_rules import explain
    from shoal.report.terminal.explanation import explanation_text

    if not plan.edits:
        raise ParameterError("There are no rules to explain. Name a file of rules with --edits.")
    print(explanation_text(str(file or table.source), len(table), plan, explain(plan, table)))


def _print_release(release: Release, output: Path, plan: Path | None, shuffled: bool) -> None:
    from shoal.report.facts.collect import summarize
    from shoal.report.terminal.release import release_text

    evaluation = release.evaluate(measures=["sse", "information_loss"])
    summary = summarize(release, "internal", evaluation, distributions=False)
    print(release_text(summary, output, plan, shuffled))


def _masked_name(file: Path) -> Path:
    """Name the release after its input, in this folder; as CSV where the input's format can only be read."""
    from shoal.read.files import ending_of
    from shoal.write.files import can_be_written

    ending = ending_of(file)
    return Path(f"{file.name[: len(file.name) - len(ending)]}-masked{ending if can_be_written(ending) else '.csv'}")
