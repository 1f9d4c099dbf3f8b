"""The commands that measure: compare, measure and report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    assignments_in,
    blocks_in,
    methods_in,
    names_in,
    refuse_beside_plan,
    settings_in,
    what_was_given,
    whole_numbers_in,
)
from shoal.cli.terminal import one_line_warnings, progress_bar

if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.read import Table

__all__ = ["compare", "measure", "report"]


def compare(
    file: Annotated[Path, typer.Argument(help="The table to try the methods on.")],
    k: Annotated[str, typer.Option("-k", help="One k, or several separated by commas.")],
    methods: Annotated[
        str, typer.Option(help='Names separated by commas, "mdav,fuzzy,mdav+hybrid,ipso", or "all".')
    ] = "all",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the table. [FILE-compared.csv]")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page there: the table, and the map of risk and loss.")
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
    """Try several methods at several k, and print what each costs and buys. Nothing is released."""
    from shoal.read import as_table
    from shoal.report.terminal.comparison import comparison_text
    from shoal.search.comparison import compare
    from shoal.write import refuse_targets, write_table

    ks = whole_numbers_in(k)
    output = output or Path(f"{file.stem}-compared.csv")
    table = as_table(file, **what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet))
    written = [("table", output), ("report", report)]
    refuse_targets(table, written, table="table", read=[("file of rules", edits)])
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
    with one_line_warnings(), progress_bar(quiet, "comparing"):
        comparison = compare(
            table,
            ks,
            "all" if methods == "all" else methods_in(methods),
            **settings_in(table.names, **texts),
            **what_was_given(repair=repair or None, missing=missing, standardize=standardize, seed=seed),
        )
    write_table(comparison.to_frame(), output)
    if report is not None:
        comparison.report(report, title=f"Methods side by side on {file.name}")
    if not quiet:
        print(comparison_text(comparison))
        print(f"\nwritten to {output}" + (f" and {report}" if report is not None else ""))


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
    from shoal.report.terminal.evaluation import evaluation_text
    from shoal.write import replacing

    reading = what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet)
    if plan is not None:
        beside = what_was_given(method=method, k=k, blocks=blocks, strata=strata, columns=columns, kind=kind)
        refuse_beside_plan(list(beside))
    before, after, known = _two_files(original, masked, plan, reading)
    if known is not None:
        facts = known.facts
    else:
        kinds = assignments_in("--kind", kind)
        facts = {"method": method, "k": k, "blocks": blocks_in(blocks), "columns": names_in(columns), "kinds": kinds}
        facts["strata"] = names_in(strata)
    if output is not None:
        _refuse_output(output, "figures", before, after, plan)
    with one_line_warnings(), progress_bar(quiet or json, "measuring"):
        found = evaluate(before, after, measures=names_in(measures), quick=quick, seed=seed, **facts)
    as_json = to_json.dumps(found.to_dict(), indent=2, ensure_ascii=False)
    if output is not None:
        with replacing(output) as temporary:
            temporary.write_text(as_json + "\n", encoding="utf-8")
    if json:
        print(as_json)
    elif not quiet:
        print(evaluation_text(f"{original.name} and {masked.name}", found))


def report(
    original: Annotated[Path, typer.Argument(help="The table as it was.")],
    masked: Annotated[Path, typer.Argument(help="The protected table: the same records in the same order.")],
    plan: Annotated[Path | None, typer.Option(help="The plan of the release: says what was done.")] = None,
    audience: Annotated[
        str,
        typer.Option(
            help='"internal" shows distributions of the original; "public" can be published with the release.'
        ),
    ] = "internal",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the page. [MASKED-report.html]")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print every fact as JSON; the page is written only if -o names it.")
    ] = False,
    columns: Annotated[
        list[str] | None, typer.Option(help="Columns to compare, separated by commas. [all in both files]")
    ] = None,
    kind: Kind = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out what takes long, and say what.")] = False,
    seed: Annotated[int, typer.Option(help="Where samples of large files start.")] = 0,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Write what there is to see of a protected table as one HTML file that needs nothing else."""
    import json as to_json

    from shoal.measure import evaluate
    from shoal.parameters.limits import OneOf, check_limits
    from shoal.report.facts.collect import summarize_files
    from shoal.report.page.html import write_report

    check_limits({"audience": OneOf(("internal", "public"))}, {"audience": audience})
    if plan is not None:
        refuse_beside_plan(list(what_was_given(columns=columns, kind=kind)))
    reading = what_was_given(delimiter=delimiter, decimal=decimal, encoding=encoding, sheet=sheet)
    before, after, known = _two_files(original, masked, plan, reading)
    if output is None and not json:
        output = Path(f"{masked.stem}-report.html")
    if output is not None:
        _refuse_output(output, "report", before, after, plan)
    facts = {"columns": names_in(columns), "kinds": assignments_in("--kind", kind)} if known is None else known.facts
    with one_line_warnings(), progress_bar(quiet or json, "measuring"):
        found = evaluate(before, after, quick=quick, seed=seed, **facts)
        summary = summarize_files(before, after, found, known, audience)  # type: ignore[arg-type]  # checked above
    if output is not None:
        write_report(summary, output)
    if json:
        print(to_json.dumps(summary.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        print(f"{summary.verdict}\nwritten to {output}")


def _two_files(
    original: Path, masked: Path, plan: Path | None, reading: dict[str, Any]
) -> tuple[Table, Table, Plan | None]:
    """Return both tables, the masked one in the order of the original, and the plan if there is one."""
    from shoal.flow.plan import Plan
    from shoal.flow.release import in_original_order
    from shoal.read import as_table

    before, after = as_table(original, **reading), as_table(masked, **reading)
    if plan is None:
        return before, after, None
    known = Plan.from_toml(plan)
    if known.input is not None and known.input.sha256 != before.fingerprint():
        print(f"shoal: warning: {original} is not the file the plan was made for.", file=sys.stderr)
    return before, in_original_order(known, after), known


def _refuse_output(output: Path, what: str, before: Table, after: Table, plan: Path | None) -> None:
    """Raise WriteError if that cannot be written there, or something that was read is there."""
    from shoal.write import refuse_targets, refuse_to_overwrite

    refuse_to_overwrite(after, output)
    refuse_targets(before, [(what, output)], read=[("plan", plan)])
