"""The risk that a record is re-identified by its key variables: its own, and with the other members of its unit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DescriptionWarning, warn
from shoal.measure.measure import About, MeasuredValue, partition_measure
from shoal.measure.risk.keys.frequencies import KeyFrequencies, key_frequencies
from shoal.measure.risk.keys.key_values import Missing, key_values, unit_codes
from shoal.parameters.limits import TrueOrFalse, check_limits

__all__ = [
    "household_risk",
    "individual_risk",
    "risk_of_frequencies",
    "risk_of_units",
    "small_weights",
    "warn_of_small_weights",
]

Doubles = NDArray[np.float64]

_HALF, _FEW, _TERMS = 0.5, 16, 120  # with so many terms, the series is exact up to one half, or from so many records


@partition_measure(
    About(
        name="individual_risk",
        title="Expected re-identifications",
        definition="The sum over all records of the expectation of 1 / F given f, where F of the population and f of"
        " the sample agree with a record in its key variables; F given f is negative binomial. Without weights 1 / f.",
        reference="Benedetti and Franconi (1998), Statistical and technological solutions for controlled data "
        "dissemination; Rinott (2003), On models for statistical disclosure risk estimation",
        range=(0, math.inf),
        better="lower",
        side="risk",
        unit="records",
        counts="neither",
        slow=False,
    )
)
def individual_risk(
    data: Any,
    keys: Iterable[Any] | str,
    *,
    weights: str | None = None,
    missing: Missing = "category",
    exact: bool = False,
) -> MeasuredValue:
    """Return how many records an intruder who knows the keys is expected to re-identify.

    `.by_record` has the risk of every record, `.global_risk` their mean, a share from 0 to 1. The risk of a record
    is the expectation of 1 / F given f: f records of the sample agree with it, and F of the population do. F has a
    negative binomial distribution whose mean is estimated by the sum of the weights (Benedetti and Franconi). Without
    weights the file is the population, and the risk is 1 / f.

    Parameters
    ----------
    data
        A pandas, polars or Arrow frame, a 2-D array, or the path of a file.
    keys
        The columns that an intruder may know.
    weights
        The column of sampling weights: how many of the population each record stands for.
    missing
        Whether a missing value agrees with missing values only ("category"), or with every value ("wildcard").
    exact
        Whether the expectation is computed for every f. By default it is for f = 1 and f = 2, and above it is the
        approximation p / (f - q) with p = f / F and q = 1 - p, as in sdcMicro.

    Examples
    --------
    >>> import pandas as pd
    >>> persons = pd.DataFrame({"sex": [1, 2, 2], "w": [100.0, 100.0, 100.0]})
    >>> risk = individual_risk(persons, ["sex"], weights="w")
    >>> round(risk, 4), risk.by_record.round(4).tolist()
    (0.0658, [0.0465, 0.0096, 0.0096])
    """
    return risk_of_frequencies(key_frequencies(data, keys, weights=weights, missing=missing), exact=exact)


@partition_measure(
    About(
        name="household_risk",
        title="Expected re-identifications with the household",
        definition="The sum over all records of the risk that at least one member of their household is re-"
        "identified: 1 less the product of 1 - individual risk over its members.",
        reference="Franconi and Polettini (2004), Individual risk estimation in mu-Argus: a review, LNCS 3050",
        range=(0, math.inf),
        better="lower",
        side="risk",
        unit="records",
        counts="neither",
        slow=False,
    )
)
def household_risk(
    data: Any,
    keys: Iterable[Any] | str,
    *,
    unit: str,
    weights: str | None = None,
    missing: Missing = "category",
    exact: bool = False,
) -> MeasuredValue:
    """Return how many records are expected to be re-identified if one member gives away the whole household.

    The risk of every member is that at least one of them is re-identified: 1 less the product of 1 - risk over the
    members. `.by_record` has it for every record, `.by_unit` for every unit in the order in which units first appear,
    and `.units` says which of these a record belongs to; `.global_risk` is the mean over the records.

    Parameters
    ----------
    data, keys, weights, missing, exact
        As in `individual_risk`.
    unit
        The column that says which household, or firm, a record belongs to.
    """
    values = key_values(data, keys)
    units = unit_codes(values.table, unit)
    return risk_of_units(individual_risk(values, values.names, weights=weights, missing=missing, exact=exact), units)


def risk_of_frequencies(frequencies: KeyFrequencies, *, exact: bool = False, warns: bool = True) -> MeasuredValue:
    """Return the risk of every record by how many agree with it; `warns` if weights below 1 are warned of."""
    check_limits({"exact": TrueOrFalse()}, {"exact": exact})
    both = np.column_stack([frequencies.sample.astype(np.float64), frequencies.population])
    if frequencies.weighted:
        import pandas as pd  # here, to keep start-up quick

        # Of the different pairs of f and F, which are few.
        places, pairs = pd.factorize(both[:, 0] + 1j * both[:, 1])
        risks = _risks(pairs.real.copy(), pairs.imag.copy(), exact)[places]
        if warns:
            warn_of_small_weights(int(small_weights(both[:, 0], both[:, 1]).sum()))
    else:
        risks = 1 / both[:, 0]
    return MeasuredValue(float(risks.sum()), by_record=risks, global_risk=float(risks.mean()))


def risk_of_units(risk: MeasuredValue, units: NDArray[np.int64]) -> MeasuredValue:
    """Return the risk that at least one member of a record's unit is re-identified."""
    order = np.argsort(units, kind="stable")
    starts = np.flatnonzero(np.diff(units[order], prepend=-1))
    by_unit = 1 - np.multiply.reduceat(1 - risk.by_record[order], starts)
    by_record = by_unit[units]
    return MeasuredValue(
        float(by_record.sum()),
        by_record=by_record,
        by_unit=by_unit,
        units=units,
        global_risk=float(by_record.mean()),
    )


