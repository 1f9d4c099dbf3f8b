"""A rule: what it says, what kind it is, and which records break it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.edits.atoms import Definition, Linear, Opaque, Product, Requirement, requirements
from shoal.edits.checked_records import CheckedRecords, NumericRecords
from shoal.edits.evaluation import TOLERANCE, broken, term_values
from shoal.edits.expressions import (
    Arithmetic,
    Expression,
    InOriginal,
    NumberLiteral,
    PlaceIn,
    TextLiteral,
    XPathTest,
    expression_depth,
    parts_of,
    variables_in,
)
from shoal.edits.text import XPATH_PREFIX, printed, read_expression, refused, shown
from shoal.errors import DataError, RuleError, nearest_name_hint

__all__ = ["Rule", "RuleKind", "parse_rule", "parse_rules"]

MOST_DEEP = 200  # Python walks through nested expressions by recursion, which has a limit

RuleKind = Literal["linear", "product", "definition", "possible values", "governs", "value domain", "checked only"]


@dataclass(frozen=True, eq=False)
class Rule:
    """A rule that holds for every record.

    Two rules are equal if they read the same and have the same name, so that rules can be compared, and used as keys,
    at the cost of comparing texts.

    Attributes
    ----------
    expression
        What it says, as a tree.
    name
        The name that its author gave it, if any.
    place
        The file and the line that it was read from, "" if from no file.

    Examples
    --------
    >>> from shoal.edits import parse_rule
    >>> rule = parse_rule("net + tax == gross")
    >>> rule.kind, rule.variables
    ('linear', ('net', 'tax', 'gross'))
    """

    expression: Expression
    name: str = ""
    place: str = ""

    def __post_init__(self) -> None:
        _refuse_senseless(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        return self is other or (self.text, self.name) == (other.text, other.name)

    def __hash__(self) -> int:
        return hash((self.text, self.name))

    @cached_property
    def text(self) -> str:
        """The rule as a line of plain text, which `parse_rule` reads back."""
        if any(isinstance(part, PlaceIn) for part in parts_of(self.expression)):
            from shoal.edits.xpath.printing import printed_xpath  # for a quick start: elementpath is slow to import

            return f"{XPATH_PREFIX} {printed_xpath(self.expression)}"
        return printed(self.expression)

    @cached_property
    def shown(self) -> str:
        """The rule as messages show it, cut to the length of a line."""
        return shown(self.text)

    @property
    def called(self) -> str:
        """How messages call it before it is known to be about a table: a line of a file is not quoted.

        Lines of a file that holds no rules, such as one of settings, may read like rules.
        """
        return f"{self.place}: The rule" if self.place else f'The rule "{self.shown}"'

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables that it names."""
        return variables_in(self.expression)

    @cached_property
    def requirements(self) -> tuple[Requirement, ...]:
        """What it requires, each requirement a choice among alternatives that representatives can be chosen for."""
        return requirements(self.expression)

    @cached_property
    def kind(self) -> RuleKind:
        """Which kind of rule it is, such as "linear" or "possible values": `RuleStatus.kind` has all of them."""
        if isinstance(self.expression, InOriginal):
            return "value domain"
        atoms = [atom for one in self.requirements for alternative in one.alternatives for atom in alternative]
        if any(isinstance(atom, Opaque) for atom in atoms):
            return "checked only"
        if any(len(one.alternatives) > 1 for one in self.requirements):
            return "governs" if len(self.variables) > 1 else "possible values"
        if len(self.variables) == 1:
            return "possible values"
        if any(isinstance(atom, Product) for atom in atoms):
            return "product"
        if any(isinstance(atom, Definition) for atom in atoms):
            return "definition"
        if any(isinstance(atom, Linear) and atom.relation == "==" for atom in atoms):
            return "linear"
        return "governs"

    @property
    def sums(self) -> list[Linear]:
        """The sums and bounds that it requires without a condition."""
        only = [one.alternatives[0] for one in self.requirements if len(one.alternatives) == 1]
        return [atom for atoms in only for atom in atoms if isinstance(atom, Linear)]

    @cached_property
    def is_linear(self) -> bool:
        """Whether it consists of sums and bounds alone, without a condition."""
        return all(
            len(one.alternatives) == 1 and all(isinstance(atom, Linear) for atom in one.alternatives[0])
            for one in self.requirements
        )

    def broken(self, records: CheckedRecords, tolerance: float | None = TOLERANCE) -> NDArray[np.bool_]:
        """Return which records break the rule; a record with a missing value in one of its variables does not."""
        try:
            return broken(self.expression, records, tolerance)
        except (RuleError, DataError) as error:
            raise RuleError(f'The rule "{self.shown}" cannot be checked. {error}') from None

    def refuse_unknown(self, names: list[str]) -> None:
        """Raise RuleError if a variable of the rule is not among `names`, the columns of a table."""
        for name in self.variables:
            if name not in names:
                named, hint = "something" if self.place else f'"{name}"', nearest_name_hint(name, names)
                raise RuleError(f"{self.called} names {named}, which is no column.{hint}")


