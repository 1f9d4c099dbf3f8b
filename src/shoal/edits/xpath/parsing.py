"""XPath as a tree of tokens: lets put in, limits kept, nothing evaluated."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeAlias

from elementpath import ElementPathError, XPath2Parser, XPathToken
from elementpath.collations import UNICODE_CODEPOINT_COLLATION
from elementpath.datatypes import NumericProxy
from elementpath.tdop import Parser

from shoal.edits.text import MOST_LETTERS, MOST_NESTED, shown
from shoal.errors import RuleError, WriteError
from shoal.read.xml_microdata import decoded_name
from shoal.write.xml_microdata import encoded_name

__all__ = [
    "ORIGINAL",
    "Lets",
    "call_of",
    "column_of",
    "depth_of",
    "element_of",
    "operands",
    "parsed",
    "refuse",
    "tokens_in",
    "unbracketed",
    "with_lets",
]

Lets: TypeAlias = Mapping[str, str | None]  # what a $name stands for; None is the original file

ORIGINAL = "original"  # the variable that is the original file, whatever the author called it


_Mod: Any = XPath2Parser.symbol_table["mod"]


class _Modulo(_Mod):  # type: ignore[misc]
    """The rest of a division, with the sign of what is divided; elementpath gives doubles that of the divisor."""

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
    for found in _pieces(test):
        piece = found.group()
        if found.lastgroup == "variable":
            piece = _value(test, found["name"], lets, within=square > 0)
        elif found.lastgroup in ("blank", "comment"):
            piece = "" if pieces and pieces[-1] == " " else " "
        elif piece in "[]":
            square += 1 if piece == "[" else -1
        pieces += [piece] if piece else []
        length += len(piece)
        if length > MOST_LETTERS:  # lets that use lets that use lets grow fast
            raise RuleError(
                f"A test has more than {MOST_LETTERS:,} letters, which is more than anybody means to write."
            )
    return "".join(pieces).strip()


def parsed(test: str) -> XPathToken:
    """Read a test as XPath 2.0.

    Raises
    ------
    RuleError
        The test is not XPath, or too long or too deep to be meant.
    """
    if not test.strip():
        raise RuleError("A test is empty. Write one like: number(V9) + number(V10) = number(V14).")
    if len(test) > MOST_LETTERS:
        raise RuleError(f"A test has {len(test):,} letters, which is more than anybody means to write.")
    depth = 0
    pieces = []
    for found in _pieces(test):
        depth += (found.lastgroup == "open") - (found.lastgroup == "close")
        if depth > MOST_NESTED:
            refuse(test, f"has more than {MOST_NESTED} brackets within each other.")
        piece = " " if found.lastgroup == "comment" else found.group()
        pieces.append(piece if found.lastgroup == "text" else _ascii(piece))
    try:
        # Not XPath2Parser.parse, which evaluates what it can on the way: doc('file') would be read.
        return Parser.parse(_Parser(default_collation=UNICODE_CODEPOINT_COLLATION), "".join(pieces))
    except ElementPathError as error:
        refuse(test, _why(str(error)))
    except RecursionError:
        refuse(test, "is nested too deeply.")
    except (SyntaxError, ValueError, TypeError, KeyError, AttributeError, IndexError, AssertionError):
        refuse(test, _why(""))


def refuse(test: str, why: str) -> NoReturn:
    """Raise RuleError for a test."""
    raise RuleError(f'The test "{shown(test)}" {why}')


def tokens_in(token: XPathToken) -> Iterator[XPathToken]:
    """Return a token and all within it, however deep; names of variables, prefixes and types are none."""
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
    """Return what a token joins; a row of ands or commas is one list, as long as no brackets divide it."""
    found: list[XPathToken] = []
    inner, symbol = token, token.symbol
    while symbol in ("and", "or", ",") and inner.symbol == symbol and len(inner) == 2:
        found.append(inner[1])
        inner = inner[0]
    return [inner, *reversed(found)] if found else list(token)


def depth_of(token: XPathToken) -> int:
    """Return how many tokens are within each other; a row of ands or commas counts as one."""
    deepest, level = 0, [token]
    while level:
        deepest += 1
        level = [one for outer in level for one in operands(outer)]
    return deepest


def unbracketed(token: XPathToken) -> XPathToken:
    """Return what stands within brackets; a list of values keeps its own."""
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
        found = (_COMMENT.search if depth else _PIECE.match)(test, place)
        if found is None:
            refuse(test, "has a comment in it that does not end.")
        place = found.end()
        if found.lastgroup == "comment":
            depth += 1 if found.group() == "(:" else -1
        if not depth:  # the end of a comment too: it divides names
            yield found
    if depth:
        refuse(test, "has a comment in it that does not end.")


def _value(test: str, name: str, lets: Lets, within: bool) -> str:
    if name not in lets:
        return f"${name}"
    value = lets[name]
    if value is None:
        return f"${ORIGINAL}"
    if within and not _LITERAL.match(value):  # names would mean something else in there
        refuse(test, f"uses ${name} within square brackets. Write out what it stands for.")
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


def _why(said: str) -> str:
    unknown = _UNKNOWN.search(said)
    if unknown:
        return f"calls {unknown[1]}(), which shoal does not run: a rule looks at one record and reads no other file."
    if "is not declared" in said:
        return "has a name with a prefix in it. Write names without one."
    return "is not XPath 2.0. Write it like: number(V9) + number(V10) = number(V14)."
