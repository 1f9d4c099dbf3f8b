"""The records with the highest risk: a list for those who protect the file, and not to be published."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal.measure.measure import MeasuredValue
from shoal.measure.risk.keys.frequencies import KeyFrequencies, frequencies_within
from shoal.measure.risk.keys.individual_risk import risk_of_frequencies, risk_of_units
from shoal.measure.risk.keys.key_values import KeyValues, Missing, key_values, unit_codes
from shoal.measure.risk.keys.suda import Suda, largest_size, suda
from shoal.parameters.limits import Whole, check_limits

__all__ = ["RisksByRecord", "RiskyRecord", "quick_suda", "riskiest", "riskiest_of", "risks_of"]


@dataclass(frozen=True)
class RiskyRecord:
    """A record with a high risk, and no value of it.

    Attributes
    ----------
    record
        Its number; the first record of the table is 1.
    risk
        The risk that it is re-identified.
    household_risk
        The risk that some member of its household is; None without a unit.
    sample, population
        How many records agree with it, and the sum of their weights.
    suda
        Its SUDA score.
    """

    record: int
    risk: float
    household_risk: float | None
    sample: int
    population: float
    suda: float


def riskiest(
    data: Any,
    keys: Iterable[Any] | str,
    *,
    weights: str | None = None,
    unit: str | None = None,
    most: int = 20,
    missing: Missing = "category",
) -> tuple[RiskyRecord, ...]:
    """Return the records with the highest risk, the highest first: by risk, then by SUDA score, then as they come.

    Parameters
    ----------
    data, keys, weights, missing
        As in `individual_risk`.
    unit
        The column that says which household a record belongs to; the risk with the household then comes first.
    most
        How many records.

    Returns
    -------
    tuple of RiskyRecord
        Their numbers and risks, and no value of theirs.
    """
    check_limits({"most": Whole(1)}, {"most": most})
    values = key_values(data, keys)
    risks = risks_of(values, weights, unit, missing)
    assert risks is not None  # there is no limit
    return riskiest_of(risks, quick_suda(values), most)


class RisksByRecord(NamedTuple):
    """Frequencies, individual risk and the risk with the unit of every record, for one reading of missing keys."""

    frequencies: KeyFrequencies
    risk: MeasuredValue
    with_unit: MeasuredValue | None


def risks_of(
    values: KeyValues,
    weights: str | None,
    unit: str | None,
    missing: Missing,
    *,
    most: float = math.inf,
    warns: bool = True,
) -> RisksByRecord | None:
    """Return the risk of every record; None where missing values as wildcards take more than `most` work."""
    frequencies = frequencies_within(values, weights, missing, most)
    if frequencies is None:
        return None
    risk = risk_of_frequencies(frequencies, warns=warns)
    with_unit = None if unit is None else risk_of_units(risk, unit_codes(values.table, unit))
    return RisksByRecord(frequencies, risk, with_unit)


def quick_suda(values: KeyValues) -> Suda:
    """Return the special uniques on sets of as many keys as are looked at in seconds."""
    size = max(1, largest_size(len(values.names), int(values.combinations.max()) + 1, quick=True))
    return suda(values, values.names, max_size=size)


def riskiest_of(risks: RisksByRecord, special: Suda, most: int) -> tuple[RiskyRecord, ...]:
    """Return the records with the highest of risks that are known already."""
    frequencies, risk, with_unit = risks
    order = [-special.scores, -risk.by_record]
    if with_unit is not None:
        order.append(-with_unit.by_record)
    rows = np.lexsort(order)[:most]
    return tuple(
        RiskyRecord(
            record=row + 1,
            risk=float(risk.by_record[row]),
            household_risk=None if with_unit is None else float(with_unit.by_record[row]),
            sample=int(frequencies.sample[row]),
            population=float(frequencies.population[row]),
            suda=float(special.scores[row]),
        )
        for row in rows.tolist()
    )
