"""The command line: one command per step of the flow.

Everything heavy is imported inside the commands, so that `shoal --help` answers at once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal import __version__
from shoal.cli_options import (
    Blocks,
    Columns,
    Confidential,
    Decimal,
    Delimiter,
    Edits,
    Encoding,
    First,
    Kind,
    Missing,
    Original,
    Quiet,
    Repair,
    Replace,
    Role,
    Rules,
    Sheet,
    ShowValues,
    Standardize,
    Strata,
    Tolerance,
    Weights,
    assignments_in,
    blocks_in,
    methods_in,
    names_in,
    refuse_beside_plan,
    settings_in,
    what_was_given,
)
from shoal.errors import ParameterError, ShoalError, ShoalWarning, WriteError

if TYPE_CHECKING:
    from shoal.plan import Plan
    from shoal.read import Table
    from shoal.release import Release

__all__ = ["app"]

app = typer.Typer(
    name="shoal",
    help="Protect microdata so that it can be shared, and measure what the protection costs and buys.",
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A record is safe in a shoal of at least k."""


@app.command()
def describe(
    file: Annotated[Path, typer.Argument(help="The table to describe.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
) -> None:
    """Print what each column seems to be. These are suggestions: `protect` applies only what you tell it."""
    from shoal.describe import describe_table
    from shoal.read import as_table
    from shoal.report.text import description_json, description_text

    table = as_table(file, **what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet))
    variables = describe_table(table)
    print(description_json(variables) if json else description_text(str(file), len(table), variables))


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The table to check.")],
    edits: Rules,
    original: Original = None,
    tolerance: Tolerance = 1e-9,
    first: First = 10,
    show_values: ShowValues = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Check whether every record keeps the rules. Exits with 0 if so, with 1 if not, with 2 if it cannot be checked."""
    import json as to_json

    from shoal.edits import check, read_edits
    from shoal.edits.check import refuse_without_original
    from shoal.read import as_table
    from shoal.report.text import check_text

    reading = what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet)
    with _exit_code_2(), _one_line_warnings():
        rules = read_edits(edits)  # before the files, which may be large
        if original is None:
            refuse_without_original(rules)
        table = as_table(file, **reading)
        known = None if original is None else as_table(original, **reading)
        with _progress_bar(quiet or json, "checking"):
            found = check(table, rules, original=known, tolerance=tolerance, first=first, values=show_values)
    if json:
        print(to_json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        print(check_text(str(file), found))
    if not found.holds:
        raise typer.Exit(1)


@app.command()
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
    quiet: Quiet = False,
) -> None:
    """Protect a table: groups of at least k records, one set of values for each group."""
    from shoal.flow import carry_out, planned, table_for
    from shoal.plan import Plan
    from shoal.read import as_table
    from shoal.release import refuse_targets

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
    with _one_line_warnings():
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
            refuse_targets(table, output, save_plan)
        if plan is None:
            known, table = planned(
                table,
                k,  # type: ignore[arg-type]  # not None here
                **settings_in(table.names, **texts),
                **asked,
            )
        if explain or output is None:
            _print_explanation(file, known, table)
            return
        with _progress_bar(quiet):
            release = carry_out(known, table)
    release.write(output, shuffle=shuffle, plan=save_plan)
    if not quiet:
        _print_release(release, output, save_plan, shuffle)


@app.command()
def compare(
    file: Annotated[Path, typer.Argument(help="The table to try the methods on.")],
    k: Annotated[str, typer.Option("-k", help="One k, or several separated by commas.")],
    methods: Annotated[str, typer.Option(help='Names separated by commas, or "all".')] = "all",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the table. [FILE-compared.csv]")
    ] = None,
    columns: Columns = None,
    role: Role = None,
    kind: Kind = None,
    replace: Replace = None,
    blocks: Blocks = None,
    strata: Strata = None,
    weights: Weights = None,
    confidential: Confidential = None,
    edits: Edits = None,
    repair: Repair = False,
    missing: Missing = None,
    standardize: Standardize = None,
    seed: Annotated[int | None, typer.Option(help="Where random choices start. [0]")] = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Try several methods at several k, and print what each loses. Nothing is released."""
    from shoal.comparison import compare
    from shoal.read import as_table, refuse_unwritable, write_table
    from shoal.report.text import comparison_text

    ks = [one.strip() for one in k.split(",") if one.strip()]
    if not ks or not all(one.isascii() and one.isdigit() for one in ks):
        raise ParameterError(f'-k wants whole numbers separated by commas; got "{k}".')
    output = output or Path(f"{file.stem}-compared.csv")
    table = as_table(file, **what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet))
    table.refuse_to_overwrite(output)
    refuse_unwritable(output)
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
    with _one_line_warnings(), _progress_bar(quiet, "comparing"):
        comparison = compare(
            table,
            [int(one) for one in ks],
            "all" if methods == "all" else methods_in(methods),
            **settings_in(table.names, **texts),
            **what_was_given(repair=repair or None, missing=missing, standardize=standardize, seed=seed),
        )
    write_table(comparison.to_frame(), output)
    if not quiet:
        print(comparison_text(comparison))
        print(f"\nwritten to {output}")


