"""XPath as a tree of tokens, with the values of lets in place of their names; nothing is evaluated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

from elementpath import ElementPathError, XPath2Parser, XPathToken
from elementpath.collations import UNICODE_CODEPOINT_COLLATION
from elementpath.datatypes import NumericProxy
from elementpath.tdop import Parser

from shoal.edits.text import MOST_LETTERS, MOST_NESTED, refused
from shoal.errors import RuleError, WriteError
from shoal.read.xml_microdata import decoded_name
from shoal.write.xml_microdata import encoded_name

__all__ = [
    "ORIGINAL",
    "Lets",
    "call_of",
    "column_of",
    "element_of",
    "operands",
    "parsed",
    "refuse",
    "token_depth",
    "tokens_in",
    "unbracketed",
    "with_lets",
]

Lets: TypeAlias = Mapping[str, str | None]  # the value of a $name; None is the original file

ORIGINAL = "original"  # the variable that is the original file, whatever the author called it


_Mod: Any = XPath2Parser.symbol_table["mod"]


class _Modulo(_Mod):  # type: ignore[misc]
    """The remainder of a division, with the sign of the dividend; elementpath gives doubles that of the divisor."""

    def evaluate(self, context: Any = None) -> Any:
        one, other = self.get_operands(context, cls=NumericProxy)
        if one is None or other is None or not (isinstance(one, float) or isinstance(other, float)):
            return super().evaluate(context)
        if other == 0 or math.isinf(one) or math.isnan(one) or math.isnan(other):
            return math.nan
        return math.fmod(one, other)


class _Parser(XPath2Parser):
    """XPath 2.0."""

    symbol_table = {**XPath2Parser.symbol_table, "mod": _Modulo}  # noqa: RUF012


_PIECE = re.compile(
    r"""(?P<text>"[^"]*"|'[^']*')
    | (?P<comment>\(:)
    | (?P<variable>\$\s*(?P<name>[^\W\d][\w.-]*))
    | (?P<open>[(\[]) | (?P<close>[)\]])
    | (?P<blank>\s+)
    | (?P<other>[^"'()\[\]$\s]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"(?P<comment>\(:|:\))")
_LITERAL = re.compile(r"""\s*("[^"]*"|'[^']*'|-?[\d.]+([eE][+-]?\d+)?)\s*\Z""")
_UNKNOWN = re.compile(r"unknown (?:constructor )?function '([^']+)'")


def with_lets(test: str, lets: Lets) -> str:
    """Return a test with the value of every let in place of its name, and without comments and needless blanks."""
    pieces: list[str] = []
    length, square = 0, 0
    for matched in _pieces(test):
        piece = matched.group()
        if matched.lastgroup == "variable":
            piece = _value(test, matched["name"], lets, within=square > 0)
        elif matched.lastgroup in ("blank", "comment"):
            piece = "" if pieces and pieces[-1] == " " else " "
        elif piece in "[]":
            square += 1 if piece == "[" else -1
        pieces += [piece] if piece else []
        length += len(piece)
        if length > MOST_LETTERS:  # lets that use lets that use lets grow fast
            why = f"A test has more than {MOST_LETTERS:,} letters, more than shoal reads. Write several tests."
            raise RuleError(why, why=why)
    return "".join(pieces).strip()


def parsed(test: str) -> XPathToken:
    """Read a test as XPath 2.0.

    Raises
    ------
    RuleError
        The test is not XPath, or it is too long or nested too deeply.
    """
    if not test.strip():
        why = "A test is empty. Write one like: number(V9) + number(V10) = number(V14)."
        raise RuleError(why, why=why)
    if len(test) > MOST_LETTERS:
        why = f"A test has {len(test):,} letters; shoal reads at most {MOST_LETTERS:,}. Write several tests."
        raise RuleError(why, why=why)
    depth = 0
    pieces = []
    for matched in _pieces(test):
        depth += (matched.lastgroup == "open") - (matched.lastgroup == "close")
        if depth > MOST_NESTED:
            refuse(test, f"has more than {MOST_NESTED} brackets within each other.")
        piece = " " if matched.lastgroup == "comment" else matched.group()
        pieces.append(piece if matched.lastgroup == "text" else _ascii(piece))
    try:
        # Not XPath2Parser.parse, which evaluates constants while it parses: doc('file') would be read.
        return Parser.parse(_Parser(default_collation=UNICODE_CODEPOINT_COLLATION), "".join(pieces))
    except ElementPathError as error:
        refuse(test, *_why(str(error)))
    except RecursionError:
        refuse(test, "is nested too deeply.")
    except (SyntaxError, ValueError, TypeError, KeyError, AttributeError, IndexError, AssertionError):
        refuse(test, *_why(""))


def refuse(test: str, why: str, *pieces: str) -> NoReturn:
    """Raise RuleError for a test; pieces of it stand in `why` as {}."""
    raise refused("test", test, why, *pieces)


def tokens_in(token: XPathToken) -> Iterator[XPathToken]:
    """Return a token and all tokens within it, without names of variables, prefixes and types."""
    waiting = [token]
    while waiting:
        one = waiting.pop()
        yield one
        match one.symbol:
            case "$":
                pass
            case ":" if len(one) == 2:
                waiting += [one[1]] if call_of(one)[0] else []
            case "cast" | "castable":
                waiting.append(one[0])
            case _:
                waiting.extend(reversed(list(one)))


def operands(token: XPathToken) -> list[XPathToken]:
    """Return the operands of a token; several ands, ors or commas without brackets between them have one list."""
    later: list[XPathToken] = []
    inner, symbol = token, token.symbol
    while symbol in ("and", "or", ",") and inner.symbol == symbol and len(inner) == 2:
        later.append(inner[1])
        inner = inner[0]
    return [inner, *reversed(later)] if later else list(token)


def token_depth(token: XPathToken) -> int:
    """Return how many tokens are nested within each other; several ands, ors or commas in a row count as one."""
    deepest, level = 0, [token]
    while level:
        deepest += 1
        level = [one for outer in level for one in operands(outer)]
    return deepest


def unbracketed(token: XPathToken) -> XPathToken:
    """Return a token without the brackets around it; a list of values keeps its own."""
    while token.symbol == "(" and len(token) == 1 and token[0].symbol != ",":
        token = token[0]
    return token


def column_of(token: XPathToken) -> str | None:
    """Return the column a token names, as V1, ./V1 or child::V1; None if it names none."""
    element = element_of(token)
    return None if element is None else decoded_name(element)


def element_of(token: XPathToken) -> str | None:
    """Return the element of the record that a token names; None if it names none."""
    token = unbracketed(token)
    match token.symbol:
        case "(name)":
            return str(token.value)
        case "child" if len(token) == 1 and token[0].symbol == "(name)":
            return str(token[0].value)
        case "/" if len(token) == 2 and token[0].symbol == ".":
            return element_of(token[1])
    return None


def call_of(token: XPathToken) -> tuple[str, list[XPathToken]]:
    """Return the name of the function that a token calls, and the arguments; the name is empty if it calls none."""
    if token.symbol == ":" and len(token) == 2 and token[1].symbol != "(name)":
        name, arguments = call_of(token[1])
        return ("" if token[0].value == "fn" else f"{token[0].value}:") + name, arguments
    is_call = "function" in str(token.label) and not str(token.symbol).startswith("(")
    return (str(token.symbol), list(token)) if is_call else ("", [])


def _pieces(test: str) -> Iterator[re.Match[str]]:
    depth, place = 0, 0
    while place < len(test):
        matched = (_COMMENT.search if depth else _PIECE.match)(test, place)
        if matched is None:
            refuse(test, "has a comment in it without an end.")
        place = matched.end()
        if matched.lastgroup == "comment":
            depth += 1 if matched.group() == "(:" else -1
        if not depth:  # the end of a comment too: it divides names
            yield matched
    if depth:
        refuse(test, "has a comment in it without an end.")


def _value(test: str, name: str, lets: Lets, within: bool) -> str:
    if name not in lets:
        return f"${name}"
    value = lets[name]
    if value is None:
        return f"${ORIGINAL}"
    if within and not _LITERAL.match(value):  # names have another meaning in there
        refuse(test, "uses ${} within square brackets. Write out what it stands for.", name)
    return f"({value})"


def _ascii(piece: str) -> str:
    """Return a piece of a test with the letters of names that elementpath does not take for letters as _x0000_."""
    return piece if piece.isascii() else "".join(one if one.isascii() else _escaped(one) for one in piece)


def _escaped(letter: str) -> str:
    try:
        is_of_a_name = encoded_name(f"_{letter}") == f"_{letter}"
    except WriteError:
        return letter
    return f"_x{ord(letter):0{4 if ord(letter) < 0x10000 else 6}X}_" if is_of_a_name else letter


def _why(message: str) -> tuple[str, ...]:
    """Say in shoal's words what elementpath says of a test that it cannot read, and name the function it is about."""
    unknown = _UNKNOWN.search(message)
    if unknown:
        return ("calls {}(), which shoal does not run: a rule is about one record and reads no other file.", unknown[1])
    if "is not declared" in message:
        return ("has a name with a prefix in it. Write names without one.",)
    return ("is not XPath 2.0. Write it like: number(V9) + number(V10) = number(V14).",)
