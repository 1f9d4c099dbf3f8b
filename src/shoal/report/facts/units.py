"""The units (households, firms) of a release, and how many of them are unique by the set of their records."""

from __future__ import annotations

from shoal.flow.plan import Plan
from shoal.measure.headline import released_columns, unique_units, unit_numbers
from shoal.read import Table
from shoal.report.facts.summary import UnitFacts

__all__ = ["unit_facts"]


def unit_facts(plan: Plan | None, masked: Table, fewest: int) -> UnitFacts | None:
    """Return what is known of the units of a release; None without any, or where they cannot be seen in it.

    Parameters
    ----------
    plan, masked
        How the file was masked, and the masked file.
    fewest
        The fewest units that may be spoken of.
    """
    if plan is None or plan.unit is None or plan.unit not in masked:
        return None
    numbers = unit_numbers(masked, masked, plan.unit)
    assert numbers is not None
    unique = unique_units(masked, released_columns(masked, plan.weights, plan.unit), numbers)
    units = int(numbers.max()) + 1
    shown = unique if unique == 0 or fewest <= unique <= units - fewest or fewest == 1 else None
    return UnitFacts(column=plan.unit, units=units, unique=shown)
