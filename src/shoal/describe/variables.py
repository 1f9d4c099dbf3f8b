"""The kind and the role of every variable; what describe guesses is a suggestion, and never applied by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.text_numbers import numbers_in_text
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
    "texts_of_codes",
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


# Types whose different values not every library can count.
_NOT_COUNTED_BY_LIBRARIES = (nw.Object, nw.Unknown, nw.List, nw.Array, nw.Struct, nw.Binary)

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
    missing = table.missing(name)
    distinct = _distinct(table, name, missing)
    kind = kind_of(table, name)
    role, role_reason = _suggest_role(table, name, kind, distinct, int(missing.sum()))
    kind, kind_reason = _suggest_kind(table, name, kind, distinct)
    reason = "; ".join(text for text in (kind_reason, role_reason) if text)
    return Variable(name, kind, role, reason, distinct, int(missing.sum()), table.labels.variables.get(name, ""))


def _suggest_kind(table: Table, name: str, kind: Kind | None, distinct: int) -> tuple[Kind | None, str]:
    if kind is None:
        return None, "dates and other types cannot be protected yet"
    if kind == "nominal":
        return kind, numbers_in_text(table, name).description
    measure = table.labels.measures.get(name)
    if measure in ("nominal", "ordinal") and kind == "continuous":
        return ("ordinal" if measure == "ordinal" else "nominal"), f"marked {measure} in the file"
    if kind == "continuous" and len(table.labels.values.get(name, {})) >= distinct > 0:
        return "nominal", "its values have labels"
    if kind == "continuous" and table.is_integer(name) and distinct <= 2 < len(table):
        return "nominal", "only two values"
    return kind, ""


def _suggest_role(table: Table, name: str, kind: Kind | None, distinct: int, missing: int) -> tuple[Role, str]:
    reason = _identifier_reason(table, name, kind, distinct, missing)
    if reason:
        return "identifier", reason
    words = _words(name)
    for role, pattern in _ROLE_WORDS:
        word = _word_like(pattern, words)
        if word and (role != "weight" or kind == "continuous"):
            return role, f'"{word}" in its name'
    return "other", ""


def looks_like_identifier(table: Table, name: str) -> str:
    """Return why a column looks like an identifier, or an empty string if it does not."""
    kind = kind_of(table, name)
    if kind == "continuous" and _has_fractions(table, name):  # before values are counted, which takes longer
        return ""
    missing = table.missing(name)
    return _identifier_reason(table, name, kind, _distinct(table, name, missing), int(missing.sum()))


def _identifier_reason(table: Table, name: str, kind: Kind | None, distinct: int, missing: int) -> str:
    n = len(table)
    if kind is None or distinct < 2 or distinct < 0.95 * (n - missing):
        return ""
    numeric = kind == "continuous"
    if numeric and _has_fractions(table, name):
        return ""
    word = _word_like(_IDENTIFIER_WORDS, _words(name))
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


def _has_fractions(table: Table, name: str) -> bool:
    if table.is_integer(name):
        return False
    values = table.numbers(name)
    return bool(np.any(values[np.isfinite(values)] % 1 != 0))


def kind_of(table: Table, name: str) -> Kind | None:
    """Return the kind that a column has by its type, or None for types that cannot be protected."""
    if table.is_numeric(name):
        return "continuous"
    dtype = table.type_of(name)
    if isinstance(dtype, nw.Enum):
        return "ordinal"
    if isinstance(dtype, nw.String | nw.Categorical | nw.Boolean | nw.Object):
        return "nominal"
    return None


def codes(table: Table, name: str) -> NDArray[np.int64]:
    """Number the values of a column 0, 1, 2, ... in their order, -1 for a missing value.

    The order is that of the categories for an ordered type, and the sorted order of the values otherwise.
    """
    import pandas as pd  # here, to keep start-up quick

    column, dtype = table.column(name), table.type_of(name)
    observed = ~table.missing(name)
    numbered = np.full(len(table), -1, dtype=np.int64)
    if not observed.any():
        return numbered
    if isinstance(dtype, nw.Enum):
        place = {category: position for position, category in enumerate(dtype.categories)}
        numbered[observed] = [place[cell] for cell in table.cells(name)[observed]]
        return numbered
    if table.is_integer(name) and not isinstance(dtype, nw.Int128 | nw.UInt128):
        # Not by way of floats, which cannot tell numbers beyond 2**53 apart.
        values = column[np.flatnonzero(observed)].to_numpy()
    else:
        values = (table.numbers(name) if dtype.is_float() else table.cells(name))[observed]
    try:
        numbered[observed] = pd.factorize(values, sort=True)[0]
    except TypeError:
        raise DataError(f'Column "{name}" mixes text with values of other types. Make them all text.') from None
    return numbered


def texts_of_codes(table: Table, name: str) -> dict[int, str] | None:
    """Return the text that every number given by `codes` stands for; None if not all values are texts."""
    numbered, first = np.unique(codes(table, name), return_index=True)
    cells = table.cells(name)[first[numbered >= 0]]
    if not all(isinstance(cell, str) for cell in cells):
        return None
    return dict(zip(numbered[numbered >= 0].tolist(), cells, strict=True))


def _distinct(table: Table, name: str, missing: NDArray[np.bool_]) -> int:
    """Return how many different values a column has."""
    column = table.column(name)
    if missing.any():
        column = column[np.flatnonzero(~missing)]
    if not isinstance(table.type_of(name), _NOT_COUNTED_BY_LIBRARIES):
        return int(column.n_unique())
    cells = column.to_list()
    try:
        return len(set(cells))
    except TypeError:  # lists and the like
        return len({repr(cell) for cell in cells})


def _words(name: str) -> list[str]:
    """Return the words of a column's name; "PersonId" and "person_id" have the words person, id."""
    return re.findall(r"[a-z]+\d*|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def _word_like(pattern: re.Pattern[str], words: Iterable[str]) -> str:
    """Return the first word that matches, or an empty string."""
    return next((word for word in words if pattern.fullmatch(word)), "")
