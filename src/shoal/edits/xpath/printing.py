"""Expressions written as XPath 2.0 tests."""

from __future__ import annotations

import math

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
    variables_in,
)
from shoal.edits.text import printed_number
from shoal.edits.xpath.parsing import ORIGINAL
from shoal.errors import RuleError, WriteError
from shoal.write.xml_microdata import encoded_name

__all__ = ["printed_xpath"]

_SIGNS = {"+": "+", "-": "-", "*": "*", "/": "div"}
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}
_RELATIONS: dict[Relation, str] = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_MOST_FACTORS = 100


def printed_xpath(expression: Expression) -> str:
    """Write an expression as a test that `read_test` reads back the same; a power becomes a product.

    Raises
    ------
    RuleError
        The expression has a power in it that is not a product, or a name or number that XPath cannot write.
    """
    return _logic(expression, alone=True)


def _logic(expression: Expression, alone: bool) -> str:
    match expression:
        case TermComparison():
            return _compared(expression, alone)
        case Among(variable=variable, values=values):
            return _among(variable, values)
        case IsInteger(variable=variable):
            number = _term(variable)
            return f"{number} = floor({number})"
        case InOriginal(variable=VariableName(name=name)):
            return f"exists(index-of(${ORIGINAL}//Record/{_element(name)}, {_element(name)}))"
        case Not(part=part):
            return f"not({_logic(part, alone=True)})"
        case Every(parts=parts):
            return _bracketed(" and ".join(_logic(part, alone=False) for part in parts), not alone)
        case Some(parts=parts):
            return _bracketed(" or ".join(_logic(part, alone=False) for part in parts), not alone)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            tail = "true()" if otherwise is None else _logic(otherwise, alone=True)
            test = f"if ({_logic(condition, alone=True)}) then {_logic(then, alone=True)} else {tail}"
            return _bracketed(test, not alone)
        case XPathTest(test=test):
            return _bracketed(test, not alone)


def _compared(comparison: TermComparison, alone: bool) -> str:
    left, right, relation = comparison.left, comparison.right, comparison.relation
    sign = _RELATIONS[relation]
    if isinstance(left, TextLiteral) or isinstance(right, TextLiteral):
        if relation not in ("==", "!="):
            raise RuleError(
                "Texts can only be compared by == and !=, not by size. If they are ordered categories, name the table."
            )
        return f"{_text(left)} {sign} {_text(right)}"
    numbers = f"{_term(left)} {sign} {_term(right)}"
    if relation not in ("==", "!=") or not (isinstance(left, VariableName) and isinstance(right, VariableName)):
        return numbers
    # Values are equal if they are the same text, as of a town, or the same number, as 5 and 5.0.
    texts = f"{_element(left.name)} {sign} {_element(right.name)}"
    return _bracketed(f"{texts} {'or' if relation == '==' else 'and'} {numbers}", not alone)


def _among(variable: VariableName, values: tuple[NumberLiteral | TextLiteral, ...]) -> str:
    numbers = all(isinstance(value, NumberLiteral) for value in values)
    listed = [_quoted(value.value) if isinstance(value, TextLiteral) else _number(value.value) for value in values]
    if not numbers:  # beside a text, a number is compared as a text too
        listed = [one if one.startswith("'") else f"string({one})" for one in listed]
    return f"{_term(variable) if numbers else _element(variable.name)} = ({', '.join(listed)})"


def _text(term: Term) -> str:
    match term:
        case TextLiteral(value=value):
            return _quoted(value)
        case VariableName(name=name):
            return _element(name)
    raise RuleError("A text can be compared with a text or a variable, not with the result of arithmetic.")


def _term(term: Term, strength: int = 0) -> str:
    match term:
        case NumberLiteral(value=value):
            return _bracketed(_number(value), value < 0 and strength > 0)
        case VariableName(name=name):
            return f"number({_element(name)})"
        case PlaceIn(value=value, order=order):
            return f"index-of(({', '.join(_quoted(category) for category in order)}), {_text(value)})"
        case Negative(term=inner):
            return _bracketed(f"-{_term(inner, 3)}", strength > 0)
        case Arithmetic(sign="**"):
            return _term(_multiplied_out(term), strength)
        case Arithmetic(sign=sign, left=left, right=right):
            own = _STRENGTH[sign]
            if variables_in(term):
                text = f"{_term(left, own)} {_SIGNS[sign]} {_term(right, own + 1)}"
            else:  # XPath computes 0.1 + 0.2 in decimals, but 1e-1 + 2e-1 in floating point
                text = f"{_double(left, own)} {_SIGNS[sign]} {_double(right, own + 1)}"
            return _bracketed(text, own < strength)
        case TextLiteral():
            raise RuleError("Texts cannot be used in arithmetic.")


def _double(term: Term, strength: int) -> str:
    if isinstance(term, NumberLiteral) and "e" not in _number(term.value):
        return _bracketed(f"{_number(term.value)}e0", term.value < 0)
    return _term(term, strength)


def _multiplied_out(power: Arithmetic) -> Term:
    match power.right:
        case NumberLiteral(value=value):
            exponent = value
        case Negative(term=NumberLiteral(value=value)):
            exponent = -value
        case _:
            exponent = math.nan
    if not float(exponent).is_integer() or abs(exponent) > _MOST_FACTORS:
        raise RuleError(
            f"XPath 2.0 has no sign for a power; shoal writes only whole powers up to {_MOST_FACTORS}, as products."
        )
    product: Term = NumberLiteral(1.0)
    for factor in range(int(abs(exponent))):
        product = power.left if factor == 0 else Arithmetic("*", product, power.left)
    return product if exponent >= 0 else Arithmetic("/", NumberLiteral(1.0), product)


def _number(value: float) -> str:
    value = float(value)
    if not math.isfinite(value):
        raise RuleError("A rule has a number in it that is too large.")
    return printed_number(value)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _element(name: str) -> str:
    if not name:
        raise RuleError("A column without a name cannot be written in XPath. Name it first.")
    try:
        return encoded_name(name)
    except WriteError as error:
        raise RuleError(str(error)) from None


def _bracketed(text: str, needed: bool) -> str:
    return f"({text})" if needed else text
