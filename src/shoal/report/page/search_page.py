"""A page about many releases of one table: what the pages of a comparison and of a search share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.measure.options import options_text
from shoal.report.page.html import environment
from shoal.report.page.parts import PageCard, PageSection, names_markup
from shoal.report.wording import printable

if TYPE_CHECKING:
    from shoal.search.setup import TrialSetup

__all__ = ["SearchParts", "map_text", "meaning_of_score", "search_page", "shared_section"]

_NOTE = "Settings and measures of the releases that were evaluated. The page contains no value of the data."


@dataclass(frozen=True)
class SearchParts:
    """What is shown of many releases, on a page or in a notebook: a sentence, values to read first, sections."""

    verdict: str
    cards: Sequence[PageCard]
    sections: Sequence[PageSection]


def map_text(setup: TrialSetup) -> str:
    """Say what the map of risk and loss shows."""
    risk, loss = setup.risk_and_loss
    return (
        "Every mark is a release. Further left, an intruder finds less; further down, an analyst loses less. Risk is "
        f"{risk}, loss is {loss} (drawn at 100 % if it is more); the dotted lines join equal scores, 10 apart. "
        "All measures compare a release with the file it was made from."
    )


def search_page(title: str, parts: SearchParts) -> str:
    """Return the page."""
    page = environment().get_template("report.html")
    return page.render(
        title=printable(title),
        audience=_NOTE,
        internal=False,
        verdict=parts.verdict,
        cards=parts.cards,
        sections=parts.sections,
    )


def meaning_of_score(unmasked: float | None) -> str:
    """Say what a score is, and which one the unmasked file has."""
    return "half risk, half loss" + ("" if unmasked is None else f"; the unmasked file has {unmasked:.3g}")


def shared_section(setup: TrialSetup, methods: Sequence[str]) -> PageSection:
    """Return what all releases have in common, and how many there are of each method."""
    selection = setup.selection
    facts: list[tuple[str, str]] = [
        ("records", f"{len(setup.table):,}"),
        ("variables", names_markup(selection.columns)),
    ]
    if setup.measured_columns:
        measured = names_markup(setup.measured_columns) + Markup(
            " (confidential: hybrid and synthetic data rewrite these and leave the others as they are; risk and loss "
            "are measured on these alone, the attack on all variables)"
        )
        facts.append(("measured on", measured))
    if setup.not_protected:
        facts.append(("not protected", names_markup(setup.not_protected)))
    for role, label in (("stratum", "strata"), ("weight", "sampling weights"), ("unit", "units")):
        columns = [name for name, one in selection.roles.items() if one == role]
        if columns:
            facts.append((label, names_markup(columns)))
    if setup.measure_options:
        facts.append(("measures with options", Markup("<bdi>{}</bdi>").format(options_text(setup.measure_options))))
    if setup.rules:
        rules = Markup("<br>").join(
            Markup("<bdi><code>{}</code></bdi>").format(printable(one.text)) for one in setup.rules
        )
        facts.append(("rules, kept by every release", rules))
    counts = ", ".join(f"{name} ({count:,})" for name, count in Counter(methods).items())
    return PageSection(id="evaluated", title="What was evaluated", facts=[*facts, ("methods (releases)", counts)])
