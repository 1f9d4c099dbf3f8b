"""Tests in XPath 2.0, as Schematron rules have them: ``number(V9) + number(V10) = number(V14)``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, cast

from elementpath import XPathToken

from shoal.edits.expressions import (
    Among,
    Arithmetic,
    Conditional,
    Every,
    Expression,
    InOriginal,
    IsInteger,
    Negative,
    Not,
    NumberLiteral,
    PlaceIn,
    Relation,
    Some,
    Term,
    TermComparison,
    TextLiteral,
    VariableName,
    XPathTest,
)
from shoal.edits.xpath.by_record import columns_by_element
from shoal.edits.xpath.parsing import (
    ORIGINAL,
    Lets,
    call_of,
    column_of,
    operands,
    parsed,
    refuse,
    token_depth,
    tokens_in,
    unbracketed,
    with_lets,
)

TokenKind = Literal["element", "number", "text", "list", "other"]

_ARITHMETIC = ("+", "-", "*", "div", "idiv", "mod")

_NUMBERS = ("number", "abs", "ceiling", "floor", "round", "count", "string-length", "compare")

_NUMBER_TYPES = ("xs:double", "xs:float", "xs:decimal", "xs:integer")

_TEXTS = ("string", "xs:string", "concat", "substring", "substring-before", "substring-after", "string-join")

_TEXTS_TOO = ("normalize-space", "translate", "upper-case", "lower-case")

_BY_SIZE = ("<", "<=", ">", ">=", "lt", "le", "gt", "ge")

_ONE_BY_ONE = ("eq", "ne", "lt", "le", "gt", "ge")  # these compare a variable as a text, whatever it is compared with

_COMPARED = ("=", "!=", *_BY_SIZE, "eq", "ne")

_STATED = ("and", "or", "some", "every", "castable", "not", "exists", "empty", "boolean", "true", "false")

_STATED_OF_TEXT = ("contains", "starts-with", "ends-with", "matches")

_LITERALS = ("(string)", "(integer)", "(decimal)", "(float)")

_PLAIN = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def token_kind(token: XPathToken) -> TokenKind:
    """Return the kind of a token; an element has text, which counts as a number where it is compared with one."""
    token = unbracketed(token)
    symbol = token.symbol
    if column_of(token) is not None:
        return "element"
    if symbol in _LITERALS[1:] or (symbol in _ARITHMETIC and len(token)):
        return "number"
    if symbol == "(":
        return "list"
    name, _ = call_of(token)
    if symbol == _LITERALS[0] or name in (*_TEXTS, *_TEXTS_TOO):
        return "text"
    return "number" if name in (*_NUMBERS, *_NUMBER_TYPES) else "other"


def is_statement(token: XPathToken) -> bool:
    """Whether a token is true or false, and not a value."""
    token = unbracketed(token)
    name, _ = call_of(token)
    return (name or token.symbol) in (*_COMPARED, *_STATED, *_STATED_OF_TEXT)


def refuse_mistaken(token: XPathToken, test: str) -> None:
    """Raise RuleError for a test that surely does not mean what its author intended."""
    for one in tokens_in(token):
        if one.symbol in _COMPARED and len(one) == 2:
            _refuse_comparison(one, test)
        elif any(part.symbol in _LITERALS for part in _stated(one)):
            refuse(test, "has a value where a statement should be. Write V1 = 'a' or V1 = 'b', not V1 = 'a' or 'b'.")
        elif one.symbol in _ARITHMETIC and any(token_kind(part) == "text" for part in one):
            refuse(test, "uses a text in arithmetic.")


def _stated(token: XPathToken) -> list[XPathToken]:
    """Return the operands of a token that count as true or false."""
    if token.symbol in ("and", "or"):
        return [unbracketed(part) for part in token]
    if token.symbol == "if":
        return [unbracketed(part) for part in token[:1]]
    name, arguments = call_of(token)
    return [unbracketed(part) for part in arguments] if name in ("not", "boolean") else []


def _refuse_comparison(token: XPathToken, test: str) -> None:
    kinds = {token_kind(token[0]), token_kind(token[1])}
    columns = [column for column in (column_of(token[0]), column_of(token[1])) if column is not None]
    sign = _PLAIN.get(token.symbol, token.symbol)
    if token.symbol in _BY_SIZE and kinds == {"element"}:
        wanted = f"number({{0}}) {sign} number({{1}})"
        places = f"index-of(('low', 'high'), {{0}}) {sign} index-of(('low', 'high'), {{1}})"
        why = f"compares {{0}} and {{1}} as texts. Write {wanted}, or for ordered categories {places}."
        refuse(test, why, *columns)
    if token.symbol in _ONE_BY_ONE and kinds == {"element", "number"}:
        refuse(test, f'compares {{0}} as a text, because of "{token.symbol}". Write number({{0}}).', columns[0])
    if kinds == {"number", "text"}:
        refuse(test, "compares a number with a text.")
    if token.symbol == "!=" and "list" in kinds:
        refuse(
            test, 'uses "!=" with a list, which is true as soon as one of its values differs. Write not(... = (...)).'
        )


_RELATIONS: Mapping[str, Relation] = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

_SPELLED = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

_SIGNS = {"+": "+", "-": "-", "*": "*", "div": "/"}

_TO_NUMBER = ("number", "xs:double", "xs:decimal")

_ROUNDED = ("floor", "ceiling", "round")

_DEEPEST = 250  # few enough for recursion through an expression, and enough for a sum of as many columns

_NO_LETS: Lets = MappingProxyType({})


def read_test(test: str, context: Lets = _NO_LETS) -> Expression:
    """Read what a test says.

    What the other expressions cover is read into them, so that representatives can be chosen that keep it; the rest
    becomes an `XPathTest`, which can only be checked.

    Parameters
    ----------
    test
        An XPath 2.0 expression about one record, whose variables are elements: ``number(V3) <= 7500``.
    context
        The value of every ``$name`` in it. ``$original`` is the original file unless it has another value here.

    Raises
    ------
    RuleError
        The test is not XPath, is surely a mistake, or needs more than one record and the original file.

    Examples
    --------
    >>> read_test("number(V3) <= 7500")
    TermComparison(relation='<=', left=VariableName(name='V3'), right=NumberLiteral(value=7500.0))
    """
    statement = read_statement(test, context)
    if isinstance(statement, bool):
        refuse(test, f"is {'true' if statement else 'false'} for every record: it has no variable in it.")
    return statement


def read_statement(test: str, context: Lets = _NO_LETS) -> Expression | bool:
    """Read what a test says, as `read_test` does; one that does not depend on the record is True or False."""
    test = with_lets(test, context)
    token = parsed(test)
    if token_depth(token) > _DEEPEST:
        refuse(test, "is nested too deeply.")
    refuse_mistaken(token, test)
    try:
        return _XPathReader(test).logic(token)
    except _NotCoveredError:
        return XPathTest(test, tuple(dict.fromkeys(columns_by_element(token, test).values())))
    except RecursionError:
        refuse(test, "is nested too deeply.")
    except OverflowError:
        refuse(test, "has a number in it that is too large.")


class _NotCoveredError(Exception):
    """A test that only XPath can express."""


class _XPathReader:
    """Reads one test from its tokens."""

    def __init__(self, test: str) -> None:
        self._test = test

    def logic(self, token: XPathToken) -> Expression | bool:
        """Read a statement; one that does not depend on the record is True or False."""
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
                return self._looked_up(part)
            case "empty", [part]:
                return Not(self._looked_up(part))
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
        if relation not in ("==", "!=") and "text" in (token_kind(token[0]), token_kind(token[1])):
            raise _NotCoveredError
        return TermComparison(relation, self._term(token[0]), self._term(token[1]))

    def _among(self, one: XPathToken, listed: XPathToken) -> Expression:
        variable, values = _variable_in(one), _listed(listed)
        assert variable is not None and values is not None
        other: type[NumberLiteral | TextLiteral] | None = {"number": TextLiteral, "text": NumberLiteral}.get(
            token_kind(one)
        )
        if other is not None and any(isinstance(value, other) for value in values):
            refuse(self._test, "compares a number with a text.")
        return Among(variable, values)

    def _castable(self, token: XPathToken) -> Expression:
        column, kind = column_of(token[0]), token[1]
        is_integer = kind.symbol == ":" and (kind[0].value, kind[1].value) == ("xs", "integer")
        if column is None or not is_integer:
            raise _NotCoveredError
        return IsInteger(VariableName(column))

    def _looked_up(self, token: XPathToken) -> Expression:
        match call_of(unbracketed(token)):
            case "index-of", [values, value] if _is_original(values):
                return self._in_original(value, values)
        raise _NotCoveredError

    def _in_original(self, token: XPathToken, path: XPathToken) -> Expression:
        column, other = column_of(token), column_of(unbracketed(path)[1])
        if column is None:
            raise _NotCoveredError
        if column != other:
            why = 'looks for "{}" in "{}" of the original file. Look in the same column.'
            refuse(self._test, why, column, str(other))
        return InOriginal(VariableName(column))

    def _term(self, token: XPathToken) -> Term:
        token = unbracketed(token)
        column = column_of(token)
        if column is not None:
            return VariableName(column)
        match token.symbol:
            case "(string)":
                return TextLiteral(str(token.value))
            case "(integer)" | "(decimal)" | "(float)":
                return NumberLiteral(_finite(token))
            case "-" | "+" as sign if len(token) == 1:
                return Negative(self._term(token[0])) if sign == "-" else self._term(token[0])
            case "+" | "-" | "*" | "div" as sign if len(token) == 2:
                return Arithmetic(_SIGNS[sign], self._term(token[0]), self._term(token[1]))  # type: ignore[arg-type]
        match call_of(token):
            case name, [part] if name in _TO_NUMBER and token_kind(part) in ("element", "number"):
                return self._term(part)
            case "number", [part] if _variable_in(part) is not None:
                return cast(VariableName, _variable_in(part))
            case "string", [part] if token_kind(part) in ("element", "text"):
                return self._term(part)
            case "index-of", [listed, value]:
                return _place_in(_listed(listed), self._term(value))
        raise _NotCoveredError


def _place_in(listed: tuple[NumberLiteral | TextLiteral, ...] | None, value: Term) -> PlaceIn:
    order = tuple(one.value for one in listed or () if isinstance(one, TextLiteral))
    if not order or len(set(order)) != len(listed or ()) or not isinstance(value, VariableName | TextLiteral):
        raise _NotCoveredError
    return PlaceIn(value, order)


def _negated(part: Expression | bool) -> Expression | bool:
    return not part if isinstance(part, bool) else Not(part)


def _chosen(condition: Expression | bool, then: Expression | bool, otherwise: Expression | bool) -> Expression | bool:
    """Return the statement of if, then and else, of which each may be True or False for every record."""
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
    """Return ``V1 = V2`` for ``V1 = V2 or number(V1) = number(V2)``: two values are equal, as texts or as numbers."""
    sign = "=" if symbol == "or" else "!="
    if [token.symbol for token in tokens] != [sign, sign] or parts[0] != parts[1]:
        return None
    kinds = [token_kind(side) for token in tokens for side in token]
    return parts[0] if kinds == ["element", "element", "number", "number"] else None  # type: ignore[return-value]


def _is_original(token: XPathToken) -> bool:
    """Whether a token is a path to a column of the original file, such as $original//Record/V1."""
    token = unbracketed(token)
    if token.symbol not in ("/", "//") or len(token) != 2 or token[1].symbol != "(name)":
        return False
    while token.symbol in ("/", "//") and len(token) == 2 and token[1].symbol in ("(name)", "*"):
        token = token[0]
    return token.symbol == "$" and token.value == ORIGINAL


