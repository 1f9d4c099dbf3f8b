"""What a notebook shows of an evaluation: what was found in one sentence, and the measures with their definitions."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import ParameterError
from shoal.measure import MEASURES, Evaluation
from shoal.measure.measuring import NOT_ASKED_FOR
from shoal.report.facts.headline import alike_text, headline_facts
from shoal.report.facts.measured.measures import measure_facts
from shoal.report.facts.measured.verdict import verdict_on
from shoal.report.facts.summary import HeadlineFacts
from shoal.report.notebook.fragment import fragment
from shoal.report.page.measure_sections import sections_of_measures
from shoal.report.page.parts import PageSection
from shoal.report.page.sections import headline_cards, measure_cards
from shoal.report.publish.shares import Shares

__all__ = ["evaluation_fragment"]

_EXACT = Shares(None)


def evaluation_fragment(evaluation: Evaluation) -> str:
    """Return what a notebook shows of an evaluation: what was measured, and nothing that takes long to measure."""
    headline = _headline(evaluation)
    alike = "" if headline is None else alike_text(headline)
    measures = measure_facts(evaluation, _EXACT, 1)
    cards = [] if headline is None else headline_cards(headline)
    sections = [*sections_of_measures(measures, _EXACT)]
    left_out = [*_left_out(evaluation)]
    if left_out:
        sections.append(PageSection("left-out", "Measures that are left out", bullets=left_out))
    return fragment(
        "Measures of a masked file",
        verdict_on(evaluation, alike[:1].upper() + alike[1:], _EXACT, 1),
        [*cards, *measure_cards(measures, _EXACT, headline)],
        sections,
        opened=("risk", "utility", "score"),
    )


def _headline(evaluation: Evaluation) -> HeadlineFacts | None:
    """Return how alike records are; None if the evaluation was stored and has no files any more."""
    has_linkage = "distance_linkage" in evaluation.measured and "distance_linkage" not in evaluation.options
    try:
        return headline_facts(evaluation, None, _EXACT, 1, linkage=has_linkage or "linkage" in vars(evaluation))
    except ParameterError:
        return None


def _left_out(evaluation: Evaluation) -> Iterator[str]:
    """Yield which measures that were asked for are not there, and why."""
    by_reason: dict[str, list[str]] = {}
    for name, why in {**evaluation.not_applicable, **evaluation.left_out}.items():
        if why != NOT_ASKED_FOR:
            by_reason.setdefault(why, []).append(MEASURES[name].about.title)
    for why, titles in by_reason.items():
        yield f"{', '.join(titles)}: {why}"
