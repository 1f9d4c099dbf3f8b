"""Methods side by side, as one HTML page: their measures, and the map of risk and loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.measure import MEASURES
from shoal.report.page.parts import PageCard, PageFigure, PageSection, PageTable
from shoal.report.page.risk_loss_map import comparison_map, comparison_points
from shoal.report.page.search_page import SearchParts, map_text, meaning_of_score, search_page, shared_section
from shoal.report.wording import percent_text, rounded_up, value_text, without_capital

if TYPE_CHECKING:
    from shoal.search.comparison import Comparison

__all__ = ["comparison_page", "comparison_parts"]

_HEAD = (
    *("method", "k", "k reached", "unique", "linkage", "score", "risk", "loss"),
    *("interval", "attack", "variation lost", "above the best, at most"),
)


def comparison_page(comparison: Comparison, title: str) -> str:
    """Return the page of a comparison."""
    return search_page(title, comparison_parts(comparison))


def comparison_parts(comparison: Comparison) -> SearchParts:
    """Return what is shown: the map, the methods with the lowest score first, and what was left out."""
    table = _table(comparison)
    sections = [PageSection(id="methods", title="Methods", table=table)]
    if comparison_points(comparison):
        figure = PageFigure("Risk and loss", Markup(comparison_map(comparison)), table)
        sections.insert(
            0,
            PageSection(
                id="map",
                title="Risk and loss",
                text=(map_text(comparison.setup),),
                figures=(figure,),
                beside=True,
                large=True,
            ),
        )
    if comparison.left_out:  # by name alone: the reasons may name strata
        text = (
            "These methods gave no release, or not at every k. The comparison itself gives the reasons; they are not "
            "repeated here because they may name categories of the data."
        )
        sections.append(PageSection(id="left-out", title="Left out", text=(text,), bullets=list(comparison.left_out)))
    sections.append(shared_section(comparison.setup, [row.method for row in comparison.rows]))
    best = comparison.rows[0]
    verdict = f"{len(comparison.rows)} releases were compared."
    cards = []
    if best.score is not None:
        verdict = f"Of {len(comparison.rows)} releases, {best.name} has the lowest score."
        if comparison.unmasked_score is not None and best.score >= comparison.unmasked_score:
            verdict += " The unmasked file scores no worse."
        score = meaning_of_score(comparison.unmasked_score)
        risk, loss = comparison.setup.risk_and_loss
        cards = [
            PageCard(f"{best.score:.2f}", "Lowest score", score, "lower is better"),
            PageCard(percent_text(best.risk), "Its risk", risk, "lower is safer"),
            PageCard(percent_text(best.loss), "Its loss", loss, "lower is better"),
        ]
    return SearchParts(verdict, cards, sections)


def _table(comparison: Comparison) -> PageTable:
    rows = []
    for row in comparison.rows:
        parts = (row.interval_disclosure, row.transparency_attack, row.information_loss)
        shown = [percent_text(value) for value in (row.risk, row.loss, *parts)]
        above = "-" if row.above_best is None else f"{rounded_up(row.above_best):,} %"
        score = "-" if row.score is None else f"{row.score:.2f}"
        sizes = f"{row.smallest_group}-{row.largest_group}"
        further = [
            "-" if value is None else value_text(value, MEASURES[name].about.unit)
            for name, value in row.further.items()
        ]
        headline = [f"{row.k_reached:,}", f"{row.uniques:,}", percent_text(row.linkage)]
        rows.append([row.method, row.shown_k, *headline, score, *shown, above, *further, f"{row.groups:,}", sizes])
    about = [MEASURES[name].about for name in comparison.setup.further]
    head = (*_HEAD, *(f"{without_capital(one.title)} ({one.better} is better)" for one in about), "groups", "sizes")
    caption = (
        "Methods side by side, the lowest score first; k reached, unique records, linkage and risk are over everything "
        "that is released; above the best: the squared error of the groups, by a proven bound"
    )
    return PageTable(caption, head, rows, numeric=frozenset(range(1, len(head))))
