"""A rule: what it says, what kind it is, and which records break it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.edits.evaluation import TOLERANCE, Columns, Records, broken, refuse_unknown, worked_out
from shoal.edits.expressions import (
    Arithmetic,
    Expression,
    InOriginal,
    Number,
    Text,
    XPathTest,
    depth_of,
    names_in,
    parts_of,
)
from shoal.edits.keep.atoms import Linear, Product, Requirement, Single, requirements
from shoal.edits.text import XPATH_PREFIX, printed, read_expression, shown
from shoal.errors import DataError, RuleError

__all__ = ["Kind", "Rule", "parse_rule", "parse_rules"]

MOST_DEEP = 200  # Python compares and copies trees step by step, and its stack has an end

Kind = Literal["linear", "product", "possible values", "governs", "value domain", "checked only"]


@dataclass(frozen=True)
class Rule:
    """A rule that holds for every record.

    Attributes
    ----------
    expression
        What it says, as a tree.
    name
        What its author called it, if anything.

    Examples
    --------
    >>> from shoal.edits import parse_rule
    >>> rule = parse_rule("net + tax == gross")
    >>> rule.kind, rule.variables
    ('linear', ('net', 'tax', 'gross'))
    """

    expression: Expression
    name: str = ""

    def __post_init__(self) -> None:
        _refuse_senseless(self)

    @cached_property
    def text(self) -> str:
        """The rule as a line of plain text."""
        return printed(self.expression)

    @cached_property
    def shown(self) -> str:
        """The rule as messages show it: not longer than a line."""
        return shown(self.text)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        return names_in(self.expression)

    @cached_property
    def requirements(self) -> tuple[Requirement, ...]:
        """What it asks for, each requirement a choice among alternatives that can be planned for."""
        return requirements(self.expression)

    @cached_property
    def kind(self) -> Kind:
        """Which of the kinds of rule it is."""
        if isinstance(self.expression, InOriginal):
            return "value domain"
        atoms = [atom for one in self.requirements for alternative in one.alternatives for atom in alternative]
        if any(not isinstance(atom, Linear | Product | Single) for atom in atoms):
            return "checked only"
        if any(len(one.alternatives) > 1 for one in self.requirements):
            return "governs" if len(self.variables) > 1 else "possible values"
        if len(self.variables) == 1:
            return "possible values"
        if any(isinstance(atom, Product) for atom in atoms):
            return "product"
        if any(isinstance(atom, Linear) and atom.relation == "==" for atom in atoms):
            return "linear"
        return "governs"

    @property
    def sums(self) -> list[Linear]:
        """The sums and bounds it asks for without a condition."""
        only = [one.alternatives[0] for one in self.requirements if len(one.alternatives) == 1]
        return [atom for atoms in only for atom in atoms if isinstance(atom, Linear)]

    @cached_property
    def is_linear(self) -> bool:
        """Whether it is made of sums and bounds alone, without a condition."""
        return all(
            len(one.alternatives) == 1 and all(isinstance(atom, Linear) for atom in one.alternatives[0])
            for one in self.requirements
        )

    def broken(self, records: Records, tolerance: float = TOLERANCE) -> NDArray[np.bool_]:
        """Return which records break the rule; a gap breaks none."""
        try:
            return broken(self.expression, records, tolerance)
        except (RuleError, DataError) as error:
            raise RuleError(f'The rule "{self.shown}" cannot be checked. {error}') from None

    def refuse_unknown(self, names: list[str]) -> None:
        """Raise RuleError if a column it speaks of is not among `names`."""
        refuse_unknown(self.expression, self.shown, names)


def parse_rule(text: str) -> Rule:
    """Read one rule.

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
    if not isinstance(text, str):
        raise RuleError(f"A rule is a line of text; got {type(text).__name__}.")
    if text.strip().startswith(XPATH_PREFIX):
        from shoal.edits.xpath.reading import read_test

        return Rule(read_test(text.strip().removeprefix(XPATH_PREFIX).strip()))
    return Rule(read_expression(text.strip()))


def parse_rules(given: str | Rule | Iterable[str | Rule]) -> list[Rule]:
    """Read one rule or several; rules that are read already stay as they are."""
    several = [given] if isinstance(given, str | Rule) else given
    if not isinstance(several, Iterable):
        raise RuleError(f"Rules are a list of lines of text; got {type(given).__name__}.")
    return [rule if isinstance(rule, Rule) else parse_rule(rule) for rule in several]


def _refuse_senseless(rule: Rule) -> None:
    """Raise RuleError for a rule that is too deep, has no variable, divides by zero or computes with texts."""
    expression = rule.expression
    if depth_of(expression) > MOST_DEEP:
        raise RuleError(
            f"A rule has more than {MOST_DEEP} terms within each other. Put brackets around parts of the sum."
        )
    if not names_in(expression) and not isinstance(expression, XPathTest):
        raise RuleError(f'The rule "{rule.shown}" has no variable in it.')
    for part in parts_of(expression):
        if isinstance(part, Number) and not math.isfinite(part.value):
            raise RuleError(f'The rule "{rule.shown}" has a number in it that is too large.')
        if isinstance(part, Arithmetic):
            if isinstance(part.left, Text) or isinstance(part.right, Text):
                raise RuleError(f'The rule "{rule.shown}" computes with a text.')
            if part.sign == "/" and not names_in(part.right):
                divisor, _ = worked_out(part.right, Columns({"": np.zeros(1)}))
                if divisor[0] == 0:
                    raise RuleError(f'The rule "{rule.shown}" divides by zero.')
