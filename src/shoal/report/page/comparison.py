"""Methods side by side, as one HTML page: their figures, and the map of risk and loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.report.page.map import comparison_map, comparison_points
from shoal.report.page.parts import Card, Drawn, Section, Table
from shoal.report.page.tried import MAP_TEXT, ground_section, score_says, tried_page
from shoal.report.wording import percent_text

if TYPE_CHECKING:
    from shoal.search.comparison import Comparison

__all__ = ["comparison_page"]

_HEAD = ("method", "k", "score", "risk", "loss", "linkage", "interval", "attack", "variation lost", "groups", "sizes")


def comparison_page(comparison: Comparison, title: str) -> str:
    """Return the page of a comparison: the table, the lowest score first, the map, and what was left out."""
    table = _table(comparison)
    sections = [Section(id="methods", title="Methods", table=table)]
    if comparison_points(comparison):
        drawn = Drawn("Risk and loss", Markup(comparison_map(comparison)), table)
        sections.insert(
            0, Section(id="map", title="Risk and loss", text=(MAP_TEXT,), figures=(drawn,), beside=True, large=True)
        )
    if comparison.left_out:  # by name alone: the reasons may name strata
        text = "Not done at every k, for reasons that are given where the comparison is made:"
        sections.append(Section(id="left-out", title="Left out", text=(text,), points=list(comparison.left_out)))
    sections.append(ground_section(comparison.ground, [row.method for row in comparison.rows]))
    best = comparison.rows[0]
    verdict = f"{len(comparison.rows)} releases were compared."
    cards = []
    if best.score is not None:
        verdict = f"Of {len(comparison.rows)} releases, {best.name} has the lowest score."
        if comparison.unmasked_score is not None and best.score >= comparison.unmasked_score:
            verdict += " The file as it is scores no worse."
        cards = [
            Card(f"{best.score:.2f}", "Lowest score", score_says(comparison.unmasked_score), "lower is better"),
            Card(percent_text(best.risk), "Its risk", "linkage and interval disclosure", "lower is better"),
            Card(percent_text(best.loss), "Its loss", "probabilistic information loss", "lower is better"),
        ]
    return tried_page(title, verdict, cards, sections)


def _table(comparison: Comparison) -> Table:
    rows = []
    for row in comparison.rows:
        parts = (row.distance_linkage, row.interval_disclosure, row.transparency_attack, row.information_loss)
        shown = [percent_text(value) for value in (row.risk, row.loss, *parts)]
        score = "-" if row.score is None else f"{row.score:.2f}"
        sizes = f"{row.smallest_group}-{row.largest_group}"
        rows.append([row.method, row.shown_k, score, *shown, f"{row.groups:,}", sizes])
    return Table("Methods side by side, the lowest score first", _HEAD, rows, right=frozenset(range(1, len(_HEAD))))
