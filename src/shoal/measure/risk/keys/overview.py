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
from shoal.measure.risk.keys.riskiest import RiskyRecord, riskiest_of, risks_of
from shoal.measure.risk.keys.t_closeness import t_closeness
from shoal.parameters.limits import Whole, check_limits
from shoal.read import Table, as_table

__all__ = ["ConfidentialRisk", "KeyRisk", "key_risk", "likely_keys"]


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
class KeyRisk:
    """The risk of a file over its key variables, without any value of theirs.

    Attributes
    ----------
    keys, missing, records, incomplete
        The key variables, how missing values agree, how many records there are, and how many of them have a missing
        key.
    combinations, k, uniques, violators
        How many different combinations of values there are, the fewest records that agree, the records that no other
        agrees with, and for each k asked for the records that fewer than k agree with.
    weighted, expected, global_risk
        Whether there are sampling weights; how many records are expected to be re-identified, and the share of them.
    units, household_expected
        How many units there are, and how many records are expected to be re-identified with their household; None
        without a unit.
    suda_records, suda_largest, dis_largest, suda_contributions, suda_size, suda_missing
        How many records have a SUDA score, the largest score and DIS score, the percentage of the scores that sets with
        each key contribute, the most keys of a set that was looked at, and how missing values agree there; all None
        where SUDA was not computed, as on a cluster.
    confidential
        What the keys tell of confidential variables, if asked for.
    riskiest
        The records with the highest risk, if asked for; not to be published.
    """

    keys: tuple[str, ...]
    missing: Missing
    records: int
    incomplete: int
    combinations: int
    k: int
    uniques: int
    violators: Mapping[int, int]
    weighted: bool
    expected: float
    global_risk: float
    units: int | None
    household_expected: float | None
    suda_records: int | None
    suda_largest: float | None
    dis_largest: float | None
    suda_contributions: Mapping[str, float] | None
    suda_size: int | None
    suda_missing: Missing | None
    confidential: tuple[ConfidentialRisk, ...] = ()
    riskiest: tuple[RiskyRecord, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as lists, dictionaries, texts and numbers, ready for JSON."""
        plain = asdict(self)
        return plain | {
            "keys": list(self.keys),
            "violators": {str(k): count for k, count in self.violators.items()},
            "confidential": list(plain["confidential"]),
            "riskiest": list(plain["riskiest"]),
        }


def key_risk(
    data: Any,
    keys: Iterable[Any] | str,
    *,
    weights: str | None = None,
    unit: str | None = None,
    ks: Sequence[int] = (2, 3, 5),
    missing: Missing = "wildcard",
    confidential: Sequence[str] = (),
    most: int = 0,
) -> KeyRisk:
    """Return the risk of a file over its key variables.

    Parameters
    ----------
    data, keys, weights, missing
        As in `individual_risk`. SUDA takes missing values as a category in either case.
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
    frequencies, risk, with_unit, special = risks_of(values, weights, unit, missing)
    incomplete = np.logical_or.reduce([column < 0 for column in values.columns])
    return KeyRisk(
        keys=values.names,
        missing=missing,
        records=len(values.table),
        incomplete=int(np.count_nonzero(incomplete)),
        combinations=frequencies.combinations,
        k=frequencies.k,
        uniques=frequencies.uniques,
        violators={k: frequencies.violators(k) for k in ks},
        weighted=frequencies.weighted,
        expected=float(risk),
        global_risk=risk.global_risk,
        units=None if with_unit is None else len(with_unit.by_unit),
        household_expected=None if with_unit is None else float(with_unit),
        suda_records=special.records,
        suda_largest=float(special.scores.max()),
        dis_largest=float(special.dis.max()),
        suda_contributions=special.contributions,
        suda_size=special.max_size,
        suda_missing=special.missing,
        confidential=tuple(_of_confidential(values.table, values.names, name, missing) for name in confidential),
        riskiest=riskiest_of(frequencies, risk, with_unit, special, most) if most else (),
    )


def _of_confidential(table: Table, keys: tuple[str, ...], name: str, missing: Missing) -> ConfidentialRisk:
    if name in keys:
        raise ColumnError(f'"{name}" is a key and confidential. Make it one of them.', column=name)
    diversity = l_diversity(table, keys, name, missing=missing)
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
