"""The last sections of a report: which measures are left out, the method, how to cite it, and the versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from shoal.flow.request import OPTIONS, PlannedOptions
from shoal.measure.catalogue import MEASURES
from shoal.parameters.choices import as_text
from shoal.report.facts.summary import KEPT, Summary
from shoal.report.page.parts import PageSection, PageTable, name_markup, names_markup
from shoal.report.wording import printable, without_capital

__all__ = ["method_sections"]


def method_sections(summary: Summary) -> Iterator[PageSection]:
    """Give the measures that are left out, the method with its parameters, its references and the versions."""
    if summary.left_out:
        text = "These measures were not computed, or cannot be published."
        yield PageSection("left-out", "Measures that are left out", [text], bullets=_left_out(summary))
    if summary.steps:
        yield _steps(summary)
    if summary.plan is not None or summary.notes:
        notes = [Markup("<bdi>{}</bdi>").format(printable(note)) for note in summary.notes]
        before = [] if summary.plan is None else summary.plan.get("before", [])
        for number, plan in enumerate(before, start=1):
            yield PageSection(
                f"method-{number}", f"Method and parameters of step {number}", facts=_parameters(summary, plan, number)
            )
        title = f"Method and parameters{f' of step {len(before) + 1}, the last' if before else ''}"
        yield PageSection("method", title, facts=_parameters(summary, summary.plan, len(before) + 1), bullets=notes)
    yield PageSection("references", "How to cite", [_how_to_cite(summary)], bullets=summary.references)
    yield PageSection("versions", "Versions", facts=list(summary.versions.items()))


def _how_to_cite(summary: Summary) -> str:
    shoal = f"Cite shoal {summary.versions['shoal']} (the shoal authors)"
    if not summary.references:
        return f"{shoal}. The papers of the measures are named with each measure."
    return f"{shoal} and the papers of the method. The papers of the measures are named with each measure."


def _left_out(summary: Summary) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for name, why in summary.left_out.items():
        by_reason.setdefault(why, []).append(MEASURES[name].about.title)
    return [f"{', '.join(titles)}: {why}" for why, titles in by_reason.items()]


def _steps(summary: Summary) -> PageSection:
    """Return the steps of a chain in their order, each with its method, its columns and its k."""
    rows = [
        (
            str(number),
            names_markup(step.columns, 12),
            step.method,
            ", ".join(step.replace),
            "none" if step.k is None else str(step.k),
        )
        for number, step in enumerate(summary.steps, start=1)
    ]
    text = ["Each step starts from what the one before it released. What is said above holds of the final table."]
    table = PageTable("Steps in their order", ("step", "variables", "grouped by", "replaced by", "k"), rows)
    return PageSection("steps", "Steps", text, table=table)


def _parameters(summary: Summary, plan: Mapping[str, Any] | None, number: int) -> list[tuple[str, str]]:
    """Return the plan of a step as pairs of a label and a text: first the settings, then files and seed."""
    if plan is None:
        return []
    told = summary.steps[number - 1] if summary.steps else summary  # of a chain, what holds of this step
    facts: list[tuple[str, str]] = [("k", f"none: {told.no_k}")] if told.perturbs else [("k", str(plan["k"]))]
    if not told.perturbs:
        facts.append(("grouped by", _choice(plan["method"], summary)))
    facts += [("recoded", Markup("<bdi>{}</bdi>").format(printable(line))) for line in told.recoded]
    for place, block in enumerate(plan["blocks"][: _most(plan)], start=1):
        together = "changed variables" if told.perturbs else "grouped variables"
        label = together if len(plan["blocks"]) == 1 else f"block {place} of {len(plan['blocks'])}"
        facts.append((label, names_markup(block)))
    facts += [
        ("replaced by", _choice(choice, summary) + Markup(": ") + _which(columns, plan))
        for choice, columns in _by_choice(plan["replace"])
    ]
    facts += [
        (f"categories, {way}", Markup(f"{KEPT[way]}: ") + _which(columns, plan))
        for way, columns in _by_choice(plan.get("categories", {}))
    ]
    for kind in ("continuous", "ordinal", "nominal"):
        columns = [name for name, one in plan["kinds"].items() if one == kind]
        if columns:
            facts.append((f"{kind} variables", _which(columns, plan)))
    if plan["confidential"]:
        facts.append(("rewritten", names_markup(plan["confidential"])))
    for role, columns in _by_choice(plan.get("roles", {})):
        facts.append((f"role {role}", names_markup(columns)))
    facts += _options(plan, ["standardize"] if told.perturbs else [])
    for number, columns in _by_choice(plan.get("decimals", {})):
        facts.append(("decimals", Markup(f"{number}: ") + _which(columns, plan)))
    return facts + _origin(plan)


def _options(plan: Mapping[str, Any], left_out: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give what is said of the options that a plan holds as they were asked for."""
    for name in PlannedOptions.model_fields:
        option = OPTIONS[name]
        sentence = option.says(plan[name]) if name in plan and name not in left_out else ""
        if sentence:
            yield option.fact or option.label.lower(), sentence


def _which(columns: Sequence[str], plan: Mapping[str, Any]) -> Markup:
    return Markup("all of them") if len(columns) == len(plan["kinds"]) else names_markup(columns)


def _most(plan: Mapping[str, Any]) -> int:
    return 12 if len(plan["blocks"]) > 12 else len(plan["blocks"])


def _origin(plan: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what may be known only to those who have the original: seed and files."""
    facts = []
    if "seed" in plan:
        facts.append(("seed", f"{plan['seed']} (keep it safe: whoever has it can repeat the random draws)"))
    if plan.get("steps"):
        facts.append(("steps of the search", ", ".join(f"{sum(steps):,}" for steps in plan["steps"][:12])))
    for end in ("input", "output"):
        if plan.get(end) and plan[end].get("path"):
            facts.append((end, name_markup(plan[end]["path"])))
    if plan.get("input"):
        facts.append(("SHA-256 of the input", Markup("<code>{}</code>").format(plan["input"]["sha256"])))
    if plan.get("output"):
        facts.append(("rows", f"in {'the order of the input' if plan['output'].get('keep_order') else 'random order'}"))
    return facts


def _choice(choice: Mapping[str, Any], summary: Summary) -> Markup:
    """Return a method or a replacement with its parameters, and what it is."""
    description = summary.descriptions.get(choice["name"], "")
    meaning = f" ({without_capital(description)})" if description else ""
    return Markup("<code>{}</code>{}").format(as_text(choice), meaning)


def _by_choice(by_column: Mapping[str, Any]) -> list[tuple[Any, list[str]]]:
    """Return every choice once, with its columns."""
    shared: list[tuple[Any, list[str]]] = []
    for column, choice in by_column.items():
        columns = next((columns for one, columns in shared if one == choice), None)
        if columns is None:
            shared.append((choice, [column]))
        else:
            columns.append(column)
    return shared
