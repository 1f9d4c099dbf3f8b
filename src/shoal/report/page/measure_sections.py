"""The sections on measures: risk, utility and score, linkage by known variables, and the transparency attack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from shoal.report.facts.measured.attack import FOUND, attack_text
from shoal.report.facts.proven import proven_text
from shoal.report.facts.summary import HeadlineFacts, MeasureFacts, ScenarioFacts, Summary
from shoal.report.page import plots
from shoal.report.page.parts import PageFigure, PageMeasure, PageRow, PageSection, PageTable
from shoal.report.publish.shares import Shares
from shoal.report.wording import number_text, printable, value_text

__all__ = [
    "ABOUT_SCENARIOS",
    "attack_section",
    "linkage_section",
    "measure_sections",
    "measured_with",
    "scenario_section",
    "scenario_texts",
    "sections_of_measures",
    "value_of",
    "which_way",
]

ABOUT_SCENARIOS = (
    "How many records are alike, unique, and linked to their own by the nearest released record, for an intruder who "
    "knows these columns. A missing value counts as a category; sampling weights count only where they are named."
)
_SIDES = (
    ("risk", "Disclosure risk", "What an intruder can learn from the release."),
    ("utility", "Data utility", "What an analyst loses by working with the release instead of the original."),
    ("score", "Score", "Risk and loss together."),
)


def value_of(measure: MeasureFacts, shares: Shares) -> str:
    """Return the value of a measure as text, a share of records as a bound where it is one."""
    if measure.is_share:
        return shares.text(measure.value)
    return value_text(measure.value, measure.unit)


def _sample_text(measure: MeasureFacts) -> str:
    """Say that a value is estimated from a sample, and how certain it is."""
    if measure.sampled is None:
        return ""
    text = f"Estimated from a sample of {measure.sampled:,} records"
    if measure.standard_error is not None:
        text += f"; its standard error is {measure.standard_error:.2g} percentage points"
    return f"{text}."


def measured_with(measure: MeasureFacts | None) -> str:
    """Say with which options something was measured, if not with the default ones."""
    options = {} if measure is None else measure.not_default
    return ", ".join(f"{name} = {_option_text(value)}" for name, value in options.items())


def _option_text(value: Any) -> str:
    return ", ".join(printable(str(one)) for one in value) if isinstance(value, list) else printable(str(value))


def _beside_text(measure: MeasureFacts) -> str:
    """Give the two values that the similarity of clusters is to be compared with."""
    if measure.again is None or measure.chance is None:
        return ""
    return (
        f"To compare: {number_text(measure.again)} for the original clustered again from another start, "
        f"{number_text(measure.chance)} for clusters assigned to the records at random."
    )


def which_way(measure: MeasureFacts) -> str:
    """Say which way is good: "lower is safer"."""
    return f"{measure.better} is {'safer' if measure.side == 'risk' else 'better'}"


def sections_of_measures(measures: Sequence[MeasureFacts], shares: Shares) -> Iterator[PageSection]:
    """Give the measures of risk, of utility and of both, each with its definition."""
    for side, title, meaning in _SIDES:
        shown = [
            PageMeasure(
                title=one.title,
                value=value_of(one, shares),
                better=one.better,
                place=_place(one),
                definition=one.definition.replace("`", ""),
                sample=_sample_text(one),
                options=measured_with(one),
                beside=_beside_text(one),
                reference=one.reference,
            )
            for one in measures
            if one.side == side
        ]
        if shown:
            yield PageSection(side, title, [meaning], measures=shown)


def measure_sections(summary: Summary) -> Iterator[PageSection]:
    """Give the same for a summary, with what is to be known of the measures of each side."""
    for section in sections_of_measures(summary.measures, Shares(summary.least_share)):
        side, text = section.id, [*section.text]
        if side == "risk" and summary.least_share is not None:
            text.append(
                f"A share of fewer than {summary.k:,} records, or of all but fewer, is given as a bound; measures "
                "computed from shares are computed from the published ones."
            )
        few = [one for one in summary.variables if one.protected and one.kind == "continuous" and one.loss is None]
        if side == "utility" and summary.audience == "public" and few:
            text.append("Numeric variables with few values have no part in means over variables.")
        if side == "utility" and summary.proven is not None:
            text.append(proven_text(summary.proven))
        yield replace(section, text=text)


def scenario_texts(found: HeadlineFacts | ScenarioFacts, k: int | None, shares: Shares) -> tuple[str, str, str]:
    """Return k, unique records and linkage of a scenario, as a table shows them."""
    linkage = "-" if found.linkage is None else shares.text(found.linkage)
    return _count_text(found.k, k), _count_text(found.uniques, k), linkage


def scenario_section(summary: Summary) -> PageSection | None:
    """Return the headline, the same over the protected columns alone, and what intruders find who know some columns."""
    alone, shares = summary.headline_protected, Shares(summary.least_share)
    everything = "everything that is released"
    whole = [one for one in summary.scenarios if one.name == "everything"]
    shown: list[tuple[str, int, HeadlineFacts | ScenarioFacts]] = []
    if not whole:
        shown.append((everything, summary.headline.columns, summary.headline))
    shown += [(printable(one.name), len(one.columns), one) for one in summary.scenarios]
    if alone is not None:
        shown.append(("the protected columns alone", alone.columns, alone))
    rows: list[PageRow] = [
        (name, f"{columns:,}", *scenario_texts(one, summary.k, shares)) for name, columns, one in shown
    ]
    head = ("an intruder who knows", "columns", "k", "unique", "linked")
    text = [ABOUT_SCENARIOS]
    if summary.no_k:
        text.append(f"The method promises no k: {summary.no_k}.")
    wildcard = summary.headline.k_with_wildcards
    if wildcard is not None and wildcard != summary.headline.k:
        text.append(f"If a missing value agrees with every value, k is {wildcard:,} over everything that is released.")
    if summary.headline.sampled:
        text.append(f"Linkage is estimated: {summary.headline.sampled:,} records are looked for in the whole file.")
    table = PageTable("What an intruder can use", head, rows, frozenset({1, 2, 3, 4}))
    return PageSection("scenarios", "Disclosure scenarios", text, table=table)


def _count_text(count: int | None, k: int | None) -> str:
    return f"< {k:,}" if count is None and k is not None else f"{count:,}"


def _place(measure: MeasureFacts) -> float | None:
    """Return where a value lies between the least and the greatest possible one, in percent."""
    if measure.least is None or measure.greatest is None:
        return None
    part = (measure.value - measure.least) / (measure.greatest - measure.least)
    return round(100 * min(max(part, 0.0), 1.0), 1)


def linkage_section(summary: Summary) -> PageSection | None:
    """Return how many records are linked by how many variables an intruder knows."""
    points = summary.linkage_by_known
    if not points:
        return None
    svg = plots.linkage("k", "Percentage of records linked, by the number of variables the intruder knows", points)
    shares = Shares(summary.least_share)
    rows = [(f"{known:,}", shares.text(share)) for known, share in points]
    table = PageTable("Records linked", ("variables known", "linked"), rows, frozenset({0, 1}))
    text = [
        "An intruder knows the original values of some variables of a record and takes the nearest released record for "
        "it. The figure shows for how many records that is right, averaged over all choices of that many variables. "
        "Lower is safer.",
        *_with_options("linkage_over_subsets", summary),
    ]
    figure = PageFigure("Records linked", Markup(svg), table)
    return PageSection("linkage", "Linkage by number of known variables", text, figures=[figure], beside=True)


def _with_options(name: str, summary: Summary) -> list[str]:
    """Return a sentence on the options of a measure, if they are not the default ones."""
    options = measured_with(summary.measure(name))
    return [f"Measured with {options}."] if options else []


def attack_section(summary: Summary) -> PageSection | None:
    """Return what an intruder finds who knows the method too."""
    attack, shares = summary.attack, Shares(summary.least_share)
    if attack is None:
        return None
    rates = [
        ("found", attack.found, FOUND),
        ("expected", attack.expected, "found by drawing one of the candidate records that are left"),
        ("best guess", attack.best_guess, "found by taking the most likely candidate"),
        ("certain", attack.certain, "one candidate is left, and it is the right record"),
        ("among candidates", attack.coverage, "the right record is among the candidates"),
        ("plain linkage", attack.linkage, "found by the nearest released record, by the same variables"),
    ]
    texts = [shares.text(rate) for _, rate, _ in rates]
    names, values = [name for name, *_ in rates], [rate for _, rate, _ in rates]
    svg = plots.bars("a", "What the transparency attack finds", names, values, 100.0, texts)
    rows: list[PageRow] = [(meaning, text) for (_, _, meaning), text in zip(rates, texts, strict=True)]
    if attack.candidates is not None:
        rows.append(("candidate records that are left, on average", number_text(attack.candidates)))
    table = PageTable("Transparency attack", ("result of the attack", "share of records"), rows, frozenset({1}))
    text = [
        f"{attack_text(attack, shares)}. The method is published, so an intruder may know it: only some groups can "
        "contain a record then, and the records of all other groups are ruled out. Lower is safer.",
        *_with_options("transparency_attack", summary),
    ]
    figure = PageFigure("Transparency attack", Markup(svg), table)
    return PageSection("attack", "An intruder who knows the method", text, figures=[figure], beside=True)
