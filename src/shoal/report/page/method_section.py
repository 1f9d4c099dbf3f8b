"""The last sections of a report: what is not in it and why, the method, how to cite it, and with what it was made."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from shoal.measure.catalogue import MEASURES
from shoal.parameters.choices import as_text
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS
from shoal.report.facts.collect import Summary
from shoal.report.page.parts import Section, named, names
from shoal.report.wording import printable

__all__ = ["method_sections"]

_MISSING = {"error": "refused: the original has none", "keep": "stay where they are"}


def method_sections(summary: Summary) -> Iterator[Section]:
    """Return what was left out, the method and its parameters, the references and the versions."""
    if summary.left_out:
        yield Section("left-out", "What was left out", ["These measures are not above."], points=_left_out(summary))
    if summary.plan is not None or summary.notes:
        points = [Markup("<bdi>{}</bdi>").format(printable(note)) for note in summary.notes]
        yield Section("method", "Method and parameters", facts=_parameters(summary), points=points)
    papers = _references(summary)
    yield Section(
        "references",
        "How to cite",
        [
            f"Cite shoal {summary.versions['shoal']} (the shoal authors)"
            f"{' and the papers of the method:' if papers else '.'}",
        ],
        points=[*papers, "The papers of the measures stand beside them."] if papers else [],
    )
    yield Section("versions", "Versions", facts=list(summary.versions.items()))


def _left_out(summary: Summary) -> list[str]:
    by_reason: dict[str, list[str]] = {}
    for name, why in summary.left_out.items():
        by_reason.setdefault(why, []).append(MEASURES[name].about.title)
    return [f"{', '.join(titles)}: {why}" for why, titles in by_reason.items()]


def _parameters(summary: Summary) -> list[tuple[str, str]]:
    """Return the plan as a list that can be read: what was set, then where it came from."""
    plan = summary.plan
    if plan is None:
        return []
    facts: list[tuple[str, str]] = [("k", str(plan["k"])), ("groups by", _choice(plan["method"], METHODS))]
    for number, block in enumerate(plan["blocks"][: _most(plan)], start=1):
        label = "grouped together" if len(plan["blocks"]) == 1 else f"block {number} of {len(plan['blocks'])}"
        facts.append((label, names(block)))
    for choice, columns in _shared(plan["replace"]):
        facts.append(("replaced by", _choice(choice, REPLACEMENTS) + Markup(": ") + _which(columns, plan)))
    for kind in ("continuous", "ordinal", "nominal"):
        columns = [name for name, one in plan["kinds"].items() if one == kind]
        if columns:
            facts.append((f"{kind} variables", _which(columns, plan)))
    if plan["confidential"]:
        facts.append(("rewritten", names(plan["confidential"])))
    for role, columns in _shared(plan.get("roles", {})):
        facts.append((f"role {role}", names(columns)))
    facts += [
        ("missing values", _MISSING[plan["missing"]]),
        ("distances", "on standard scores" if plan["standardize"] else "on the scale of the data"),
    ]
    if plan["edits"]:
        repaired = ", mended where the original breaks them" if plan["repair"] else ""
        facts.append(("rules", f"{len(plan['edits']):,}{repaired}"))
    return facts + _origin(plan)


def _which(columns: Sequence[str], plan: Mapping[str, Any]) -> Markup:
    return Markup("all of them") if len(columns) == len(plan["kinds"]) else names(columns)


def _most(plan: Mapping[str, Any]) -> int:
    return 12 if len(plan["blocks"]) > 12 else len(plan["blocks"])


def _origin(plan: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what only those may know who have the original."""
    facts = []
    if "seed" in plan:
        facts.append(("seed", f"{plan['seed']} (keep it: whoever has it can redraw what was drawn at random)"))
    if plan.get("steps"):
        facts.append(("steps of the search", ", ".join(f"{sum(steps):,}" for steps in plan["steps"][:12])))
    for end in ("input", "output"):
        if plan.get(end) and plan[end].get("path"):
            facts.append((end, named(plan[end]["path"])))
    if plan.get("input"):
        facts.append(("SHA-256 of the input", Markup("<code>{}</code>").format(plan["input"]["sha256"])))
    if plan.get("output") and plan["output"].get("shuffle"):
        facts.append(("rows", "in random order"))
    return facts


def _choice(choice: Mapping[str, Any], registry: Mapping[str, type]) -> Markup:
    said = (inspect.getdoc(registry[choice["name"]]) or "").partition("\n")[0].rstrip(".").replace("`", "")
    return Markup("<code>{}</code>{}").format(as_text(choice), f" ({said[:1].lower()}{said[1:]})" if said else "")


def _shared(by_column: Mapping[str, Any]) -> list[tuple[Any, list[str]]]:
    """Return every choice once, with the columns it was made for."""
    found: list[tuple[Any, list[str]]] = []
    for column, choice in by_column.items():
        columns = next((columns for one, columns in found if one == choice), None)
        if columns is None:
            found.append((choice, [column]))
        else:
            columns.append(column)
    return found


def _references(summary: Summary) -> list[str]:
    """Return the papers of the method, each once."""
    if summary.plan is None:
        return []
    chosen: list[type] = [METHODS[summary.plan["method"]["name"]]]
    chosen += [REPLACEMENTS[choice["name"]] for choice, _ in _shared(summary.plan["replace"])]
    return [one for one in dict.fromkeys(_papers(kind) for kind in chosen) if one]


def _papers(kind: type) -> str:
    """Return what a class says under References."""
    _, _, rest = (inspect.getdoc(kind) or "").partition("References\n----------\n")
    return " ".join(rest.partition("\n\n")[0].split()).replace("`", "")
