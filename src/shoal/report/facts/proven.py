"""How near the groups of a release are to the best possible ones, as facts and as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.flow.outcome import ProvenLoss
from shoal.flow.plan import Plan
from shoal.flow.proven.losses import together, with_bounds
from shoal.read import Table
from shoal.report.facts.summary import Audience, ProvenFacts
from shoal.report.publish.public_evaluation import has_few_values
from shoal.report.wording import rounded_up

if TYPE_CHECKING:
    from shoal.flow.release import Release

__all__ = ["proven_of_files", "proven_of_release", "proven_text"]

_OPTIMAL = 1e-4  # %; rounding leaves that much between a best possible partition and its bound
_PROVEN_BY = {
    "neighbours": "the distances to nearest neighbours",
    "prices": "prices of the records",
    "linear program": "a linear program",
    "optimum": "an exact method",
}


def proven_of_release(release: Release, audience: Audience, *, computed: bool) -> ProvenFacts | None:
    """Return what is proven of a release; without bounds that have to be `computed`, what its search proved."""
    outcome = release.plan.outcome
    losses = release.proven if computed or outcome is None else outcome.proven
    return _proven(release.plan, release.recoded, losses, audience)


def proven_of_files(plan: Plan, original: Table, masked: Table, audience: Audience) -> ProvenFacts | None:
    """Return what is proven of the two files of a plan, the original after its recodes."""
    return _proven(plan, original, with_bounds(plan, original, masked), audience)


def _proven(plan: Plan, original: Table, losses: Sequence[ProvenLoss], audience: Audience) -> ProvenFacts | None:
    """Return what is proven of all blocks together; None where nothing can be said of groups.

    In public it is a percentage that is rounded up, and no advice. It is left out where variables have few values, as
    losses are: how many records have which value might be solved for.
    """
    loss = together(losses)
    if plan.family.no_k or (loss.lower_bound is None and loss.no_bound is None):
        return None
    if audience == "public" and (loss.lower_bound is None or _has_few_values(plan, original)):
        return None
    within = ["strata"] * bool(plan.strata) + ["kept categories"] * bool(plan.categories)
    above = loss.above_best
    if audience == "public":
        above = None if above is None else float(rounded_up(above))
        loss = loss.model_copy(update={"note": None})
    return ProvenFacts(
        above_best=above,
        method=loss.method or "",
        within=" and ".join(within),
        note=loss.note or "",
        no_bound=loss.no_bound or "",
    )


def _has_few_values(plan: Plan, original: Table) -> bool:
    return any(plan.kinds[name] != "continuous" or has_few_values(original, name) for name in plan.columns)


def proven_text(proven: ProvenFacts) -> str:
    """Say how near the groups are to the best possible ones, in a sentence or two."""
    if proven.no_bound:
        return f"How near the groups are to the best possible ones is not known: {proven.no_bound}."
    by = " and ".join(_PROVEN_BY.get(one, one) for one in proven.method.split(" and "))
    note = f" {proven.note}" if proven.note else ""
    within = f" within {proven.within}" if proven.within else ""
    if proven.above_best is None:
        return f"How near the groups are to the best possible ones is not known: the bound by {by} is next to 0.{note}"
    if proven.above_best <= _OPTIMAL:
        return f"No groups{within} have a smaller squared error, but for rounding (proven by {by})."
    most = f"{rounded_up(proven.above_best):,} %"
    return f"The groups' squared error is at most {most} above the best possible{within} (proven by {by}).{note}"
