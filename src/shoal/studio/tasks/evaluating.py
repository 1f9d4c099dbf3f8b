"""What a release comes to: the parts of its report, the map of all attempts, and what an intruder finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from shoal.describe.combinations import same_combinations
from shoal.flow.chain.whole_chain import kinds_in_chain
from shoal.measure.headline import alike_records, risk_of_scenarios, unit_numbers
from shoal.report.facts.summary import Summary
from shoal.report.notebook.fragment import fragment
from shoal.report.page.risk_loss_map import Mark, Point, draw_map, places_on_map
from shoal.report.page.sections import cards_of, sections_of
from shoal.report.wording import printable, shortened
from shoal.studio.tasks.protecting import kept_release

__all__ = ["IntruderRisk", "PlacedAttempt", "intruder", "report", "risk_map"]

_OPENED = ("scenarios", "distributions")
_LONGEST_TITLE = 60
_REACH = 12  # pixels around a point that can be pressed


@dataclass(frozen=True)
class PlacedAttempt:
    """An attempt with both a risk and a loss."""

    number: int
    title: str
    risk: float
    loss: float
    family: str


@dataclass(frozen=True)
class IntruderRisk:
    """What an intruder finds who knows some columns: in the release, and in the original as far as it is the same."""

    columns: list[str]
    k: int
    uniques: int
    linkage: float
    k_before: int
    uniques_before: int
    counts_units: bool


def report(source: dict[str, Any], summary: Summary) -> str:
    """Return the parts of a release's report, as markup in which names are text."""
    return fragment(summary.title, summary.verdict, cards_of(summary), sections_of(summary), opened=_OPENED)


def risk_map(source: dict[str, Any], attempts: Sequence[PlacedAttempt], shown: int | None, to: str) -> str:
    """Return the map of risk and loss, as an `svg` element whose points are buttons.

    Parameters
    ----------
    source
        The table; it is not needed.
    attempts
        What is drawn.
    shown
        The number of the attempt that is looked at.
    to
        The input that hears of the number when a point is pressed.
    """
    points = [Point(one.risk, one.loss, one.family) for one in attempts]
    marks = [
        Mark((one.risk, one.loss), f"attempt {one.number}", _short(one.title), chosen=True)
        for one in attempts
        if one.number == shown
    ]
    buttons = Markup("").join(
        Markup(
            '<g role="button" tabindex="0" id="{to}-point-{number}" data-send="{to}" data-about-number="{number}" '
            'aria-label="{text}"><title>{text}</title>'
            '<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="transparent"/></g>'
        ).format(to=to, number=one.number, text=_in_words(one), x=x, y=y, r=_REACH)
        for one, (x, y) in zip(attempts, places_on_map(points), strict=True)
    )
    drawn = draw_map(points, marks, None, None).replace('role="img"', 'role="group"', 1)
    return f"{drawn.removesuffix('</svg>')}{buttons}</svg>"


def _in_words(one: PlacedAttempt) -> str:
    return f"Attempt {one.number}, {_short(one.title)}: risk {one.risk:.3g} %, loss {one.loss:.3g} %"


def _short(title: str) -> str:
    return shortened(printable(title), _LONGEST_TITLE)


def intruder(source: dict[str, Any], folder: str, columns: Sequence[str]) -> IntruderRisk:
    """Return what an intruder finds who knows these columns."""
    release, _ = kept_release(folder)
    plan = release.plan
    risk = risk_of_scenarios(
        release.recoded,
        release.masked,
        {"chosen": list(columns)},
        kinds=kinds_in_chain(plan),
        weights=plan.weights,
        unit=plan.unit,
    )["chosen"]
    before = [name for name in risk["columns"] if name in release.recoded]
    units = unit_numbers(release.recoded, release.masked, plan.unit)
    alike = alike_records(same_combinations(release.recoded, before), units)
    return IntruderRisk(
        columns=risk["columns"],
        k=risk["k"],
        uniques=risk["uniques"],
        linkage=risk["linkage"],
        k_before=alike.k,
        uniques_before=alike.uniques,
        counts_units=units is not None,
    )
