"""The units (households, firms) of a release, and how many of them are unique by the set of their records."""

from __future__ import annotations

from shoal.measure import Evaluation
from shoal.report.facts.summary import UnitFacts

__all__ = ["unit_facts"]


def unit_facts(evaluation: Evaluation, units: int | None, fewest: int) -> UnitFacts | None:
    """Return what is known of the units of a release; None without any, or where they cannot be seen in it.

    Parameters
    ----------
    evaluation
        The measures.
    units
        How many units there are; None without any.
    fewest
        The fewest units that may be spoken of.
    """
    unique = evaluation.unique_units
    if evaluation.unit is None or unique is None or units is None:
        return None
    shown = unique if unique == 0 or fewest <= unique <= units - fewest or fewest == 1 else None
    return UnitFacts(column=evaluation.unit, units=units, unique=shown)
