"""What the command line prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.describe import Variable
    from shoal.edits import Check, RuleStatus
    from shoal.flow.release import Release
    from shoal.measure import About, Evaluation, Figure
    from shoal.read import Table
    from shoal.search.comparison import Comparison

__all__ = [
    "check_text",
    "comparison_text",
    "description_json",
    "description_text",
    "evaluation_text",
    "group_text",
    "judged_text",
    "release_text",
    "table_text",
]

_WHAT_IS_COMPARED = (
    "in %, lower is better: score = (risk + PIL) / 2, risk = (linkage + interval disclosure) / 2, PIL probabilistic\n"
    "information loss; attack: found by an intruder who knows the method; lost: of the variation."
)


def description_text(name: str, records: int, variables: Sequence[Variable]) -> str:
    """Return a table of the variables, one a line."""
    head = ("column", "kind", "role?", "distinct", "missing", "why")
    rows = [
        (
            _one_line(variable.name),
            variable.kind or "-",
            variable.role,
            f"{variable.distinct:,}",
            f"{variable.missing:,}" if variable.missing else "",
            _one_line("; ".join(text for text in (variable.label, variable.reason) if text), most=80),
        )
        for variable in variables
    ]
    return f"{name}: {records:,} records, {len(variables)} columns\n\n{table_text(head, rows, right={3, 4})}"


def description_json(variables: Sequence[Variable]) -> str:
    """Return the variables as JSON."""
    return json.dumps([asdict(variable) for variable in variables], indent=2, ensure_ascii=False)


def check_text(name: str, check: Check) -> str:
    """Return how each rule fares, one a line; the values of records that break one only if the check has them."""
    broken = sum(not one.holds for one in check.rules)
    rules = f"{len(check.rules):,} rule{'s' if len(check.rules) != 1 else ''}"
    outcome = f"{broken:,} of {rules} broken" if broken else f"{rules}, none of them broken"
    lines = [f"{name}: {check.records:,} records, {outcome}", ""]
    for one in check.rules:
        lines += [_rule_text(one), *_offenders(one)]
    meaning = "where a rule computes, its sides are equal if they differ by no more than this part of the size"
    lines += ["", f"tolerance {check.tolerance:g}: {meaning}"]
    return "\n".join([*lines, "of their terms; a variable beside a number or another variable is compared as it is."])


def _rule_text(status: RuleStatus) -> str:
    name = f"{_one_line(status.name)}: " if status.name else ""
    line = f"{'holds' if status.holds else 'BROKEN':<8}{name}{_one_line(status.rule, most=80)}"
    if not status.holds:
        line += f": by {_records(status.broken)}"
        if status.first:
            line += ": " if len(status.first) == status.broken else ", the first "
            line += ", ".join(str(record) for record in status.first)
    return line + (f" ({_records(status.missing)} with a missing value left out)" if status.missing else "")


def _offenders(status: RuleStatus) -> list[str]:
    return [
        f"{'':<8}record {record}: "
        + ", ".join(f"{_one_line(name)} = {_one_line(str(cell))}" for name, cell in values.items())
        for record, values in zip(status.first, status.values or (), strict=False)
    ]


def _records(number: int) -> str:
    return f"{number:,} record{'s' if number != 1 else ''}"


def release_text(release: Release, output: Path, plan: Path | None, shuffled: bool) -> str:
    """Return what was protected, what it cost, and where the files are."""
    facts, outcome = release.plan, release.plan.outcome
    evaluation = release.evaluate(measures=["sse", "information_loss"])
    assert outcome is not None
    blocks = f" in {len(facts.blocks)} blocks" if len(facts.blocks) > 1 else ""
    strata = f" within {', '.join(facts.strata)}" if facts.strata else ""
    protected = facts.confidential or facts.columns
    what = f" by {facts.replace[protected[0]]['name']}" if facts.is_synthetic else ""
    lines = [
        f"{'rewritten' if facts.is_synthetic else 'protected':<11} {len(protected)} of {len(release.original.names)} "
        f"columns of {evaluation.records:,} records{blocks}{what}: {_shortened(protected)}"
    ]
    if facts.is_synthetic and facts.method["name"] == "one-group":
        lines.append(f"groups      none: all records are rewritten together{strata}")
    else:
        lines += [
            f"groups      {sum(outcome.groups):,} by {facts.method['name']}{strata}, "
            f"{outcome.smallest_group} to {outcome.largest_group} records each",
            f"k           {outcome.smallest_support}, the fewest records "
            f"{'rewritten together' if facts.is_synthetic else 'behind any released value'}",
        ]
    loss = evaluation.information_loss
    if loss is not None:
        share = f"{loss:.2f} % of the variation"
        what = f"values moved by {share}" if facts.is_synthetic else f"{share} is lost"
        lines.append(f"cost        {what} (SSE {evaluation.sse:.2f})")
        if len(loss.by_column) > 1:
            worst = max(loss.by_column, key=loss.by_column.__getitem__)
            lines.append(f"            most in {_one_line(worst)}, {loss.by_column[worst]:.2f} %")
    as_it_is = [name for name in release.masked.names if name not in protected]
    notes = [
        ("dropped", facts.identifiers, "identifiers"),
        ("as it is", as_it_is, "released unprotected"),
        (
            "now float",
            outcome.became_float,
            f"were whole numbers, are {'synthetic' if facts.is_synthetic else 'means'}",
        ),
        ("joined", list(outcome.joined), "some neighbouring groups share a value, so that k are observed"),
    ]
    lines += [f"{word:<11} {_shortened(names)} ({why})" for word, names, why in notes if names]
    lines += [f"note        {note}" for note in outcome.notes]
    if outcome.empty_records:
        lines.append(
            f"empty       {outcome.empty_records:,} records have nothing observed in a block and stay empty there"
        )
    lines.append(f"written     {output}{', rows shuffled' if shuffled else ''}")
    if plan is not None:
        lines.append(f"plan        {plan} (holds the seed: keep it as safe as the input)")
    return "\n".join(lines)


def comparison_text(comparison: Comparison) -> str:
    """Return the methods side by side, the lowest score first."""
    head = (
        "method",
        "k",
        "score",
        "risk",
        "PIL",
        "linkage",
        "interval",
        "attack",
        "lost",
        "seconds",
        "groups",
        "sizes",
    )
    rows = [
        (
            row.method,
            row.shown_k or "-",
            *(
                "-" if figure is None else f"{figure:.2f}"
                for figure in (
                    row.score,
                    row.risk,
                    row.probabilistic_information_loss,
                    row.distance_linkage,
                    row.interval_disclosure,
                    row.transparency_attack,
                )
            ),
            "-" if row.information_loss is None else f"{row.information_loss:.4g}",
            f"{row.seconds:.2f}",
            f"{row.groups:,}",
            f"{row.smallest_group}-{row.largest_group}",
        )
        for row in comparison.rows
    ]
    lines = [table_text(head, rows, right=set(range(1, len(head)))), "", _WHAT_IS_COMPARED]
    if comparison.unmasked_score is not None:
        scores = [row.score for row in comparison.rows if row.score is not None]
        better = bool(scores) and min(scores) < comparison.unmasked_score
        lines.append(
            f"unmasked file: score {comparison.unmasked_score:.2f}" + ("" if better else ", and none is better")
        )
    if comparison.ground.judged:
        lines.append(f"judged by {judged_text(comparison.ground.judged)}")
    lines += [f"left out: {name}, {why}" for name, why in comparison.left_out.items()]
    return "\n".join(lines)


def judged_text(judged: Sequence[str]) -> str:
    """Return over which variables figures are taken, if not over all, and what that means."""
    return f"{', '.join(map(_one_line, judged))}: hybrid and synthetic data rewrite these and leave the others"


def evaluation_text(names: str, evaluation: Evaluation) -> str:
    """Return the measures, risk first, with what each is and which way is good."""
    from shoal.measure import MEASURES
    from shoal.measure.evaluation import NOT_ASKED_FOR

    columns = f"{len(evaluation.columns)} column{'s' if len(evaluation.columns) != 1 else ''}"
    lines = [f"{names}: {columns} of {evaluation.records:,} records"]
    if evaluation.complete_records < evaluation.records:
        lines[0] += f", {evaluation.complete_records:,} of them without a gap"
    if evaluation.not_compared:
        lines.append(f"not compared, though an intruder sees them: {_shortened(evaluation.not_compared)}")
    for side in ("risk", "utility", "score"):
        rows = [
            (measure.about.title, _figure_text(measure.about, evaluation.figures.get(name)), measure.about.better, name)
            for name, measure in MEASURES.items()
            if measure.about.side == side and name not in evaluation.left_out
        ]
        if rows:
            lines += ["", table_text((side, "value", "better", "name"), rows, right={1})]
    notes = []
    attack = evaluation.transparency_attack
    if attack is not None:
        notes.append(
            f"transparency_attack: {attack.certain:.2f} % found for certain, {attack.false_unique:.2f} % wrongly; the "
            f"true record is a candidate for {attack.coverage:.2f} %; plain linkage finds {attack.linkage:.2f} %"
        )
    for name, figure in evaluation.figures.items():
        if figure.parts.get("sampled"):
            notes.append(f"sampled: {name}, from {figure.sampled:,} records")
    notes += [f"not applicable: {name}. {why}" for name, why in evaluation.not_applicable.items()]
    notes += [f"left out: {name}, {why}" for name, why in evaluation.left_out.items() if why != NOT_ASKED_FOR]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _figure_text(about: About, figure: Figure | None) -> str:
    if figure is None:
        return "not applicable"
    if about.unit == "records":
        return f"{int(figure):,}"
    if about.unit == "%":
        return f"{figure:.2f} %" if figure < 1e6 else f"{figure:.3g} %"
    return "0" if abs(figure) < 1e-12 else f"{figure:.4g}"  # what rounding leaves


def group_text(release: Release, group: int, columns: Sequence[str]) -> str:
    """Return the records of one group, original and masked. This shows original values: for synthetic data only."""
    rows = [row for row, label in enumerate(release.partitions[0].labels.tolist()) if label == group]

    def cells(table: Table, row: int) -> list[str]:
        values = [table.frame[name][row] for name in columns]
        return [f"{value:,.0f}" if isinstance(value, Real) else str(value) for value in values]

    head = ["", *columns]
    before = [[f"record {row + 1}", *cells(release.original, row)] for row in rows]
    after = ["all of them now", *cells(release.masked, rows[0])]
    return table_text(head, [*before, after], right=set(range(2, len(head))))


def _shortened(names: Sequence[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(_one_line(name) for name in names[:most]) + (f" and {more} more" if more > 0 else "")


def _one_line(text: str, most: int = 40) -> str:
    """Return a name as one short line, whatever is in it."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return plain if len(plain) <= most else f"{plain[: most - 3]}..."


def table_text(head: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> str:
    """Return a table, a row a line; the columns in `right` hold numbers."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *(line(row) for row in rows)])