def parse_rule(text: str | Rule) -> Rule:
    """Read one rule; a rule that was read before is returned as it is.

    Parameters
    ----------
    text
        A line such as ``net + tax == gross``, ``0 <= age <= 120``, ``rooms is integer``, ``vehicle in {car, truck}``,
        ``price * amount == value``, ``if age < 15 then wage == 0`` or ``town in original``. A name with spaces or signs
        in it goes in backquotes. A line that begins with ``xpath:`` is a test in XPath.

    Raises
    ------
    RuleError
        The text is no rule; the message says why.
    """
    if isinstance(text, Rule):
        return text
    if not isinstance(text, str):
        raise RuleError(f"A rule is a line of text; got {type(text).__name__}.")
    if text.strip().startswith(XPATH_PREFIX):
        from shoal.edits.xpath.reading import read_test  # for a quick start: elementpath is slow to import

        return Rule(read_test(text.strip().removeprefix(XPATH_PREFIX).strip()))
    return Rule(read_expression(text.strip()))


def parse_rules(rules: str | Rule | Iterable[str | Rule]) -> list[Rule]:
    """Read one rule or several; rules that were read before stay as they are."""
    several = [rules] if isinstance(rules, str | Rule) else rules
    if not isinstance(several, Iterable) or hasattr(several, "dtype"):  # a column of the data: not quoted
        raise RuleError(f"Rules are a list of lines of text; got {type(rules).__name__}.")
    return [parse_rule(rule) for rule in several]


def _refuse_senseless(rule: Rule) -> None:
    """Raise RuleError for a rule that is too deep, has no variable, divides by zero or uses texts in arithmetic."""
    expression = rule.expression
    if expression_depth(expression) > MOST_DEEP:
        why = f"A rule has more than {MOST_DEEP} terms within each other. Put brackets around parts of the sum."
        raise RuleError(why, why=why)
    if not variables_in(expression) and not isinstance(expression, XPathTest):
        raise refused("rule", rule.text, "has no variable in it.")
    for part in parts_of(expression):
        if isinstance(part, NumberLiteral) and not math.isfinite(part.value):
            raise refused("rule", rule.text, "has a number in it that is too large.")
        if isinstance(part, Arithmetic):
            _refuse_arithmetic(rule, part)


def _refuse_arithmetic(rule: Rule, part: Arithmetic) -> None:
    if isinstance(part.left, TextLiteral) or isinstance(part.right, TextLiteral):
        raise refused("rule", rule.text, "uses a text in arithmetic.")
    if part.sign == "/" and not variables_in(part.right):
        divisor, _ = term_values(part.right, NumericRecords({"": np.zeros(1)}))
        if divisor[0] == 0:
            raise refused("rule", rule.text, "divides by zero.")
