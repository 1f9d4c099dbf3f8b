"""Tests in XPath 2.0, as Schematron rules have them: ``number(V9) + number(V10) = number(V14)``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from elementpath import XPathToken

from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Comparison,
    Conditional,
    Every,
    Expression,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    Number,
    Relation,
    Some,
    Term,
    Text,
    Variable,
    XPathTest,
)
from shoal.edits.xpath.by_record import columns_by_element, holds_by_record
from shoal.edits.xpath.parsing import (
    ORIGINAL,
    Lets,
    call_of,
    column_of,
    depth_of,
    operands,
    parsed,
    refuse,
    unbracketed,
    with_lets,
)
from shoal.edits.xpath.printing import printed_xpath
from shoal.edits.xpath.value_types import kind_of, refuse_mistaken

__all__ = ["Lets", "holds_by_record", "printed_xpath", "read_statement", "read_test"]

_RELATIONS: Mapping[str, Relation] = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_SPELLED = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SIGNS = {"+": "+", "-": "-", "*": "*", "div": "/"}
_TO_NUMBER = ("number", "xs:double", "xs:decimal")
_ROUNDED = ("floor", "ceiling", "round")
_DEEPEST = 250  # so that whatever walks through an expression can, and a sum of as many columns still is read
_NO_LETS: Lets = MappingProxyType({})


def read_test(test: str, context: Lets = _NO_LETS) -> Expression:
    """Read what a test says.

    What the other expressions cover is read into them, so that a release can be planned for it; the rest becomes an
    `XPathTest`, which can be checked.

    Parameters
    ----------
    test
        An XPath 2.0 expression about one record, whose variables are elements: ``number(V3) <= 7500``.
    context
        What a ``$name`` in it stands for. ``$original`` is the original file unless something else is said here.

    Raises
    ------
    RuleError
        The test is not XPath, says what is surely not meant, or looks at more than one record and its original.

    Examples
    --------
    >>> read_test("number(V3) <= 7500")
    Comparison(relation='<=', left=Variable(name='V3'), right=Number(value=7500.0))
    """
    found = read_statement(test, context)
    if isinstance(found, bool):
        refuse(test, f"is {'true' if found else 'false'} for every record: it has no variable in it.")
    return found


def read_statement(test: str, context: Lets = _NO_LETS) -> Expression | bool:
    """Read what a test says, as `read_test` does; one that does not depend on the record is True or False."""
    test = with_lets(test, context)
    token = parsed(test)
    if depth_of(token) > _DEEPEST:
        refuse(test, "is nested too deeply.")
    refuse_mistaken(token, test)
    try:
        return _Reader(test).logic(token)
    except _NotCoveredError:
        return XPathTest(test, tuple(dict.fromkeys(columns_by_element(token, test).values())))
    except RecursionError:
        refuse(test, "is nested too deeply.")
    except OverflowError:
        refuse(test, "has a number in it that is too large.")


class _NotCoveredError(Exception):
    """Something that only XPath can say."""


class _Reader:
    """Reads one test, from the tokens of which it is made."""

    def __init__(self, test: str) -> None:
        self._test = test

    def logic(self, token: XPathToken) -> Expression | bool:
        """Read a statement; True and False are what they are."""
        token = unbracketed(token)
        symbol = token.symbol
        if symbol in ("and", "or") and len(token) == 2:
            return self._joined(token)
        if _SPELLED.get(symbol, symbol) in _RELATIONS and len(token) == 2:
            return self._compared(token)
        if symbol == "if" and len(token) == 3:
            return _chosen(*(self.logic(part) for part in token))
        if symbol == "castable":
            return self._castable(token)
        match call_of(token):
            case "true", []:
                return True
            case "false", []:
                return False
            case "not", [part]:
                return _negated(self.logic(part))
            case "exists", [part]:
                return self._found_in_original(part)
            case "empty", [part]:
                return Not(self._found_in_original(part))
        raise _NotCoveredError

    def _joined(self, token: XPathToken) -> Expression | bool:
        symbol, tokens = token.symbol, operands(token)
        parts = [self.logic(part) for part in tokens]
        same = _same_value(symbol, tokens, parts)
        if same is not None:
            return same
        decides = symbol == "or"
        if any(part is decides for part in parts):
            return decides
        stated = tuple(part for part in parts if not isinstance(part, bool))
        if len(stated) < 2:
            return stated[0] if stated else not decides
        return Every(stated) if symbol == "and" else Some(stated)

    def _compared(self, token: XPathToken) -> Expression:
        relation = _RELATIONS[_SPELLED.get(token.symbol, token.symbol)]
        for one, other in ((token[0], token[1]), (token[1], token[0])):
            if token.symbol == "=" and _is_original(other):
                return self._in_original(one, other)
            if token.symbol == "=" and _listed(other) is not None and _variable_in(one) is not None:
                return self._among(one, other)
            whole = _whole_number(one, other) if relation in ("==", "!=") else None
            if whole is not None:
                return IsInteger(whole) if relation == "==" else Not(IsInteger(whole))
        if relation not in ("==", "!=") and "text" in (kind_of(token[0]), kind_of(token[1])):
            raise _NotCoveredError
        return Comparison(relation, self._term(token[0]), self._term(token[1]))

    def _among(self, one: XPathToken, listed: XPathToken) -> Expression:
        variable, values = _variable_in(one), _listed(listed)
        assert variable is not None and values is not None
        other: type[Number | Text] | None = {"number": Text, "text": Number}.get(kind_of(one))
        if other is not None and any(isinstance(value, other) for value in values):
            refuse(self._test, "compares a number with a text.")
        return Among(variable, values)

    def _castable(self, token: XPathToken) -> Expression:
        column, kind = column_of(token[0]), token[1]
        is_integer = kind.symbol == ":" and (kind[0].value, kind[1].value) == ("xs", "integer")
        if column is None or not is_integer:
            raise _NotCoveredError
        return IsInteger(Variable(column))

    def _found_in_original(self, token: XPathToken) -> Expression:
        match call_of(unbracketed(token)):
            case "index-of", [values, value] if _is_original(values):
                return self._in_original(value, values)
        raise _NotCoveredError

    def _in_original(self, token: XPathToken, path: XPathToken) -> Expression:
        column, other = column_of(token), column_of(unbracketed(path)[1])
        if column is None:
            raise _NotCoveredError
        if column != other:
            refuse(self._test, f'looks for "{column}" in "{other}" of the original file. Look in the same column.')
        return InOriginal(Variable(column))

    def _term(self, token: XPathToken) -> Term:
        token = unbracketed(token)
        column = column_of(token)
        if column is not None:
            return Variable(column)
        match token.symbol:
            case "(string)":
                return Text(str(token.value))
            case "(integer)" | "(decimal)" | "(float)":
                return Number(_finite(token))
            case "-" if len(token) == 1:
                return Negative(self._term(token[0]))
            case "+" if len(token) == 1:
                return self._term(token[0])
            case "+" | "-" | "*" | "div" as sign if len(token) == 2:
                return Arithmetic(_SIGNS[sign], self._term(token[0]), self._term(token[1]))  # type: ignore[arg-type]
        match call_of(token):
            case name, [part] if name in _TO_NUMBER and kind_of(part) in ("element", "number"):
                return self._term(part)
            case "number", [part] if _variable_in(part) is not None:
                return cast(Variable, _variable_in(part))
            case "string", [part] if kind_of(part) in ("element", "text"):
                return self._term(part)
        raise _NotCoveredError


def _negated(part: Expression | bool) -> Expression | bool:
    return not part if isinstance(part, bool) else Not(part)


def _chosen(condition: Expression | bool, then: Expression | bool, otherwise: Expression | bool) -> Expression | bool:
    """Return what if, then and else say, where any of them may be decided already."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if isinstance(then, bool) and isinstance(otherwise, bool):
        return then if then == otherwise else condition if then else Not(condition)
    if isinstance(otherwise, bool):
        assert not isinstance(then, bool)
        return Conditional(condition, then) if otherwise else Every((condition, then))
    if isinstance(then, bool):
        return Conditional(Not(condition), otherwise) if then else Every((Not(condition), otherwise))
    return Conditional(condition, then, otherwise)


