"""Risk over the key variables of a release: of the original as it was recoded, and of what is released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.describe.variables import kind_of
from shoal.flow.chain.whole_chain import kinds_in_chain, largest_k, steps_of
from shoal.flow.plan import Plan
from shoal.flow.recoding.key_columns import key_columns
from shoal.measure.risk.keys.confidential_values import is_ordered, observed_codes
from shoal.measure.risk.keys.frequencies import key_frequencies
from shoal.measure.risk.keys.individual_risk import risk_of_frequencies
from shoal.measure.risk.keys.key_values import KeyValues, Missing, key_values
from shoal.measure.risk.keys.riskiest import RisksByRecord, riskiest_of, risks_of
from shoal.measure.risk.keys.suda import Suda, largest_size, suda
from shoal.measure.risk.keys.t_closeness import distances_of_classes
from shoal.read import Table
from shoal.report.facts.keys.key_facts import KeyCountFacts, KeyRiskFacts, RiskyRecordFacts, ToldFacts
from shoal.report.publish.counts import published_counts

__all__ = ["key_risk_facts"]

_KS = (2, 3, 5)
_MOST_RISKIEST = 20
_MOST_ROWS_OF_SETS = 1e8  # that SUDA looks at: about a second
_MOST_AGREEMENT = 3e7  # rows and pairs that are looked at where missing values are wildcards: about a second


def key_risk_facts(plan: Plan | None, original: Table, masked: Table, *, internal: bool) -> KeyRiskFacts | None:
    """Return how risky the key variables are before protection and after; None without a plan, or without keys.

    In public there are only counts of the release, none of which tells of fewer than k records.

    Parameters
    ----------
    plan
        How the file was masked.
    original, masked
        The original as it was recoded, and the release; their records in the same order.
    internal
        Whether it is for those who may see the original.
    """
    if plan is None:
        return None
    kinds = kinds_in_chain(plan)
    recoded = [name for step in steps_of(plan) for name in step.recodes if name in original and name not in kinds]
    kinds |= {name: kind for name in recoded if (kind := kind_of(original, name)) is not None}
    keys = [name for name in key_columns(plan, masked, kinds) if name in original]
    if not keys:
        return None
    return _Counting(plan, keys, original, masked).facts() if internal else _in_public(plan, keys, masked)


@dataclass(frozen=True, eq=False)
class _Side:
    """One of the two files: its keys, its special uniques and its columns of weights and units, if it has them."""

    values: KeyValues
    special: Suda | None
    weights: str | None
    unit: str | None

    def measured(self, missing: Missing) -> RisksByRecord | None:
        """Return how many records agree with each, and its risk alone and with its unit; None if that takes long."""
        return risks_of(self.values, self.weights, self.unit, missing, most=_MOST_AGREEMENT, warns=False)


class _Counting:
    """Counts the risk over keys in both files, for those who may see the original."""

    def __init__(self, plan: Plan, keys: Sequence[str], original: Table, masked: Table) -> None:
        self._plan, self._keys, self._ks = plan, list(keys), _thresholds(plan)
        both = [key_values(table, keys) for table in (original, masked)]
        rows = max(int(values.combinations.max()) + 1 for values in both)
        self._size = largest_size(len(keys), rows, most=_MOST_ROWS_OF_SETS)  # the same in both, to be compared
        self._before, self._after = (self._side(values) for values in both)
        told = {name for step in steps_of(plan) for name in step.confidential}
        told |= {name for step in steps_of(plan) for name, role in step.roles.items() if role == "confidential"}
        both_have = [name for name in masked.names if name in told.difference(keys) and name in original]
        self._told = [name for name in both_have if not any(one.missing(name).all() for one in (original, masked))]

    def _side(self, values: KeyValues) -> _Side:
        weights, unit = (name if name in values.table else None for name in (self._plan.weights, self._plan.unit))
        special = suda(values, values.names, max_size=self._size) if self._size else None
        return _Side(values, special, weights, unit)

    def facts(self) -> KeyRiskFacts:
        """Return all of them."""
        left_out = [] if self._size else ["There are too many keys, or combinations of their values, for SUDA."]
        measured: list[dict[Missing, RisksByRecord]] = []
        for side in (self._before, self._after):
            ways: list[Missing] = ["category"] if side.values.are_complete else ["category", "wildcard"]
            in_ways = {missing: side.measured(missing) for missing in ways}
            measured.append({missing: one for missing, one in in_ways.items() if one is not None})
            if len(measured[-1]) < len(ways):
                left_out.append("Too many values are missing to count them as wildcards in time.")
        before, after = (
            [self._counts(side, missing, one) for missing, one in own.items()]
            for side, own in zip((self._before, self._after), measured, strict=True)
        )
        return KeyRiskFacts(
            keys=self._keys,
            are_named=_are_named(self._plan, self._keys),
            are_perturbed=_are_perturbed(self._plan, self._keys),
            weights=self._after.weights,
            unit=self._before.unit,
            suda_size=self._size or None,
            before=before,
            after=after,
            left_out=" ".join(dict.fromkeys(left_out)),
            riskiest=self._riskiest(measured[0]["category"]),
        )

    def _counts(self, side: _Side, missing: Missing, measured: RisksByRecord) -> KeyCountFacts:
        frequencies, risk, with_unit = measured
        special = side.special if missing == "category" else None
        told = self._told if missing == "category" else []
        return KeyCountFacts(
            missing=missing,
            combinations=frequencies.combinations,
            k=frequencies.k,
            below={str(k): frequencies.violators(k) for k in self._ks},
            expected=float(risk),
            with_units=None if with_unit is None else float(with_unit),
            suda_records=None if special is None else special.records,
            suda_largest=None if special is None else float(special.scores.max()),
            confidential=[self._told_of(side.values, name) for name in told],
        )

    def _told_of(self, values: KeyValues, name: str) -> ToldFacts:
        """Return l-diversity and t-closeness; classes of the keys are numbered once for all confidential variables."""
        classes, own = values.combinations, observed_codes(values.table, name)
        observed = own >= 0
        pairs = np.unique(classes[observed] * (int(own.max()) + 1) + own[observed]) // (int(own.max()) + 1)
        different = np.bincount(pairs, minlength=int(classes.max()) + 1)
        kinds = {one: kind for one, kind in kinds_in_chain(self._plan).items() if one == name}
        distances = distances_of_classes(classes, own, ordered=is_ordered(values.table, name, kinds))
        return ToldFacts(
            column=name,
            values=int(different[different > 0].min()),
            alike=int(np.count_nonzero(different[classes] == 1)),
            distance=float(np.nanmax(distances)),
        )

    def _riskiest(self, measured: RisksByRecord) -> list[RiskyRecordFacts]:
        values, special = self._before.values, self._before.special
        if measured.frequencies.k >= max(self._ks):
            return []
        if special is None:
            special = suda(values, values.names, max_size=1)
        return [
            RiskyRecordFacts(
                record=one.record,
                sample=one.sample,
                population=one.population,
                risk=one.risk,
                with_unit=one.household_risk,
                suda=one.suda,
            )
            for one in riskiest_of(measured, special, _MOST_RISKIEST)
        ]


def _thresholds(plan: Plan) -> list[int]:
    return sorted({*_KS, plan.k})


def _are_named(plan: Plan, keys: Sequence[str]) -> bool:
    return all(any(step.roles.get(name) == "key" for step in steps_of(plan)) for name in keys)


def _are_perturbed(plan: Plan, keys: Sequence[str]) -> bool:
    return any(step.family.no_k and not set(keys).isdisjoint(step.rewritten) for step in steps_of(plan))


def _in_public(plan: Plan, keys: Sequence[str], masked: Table) -> KeyRiskFacts:
    """Return what the release shows to everyone, without counts that tell of fewer than k records."""
    fewest = largest_k(plan)
    weights = plan.weights if plan.weights in masked else None
    frequencies = key_frequencies(masked, keys, weights=weights, missing="category")
    expected = float(risk_of_frequencies(frequencies, warns=False))
    below = published_counts({k: frequencies.violators(k) for k in _thresholds(plan)}, len(masked), fewest)
    several = frequencies.combinations >= fewest
    counts = KeyCountFacts(
        missing="category",
        combinations=frequencies.combinations if several else None,
        k=frequencies.k if frequencies.k >= fewest else None,
        below={str(k): count for k, count in below.items()},
        expected=float(f"{expected:.3g}") if fewest <= expected <= len(masked) - fewest else None,
    )
    return KeyRiskFacts(
        keys=list(keys),
        are_named=_are_named(plan, keys),
        are_perturbed=_are_perturbed(plan, keys),
        weights=weights,
        unit=None,
        after=[counts],
    )
