"""What every column of a table is taken to be; the role is a suggestion, and never applied by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from shoal.describe.kinds.default_kinds import default_kind
from shoal.describe.kinds.identifiers import identifier_reason
from shoal.describe.kinds.undecided import undecided
from shoal.describe.units import likely_unit
from shoal.describe.variables import Kind, Role, distinct_values, word_like
from shoal.read import Table, as_table

__all__ = ["Variable", "describe_table"]


@dataclass(frozen=True)
class Variable:
    """One column: the kind that `protect` takes it as, the role it seems to have, and why shoal thinks so.

    Attributes
    ----------
    name, label
        The name of the column, and its label where the file has one.
    kind
        "continuous", "ordinal" or "nominal"; None where nobody can say.
    role
        What the column seems to be for; "other" where nothing suggests a role.
    reason
        Why it seems to have this kind and role.
    distinct, missing
        How many different values it has, and how many are missing.
    """

    name: str
    kind: Kind | None
    role: Role
    reason: str
    distinct: int
    missing: int
    label: str = ""


# Words that suggest a role when they are a whole part of a column's name: "person_id", "survey weight", "HHID".
_ROLE_WORDS: tuple[tuple[Role, re.Pattern[str]], ...] = (
    ("weight", re.compile(r"weights?|[a-z]*weight|[a-z]*wgt|wt")),
    ("stratum", re.compile(r"stratum|strata|region|province|nuts\d?")),
    (
        "key",
        re.compile(
            r"age|sex|gender|birth|dob|year|zip|postcode|town|city|municipality|county|state|country|nationality"
            r"|education|edu|occupation|job|profession|industry|nace|marital|tenure|size|urban|race|ethnicity|grade"
        ),
    ),
    (
        "confidential",
        re.compile(
            r"income|[a-z]*inc|salary|wages?|earnings|[a-z]*tax|taxes|debt|[a-z]*assets|savings|rent|[a-z]*profit"
            r"|[a-z]*sales|[a-z]*revenue|turnover|capital|transfers|diagnosis|disease|religion|benefits?|costs?|[a-z]*val"
        ),
    ),
)


def describe_table(data: Any) -> list[Variable]:
    """Describe every column of `data`: the kind that `protect` takes it as, and the role it seems to have.

    Parameters
    ----------
    data
        A pandas, polars or Arrow frame, a 2-D array, or the path of a file.

    Returns
    -------
    list of Variable
        One for every column, in their order.
    """
    table = as_table(data)
    unit = likely_unit(table)
    return [_describe(table, name, unit) for name in table.names]


def _describe(table: Table, name: str, unit: str) -> Variable:
    missing = table.missing(name)
    distinct = distinct_values(table, name, missing)
    kind, kind_reason = default_kind(table, name)
    role, role_reason = _suggest_role(table, name, kind, distinct)
    if name == unit and role != "identifier":
        role, role_reason = "unit", f"its values are repeated as those of households or firms are, {distinct:,} of them"
    open_question = undecided(table, name)
    reasons = [f"to be decided: {open_question}" if open_question else kind_reason]
    if role_reason not in open_question:
        reasons.append(role_reason)
    return Variable(
        name=name,
        kind=kind,
        role=role,
        reason="; ".join(filter(None, reasons)),
        distinct=distinct,
        missing=int(missing.sum()),
        label=table.labels.variables.get(name, ""),
    )


def _suggest_role(table: Table, name: str, kind: Kind | None, distinct: int) -> tuple[Role, str]:
    reason = identifier_reason(table, name, distinct)
    if reason:
        return "identifier", reason
    for role, pattern in _ROLE_WORDS:
        word = word_like(pattern, name)
        if word and (role != "weight" or kind == "continuous"):
            return role, f'"{word}" in its name'
    return "other", ""
