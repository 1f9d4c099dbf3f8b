"""Comparisons of ordered categories, such as levels of education: by their order, never as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.edits.expressions import (
    Conditional,
    Every,
    Expression,
    Not,
    NumberLiteral,
    PlaceIn,
    Some,
    Term,
    TermComparison,
    TextLiteral,
    VariableName,
    variables_in,
)
from shoal.edits.text import printed_number
from shoal.errors import RuleError

__all__ = ["common_order", "compared_by_place", "is_within", "with_places"]

Orders = Mapping[str, Sequence[str] | None]


def compared_by_place(comparison: TermComparison, orders: Orders) -> TermComparison:
    """Return a comparison by size of categories as one of their places in the order they have.

    Parameters
    ----------
    comparison
        Two variables with ordered categories, or one of them and a category.
    orders
        The categories of every variable in their order; None for one without ordered categories.

    Raises
    ------
    RuleError
        A variable has no order, two have different ones, or a text is none of the categories.
    """
    names = variables_in(comparison)
    if not names:
        raise RuleError("Texts can only be compared by == and !=, not by size.")
    known: list[Sequence[str]] = []
    for name in names:
        own = orders.get(name)
        if own is None:
            raise RuleError(
                f'Texts can only be compared by == and !=, not by size, and "{name}" has no ordered categories. '
                "Make it an ordered categorical (--order, or orders= of read_table), or number its values."
            )
        known.append(own)
    order = tuple(known[0])
    for name, other in zip(names[1:], known[1:], strict=True):
        common = common_order(order, other)
        if common is None:
            raise RuleError(
                f'The categories of "{names[0]}" and "{name}" have different orders, or none in common that says which '
                "comes first. Give both the same ordered categories, or name the original file."
            )
        order = common
    sides = [_place(side, order, names) for side in (comparison.left, comparison.right)]
    return TermComparison(comparison.relation, *sides)


def with_places(expression: Expression, orders: Orders) -> Expression:
    """Return an expression in which ordered categories are compared by their places in the order that they have."""
    match expression:
        case Every(parts=parts):
            return Every(tuple(with_places(part, orders) for part in parts))
        case Some(parts=parts):
            return Some(tuple(with_places(part, orders) for part in parts))
        case Not(part=part):
            return Not(with_places(part, orders))
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            inner = None if otherwise is None else with_places(otherwise, orders)
            return Conditional(with_places(condition, orders), with_places(then, orders), inner)
        case TermComparison(relation="<" | "<=" | ">" | ">=", left=left, right=right):
            sides = [side.name for side in (left, right) if isinstance(side, VariableName)]
            if any(orders.get(name) is not None for name in sides):
                return compared_by_place(expression, orders)
    return expression


def common_order(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...] | None:
    """Return the one order of all categories of two orders; None if they contradict each other, or leave it open."""
    left, right, merged = list(one), list(other), []
    while left and right:
        # The next category is first in an order and not later in the other one.
        first = dict.fromkeys(
            own[0] for own, beside in ((left, right), (right, left)) if own[0] not in beside or own[0] == beside[0]
        )
        if len(first) != 1:
            return None
        (category,) = first
        merged.append(category)
        left, right = ([name for name in own if name != category] for own in (left, right))
    return (*merged, *left, *right)


def is_within(order: Sequence[str], longer: Sequence[str]) -> bool:
    """Whether all categories of an order are in a longer one, in the same order."""
    places = {category: place for place, category in enumerate(longer)}
    found = [places.get(category, -1) for category in order]
    return -1 not in found and found == sorted(found)


def _place(side: Term, order: tuple[str, ...], names: Sequence[str]) -> PlaceIn:
    match side:
        case VariableName():
            return PlaceIn(side, order)
        case TextLiteral(value=text):
            pass
        case NumberLiteral(value=number):
            text = printed_number(number)
        case _:
            raise RuleError("Ordered categories can be compared with each other, not with the result of arithmetic.")
    if text not in order:
        raise RuleError(f'"{text}" is no category of "{names[0]}"; compare it with one, or name the original file.')
    return PlaceIn(TextLiteral(text), order)