def _risks(f: Doubles, F: Doubles, exact: bool) -> Doubles:
    """Return the expectation of 1 / F for f records of the sample; 1 / f where F is not above f."""
    q = np.clip((F - f) / F, 0, None)
    p = 1 - q
    few = np.minimum(f, _FEW) if exact else np.minimum(f, 2)
    risks = p * _integrals(few, p, q)
    if exact:
        return np.asarray(np.where(f <= _FEW, risks, p / f * _series(f, q)), dtype=np.float64)
    return np.asarray(np.where(f <= 2, risks, p / (f - q)), dtype=np.float64)


def _integrals(f: Doubles, p: Doubles, q: Doubles) -> Doubles:
    """Return the integrals from 0 to 1 of s^(f-1) / (p + q s), which p times is the risk.

    By f * I(f+1) = (1 - f p I(f)) / q, which loses no digits where q is above a half; by the series elsewhere.
    """
    found = _series(f, np.minimum(q, _HALF)) / f
    large = np.flatnonzero(q > _HALF)
    own = -np.log1p(-q[large]) / q[large]
    for step in range(1, int(f[large].max(initial=1)) + 1):
        here = f[large] == step
        found[large[here]] = own[here]
        own = (1 / step - p[large] * own) / q[large]
    return found


def _series(f: Doubles, q: Doubles) -> Doubles:
    """Return the sum of n! q^n / ((f+1) (f+2) ... (f+n)): all its digits where q is a half at most, or f is large."""
    total, term = np.ones_like(q), np.ones_like(q)
    for n in range(_TERMS):
        term = term * ((n + 1) / (f + 1 + n)) * q
        total += term
    return total


def small_weights(f: Doubles, F: Doubles) -> NDArray[np.bool_]:
    """Return which records agree with more of the file than their weights say are in the population."""
    return np.asarray(f * (1 - 1e-9) > F)


def warn_of_small_weights(small: int) -> None:
    """Warn of so many records whose weights sum to less than their number, if there are some."""
    if small:
        warn(
            f"Weights are taken as the number of persons that a record stands for; those of {small:,} records and of "
            "the records that agree with them sum to less than their number. Their risk is 1 / f. If weights were "
            "divided by their mean, multiply them by the size of the population over that of the sample.",
            DescriptionWarning,
        )
