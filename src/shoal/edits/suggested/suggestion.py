"""A rule that every record of a table keeps, with the reason to suggest it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.describe.kinds.default_kinds import CODES_BY_NAME, default_kind
from shoal.describe.kinds.identifiers import identifier_reason
from shoal.describe.kinds.undecided import undecided
from shoal.describe.variables import has_fractions, word_like
from shoal.edits.checked_records import CheckedRecords, TableRecords
from shoal.edits.expressions import Expression
from shoal.edits.rules import Rule, parse_rule

FEWEST = 20  # records that speak for a rule, and that would be expected to break it if it held by chance

SuggestionKind = Literal["sum", "equal", "ratio", "product", "order", "condition", "bound"]

_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}


@dataclass(frozen=True)
class SuggestedRule:
    """A rule that every record of a table keeps; whether it is meant, only a person can say.

    Attributes
    ----------
    text
        The rule as a line of text, which `read_edits` reads.
    kind
        What it is: "sum", "equal", "ratio", "product", "order", "condition" or "bound".
    why
        One sentence with the number of records that speak for it.
    records
        How many records speak for it: those that have all its values and, with a condition, fulfil the condition.
    """

    text: str
    kind: SuggestionKind
    why: str
    records: int


def suggestion_of(
    expression: Expression,
    kind: SuggestionKind,
    records: CheckedRecords,
    *,
    applies: NDArray[np.bool_] | None = None,
    condition: str = "",
) -> SuggestedRule | None:
    """Return a suggestion; None if a record breaks the rule, as it is read from its text, or too few speak for it.

    Parameters
    ----------
    expression, kind
        What the rule says, and what it is.
    records
        All records of the table.
    applies, condition
        With a condition, the records that fulfil it, and the condition in words.
    """
    rule = parse_rule(Rule(expression).text)
    speaking = np.ones(len(records), dtype=bool) if applies is None else applies.copy()
    for name in rule.variables:
        speaking &= ~records.missing(name)
    count = int(speaking.sum())
    if count < FEWEST or rule.broken(records).any():
        return None
    return SuggestedRule(rule.text, kind, _reason(count, len(rule.variables), condition), count)


def _reason(records: int, variables: int, condition: str) -> str:
    if condition:
        return f"holds in all {records:,} records with {condition}"
    if variables == 1:
        return f"holds in all {records:,} records that have a value"
    values = "both values" if variables == 2 else f"all {_NUMBERS.get(variables, variables)} values"
    return f"holds in all {records:,} records that have {values}"


Doubles = NDArray[np.float64]

Booleans = NDArray[np.bool_]

# Numbers of households, firms or places, which many records share.
_NUMBERED = re.compile(
    r"(?!(?:un)?paid$|prepaid$|aid$|bid$|mid$|grid$|covid$|valid$|invalid$)[a-z]*id\d*|ids|nr|[a-z]*code|index|rownames?|cluster"
)

_MOST_COLUMNS = 200

_MOST_SAMPLED = 2000  # records that rule out most candidates before all records are looked at


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """Columns of numbers, NaN where a value is missing.

    Attributes
    ----------
    records
        The table that they come from, as rules are checked on it.
    values
        The numbers of every column.
    codes
        Those that seem to be codes of categories, or counts of few.
    whole
        Those that hold whole numbers only.
    """

    records: TableRecords
    values: dict[str, Doubles]
    codes: frozenset[str]
    whole: frozenset[str]

    @property
    def names(self) -> list[str]:
        """The names of the columns, in file order."""
        return list(self.values)

    @cached_property
    def sample(self) -> dict[str, Doubles]:
        """Some of the records, from all parts of the file."""
        rows = spread_out(len(self.records), _MOST_SAMPLED)
        return {name: column[rows] for name, column in self.values.items()}

    @cached_property
    def least(self) -> dict[str, float]:
        """The least value of every column."""
        return {name: float(np.nanmin(column)) for name, column in self.values.items()}

    @cached_property
    def greatest(self) -> dict[str, float]:
        """The greatest value of every column."""
        return {name: float(np.nanmax(column)) for name, column in self.values.items()}


def number_columns(records: TableRecords) -> NumberColumns:
    """Return the columns that rules are looked for in; constants, identifiers, dates and infinite numbers are left out.

    A column needs values in at least twenty records, and a name that can stand in a file of rules. Of more than two
    hundred columns, the first two hundred are taken.
    """
    table = records.table
    names = islice((name for name in table.names if _takes_part(records, name)), _MOST_COLUMNS)
    values = {name: records.numbers(name) for name in names}
    return NumberColumns(
        records=records,
        values=values,
        codes=frozenset(name for name in values if _holds_codes(records, name)),
        whole=frozenset(name for name in values if not has_fractions(table, name)),
    )


def can_be_named(name: str) -> bool:
    """Whether a name can stand in a line of a file of rules."""
    return name != "" and name.isprintable()


def spread_out(records: int, most: int) -> NDArray[np.int64]:
    """Return the places of at most so many of the records, evenly spread."""
    if records <= most:
        return np.arange(records)
    return np.asarray(np.arange(most) * records // most)


def _takes_part(records: TableRecords, name: str) -> bool:
    table = records.table
    if not can_be_named(name) or not records.is_numeric(name):
        return False
    if word_like(_NUMBERED, name) and not has_fractions(table, name):
        return False
    observed = records.numbers(name)
    observed = observed[~np.isnan(observed)]
    if len(observed) < FEWEST or observed.min() == observed.max() or not (np.abs(observed) < 2**53).all():
        return False
    return isinstance(table.type_of(name), nw.Boolean) or not (identifier_reason(table, name) or undecided(table, name))


def _holds_codes(records: TableRecords, name: str) -> bool:
    table = records.table
    return default_kind(table, name)[0] != "continuous" or word_like(CODES_BY_NAME, name) != ""
