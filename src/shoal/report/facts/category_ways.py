"""The three ways with categories, for a report to those who may see the original."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from shoal.report.facts.summary import CategoryWayFacts

if TYPE_CHECKING:
    from shoal.flow.release import Release

__all__ = ["way_facts"]

_MOST_RECORDS = 20_000  # the file is protected up to three times again


def way_facts(release: Release) -> list[CategoryWayFacts]:
    """Return what each way loses; nothing for a large file, or a method that searches by the clock."""
    if len(release.masked) > _MOST_RECORDS or hasattr(release.plan.masking.method, "steps"):
        return []
    from shoal.flow.category_ways import category_ways  # quick start-up

    return [CategoryWayFacts(**asdict(one)) for one in category_ways(release)]
