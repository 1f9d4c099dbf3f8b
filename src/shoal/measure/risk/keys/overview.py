"""All that is known of the risk over key variables at once, in numbers: what a command or a report shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal.describe.description import describe_table
from shoal.errors import ColumnError
from shoal.measure.risk.keys.key_values import Missing, key_values
from shoal.measure.risk.keys.l_diversity import l_diversity
from shoal.measure.risk.keys.riskiest import RisksByRecord, RiskyRecord, quick_suda, riskiest_of, risks_of
from shoal.measure.risk.keys.t_closeness import t_closeness
from shoal.parameters.limits import Whole, check_limits
from shoal.read import Table, as_table

__all__ = ["ConfidentialRisk", "KeyReading", "KeyRisk", "key_risk", "likely_keys"]

_MOST_AGREEMENT = 3e8  # rows and pairs that are looked at where missing values are wildcards: some ten seconds


@dataclass(frozen=True)
class ConfidentialRisk:
    """What a combination of keys tells of a confidential variable.

    Attributes
    ----------
    column
        Its name.
    values, alike
        The fewest different values among records that agree (distinct l-diversity), and how many records agree with
        others that all have one value.
    distance
        The largest distance of the distribution among records that agree from that of the file (t-closeness).
    """

    column: str
    values: int
    alike: int
    distance: float


@dataclass(frozen=True)
class KeyReading:
    """How many records agree, and how many are expected to be found, for one reading of missing keys.

    Attributes
    ----------
    missing
        Whether a missing value agrees with missing values only ("category") or with every value ("wildcard").
    k, uniques, violators
        The fewest records that agree, the records that no other agrees with, and for each k asked for the records that
        fewer than k agree with.
    expected, global_risk, household_expected
        How many records are expected to be re-identified, the share of them, and how many with their household; None
        without a unit.
    """

    missing: Missing
    k: int
    uniques: int
    violators: Mapping[int, int]
    expected: float
    global_risk: float
    household_expected: float | None


@dataclass(frozen=True)
class KeyRisk(KeyReading):
    """The risk of a file over its key variables, without any value of theirs; a missing key counts as a category.

    Attributes
    ----------
    keys, records, incomplete
        The key variables, how many records there are, and how many of them have a missing key.
    combinations
        How many different combinations of values there are.
    weighted, units
        Whether there are sampling weights; how many units there are, None without a unit.
    as_wildcards
        The same counts if a missing key agrees with every value, as sdcMicro counts; None where no key is missing, or
        too many are to count them in time.
    suda_records, suda_largest, dis_largest, suda_contributions, suda_size
        How many records have a SUDA score, the largest score and DIS score, the percentage of the scores that sets with
        each key contribute, and the most keys of a set that was looked at; all None where SUDA was not computed, as on
        a cluster.
    confidential
        What the keys tell of confidential variables, if asked for.
    riskiest
        The records with the highest risk, if asked for; not to be published.
    """

    keys: tuple[str, ...]
    records: int
    incomplete: int
    combinations: int
    weighted: bool
    units: int | None
    as_wildcards: KeyReading | None
    suda_records: int | None
    suda_largest: float | None
    dis_largest: float | None
    suda_contributions: Mapping[str, float] | None
    suda_size: int | None
    confidential: tuple[ConfidentialRisk, ...] = ()
    riskiest: tuple[RiskyRecord, ...] = ()

    @property
    def wildcard_reading(self) -> KeyReading | None:
        """The counts as wildcards, which are these where no key is missing; None where they were not counted."""
        return self.as_wildcards if self.incomplete else self

    def to_dict(self) -> dict[str, Any]:
        """Return it as lists, dictionaries, texts and numbers, ready for JSON."""
        plain = asdict(self)
        for reading in (plain, plain["as_wildcards"]):
            if reading is not None:
                reading["violators"] = {str(k): count for k, count in reading["violators"].items()}
        plain |= {name: list(plain[name]) for name in ("keys", "confidential", "riskiest")}
        return {"keys": plain["keys"], "records": plain["records"], **plain}


def key_risk(
    data: Any,
    keys: Iterable[Any] | str,
    *,
    weights: str | None = None,
    unit: str | None = None,
    ks: Sequence[int] = (2, 3, 5),
    confidential: Sequence[str] = (),
    most: int = 0,
) -> KeyRisk:
    """Return the risk of a file over its key variables, a missing value as a category, and as a wildcard beside it.

    Parameters
    ----------
    data, keys, weights
        As in `individual_risk`.
    unit
        The column that says which household a record belongs to.
    ks
        The values of k whose violators are counted.
    confidential
        Confidential variables: how many different values records that agree have, and how far from the file's.
    most
        How many of the riskiest records are listed.

    Returns
    -------
    KeyRisk
        Uniques, violators of k, expected re-identifications and special uniques, as `shoal risk` prints them.
    """
    check_limits({"most": Whole(0)}, {"most": most})
    values = key_values(data, keys)
    special = quick_suda(values)
    risks = risks_of(values, weights, unit, "category")
    assert risks is not None  # only wildcards take long
    wild = None
    if not values.are_complete:
        wild = risks_of(values, weights, unit, "wildcard", most=_MOST_AGREEMENT, warns=False)
    incomplete = np.logical_or.reduce([column < 0 for column in values.columns])
    return KeyRisk(
        **vars(_reading(risks, ks)),
        keys=values.names,
        records=len(values.table),
        incomplete=int(np.count_nonzero(incomplete)),
        combinations=risks.frequencies.combinations,
        weighted=risks.frequencies.weighted,
        units=None if risks.with_unit is None else len(risks.with_unit.by_unit),
        as_wildcards=None if wild is None else _reading(wild, ks),
        suda_records=special.records,
        suda_largest=float(special.scores.max()),
        dis_largest=float(special.dis.max()),
        suda_contributions=special.contributions,
        suda_size=special.max_size,
        confidential=tuple(_of_confidential(values.table, values.names, name) for name in confidential),
        riskiest=riskiest_of(risks, special, most) if most else (),
    )


def _reading(risks: RisksByRecord, ks: Sequence[int]) -> KeyReading:
    frequencies, risk, with_unit = risks
    return KeyReading(
        missing=frequencies.missing,
        k=frequencies.k,
        uniques=frequencies.uniques,
        violators={k: frequencies.violators(k) for k in ks},
        expected=float(risk),
        global_risk=risk.global_risk,
        household_expected=None if with_unit is None else float(with_unit),
    )


def _of_confidential(table: Table, keys: tuple[str, ...], name: str) -> ConfidentialRisk:
    if name in keys:
        raise ColumnError(f'"{name}" is a key and confidential. Make it one of them.', column=name)
    diversity = l_diversity(table, keys, name)
    return ConfidentialRisk(name, int(diversity), diversity.violators(2), float(t_closeness(table, keys, name)))


def likely_keys(data: Table, other: Iterable[str | None] = ()) -> list[str]:
    """Return the columns that are categories by their description, but for those in `other`; ColumnError if none is."""
    variables = describe_table(as_table(data))
    not_keys = ("identifier", "weight", "unit", "confidential")
    names = [one.name for one in variables if one.kind in ("nominal", "ordinal") and one.role not in not_keys]
    names = [name for name in names if name not in set(other)]
    if not names:
        raise ColumnError("No column seems to be a category. Name the columns that an intruder may know: --keys a,b,c.")
    return names
