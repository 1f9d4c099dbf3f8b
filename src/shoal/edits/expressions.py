"""What a rule says, as a tree: text and XPath are read into it, checked by it and written from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias

__all__ = [
    "Among",
    "Arithmetic",
    "Conditional",
    "Every",
    "Expression",
    "InOriginal",
    "IsInteger",
    "Negative",
    "Not",
    "NumberLiteral",
    "PlaceIn",
    "Relation",
    "Some",
    "Term",
    "TermComparison",
    "TextLiteral",
    "VariableName",
    "XPathTest",
    "expression_depth",
    "parts_of",
    "variables_in",
]

Sign = Literal["+", "-", "*", "/", "**"]
Relation = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class NumberLiteral:
    """A number that is written in a rule."""

    value: float


@dataclass(frozen=True)
class TextLiteral:
    """A text that is written in a rule, such as a category."""

    value: str


@dataclass(frozen=True)
class VariableName:
    """A variable of the table, by the name of its column."""

    name: str


@dataclass(frozen=True)
class Negative:
    """A term with a minus sign before it."""

    term: Term


@dataclass(frozen=True)
class Arithmetic:
    """Two terms added, subtracted, multiplied, divided, or one to the power of the other."""

    sign: Sign
    left: Term
    right: Term


@dataclass(frozen=True)
class PlaceIn:
    """The place of a value in a list, such as that of a category in its order: 1, 2, ..."""

    value: VariableName | TextLiteral
    order: tuple[str, ...]


@dataclass(frozen=True)
class TermComparison:
    """Two terms compared."""

    relation: Relation
    left: Term
    right: Term


@dataclass(frozen=True)
class Among:
    """A variable that has one of the values of a list."""

    variable: VariableName
    values: tuple[NumberLiteral | TextLiteral, ...]


@dataclass(frozen=True)
class IsInteger:
    """A variable that is a whole number."""

    variable: VariableName


@dataclass(frozen=True)
class InOriginal:
    """A variable whose value occurs in the same column of the original file."""

    variable: VariableName


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
    """A statement that holds where a condition holds, and perhaps another one where it does not."""

    condition: Expression
    then: Expression
    otherwise: Expression | None = None


@dataclass(frozen=True)
class XPathTest:
    """A test in XPath that the other expressions do not cover: it can be checked, but not kept on purpose."""

    test: str
    names: tuple[str, ...]


Term: TypeAlias = NumberLiteral | TextLiteral | VariableName | Negative | Arithmetic | PlaceIn
Expression: TypeAlias = TermComparison | Among | IsInteger | InOriginal | Every | Some | Not | Conditional | XPathTest


def parts_of(expression: Expression | Term) -> Iterator[Expression | Term]:
    """Return an expression and all its parts, outermost first."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(_members(part))


def expression_depth(expression: Expression | Term) -> int:
    """Return how many expressions and terms are nested within each other."""
    depth, level = 0, [expression]
    while level:
        depth += 1
        level = [member for part in level for member in _members(part)]
    return depth


def _members(expression: Expression | Term) -> list[Expression | Term]:
    members: list[Any] = []
    for field in fields(expression):
        value = getattr(expression, field.name)
        members += [part for part in (value if isinstance(value, tuple) else (value,)) if is_dataclass(part)]
    return members


def variables_in(expression: Expression | Term) -> tuple[str, ...]:
    """Return the names of the variables in an expression, in the order it has them."""
    names: dict[str, None] = {}
    for part in parts_of(expression):
        if isinstance(part, VariableName):
            names[part.name] = None
        elif isinstance(part, XPathTest):
            names.update(dict.fromkeys(part.names))
    return tuple(names)
