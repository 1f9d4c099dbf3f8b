"""What a rule says, as a tree: both languages are read into it, checked by it and printed from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias

__all__ = [
    "Among",
    "Arithmetic",
    "Comparison",
    "Conditional",
    "Every",
    "Expression",
    "InOriginal",
    "IsInteger",
    "Negative",
    "Not",
    "Number",
    "Relation",
    "Some",
    "Term",
    "Text",
    "Variable",
    "XPathTest",
    "depth_of",
    "names_in",
    "parts_of",
]

Sign = Literal["+", "-", "*", "/", "**"]
Relation = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Number:
    """A number."""

    value: float


@dataclass(frozen=True)
class Text:
    """A text, such as a category."""

    value: str


@dataclass(frozen=True)
class Variable:
    """A column of the table."""

    name: str


@dataclass(frozen=True)
class Negative:
    """A term with the other sign."""

    term: Term


@dataclass(frozen=True)
class Arithmetic:
    """Two terms added, subtracted, multiplied, divided, or one to the power of the other."""

    sign: Sign
    left: Term
    right: Term


@dataclass(frozen=True)
class Comparison:
    """Two terms compared."""

    relation: Relation
    left: Term
    right: Term


@dataclass(frozen=True)
class Among:
    """A variable that has one of some values."""

    variable: Variable
    values: tuple[Number | Text, ...]


@dataclass(frozen=True)
class IsInteger:
    """A variable that is a whole number."""

    variable: Variable


@dataclass(frozen=True)
class InOriginal:
    """A variable whose value occurs in the same column of the original file."""

    variable: Variable


@dataclass(frozen=True)
class Every:
    """Statements that all hold."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Some:
    """Statements of which at least one holds."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Not:
    """A statement that does not hold."""

    part: Expression


@dataclass(frozen=True)
class Conditional:
    """A statement that holds where a condition does, and perhaps another where it does not."""

    condition: Expression
    then: Expression
    otherwise: Expression | None = None


@dataclass(frozen=True)
class XPathTest:
    """A test in XPath that the other expressions do not cover: it can be checked, but nobody can plan for it."""

    test: str
    names: tuple[str, ...]


Term: TypeAlias = Number | Text | Variable | Negative | Arithmetic
Expression: TypeAlias = Comparison | Among | IsInteger | InOriginal | Every | Some | Not | Conditional | XPathTest


def parts_of(expression: Expression | Term) -> Iterator[Expression | Term]:
    """Return an expression and all that it is made of, outermost first."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(_members(part))


def depth_of(expression: Expression | Term) -> int:
    """Return how many expressions and terms stand within each other."""
    depth, level = 0, [expression]
    while level:
        depth += 1
        level = [member for part in level for member in _members(part)]
    return depth


def _members(expression: Expression | Term) -> list[Expression | Term]:
    found: list[Any] = []
    for field in fields(expression):
        value = getattr(expression, field.name)
        found += [part for part in (value if isinstance(value, tuple) else (value,)) if is_dataclass(part)]
    return found


def names_in(expression: Expression | Term) -> tuple[str, ...]:
    """Return the variables an expression speaks of, in the order it names them."""
    found: dict[str, None] = {}
    for part in parts_of(expression):
        if isinstance(part, Variable):
            found[part.name] = None
        elif isinstance(part, XPathTest):
            found.update(dict.fromkeys(part.names))
    return tuple(found)
