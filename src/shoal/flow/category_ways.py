"""One release three ways: categories grouped with the rest, suppressed cell by cell, or kept and groups within."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shoal.errors import NotApplicableError, ShoalError, ShoalWarning
from shoal.flow.carry_out import carry_out
from shoal.flow.chain.whole_chain import lost_in
from shoal.measure.measure import FileMeasure, MeasuredValue
from shoal.measure.pairs import Pair, pair
from shoal.measure.utility.information_loss import information_loss
from shoal.measure.utility.mixed_information_loss import mixed_information_loss

if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.flow.release import Release

__all__ = ["CategoryWay", "category_ways"]

_WAYS: tuple[Literal["group", "suppress", "within"], ...] = ("group", "suppress", "within")
_GROUPED = {"ordinal": {"name": "median"}, "nominal": {"name": "mode"}}  # where the plan has no replacement for them


@dataclass(frozen=True)
class CategoryWay:
    """What a release loses if its categories are treated one way; percentages.

    Attributes
    ----------
    way
        What is done with all columns of categories: "group", "suppress" or "within".
    numbers
        The information loss of the continuous variables; None where there are none, or no release.
    changed, suppressed
        The cells of categories, of those with a value, that got another value, and that were made missing.
    loss
        What all columns lose together (`mixed_information_loss`): the variation of numbers, cells of categories, and
        what recodes took from either.
    k
        The fewest released records that are alike; with a unit, the fewest units.
    refused
        Why there is no release; empty if there is one.
    """

    way: Literal["group", "suppress", "within"]
    numbers: float | None = None
    changed: float | None = None
    suppressed: float | None = None
    loss: float | None = None
    k: int | None = None
    refused: str = ""


def category_ways(release: Release) -> list[CategoryWay]:
    """Carry out the plan of a release with all categories grouped, suppressed and kept, and measure each.

    Nothing is released, so nothing is warned of. Empty where there are no categories, or values are drawn.
    """
    plan = release.plan
    names = [name for name in plan.columns if plan.kinds[name] != "continuous"]
    if not names or plan.family.no_k:
        return []
    return [_measured(release, way, _treated(plan, names, way)) for way in _WAYS]


def _treated(plan: Plan, names: list[str], way: Literal["group", "suppress", "within"]) -> dict[str, Any]:
    """Return the parts of the plan in which a way differs."""
    kept = {} if way == "group" else dict.fromkeys(names, way)
    replace = {name: plan.replace.get(name) or _GROUPED[plan.kinds[name]] for name in plan.columns if name not in kept}
    return {"categories": kept, "replace": replace}


def _measured(release: Release, way: Literal["group", "suppress", "within"], treated: dict[str, Any]) -> CategoryWay:
    plan = release.plan
    masked, outcome = release.masked, plan.outcome
    if any(getattr(plan, part) != value for part, value in treated.items()):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ShoalWarning)
                again = plan.model_copy(update={**treated, "steps": [], "outcome": None, "output": None})
                other = carry_out(again, release.original)
        except ShoalError as error:
            return CategoryWay(way, refused=str(error))
        masked, outcome = other.masked, other.plan.outcome
    files = pair(release.recoded, masked, plan.columns, kinds=plan.kinds)
    before, after = files.categories
    there = before >= 0
    suppressed, changed = there & (after < 0), there & (after >= 0) & (after != before)
    return CategoryWay(
        way,
        numbers=_value_of(information_loss, files),
        changed=100 * float(changed.sum()) / max(int(there.sum()), 1),
        suppressed=100 * float(suppressed.sum()) / max(int(there.sum()), 1),
        loss=_value_of(mixed_information_loss, files, **lost_in(plan)),
        k=None if outcome is None else outcome.k,
    )


def _value_of(measure: FileMeasure[MeasuredValue], files: Pair, **options: Any) -> float | None:
    """Return a measure; None where it has no meaning for these files."""
    try:
        return float(measure.of(files, **options))
    except NotApplicableError:
        return None