def _same_value(symbol: str, tokens: list[XPathToken], parts: list[Expression | bool]) -> Expression | None:
    """Return what ``V1 = V2 or number(V1) = number(V2)`` says: that two values are equal, as texts or as numbers."""
    sign = "=" if symbol == "or" else "!="
    if [token.symbol for token in tokens] != [sign, sign] or parts[0] != parts[1]:
        return None
    kinds = [kind_of(side) for token in tokens for side in token]
    return parts[0] if kinds == ["element", "element", "number", "number"] else None  # type: ignore[return-value]


def _is_original(token: XPathToken) -> bool:
    """Whether a token is a path to a column of the original file, such as $original//Record/V1."""
    token = unbracketed(token)
    if token.symbol not in ("/", "//") or len(token) != 2 or token[1].symbol != "(name)":
        return False
    while token.symbol in ("/", "//") and len(token) == 2 and token[1].symbol in ("(name)", "*"):
        token = token[0]
    return token.symbol == "$" and token.value == ORIGINAL


def _listed(token: XPathToken) -> tuple[Number | Text, ...] | None:
    """Return the values of a list such as ('car', 'truck'); None if the token is no such list."""
    while token.symbol == "(" and len(token) == 1 and token[0].symbol == "(":
        token = token[0]
    if token.symbol != "(":
        return None
    waiting, values = list(token), []
    while waiting:
        one = waiting.pop()
        if one.symbol == ",":
            waiting.extend(one)
            continue
        value = _literal(one)
        if value is None:
            return None
        values.append(value)
    return tuple(reversed(values))


def _literal(token: XPathToken) -> Number | Text | None:
    match token.symbol, call_of(token):
        case "(string)", _:
            return Text(str(token.value))
        case (("(integer)" | "(decimal)" | "(float)"), _):
            return Number(_finite(token))
        case "-", _ if len(token) == 1:
            value = _literal(token[0])
            return Number(-value.value) if isinstance(value, Number) else None
        case _, ("string", [part]) if kind_of(part) == "number":
            return _literal(part)
    return None


def _finite(token: XPathToken) -> float:
    value = float(token.value)  # type: ignore[arg-type]
    if math.isinf(value):
        raise OverflowError
    return value


def _variable_in(token: XPathToken) -> Variable | None:
    """Return the variable that a token is, or is the number or text of."""
    token = unbracketed(token)
    column = column_of(token)
    if column is not None:
        return Variable(column)
    match call_of(token):
        case name, [part] if name in (*_TO_NUMBER, "string"):
            return _variable_in(part)
    return None


def _whole_number(one: XPathToken, other: XPathToken) -> Variable | None:
    """Return the variable that is a whole number if the two are equal."""
    one, other = unbracketed(one), unbracketed(other)
    match call_of(other):
        case name, [part] if name in _ROUNDED and kind_of(part) != "text" and _variable_in(part) == _variable_in(one):
            return _variable_in(part)
    if one.symbol == "mod" and _literal(one[1]) == Number(1.0) and _literal(other) == Number(0.0):
        return _variable_in(one[0])
    return None
