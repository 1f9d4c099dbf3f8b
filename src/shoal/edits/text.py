"""Rules as plain text: one a line, such as ``net + tax == gross`` or ``2 * a - `column with spaces` <= 10``."""

from __future__ import annotations

import ast
import math
import os
import re
from collections.abc import Iterable
from pathlib import Path

from shoal.edits.rules import LinearRule
from shoal.errors import RuleError

__all__ = ["parse_rule", "parse_rules", "read_edits"]

_QUOTED = re.compile(r"`([^`]+)`")
_COMMENT = re.compile(r"(?<!`)#(?=(?:[^`]*`[^`]*`)*[^`]*$).*")  # not within backquotes
_MOST_LETTERS = 10_000

# A sum: what each variable is multiplied by, and under "" what stands alone.
_Sum = dict[str, float]


def parse_rules(given: str | LinearRule | Iterable[str | LinearRule]) -> list[LinearRule]:
    """Read one rule or several; rules that are read already stay as they are."""
    several = [given] if isinstance(given, str | LinearRule) else given
    return [rule if isinstance(rule, LinearRule) else parse_rule(rule) for rule in several]


def read_edits(source: str | os.PathLike[str] | Iterable[str | LinearRule]) -> list[LinearRule]:
    """Read rules from a text file, one a line, or from a list of texts; empty lines and what follows a # do not count.

    Parameters
    ----------
    source
        The path of a file, or a list of rules.
    """
    if not isinstance(source, str | os.PathLike):
        return parse_rules(source)
    try:
        lines = Path(source).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RuleError(f'The rules in "{source}" cannot be read: {error.strerror}.') from None
    except UnicodeDecodeError:
        raise RuleError(f'"{source}" is not a text file in UTF-8.') from None
    rules = []
    for number, line in enumerate(lines, start=1):
        text = _COMMENT.sub("", line).strip()
        if text:
            try:
                rules.append(parse_rule(text))
            except RuleError as error:
                raise RuleError(f'"{source}", line {number}: {error}') from None
    return rules


def parse_rule(text: str) -> LinearRule:
    """Read a linear rule.

    Parameters
    ----------
    text
        Two sums with ``==``, ``<=`` or ``>=`` between them. A sum is made of variables, numbers, ``+``, ``-``, ``*``
        and ``/``; a name with spaces or signs in it goes in backquotes.

    Raises
    ------
    RuleError
        The text is no linear rule; the message says which part of it is not.
    """
    if not isinstance(text, str):
        raise RuleError(f"A rule is a line of text; got {type(text).__name__}.")
    if len(text) > _MOST_LETTERS:
        raise RuleError(f"A rule has {len(text):,} letters, which is more than anybody means to write.")
    names: dict[str, str] = {}
    quoted_as = "_quoted"
    while quoted_as in text:
        quoted_as += "_"

    def stand_in(quoted: re.Match[str]) -> str:
        names[f"{quoted_as}{len(names)}"] = quoted.group(1)
        return f" {list(names)[-1]} "

    plain = _QUOTED.sub(stand_in, text.strip())
    try:
        tree = ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise RuleError(f'The rule "{_shown(text)}" cannot be read. Write it like: net + tax == gross.') from None
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in (ast.Eq, ast.LtE, ast.GtE):
        raise RuleError(f'The rule "{_shown(text)}" must be two sums with one ==, <= or >= between them.')
    reader = _Reader(text, names)
    try:
        left, right = reader.sum_of(tree.left), reader.sum_of(tree.comparators[0])
    except (RecursionError, OverflowError):
        raise RuleError(f'The rule "{_shown(text)}" is too long, or has too large a number in it.') from None
    if isinstance(tree.ops[0], ast.GtE):
        left, right = right, left
    total = _added(left, right, -1.0)
    constant = 0.0 - total.pop("", 0.0)
    coefficients = {name: factor for name, factor in total.items() if factor != 0}
    if not coefficients:
        raise RuleError(f'The rule "{_shown(text)}" has no variable in it.')
    if not all(math.isfinite(number) for number in (constant, *coefficients.values())):
        raise RuleError(f'The rule "{_shown(text)}" has a number in it that is too large.')
    return LinearRule(text.strip(), coefficients, "==" if isinstance(tree.ops[0], ast.Eq) else "<=", constant)


class _Reader:
    """Turns the parts of one rule into sums."""

    def __init__(self, text: str, names: dict[str, str]) -> None:
        self._text = text
        self._names = names

    def sum_of(self, part: ast.expr) -> _Sum:
        """Return a part of the rule as a sum; RuleError for what is not linear."""
        match part:
            case ast.Constant(value=float() | int() as number) if not isinstance(number, bool):
                return {"": float(number)}
            case ast.Name(id=name):
                return {self._names.get(name, name): 1.0}
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _added({}, self.sum_of(operand), -1.0)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.sum_of(operand)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
                return _added(self.sum_of(left), self.sum_of(right), 1.0 if isinstance(sign, ast.Add) else -1.0)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                one, other = self.sum_of(left), self.sum_of(right)
                if set(one) <= {""}:
                    one, other = other, one
                if set(other) <= {""}:
                    return _added({}, one, other.get("", 0.0))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                divisor = self.sum_of(right)
                if set(divisor) == {""} and divisor[""] != 0:
                    return _added({}, self.sum_of(left), 1 / divisor[""])
            case _:
                pass
        raise RuleError(
            f'The rule "{_shown(self._text)}" is not linear: it may add and subtract multiples of variables, no more.'
        )


def _shown(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def _added(one: _Sum, other: _Sum, factor: float) -> _Sum:
    total = dict(one)
    for name, number in other.items():
        total[name] = total.get(name, 0.0) + factor * number
    return total
