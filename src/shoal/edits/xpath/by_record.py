"""Tests that only XPath can say, worked out record by record: what they may contain, and which records pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from elementpath import ElementPathError, XPathContext, XPathToken
from numpy.typing import NDArray

from shoal.edits.evaluation import Records
from shoal.edits.expressions import XPathTest
from shoal.edits.xpath.parsing import ORIGINAL, call_of, column_of, depth_of, element_of, parsed, refuse, tokens_in
from shoal.progress import advance

__all__ = ["columns_by_element", "holds_by_record"]

_STEP = 5_000  # records between two reports of progress
_MOST_VALUES = 100  # lists within lists take the product of their lengths
_DEEPEST = 50  # elementpath takes many calls a level, and a row of ands is as many levels to it

# The functions a test may call, and how many arguments each may have: none reads a file, asks the clock, takes a
# collation from the machine, or makes much out of little.
_CALLS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("true", "false"), (0, 0)),
    **dict.fromkeys(("number", "string", "string-length", "normalize-space"), (0, 1)),
    **dict.fromkeys(("abs", "ceiling", "floor", "round", "sum", "avg", "min", "max", "count"), (1, 1)),
    **dict.fromkeys(("exists", "empty", "not", "boolean", "data", "distinct-values"), (1, 1)),
    **dict.fromkeys(("zero-or-one", "one-or-more", "exactly-one", "upper-case", "lower-case"), (1, 1)),
    **dict.fromkeys(("year-from-date", "month-from-date", "day-from-date"), (1, 1)),
    **dict.fromkeys(("contains", "starts-with", "ends-with", "substring-before", "substring-after"), (2, 2)),
    **dict.fromkeys(("compare", "index-of", "matches", "string-join"), (2, 2)),
    "substring": (2, 3),
    "translate": (3, 3),
    "concat": (2, 50),
    **dict.fromkeys([f"xs:{name}" for name in ("integer", "decimal", "double", "float", "string", "boolean")], (1, 1)),
    **dict.fromkeys(("xs:date", "xs:dateTime"), (1, 1)),
}
_ASK_THE_ITEM = ("number", "string", "string-length", "normalize-space")  # if nothing else is given
_PLAIN = ("(", ",", "and", "or", "=", "!=", "<", "<=", ">", ">=", "eq", "ne", "lt", "le", "gt", "ge", "if")
_COMPUTED = ("+", "-", "*", "div", "idiv", "mod")
_LITERALS = ("(string)", "(integer)", "(decimal)", "(float)")
_LOOPS = ("for", "some", "every")
_STATIC = re.compile(r"(XPST|FORX)\d+")  # errors that every record would have
_ESCAPE = re.compile(r"\\.|\[[^\]]*\]")
_REPEAT = re.compile(r"[*+?]|\{[^}]*\}")
_ENDLESS = re.compile(r"[*+]|\{\d*,\d*\}")
_FAILURES = (ElementPathError, ArithmeticError, ValueError, TypeError, LookupError, AttributeError, AssertionError)


def columns_by_element(token: XPathToken, test: str) -> dict[str, str]:
    """Return the elements a test names, and the column each stands for.

    Raises
    ------
    RuleError
        The test looks beyond one record, calls what may not be called, or could run for ever.
    """
    if any(one.symbol == "$" and one.value == ORIGINAL for one in tokens_in(token)):
        example = f"exists(index-of(${ORIGINAL}//Record/V1, V1))"
        refuse(test, f"looks at the original file in a way that shoal does not know. Write {example}.")
    listed = sum(one.symbol in (",", "and", "or") for one in tokens_in(token))
    if depth_of(token) > _DEEPEST or listed > _MOST_VALUES:
        refuse(test, "is too long, or nested too deeply, for a test that only XPath can work out.")
    check = _Check(test)
    check.walk(token)
    if not check.found:
        refuse(test, "has no variable in it.")
    try:
        _truth(token, dict.fromkeys(check.found, ""))
    except ElementPathError as error:
        if _STATIC.search(str(error)):
            refuse(test, "cannot be worked out for any record.")
    except _FAILURES:
        pass
    return check.found


def holds_by_record(expression: XPathTest, records: Records) -> NDArray[np.bool_]:
    """Return which records pass a test; one that it cannot be worked out for does not."""
    token = parsed(expression.test)
    columns = columns_by_element(token, expression.test)
    texts = [records.texts(column).tolist() for column in columns.values()]
    known: dict[tuple[str, ...], bool] = {}
    found = np.zeros(len(records), dtype=bool)
    for start in range(0, len(found), _STEP):
        rows = zip(*(column[start : start + _STEP] for column in texts), strict=True)
        for place, row in enumerate(rows, start):
            if row not in known:
                known[row] = _passes(token, dict(zip(columns, row, strict=True)))
            found[place] = known[row]
        if len(found) > _STEP:
            advance(min(_STEP, len(found) - start) / len(found))
    return found


def _passes(token: XPathToken, texts: Mapping[str, str]) -> bool:
    try:
        return _truth(token, texts)
    except (*_FAILURES, RecursionError):
        return False


def _truth(token: XPathToken, texts: Mapping[str, str]) -> bool:
    record = Element("Record")
    for name, text in texts.items():
        SubElement(record, name).text = text
    return bool(token.boolean_value(token.select(XPathContext(record))))


class _Check:
    """Walks through a test and refuses whatever is not known to be harmless."""

    def __init__(self, test: str) -> None:
        self._test = test
        self.found: dict[str, str] = {}

    def walk(self, token: XPathToken, inside: bool = False, looping: bool = False, bound: str | None = None) -> None:
        """Look at a token; `inside` a predicate or a step the context is a value, not the record."""
        symbol = str(token.symbol)
        element = element_of(token)
        name, arguments = call_of(token)
        if symbol in _LITERALS:
            return
        if element is not None:
            if inside:
                refuse(self._test, f'looks for "{column_of(token)}" within another variable. Variables hold text only.')
            self.found[element] = str(column_of(token))
        elif name:
            self._call(name, arguments, inside)
            for one in arguments:
                self.walk(one, inside, looping, bound)
        elif symbol in _PLAIN or (symbol in (*_COMPUTED, "|", "union") and len(token)):
            for one in token:
                self.walk(one, inside, looping, bound)
        elif symbol in _LOOPS and len(token):
            self._loop(token, inside, looping)
        elif symbol in ("cast", "castable"):
            self._type(token[1])
            self.walk(token[0], inside, looping, bound)
        elif symbol == "$":
            if token.value != bound:
                refuse(self._test, f"uses ${token.value}, which no let before it defines.")
        elif symbol in ("[", "/") and len(token) == 2:
            if symbol == "[" and looping:
                self._refuse_nested()
            self.walk(token[0], inside, looping, bound)
            self.walk(token[1], inside=True, looping=True, bound=bound)
        elif not (inside and (symbol == "." or (symbol == "text" and not len(token)))):
            self._refuse_beyond(symbol)

    def _call(self, name: str, arguments: list[XPathToken], inside: bool) -> None:
        least, most = _CALLS.get(name, (0, -1))
        if name not in _CALLS:
            refuse(
                self._test,
                f"calls {name}(), which shoal does not run: a rule looks at one record and reads no other file.",
            )
        if not least <= len(arguments) <= most:
            refuse(self._test, f"calls {name}() with {len(arguments)} arguments, which shoal does not run.")
        if name in _ASK_THE_ITEM and not arguments and not inside:
            refuse(self._test, f"calls {name}() without saying of what. Write {name}(V1).")
        if name == "matches" and not (arguments[1].symbol == "(string)" and _is_tame(str(arguments[1].value))):
            refuse(
                self._test, "matches a pattern that could take for ever. Write a simple one, without repeated groups."
            )

    def _loop(self, token: XPathToken, inside: bool, looping: bool) -> None:
        if looping or len(token) != 3:
            self._refuse_nested()
        self.walk(token[1], inside, looping)
        self.walk(token[2], inside, looping=True, bound=str(token[0].value))

    def _type(self, token: XPathToken) -> None:
        if not (token.symbol == ":" and f"xs:{token[1].value}" in _CALLS and token[0].value == "xs"):
            refuse(self._test, "casts to a type that shoal does not know. Cast to xs:double, xs:integer or xs:date.")

    def _refuse_nested(self) -> None:
        refuse(self._test, "goes through a list within a list, which could take for ever.")

    def _refuse_beyond(self, symbol: str) -> None:
        if symbol == "to":
            refuse(self._test, 'counts with "to", which could take for ever.')
        refuse(
            self._test,
            f'has "{symbol}" in it, which shoal does not read: a rule names variables of one record, such as V1.',
        )


def _is_tame(pattern: str) -> bool:
    """Whether matching a pattern cannot take exponential time: few repetitions, and none of a group."""
    bare = _ESCAPE.sub("c", pattern)
    repeats = [found.start() for found in _REPEAT.finditer(bare)]
    return (
        len(repeats) <= 8
        and len(_ENDLESS.findall(bare)) <= 3
        and not any(place and bare[place - 1] in ")*+?}" for place in repeats)
    )
