"""Which parts of a test are numbers, texts or lists, and comparisons that are surely a mistake."""

from __future__ import annotations

from typing import Literal

from elementpath import XPathToken

from shoal.edits.xpath.parsing import call_of, column_of, refuse, tokens_in, unbracketed

__all__ = ["is_statement", "refuse_mistaken", "token_kind"]

TokenKind = Literal["element", "number", "text", "list", "other"]

_SIGNS = ("+", "-", "*", "div", "idiv", "mod")
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
    if symbol in _LITERALS[1:] or (symbol in _SIGNS and len(token)):
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
        elif one.symbol in _SIGNS and any(token_kind(part) == "text" for part in one):
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
        wanted = f"number({columns[0]}) {sign} number({columns[1]})"
        places = f"index-of(('low', 'high'), {columns[0]}) {sign} index-of(('low', 'high'), {columns[1]})"
        refuse(
            test,
            f"compares {columns[0]} and {columns[1]} as texts. Write {wanted}, or for ordered categories {places}.",
        )
    if token.symbol in _ONE_BY_ONE and kinds == {"element", "number"}:
        refuse(test, f'compares {columns[0]} as a text, because of "{token.symbol}". Write number({columns[0]}).')
    if kinds == {"number", "text"}:
        refuse(test, "compares a number with a text.")
    if token.symbol == "!=" and "list" in kinds:
        refuse(
            test, 'uses "!=" with a list, which is true as soon as one of its values differs. Write not(... = (...)).'
        )