@app.command()
def measure(
    original: Annotated[Path, typer.Argument(help="The table as it was.")],
    masked: Annotated[Path, typer.Argument(help="The protected table: the same records in the same order.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the figures there, as JSON.")] = None,
    plan: Annotated[
        Path | None, typer.Option(help="The plan of the release: with it, an intruder who knows the method is tried.")
    ] = None,
    method: Annotated[str | None, typer.Option(help="The method of the release, if there is no plan.")] = None,
    k: Annotated[int | None, typer.Option("-k", help="The k of the release, if there is no plan.")] = None,
    blocks: Blocks = None,
    strata: Strata = None,
    columns: Annotated[
        list[str] | None, typer.Option(help="Columns to compare, separated by commas. [all in both files]")
    ] = None,
    kind: Kind = None,
    measures: Annotated[
        list[str] | None, typer.Option(help="Names from the last column, separated by commas. [all]")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out what takes long, and say what.")] = False,
    seed: Annotated[int, typer.Option(help="Where samples of large files start.")] = 0,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Measure what an intruder can learn from a protected table, and what an analyst loses."""
    import json as to_json

    from shoal.measure import evaluate
    from shoal.plan import Plan
    from shoal.read import as_table, refuse_unwritable, replacing
    from shoal.release import in_original_order
    from shoal.report.text import evaluation_text

    reading = what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet)
    before, after = as_table(original, **reading), as_table(masked, **reading)
    if plan is not None:
        beside = what_was_given(method=method, k=k, blocks=blocks, strata=strata, columns=columns, kind=kind)
        refuse_beside_plan(list(beside))
        known = Plan.from_toml(plan)
        after, facts = in_original_order(known, after), known.facts
        if known.input is not None and known.input.sha256 != before.fingerprint():
            print(f"shoal: warning: {original} is not the file the plan was made for.", file=sys.stderr)
    else:
        kinds = assignments_in("--kind", kind)
        facts = {"method": method, "k": k, "blocks": blocks_in(blocks), "columns": names_in(columns), "kinds": kinds}
        facts["strata"] = names_in(strata)
    if output is not None:
        before.refuse_to_overwrite(output)
        after.refuse_to_overwrite(output)
        if plan is not None and output.resolve() == plan.resolve():
            raise WriteError(f"{output} is the plan. Give the figures another name.")
        refuse_unwritable(output, table=False)
    with _one_line_warnings(), _progress_bar(quiet or json, "measuring"):
        found = evaluate(before, after, measures=names_in(measures), quick=quick, seed=seed, **facts)
    as_json = to_json.dumps(found.to_dict(), indent=2, ensure_ascii=False)
    if output is not None:
        with replacing(output) as temporary:
            temporary.write_text(as_json + "\n", encoding="utf-8")
    if json:
        print(as_json)
    elif not quiet:
        print(evaluation_text(f"{original.name} and {masked.name}", found))


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where to put the files.")] = Path("shoal-demo"),
    records: Annotated[int, typer.Option("-n", help="Number of households.")] = 2000,
    k: Annotated[int, typer.Option("-k", help="Fewest records that may share a released value.")] = 5,
    quiet: Quiet = False,
) -> None:
    """Run the whole flow on a built-in synthetic household survey."""
    from shoal.datasets import households
    from shoal.flow import protect
    from shoal.read import write_table
    from shoal.report.text import group_text

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    survey, masked, plan = folder / "survey.csv", folder / "masked.csv", folder / "masked.csv.plan.toml"
    write_table(households(records, seed=1), survey)
    if not quiet:
        print(f"A synthetic survey of {records:,} households is in {survey}.\n")
    with _one_line_warnings(), _progress_bar(quiet):
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
        print(f"The same release again:  shoal protect --plan {plan}")


def _print_explanation(file: Path | None, plan: Plan, table: Table) -> None:
    from shoal.kept_rules import explained
    from shoal.report.explanation import explanation_text

    if not plan.edits:
        raise ParameterError("There are no rules to explain. Name a file of rules with --edits.")
    print(explanation_text(str(file or table.source), len(table), plan, explained(plan, table)))


def _print_release(release: Release, output: Path, plan: Path | None, shuffled: bool) -> None:
    from shoal.report.text import release_text

    print(release_text(release, output, plan, shuffled))


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Print warnings as one line each on standard error, without the place in the program."""

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, ShoalWarning):
            print("shoal: warning: " + " ".join(str(message).split()), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", ShoalWarning)
        warnings.showwarning = show
        yield


@contextmanager
def _exit_code_2() -> Iterator[None]:
    """Let every error inside the block exit with 2, because 1 is an answer."""
    try:
        yield
    except ShoalError as error:
        raise ParameterError(str(error)) from None
    except MemoryError:
        raise ParameterError("Not enough memory. Cut the file into parts and check each of them.") from None


@contextmanager
def _progress_bar(quiet: bool, doing: str = "protecting") -> Iterator[None]:
    """Show a bar while the work inside the block goes on, if someone is there to see it."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from shoal.progress import listening

    parts = (TextColumn(doing), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        with listening(lambda part: bar.advance(task, part)):
            yield


def _masked_name(file: Path) -> Path:
    """Name the release after its input, in this folder; as CSV where the input's format can only be read."""
    from shoal.read.files import can_be_written, ending_of

    ending = ending_of(file)
    return Path(f"{file.name[: len(file.name) - len(ending)]}-masked{ending if can_be_written(ending) else '.csv'}")
