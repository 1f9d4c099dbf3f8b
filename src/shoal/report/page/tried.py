"""A page about releases that were tried and not kept: what the pages of a search and of a comparison share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.report.page.html import environment
from shoal.report.page.parts import Card, Section, names
from shoal.report.wording import printable

if TYPE_CHECKING:
    from shoal.search.ground import Ground

__all__ = ["MAP_TEXT", "ground_section", "score_says", "tried_page"]

_NOTE = "Settings and figures of releases that were tried. No value of the data is in this page."
MAP_TEXT = (
    "Every mark is a release. To the left an intruder finds less, further down an analyst loses less. Risk is half "
    "distance linkage and half interval disclosure, loss is probabilistic information loss; the dotted lines join "
    "equal scores, 10 apart. All figures are taken on the file that was protected."
)


def tried_page(title: str, verdict: str, cards: Sequence[Card], sections: Sequence[Section]) -> str:
    """Return the page."""
    page = environment().get_template("report.html")
    return page.render(
        title=printable(title), audience=_NOTE, internal=False, verdict=verdict, cards=cards, sections=sections
    )


def score_says(unmasked: float | None) -> str:
    """Return what a score is, and which one the file has as it is."""
    return "half risk, half loss" + ("" if unmasked is None else f"; the unmasked file has {unmasked:.3g}")


def ground_section(ground: Ground, methods: Sequence[str]) -> Section:
    """Return what all releases share, and how often each method was tried."""
    selection = ground.selection
    facts: list[tuple[str, str]] = [
        ("records", f"{len(ground.table):,}"),
        ("variables", names(selection.columns)),
    ]
    if ground.judged:
        judged = names(ground.judged) + Markup(
            " (confidential: hybrid and synthetic data rewrite these and leave the others as they are; risk and loss "
            "are theirs alone, the attack is on all)"
        )
        facts.append(("judged by", judged))
    for role, says in (("stratum", "no group mixes"), ("weight", "sampling weights")):
        found = [name for name, one in selection.roles.items() if one == role]
        if found:
            facts.append((says, names(found)))
    if ground.rules:
        rules = Markup("<br>").join(
            Markup("<bdi><code>{}</code></bdi>").format(printable(one.text)) for one in ground.rules
        )
        facts.append(("kept by every release", rules))
    tried = ", ".join(f"{name} ({count:,})" for name, count in Counter(methods).items())
    return Section(id="tried", title="What was tried", facts=[*facts, ("methods (times tried)", tried)])
