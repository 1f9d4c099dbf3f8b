"""Tests that only XPath can express, evaluated record by record: what they may contain, and which records pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from elementpath import ElementPathError, XPathContext, XPathToken
from numpy.typing import NDArray

from shoal.edits.checked_records import CheckedRecords
from shoal.edits.expressions import XPathTest
from shoal.edits.xpath.parsing import ORIGINAL, call_of, column_of, element_of, parsed, refuse, token_depth, tokens_in
from shoal.progress import advance

__all__ = ["columns_by_element", "holds_by_record"]

_STEP = 5_000  # records between two reports of progress
_MOST_VALUES = 100  # loops over lists within loops take as many steps as the product of their lengths
_DEEPEST = 50  # elementpath needs many calls a level, and every "and" of several in a row is a level to it

# The functions a test may call, and how many arguments each may have: none reads a file, asks the clock, takes a
# collation from the machine, or can give a result much larger than its arguments.
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
_OF_THE_ITEM = ("number", "string", "string-length", "normalize-space")  # without an argument
_PLAIN = ("(", ",", "and", "or", "=", "!=", "<", "<=", ">", ">=", "eq", "ne", "lt", "le", "gt", "ge", "if")
_COMPUTED = ("+", "-", "*", "div", "idiv", "mod")
_BY_SIZE = ("<", "<=", ">", ">=", "lt", "le", "gt", "ge")
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
        The test needs more than one record, calls a function that shoal does not run, or could take very long.
    """
    if any(one.symbol == "$" and one.value == ORIGINAL for one in tokens_in(token)):
        example = f"exists(index-of(${ORIGINAL}//Record/V1, V1))"
        refuse(test, f"uses the original file in a way that shoal does not read. Write {example}.")
    listed = sum(one.symbol in (",", "and", "or") for one in tokens_in(token))
    if token_depth(token) > _DEEPEST or listed > _MOST_VALUES:
        refuse(test, "is too long, or nested too deeply, to be evaluated record by record.")
    elements = _ElementsOfTest(test)
    elements.walk(token)
    if not elements.columns:
        refuse(test, "has no variable in it.")
    try:
        _is_true(token, dict.fromkeys(elements.columns, ""))
    except ElementPathError as error:
        if _STATIC.search(str(error)):
            refuse(test, "cannot be evaluated for any record.")
    except _FAILURES:
        pass
    return elements.columns


def holds_by_record(expression: XPathTest, records: CheckedRecords) -> NDArray[np.bool_]:
    """Return which records pass a test; a record for which it cannot be evaluated does not."""
    token = parsed(expression.test)
    columns = columns_by_element(token, expression.test)
    for one in tokens_in(token):
        compared = [column_of(side) for side in one] if one.symbol in _BY_SIZE and len(one) == 2 else []
        for column in compared:
            if column is not None and records.order(column) is not None:
                refuse(
                    expression.test,
                    f"compares the ordered categories of {column} as texts. Write "
                    f"index-of(('low', 'high'), {column}) {one.symbol} index-of(('low', 'high'), ...).",
                )
    texts = [records.texts(column).tolist() for column in columns.values()]
    results: dict[tuple[str, ...], bool] = {}
    passing = np.zeros(len(records), dtype=bool)
    for start in range(0, len(passing), _STEP):
        rows = zip(*(column[start : start + _STEP] for column in texts), strict=True)
        for place, row in enumerate(rows, start):
            if row not in results:
                results[row] = _passes(token, dict(zip(columns, row, strict=True)))
            passing[place] = results[row]
        if len(passing) > _STEP:
            advance(min(_STEP, len(passing) - start) / len(passing))
    return passing


def _passes(token: XPathToken, texts: Mapping[str, str]) -> bool:
    try:
        return _is_true(token, texts)
    except (*_FAILURES, RecursionError):
        return False


def _is_true(token: XPathToken, texts: Mapping[str, str]) -> bool:
    record = Element("Record")
    for name, text in texts.items():
        SubElement(record, name).text = text
    return bool(token.boolean_value(token.select(XPathContext(record))))


@dataclass(frozen=True)
class _Place:
    """Where a token stands in a test."""

    inside: bool = False  # within a predicate or a step, where the context is a value and not the record
    looping: bool = False  # within something that is evaluated for every value of a list
    bound: str | None = None  # the variable of the loop


_TOP = _Place()