def _listed(token: XPathToken) -> tuple[NumberLiteral | TextLiteral, ...] | None:
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


def _literal(token: XPathToken) -> NumberLiteral | TextLiteral | None:
    match token.symbol, call_of(token):
        case "(string)", _:
            return TextLiteral(str(token.value))
        case (("(integer)" | "(decimal)" | "(float)"), _):
            return NumberLiteral(_finite(token))
        case "-", _ if len(token) == 1:
            value = _literal(token[0])
            return NumberLiteral(-value.value) if isinstance(value, NumberLiteral) else None
        case _, ("string", [part]) if token_kind(part) == "number":
            return _literal(part)
    return None


def _finite(token: XPathToken) -> float:
    value = float(token.value)  # type: ignore[arg-type]
    if math.isinf(value):
        raise OverflowError
    return value


def _variable_in(token: XPathToken) -> VariableName | None:
    """Return the variable that a token names, or converts to a number or a text."""
    token = unbracketed(token)
    column = column_of(token)
    if column is not None:
        return VariableName(column)
    match call_of(token):
        case name, [part] if name in (*_TO_NUMBER, "string"):
            return _variable_in(part)
    return None


def _whole_number(one: XPathToken, other: XPathToken) -> VariableName | None:
    """Return the variable that is a whole number if the two are equal."""
    one, other = unbracketed(one), unbracketed(other)
    match call_of(other):
        case name, [part] if (
            name in _ROUNDED and token_kind(part) != "text" and _variable_in(part) == _variable_in(one)
        ):
            return _variable_in(part)
    if one.symbol == "mod" and _literal(one[1]) == NumberLiteral(1.0) and _literal(other) == NumberLiteral(0.0):
        return _variable_in(one[0])
    return None
