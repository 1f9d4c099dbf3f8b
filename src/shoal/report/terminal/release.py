"""What was protected and what it cost, as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shoal.report.facts.headline import headline_lines
from shoal.report.facts.proven import proven_text
from shoal.report.facts.summary import Summary
from shoal.report.terminal.names import first_names, one_line
from shoal.report.wording import without_capital

__all__ = ["release_text"]

_MOST_NAMED = 6  # columns


def release_text(summary: Summary, output: Path, plan: Path | None, in_input_order: bool) -> str:
    """Return how safe everything released is, what was protected, what it cost, and where the files are, a fact a line.

    Parameters
    ----------
    summary
        The facts about a release that was just made, for those who may see the original.
    output, plan
        Where the release and its plan were written.
    in_input_order
        Whether the rows were written in the order of the input, not in random order.
    """
    headline = headline_lines(summary.headline, summary.headline_protected, summary.no_k)
    lines = [*headline, *_steps(summary), *_protection(summary), *_loss(summary), *_columns(summary)]
    lines += [("recode", one_line(line, 400)) for line in summary.recoded]
    lines += [("note", note) for note in summary.notes]
    if summary.outcome is not None and summary.outcome.empty_records:
        empty = f"{summary.outcome.empty_records:,} records have no observed value in a block and stay empty there"
        lines.append(("empty", empty))
    lines.append(("written", f"{output}, rows in {'the order of the input' if in_input_order else 'random order'}"))
    if plan is not None:
        lines.append(("plan", f"{plan} (says which row is whose: keep it as safe as the input)"))
    return "\n".join(f"{word:<11} {text}" for word, text in lines)


def _steps(summary: Summary) -> Iterator[tuple[str, str]]:
    """Say what every step of a chain did."""
    for number, step in enumerate(summary.steps, start=1):
        k = "no k" if step.k is None else f"k={step.k}"
        replaced = ", ".join(map(_name, step.replace))
        yield f"step {number}", f"{_name(step.method)}, {replaced}, {k}: {first_names(step.columns)}"


def _protection(summary: Summary) -> Iterator[tuple[str, str]]:
    blocks = f" in {len(summary.groups)} blocks" if len(summary.groups) > 1 else ""
    no_groups = (summary.is_synthetic or summary.perturbs) and not summary.steps  # of a chain every step is told
    how = f" by {', '.join(map(_name, summary.replace))}" if no_groups else ""
    yield (
        "protected" if not no_groups else "rewritten" if summary.is_synthetic else "changed",
        f"{len(summary.protected)} of {len(summary.variables)} columns of {summary.records:,} records{blocks}{how}: "
        f"{first_names(summary.protected)}",
    )
    outside = {} if summary.outcome is None else summary.outcome.outside
    if outside:
        some = ", ".join(f"{one_line(name)} ({count:,})" for name, count in list(outside.items())[:_MOST_NAMED])
        more = f" and {len(outside) - _MOST_NAMED} more columns" if len(outside) > _MOST_NAMED else ""
        way_out = "" if summary.perturbs else "; --bounds keeps it"
        yield "outside", f"values outside the range of the original: {some}{more}{way_out}"
    strata = f" within {', '.join(map(one_line, summary.strata))}" if summary.strata else ""
    if not summary.in_groups:
        how = "values are changed record by record" if summary.perturbs else "all records are rewritten together"
        yield "groups", f"none{' in the last step' if summary.steps else ''}: {how}{strata}"
        return
    smallest, largest = min(one.smallest for one in summary.groups), max(one.largest for one in summary.groups)
    count = sum(one.groups for one in summary.groups)
    yield "groups", f"{count:,} by {_name(summary.method or '')}{strata}, {smallest} to {largest} records each"
    if summary.outcome is not None:
        behind = "rewritten together" if summary.is_synthetic else "behind any released value"
        what = "different units" if any(one.role == "unit" for one in summary.variables) else "records"
        if summary.outcome.closeness is not None and summary.plan is not None:
            yield "closeness", _closeness(summary.plan["closeness"], summary.outcome.closeness)
        yield "support", f"{summary.outcome.smallest_support}, the fewest {what} {behind}"


def _closeness(t: float, largest: float) -> str:
    return f"confidential values: within t = {t:g} of the file's (the farthest group {largest:.4f})"


def _loss(summary: Summary) -> Iterator[tuple[str, str]]:
    loss, error, changed = (summary.value(name) for name in ("information_loss", "sse", "categories_changed"))
    numbers = loss is not None and error is not None
    if numbers:
        share = f"{loss:.2f} % of the variation"
        moved = summary.is_synthetic or summary.perturbs
        yield "cost", f"{f'values moved by {share}' if moved else f'{share} is lost'} (SSE {error:.2f})"
    by_variable = {one.name: one.loss for one in summary.variables if one.loss is not None}
    if numbers and len(by_variable) > 1:
        worst = max(by_variable, key=by_variable.__getitem__)
        yield "", f"most in {one_line(worst)}, {by_variable[worst]:.2f} %"
    if changed is not None:
        yield "" if numbers else "cost", f"{changed:.2f} % of the cells of categories have another value, or none"
    if summary.proven is not None and not summary.proven.no_bound:
        yield "proven", without_capital(proven_text(summary.proven)).rstrip(".")


def _columns(summary: Summary) -> Iterator[tuple[str, str]]:
    """Say what became of columns, other than that they are protected."""
    outcome = summary.outcome
    apart = {one.name: one.role for one in summary.variables if one.role in ("stratum", "weight", "unit")}
    kept = (summary.plan or {}).get("categories", {})
    ways = {way: [name for name, own in kept.items() if own == way] for way in ("suppress", "within")}
    notes = [
        ("suppress", ways["suppress"], "--categories: true values, cells suppressed"),
        ("within", ways["within"], "--categories: true values, groups stay within them"),
        ("dropped", summary.dropped, "identifiers"),
        ("as it is", [name for name in summary.released_as_is if name not in apart], "NOT PROTECTED"),
        (
            "strata",
            summary.strata,
            f"as they are: {'values are changed' if summary.perturbs else 'groups stay'} within them",
        ),
        ("weight", [name for name, role in apart.items() if role == "weight"], "as it is: k does not count it"),
        (
            "now float",
            [] if outcome is None else outcome.became_float,
            "were whole numbers" if summary.steps else f"were whole numbers, are {_what_they_are(summary)}",
        ),
        (
            "joined",
            [] if outcome is None else outcome.joined,
            "some neighbouring groups share a value, so that k observed ones are behind it and none counts too much",
        ),
    ]
    for word, columns, why in notes:
        if columns:
            yield word, f"{first_names(columns)} ({why})"


def _what_they_are(summary: Summary) -> str:
    return "synthetic" if summary.is_synthetic else "perturbed" if summary.perturbs else "means"


def _name(choice: str) -> str:
    """Return the name of a method or a replacement without its parameters."""
    return choice.partition(":")[0]