class _ElementsOfTest:
    """Finds the elements that a test names, and refuses whatever is not known to be harmless.

    Attributes
    ----------
    columns
        The column of every element.
    """

    def __init__(self, test: str) -> None:
        self._test = test
        self.columns: dict[str, str] = {}

    def walk(self, token: XPathToken, place: _Place = _TOP) -> None:
        """Look at a token and all within it."""
        symbol = str(token.symbol)
        if symbol in _LITERALS:
            return
        if element_of(token) is not None:
            self._element(token, place)
        elif call_of(token)[0]:
            self._call(*call_of(token), place)
        elif symbol in _PLAIN or (symbol in (*_COMPUTED, "|", "union") and len(token)):
            self._walk_all(token, place)
        elif symbol in _LOOPS and len(token):
            self._loop(token, place)
        elif symbol in ("cast", "castable"):
            self._type(token[1])
            self.walk(token[0], place)
        elif symbol == "$":
            self._variable(token, place)
        elif symbol in ("[", "/") and len(token) == 2:
            self._predicate_or_step(token, place)
        elif not (place.inside and (symbol == "." or (symbol == "text" and not len(token)))):
            self._refuse_beyond(symbol)

    def _walk_all(self, tokens: Iterable[XPathToken], place: _Place) -> None:
        for token in tokens:
            self.walk(token, place)

    def _element(self, token: XPathToken, place: _Place) -> None:
        if place.inside:
            why = 'looks for "{}" within another variable. Variables hold text only.'
            refuse(self._test, why, str(column_of(token)))
        self.columns[str(element_of(token))] = str(column_of(token))

    def _call(self, name: str, arguments: list[XPathToken], place: _Place) -> None:
        least, most = _CALLS.get(name, (0, -1))
        if name not in _CALLS:
            refuse(
                self._test,
                "calls {}(), which shoal does not run: a rule is about one record and reads no other file.",
                name,
            )
        if not least <= len(arguments) <= most:
            refuse(self._test, f"calls {name}() with {len(arguments)} arguments, which shoal does not run.")
        if name in _OF_THE_ITEM and not arguments and not place.inside:
            refuse(self._test, f"calls {name}() without an argument. Write {name}(V1).")
        if name == "matches" and not (arguments[1].symbol == "(string)" and _is_tame(str(arguments[1].value))):
            refuse(
                self._test, "matches a pattern that could take very long. Write a simple one, without repeated groups."
            )
        self._walk_all(arguments, place)

    def _variable(self, token: XPathToken, place: _Place) -> None:
        if token.value != place.bound:
            refuse(self._test, "uses ${}, which no let before it defines.", str(token.value))

    def _loop(self, token: XPathToken, place: _Place) -> None:
        if place.looping or len(token) != 3:
            self._refuse_nested()
        self.walk(token[1], replace(place, bound=None))
        self.walk(token[2], _Place(place.inside, looping=True, bound=str(token[0].value)))

    def _predicate_or_step(self, token: XPathToken, place: _Place) -> None:
        if token.symbol == "[" and place.looping:
            self._refuse_nested()
        self.walk(token[0], place)
        self.walk(token[1], _Place(inside=True, looping=True, bound=place.bound))

    def _type(self, token: XPathToken) -> None:
        if not (token.symbol == ":" and f"xs:{token[1].value}" in _CALLS and token[0].value == "xs"):
            refuse(self._test, "casts to a type that shoal does not read. Cast to xs:double, xs:integer or xs:date.")

    def _refuse_nested(self) -> None:
        refuse(self._test, "has a loop over a list within another, which could take very long.")

    def _refuse_beyond(self, symbol: str) -> None:
        if symbol == "to":
            refuse(self._test, 'counts with "to", which could take very long.')
        refuse(
            self._test,
            'has "{}" in it, which shoal does not read: a rule is about variables of one record, such as V1.',
            symbol,
        )


def _is_tame(pattern: str) -> bool:
    """Whether matching a pattern cannot take exponential time: few repetitions, and none of a group."""
    bare = _ESCAPE.sub("c", pattern)
    repeats = [repeat.start() for repeat in _REPEAT.finditer(bare)]
    return (
        len(repeats) <= 8
        and len(_ENDLESS.findall(bare)) <= 3
        and not any(place and bare[place - 1] in ")*+?}" for place in repeats)
    )
