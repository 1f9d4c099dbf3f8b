"""The kind and the role of every variable; what describe guesses is a suggestion, and never applied by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.read import Table, as_table

__all__ = [
    "KINDS",
    "ROLES",
    "Kind",
    "Role",
    "Variable",
    "codes",
    "describe_table",
    "kind_of",
    "looks_like_identifier",
    "refuse_text_among_numbers",
]

Kind = Literal["continuous", "ordinal", "nominal"]
Role = Literal["identifier", "key", "confidential", "weight", "stratum", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Variable:
    """One column: its kind, the role it seems to have, and why shoal thinks so."""

    name: str
    kind: Kind | None
    role: Role
    reason: str
    distinct: int
    missing: int
    label: str = ""


# Words that suggest a role when they are a whole part of a column's name: "person_id", "survey weight", "HHID".
_IDENTIFIER_WORDS = re.compile(
    r"[a-z]*id|ids|uuid|guid|ssn|nin|passport|e?mail|phone|tel|mobile|iban|name|surname|[a-z]*name|address|street"
    r"|licen[cs]e|number|nr|unnamed|index"
)
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
    """Describe every column of `data`: its kind from its type, its role guessed from its name and contents.

    Parameters
    ----------
    data
        A pandas, polars or Arrow frame, a 2-D array, or the path of a file.
    """
    table = as_table(data)
    return [_describe(table, name) for name in table.names]


def _describe(table: Table, name: str) -> Variable:
    distinct = _distinct(table, name)
    kind, kind_reason = _suggest_kind(table, name, distinct)
    role, role_reason = _suggest_role(table, name)
    reason = "; ".join(text for text in (kind_reason, role_reason) if text)
    missing = int(table.missing(name).sum())
    return Variable(name, kind, role, reason, distinct, missing, table.labels.variables.get(name, ""))


def _suggest_kind(table: Table, name: str, distinct: int) -> tuple[Kind | None, str]:
    kind = kind_of(table, name)
    if kind is None:
        return None, "dates and other types cannot be protected yet"
    measure = table.labels.measures.get(name)
    if measure in ("nominal", "ordinal") and kind == "continuous":
        return ("ordinal" if measure == "ordinal" else "nominal"), f"marked {measure} in the file"
    if kind == "continuous" and len(table.labels.values.get(name, {})) >= distinct > 0:
        return "nominal", "its values have labels"
    if kind == "continuous" and table.is_integer(name) and distinct <= 2 < len(table):
        return "nominal", "only two values"
    return kind, ""


def _suggest_role(table: Table, name: str) -> tuple[Role, str]:
    reason = looks_like_identifier(table, name)
    if reason:
        return "identifier", reason
    for role, pattern in _ROLE_WORDS:
        word = _word_like(pattern, name)
        if word and (role != "weight" or table.is_numeric(name)):
            return role, f'"{word}" in its name'
    return "other", ""


def looks_like_identifier(table: Table, name: str) -> str:
    """Return why a column looks like an identifier, or an empty string if it does not."""
    n = len(table)
    if kind_of(table, name) is None or n < 2:
        return ""
    numeric = table.is_numeric(name)
    if numeric and not table.is_integer(name):
        values = table.numbers(name)
        if np.any(values[np.isfinite(values)] % 1 != 0):
            return ""
    distinct = _distinct(table, name)
    if distinct < 2 or distinct < 0.95 * (n - int(table.missing(name).sum())):
        return ""
    word = _word_like(_IDENTIFIER_WORDS, name)
    if word:
        return f'"{word}" in its name, and nearly every value is different'
    # Below twenty records, values that all differ say little.
    if not numeric and n >= 20:
        return "nearly every value is different"
    if numeric and distinct == n >= 20:
        values = table.numbers(name)
        if values.max() - values.min() == n - 1:
            return "it numbers the records"
    return ""


def kind_of(table: Table, name: str) -> Kind | None:
    """Return the kind that a column has by its type, or None for types that cannot be protected."""
    if table.is_numeric(name):
        return "continuous"
    dtype = table.frame.schema[name]
    if isinstance(dtype, nw.Enum):
        return "ordinal"
    if isinstance(dtype, nw.String | nw.Categorical | nw.Boolean | nw.Object):
        return "nominal"
    return None


# A number as people write it: "-1,234.5", "+49", "1 234 567", "12 %", "EUR 5". "007" is a number too, but a column in
# which every cell is digits only is one of codes.
_CURRENCY = r"\s*(?:[^\w\s.,+-]|[A-Z]{3})?\s*"
_AMOUNT = _CURRENCY + r"[+-]?" + _CURRENCY + "[.,]?\\d[\\d., '\u2019\u00a0\u202f]*(?:[eE][+-]?\\d+)?" + _CURRENCY
_CODE = r"\d+"


def refuse_text_among_numbers(table: Table, name: str) -> None:
    """Raise DataError for a text column most of whose cells are numbers, unless all of them are plain codes.

    Such a column would count as nominal, and be released unprotected or be masked by its commonest value.
    """
    if not isinstance(table.frame.schema[name], nw.String | nw.Object):
        return
    texts = table.frame[name].to_pandas()[~table.missing(name)].astype(str).str
    numbers = texts.fullmatch(_AMOUNT).to_numpy(bool)
    if not 0.5 * len(numbers) <= numbers.sum() > 0 or texts.fullmatch(_CODE).all():
        return
    advice = 'Correct them, or give the column a role or the kind "nominal" if it is not an amount.'
    if numbers.all():
        raise DataError(f'Column "{name}" holds numbers written as text: signs, separators or currencies. {advice}')
    first = np.flatnonzero(~table.missing(name))[~numbers][0] + 1
    cells = "1 cell" if (~numbers).sum() == 1 else f"{(~numbers).sum()} cells"
    raise DataError(f'Column "{name}" holds numbers but for {cells} of text, the first in record {first}. {advice}')


def codes(table: Table, name: str) -> NDArray[np.int64]:
    """Number the values of a column 0, 1, 2, ... in their order, -1 for a missing value.

    The order is that of the categories for an ordered type, and the sorted order of the values otherwise.
    """
    import pandas as pd  # here, to keep start-up quick

    column = table.frame[name]
    observed = ~table.missing(name)
    numbered = np.full(len(table), -1, dtype=np.int64)
    if not observed.any():
        return numbered
    if isinstance(column.dtype, nw.Enum):
        place = {category: position for position, category in enumerate(column.dtype.categories)}
        numbered[observed] = [place[cell] for cell in table.cells(name)[observed]]
        return numbered
    if table.is_integer(name):  # not by way of floats, which cannot tell numbers beyond 2**53 apart
        values = column[np.flatnonzero(observed)].to_numpy()
    else:
        values = (table.numbers(name) if table.is_numeric(name) else table.cells(name))[observed]
    try:
        numbered[observed] = pd.factorize(values, sort=True)[0]
    except TypeError:
        raise DataError(f'Column "{name}" mixes text with values of other types. Make them all text.') from None
    return numbered


def _distinct(table: Table, name: str) -> int:
    return int(table.frame[name].drop_nulls().n_unique())


def _word_like(pattern: re.Pattern[str], name: str) -> str:
    """Return the first word of a column's name that matches; "PersonId" and "person_id" have the words person, id."""
    words = re.findall(r"[a-z]+\d*|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return next((word for word in words if pattern.fullmatch(word)), "")
