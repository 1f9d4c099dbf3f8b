"""A report from its facts: the cards at the top, and the sections in their order."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.facts.headline import LINKED
from shoal.report.facts.measured.attack import FOUND
from shoal.report.facts.summary import HeadlineFacts, MeasureFacts, Summary
from shoal.report.page.distribution_sections import (
    correlation_section,
    distribution_section,
    loss_section,
    moment_section,
)
from shoal.report.page.key_sections import key_sections
from shoal.report.page.measure_sections import (
    attack_section,
    linkage_section,
    measure_sections,
    measured_with,
    scenario_section,
    value_of,
    which_way,
)
from shoal.report.page.method_sections import method_sections
from shoal.report.page.parts import PageCard, PageSection
from shoal.report.page.treatment_sections import (
    category_section,
    count_section,
    group_section,
    rule_section,
    variable_section,
)
from shoal.report.publish.shares import Shares

__all__ = ["cards_of", "headline_cards", "measure_cards", "sections_of"]

_CARDS = (
    ("information_loss", "Information loss", "of the variation of the original is lost"),
    ("distance_linkage", "Linkage", LINKED),
    ("transparency_attack", "Attack", FOUND),
    ("attribute_attack", "Guesses", "more guesses of a value are right than without the release"),
    ("score", "Score", "half loss, half risk; an unmasked file without duplicates scores 50"),
)


def headline_cards(headline: HeadlineFacts) -> list[PageCard]:
    """Return k and how many records are unique, as far as they may be given."""
    cards = []
    over = f"over all {headline.columns:,} released columns"
    if headline.k is not None:
        units = "different units, at least, behind every combination of values"
        counted = units if headline.units else "records, at least, alike"
        cards.append(PageCard(f"{headline.k:,}", "k", f"{counted} {over}", "higher is safer"))
    if headline.uniques is not None:
        of = f"of {headline.units:,} units have a record" if headline.units else f"of {headline.records:,} records are"
        unique = f"{of} {'that no other unit has' if headline.units else 'unique'} {over}"
        cards.append(PageCard(f"{headline.uniques:,}", "Unique", unique, "lower is safer"))
    return cards


def measure_cards(
    measures: Sequence[MeasureFacts], shares: Shares, headline: HeadlineFacts | None = None
) -> list[PageCard]:
    """Return those of the measures that are read first; linkage as the headline has it, whatever its options are."""
    by_name = {one.name: one for one in measures}
    cards = []
    for name, title, meaning in _CARDS:
        measure = by_name.get(name)
        if measure is None:
            continue
        value, options = value_of(measure, shares), measured_with(measure)
        if name == "distance_linkage" and headline is not None and headline.linkage is not None:
            value, options = shares.text(headline.linkage), ""
        meaning += f" ({options})" if options else ""
        cards.append(PageCard(value, title, meaning, which_way(measure)))
    return cards


def cards_of(summary: Summary) -> list[PageCard]:
    """Return the values that are read first."""
    cards = headline_cards(summary.headline)
    if summary.k_holds:
        behind = "records, at least, behind every protected value"
        cards.append(PageCard(str(summary.k), "Support", behind, "higher is safer"))
    if summary.units is not None and summary.units.unique is not None:
        meaning = f"of {summary.units.units:,} units have no other like them in the set of their records"
        cards.append(PageCard(f"{summary.units.unique:,}", "Unique units", meaning, "lower is safer"))
    columns = f"in {summary.columns_released:,} variable{'s' * (summary.columns_released != 1)}"
    cards.append(PageCard(f"{summary.records:,}", "Records", f"released, {columns}"))
    return [*cards, *measure_cards(summary.measures, Shares(summary.least_share), summary.headline)]


def sections_of(summary: Summary) -> list[PageSection]:
    """Return the sections in their order, each only if there are facts for it."""
    sections = [
        scenario_section(summary),
        *measure_sections(summary),
        *key_sections(summary),
        distribution_section(summary),
        correlation_section(summary),
        group_section(summary),
        count_section(summary),
        category_section(summary),
        loss_section(summary),
        rule_section(summary),
        linkage_section(summary),
        attack_section(summary),
        moment_section(summary),
        variable_section(summary),
        *method_sections(summary),
    ]
    return [one for one in sections if one is not None]
