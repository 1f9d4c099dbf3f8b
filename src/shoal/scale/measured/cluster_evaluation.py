"""An evaluation that was measured on a cluster, and holds neither of the two files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.errors import NotApplicableError, ParameterError
from shoal.measure.evaluation import Evaluation
from shoal.measure.headline import Alike, Headline, ScenarioRisk
from shoal.measure.measure import MeasuredValue
from shoal.scale.measured.utility_from_sums import Sums, utility_measures

__all__ = ["ClusterEvaluation", "WholeFile"]


@dataclass(frozen=True)
class WholeFile:
    """What was counted of the whole release.

    Attributes
    ----------
    names, released
        All columns of the release, and those that count in its headline.
    alike
        How alike records are, by the columns they are compared in.
    linkage
        The distance linkage by everything released.
    protected
        The headline over the compared columns alone; None where they are everything.
    scenarios
        k, uniques and linkage by the columns of every scenario.
    risk_protected
        The measures of risk over the compared columns alone; None where they are everything.
    wildcard_k
        The fewest records that agree if a missing value agrees with every value; None where that was not counted.
    missing
        By column that both files have, how many values are missing in the original.
    sums
        What the measures of utility were computed from; None in a copy that was stored.
    """

    names: list[str]
    released: tuple[str, ...]
    alike: Mapping[frozenset[str], Alike]
    linkage: MeasuredValue
    protected: Headline | None
    scenarios: Mapping[str, ScenarioRisk]
    risk_protected: Mapping[str, MeasuredValue] | None
    wildcard_k: int | None
    missing: Mapping[str, int]
    sums: Sums | None


@dataclass(frozen=True, repr=False)
class ClusterEvaluation(Evaluation):
    """The information loss and the disclosure risk of a release, measured on a cluster; as `Evaluation`.

    What it leaves out, and why, is in `left_out`. Linkage of a large file looks for a sample of its records in the
    whole release, as it does on one machine, and says so in its parts; everything else is over all records.
    """

    whole: WholeFile = field(kw_only=True)

    def __getstate__(self) -> dict[str, Any]:
        # Sums know the range of the original, which does not go into a pickle of its measures.
        return {**self.__dict__, "whole": replace(self.whole, sums=None)}

    @property
    def released(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns of the masked file that count in the headline."""
        return self.whole.released

    @property
    def masked_names(self) -> list[str]:
        """All columns of the masked file."""
        return self.whole.names

    @property
    def unique_units(self) -> int | None:  # type: ignore[override]
        """None: units are not compared by the set of their records on a cluster."""
        return None

    @property
    def wildcard_k(self) -> int | None:  # type: ignore[override]
        """The fewest records that agree if a missing value agrees with every value; None if not counted."""
        return self.whole.wildcard_k

    @property
    def headline(self) -> Headline:  # type: ignore[override]
        """What is said first: records, units (None without), k, uniques and linkage, over everything released."""
        alike = self.alike(self.released)
        linkage = float(self.linkage)
        return Headline(records=self.records, units=alike.units, k=alike.k, uniques=alike.uniques, linkage=linkage)

    @property
    def linkage(self) -> MeasuredValue:  # type: ignore[override]
        """The distance linkage by everything released."""
        return self.whole.linkage

    def alike(self, columns: Sequence[str]) -> Alike:
        """Return how alike released records, or units, are in columns that were asked for when they were counted."""
        return self.whole.alike[frozenset(columns)]

    @property
    def protected(self) -> Headline | None:  # type: ignore[override]
        """The headline over the compared columns alone; None where they are everything that is released."""
        return self.whole.protected

    @property
    def scenarios(self) -> Mapping[str, ScenarioRisk]:  # type: ignore[override]
        """k, uniques and linkage by the columns of every scenario."""
        return self.whole.scenarios

    @property
    def risk_protected(self) -> Mapping[str, MeasuredValue] | None:  # type: ignore[override]
        """The measures of risk over the compared columns alone; None where they are everything that is released."""
        return self.whole.risk_protected

    def without(self, columns: Any, measures: Sequence[str]) -> Mapping[str, MeasuredValue]:
        """Measure utility again without some of the columns, from what was summed up of the others."""
        remaining = [name for name in self.columns if name not in columns]
        if not remaining or not measures:
            return {}
        if self.whole.sums is None:
            raise ParameterError("This evaluation no longer has the sums it was computed from. Measure again.")
        sums = self.whole.sums.only(remaining)
        found: dict[str, MeasuredValue] = {}
        for name, measure in utility_measures().items():
            if name in measures:
                with suppress(NotApplicableError):
                    found[name] = measure(sums)
        return found
