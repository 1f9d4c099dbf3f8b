"""What a rule requires, divided into parts (atoms) for which representatives can be chosen.

A rule becomes requirements that all hold. A requirement is a choice among alternatives, of which every record satisfies
at least one; an alternative is a list of atoms that all hold. ``if a < 5 then b <= c`` is one requirement with two
alternatives, ``a >= 5`` and ``b <= c``. Where all records of a group satisfy an atom there are representatives that
satisfy it too: for linear atoms because averages stay on the same side of a plane, for products because logarithms make
them linear, for tests of a single variable because a value can be selected that passes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal, TypeAlias

from shoal import arithmetic
from shoal.edits.expressions import (
    Arithmetic,
    Conditional,
    Every,
    Expression,
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
    parts_of,
    variables_in,
)
from shoal.edits.ordered_categories import is_within

__all__ = [
    "Atom",
    "Definition",
    "Equality",
    "Linear",
    "Opaque",
    "Product",
    "Requirement",
    "Single",
    "is_equality",
    "requirements",
]

_MOST_ALTERNATIVES = 64
_NEGATED: dict[Relation, Relation] = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class Linear:
    """Multiples of variables whose sum equals a constant, does not exceed it, or stays below it."""

    coefficients: Mapping[str, float]
    relation: Literal["==", "<=", "<"]
    constant: float
    source: TermComparison

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, in the order of the rule."""
        return tuple(self.coefficients)


@dataclass(frozen=True)
class Product:
    """Powers of variables whose product, times a factor, is 1."""

    exponents: Mapping[str, float]
    factor: float
    source: TermComparison

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, in the order of the rule."""
        return tuple(self.exponents)


@dataclass(frozen=True)
class Definition:
    """A variable that equals what is computed from others, neither as a sum nor as a product: d == a * b + c."""

    variable: str
    source: TermComparison

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, in the order of the rule."""
        return variables_in(self.source)

    @property
    def computed(self) -> Term:
        """What the variable equals."""
        alone = self.source.left == VariableName(self.variable)
        return self.source.right if alone else self.source.left


@dataclass(frozen=True)
class Single:
    """A test of one variable that an average may fail where all values pass it: a list of values, whole numbers."""

    variable: str
    source: Expression

    @property
    def variables(self) -> tuple[str, ...]:
        """The variable."""
        return (self.variable,)


@dataclass(frozen=True)
class Opaque:
    """A test that no representative is sure to pass, unless it is one of the records."""

    source: Expression

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables, in the order of the rule."""
        return variables_in(self.source)


Atom: TypeAlias = Linear | Product | Definition | Single | Opaque
Equality: TypeAlias = Linear | Product | Definition


def is_equality(atom: Atom) -> bool:
    """Whether an atom says that something computed from several variables equals something else."""
    if isinstance(atom, Linear):
        return atom.relation == "==" and len(atom.coefficients) > 1
    return isinstance(atom, Product | Definition)


@dataclass(frozen=True)
class Requirement:
    """Alternatives, of which every record satisfies at least one."""

    alternatives: tuple[tuple[Atom, ...], ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of all alternatives."""
        return tuple(dict.fromkeys(name for atoms in self.alternatives for atom in atoms for name in atom.variables))


@dataclass(frozen=True)
class _KnownColumns:
    """What is known of the columns that a rule names."""

    texts: frozenset[str]
    orders: Mapping[str, Sequence[str]] | None


def requirements(
    expression: Expression, texts: Collection[str] = (), orders: Mapping[str, Sequence[str]] | None = None
) -> tuple[Requirement, ...]:
    """Return what a rule requires.

    Parameters
    ----------
    expression
        What the rule says.
    texts
        The variables that hold texts, which can be equal but are not compared by size.
    orders
        The categories of variables that hold ordered ones, in their order; None if the columns are not known.
    """
    columns = _KnownColumns(frozenset(texts) - frozenset(orders or ()), orders)
    return tuple(_conjuncts(expression, False, columns))


def _conjuncts(expression: Expression, negated: bool, columns: _KnownColumns) -> list[Requirement]:
    match expression, negated:
        case (Every(parts=parts), False) | (Some(parts=parts), True):
            return [one for part in parts for one in _conjuncts(part, negated, columns)]
        case Not(part=part), _:
            return _conjuncts(part, not negated, columns)
        case Conditional(condition=condition, then=then, otherwise=None), True:
            return [*_conjuncts(condition, False, columns), *_conjuncts(then, True, columns)]
        case Conditional(condition=condition, then=then, otherwise=otherwise), False if otherwise is not None:
            both = Every((Some((Not(condition), then)), Some((condition, otherwise))))
            return _conjuncts(both, False, columns)
    try:
        alternatives = tuple(_alternatives(expression, negated, columns))
    except _TooManyError:
        alternatives = ((Opaque(Not(expression) if negated else expression),),)
    return [Requirement(alternatives)]


class _TooManyError(Exception):
    """A rule has more alternatives than the file can be split by."""


def _alternatives(expression: Expression, negated: bool, columns: _KnownColumns) -> list[tuple[Atom, ...]]:
    match expression, negated:
        case (Some(parts=parts), False) | (Every(parts=parts), True):
            return _limited(atoms for part in parts for atoms in _alternatives(part, negated, columns))
        case (Every(parts=parts), False) | (Some(parts=parts), True):
            each = [_alternatives(part, negated, columns) for part in parts]
            return _limited(tuple(atom for atoms in chosen for atom in atoms) for chosen in product(*each))
        case Not(part=part), _:
            return _alternatives(part, not negated, columns)
        case Conditional(condition=condition, then=then, otherwise=otherwise), _:
            then = Not(then) if negated else then
            if otherwise is None:
                whole: Expression = Every((condition, then)) if negated else Some((Not(condition), then))
            else:
                other = Not(otherwise) if negated else otherwise
                whole = Some((Every((condition, then)), Every((Not(condition), other))))
            return _alternatives(whole, False, columns)
        case TermComparison(relation=relation, left=left, right=right), _:
            return _compared(TermComparison(_NEGATED[relation] if negated else relation, left, right), columns)
    return [(_test(Not(expression) if negated else expression),)]


def _limited(alternatives: Iterable[tuple[Atom, ...]]) -> list[tuple[Atom, ...]]:
    limited = list(islice(alternatives, _MOST_ALTERNATIVES + 1))
    if len(limited) > _MOST_ALTERNATIVES:
        raise _TooManyError
    return limited


def _test(expression: Expression) -> Single | Opaque:
    names = variables_in(expression)
    opaque = len(names) != 1 or any(isinstance(part, XPathTest) for part in parts_of(expression))
    return Opaque(expression) if opaque else Single(names[0], expression)


def _compared(comparison: TermComparison, columns: _KnownColumns) -> list[tuple[Atom, ...]]:
    names = variables_in(comparison)
    if columns.texts.intersection(names) or not _has_numbers(comparison, columns.orders):
        return [(_test(comparison),)]
    left, right, relation = comparison.left, comparison.right, comparison.relation
    if relation == "!=":  # smaller or larger
        either = [_compared(TermComparison(side, left, right), columns) for side in ("<", ">")]  # type: ignore[arg-type]
        if all(isinstance(atoms[0], Linear) for (atoms,) in either):
            return [atoms for (atoms,) in either]
        return [(_test(comparison),)]
    return [(_linear(comparison) or _product(comparison) or _definition(comparison) or _test(comparison),)]


def _has_numbers(comparison: TermComparison, orders: Mapping[str, Sequence[str]] | None) -> bool:
    """Whether both sides are numbers, or places of two variables in the order that their categories have."""
    sides = (comparison.left, comparison.right)
    places = [part for part in parts_of(comparison) if isinstance(part, PlaceIn)]
    if not places:
        return not any(isinstance(side, TextLiteral) for side in sides)
    names = [place.value.name for place in places if isinstance(place.value, VariableName)]
    return (
        len(names) == 2
        and tuple(places) == sides
        and places[0].order == places[1].order
        and (orders is None or all(name in orders and is_within(orders[name], places[0].order) for name in names))
    )


def _linear(comparison: TermComparison) -> Linear | None:
    """Return a comparison of sums as one sum and a constant; None if it is none."""
    left, right, relation = comparison.left, comparison.right, comparison.relation
    if relation in (">", ">="):
        left, right = right, left
    total = _sum(Arithmetic("-", left, right))
    if total is None:
        return None
    constant = 0.0 - total.pop("", 0.0)
    coefficients = {name: factor for name, factor in total.items() if factor != 0}
    if not coefficients or not all(math.isfinite(number) for number in (constant, *coefficients.values())):
        return None
    return Linear(coefficients, "==" if relation == "==" else "<=" if "=" in relation else "<", constant, comparison)


def _product(comparison: TermComparison) -> Product | None:
    """Return an equality of products of several variables as one product; None if it is none."""
    if comparison.relation != "==" or len(variables_in(comparison)) < 2:
        return None
    left, right = _powers(comparison.left), _powers(comparison.right)
    if left is None or right is None:
        return None
    exponents = {name: left.get(name, 0.0) - right.get(name, 0.0) for name in (*left, *right) if name}
    exponents = {name: exponent for name, exponent in exponents.items() if exponent != 0}
    divisor = right.get("", 1.0)
    factor = left.get("", 1.0) / divisor if divisor else 0.0
    if len(exponents) < 2 or factor == 0 or not math.isfinite(factor):
        return None
    return Product(exponents, factor, comparison)


def _definition(comparison: TermComparison) -> Definition | None:
    """Return an equality that has a variable alone on one side, and only there; None if it is none."""
    left, right = comparison.left, comparison.right
    for alone, other in ((left, right), (right, left)) if comparison.relation == "==" else ():
        if isinstance(alone, VariableName) and variables_in(other) and alone.name not in variables_in(other):
            return Definition(alone.name, comparison)
    return None


def _sum(term: Term) -> dict[str, float] | None:
    """Return the factor of each variable in a sum, and under "" its constant; None if the term is no such sum."""
    match term:
        case NumberLiteral(value=value):
            return {"": value}
        case VariableName(name=name) | PlaceIn(value=VariableName(name=name)):
            return {name: 1.0}
        case Negative(term=inner):
            return _times(_sum(inner), -1.0)
        case Arithmetic(sign="+" | "-" as sign, left=left, right=right):
            one, other = _sum(left), _times(_sum(right), 1.0 if sign == "+" else -1.0)
            if one is None or other is None:
                return None
            return {name: one.get(name, 0.0) + other.get(name, 0.0) for name in {**one, **other}}
        case Arithmetic(sign="*", left=left, right=right):
            one, other = _sum(left), _sum(right)
            if other is not None and set(other) <= {""}:
                return _times(one, other.get("", 0.0))
            return _times(other, one.get("", 0.0)) if one is not None and set(one) <= {""} else None
        case Arithmetic(sign="/", left=left, right=right):
            divisor = _sum(right)
            if divisor is not None and set(divisor) <= {""} and divisor.get("", 0.0) != 0:
                return _times(_sum(left), 1 / divisor[""])
    return None


def _times(total: dict[str, float] | None, factor: float) -> dict[str, float] | None:
    return None if total is None else {name: factor * number for name, number in total.items()}


def _powers(term: Term) -> dict[str, float] | None:
    """Return the power of each variable in a product, and under "" its factor; None if the term is no such product."""
    match term:
        case NumberLiteral(value=value):
            return {"": value}
        case VariableName(name=name):
            return {name: 1.0}
        case Negative(term=inner):
            powers = _powers(inner)
            return None if powers is None else {**powers, "": -powers.get("", 1.0)}
        case Arithmetic(sign="*" | "/" as sign, left=left, right=right):
            one, other = _powers(left), _powers(right)
            if one is None or other is None:
                return None
            other = other if sign == "*" else _to_the(other, -1.0)
            if other is None:
                return None
            names = [name for name in {**one, **other} if name]
            powers = {name: one.get(name, 0.0) + other.get(name, 0.0) for name in names}
            return {**powers, "": one.get("", 1.0) * other.get("", 1.0)}
        case Arithmetic(sign="**", left=left, right=right):
            base, power = _powers(left), _sum(right)
            if base is not None and power is not None and set(power) <= {""}:
                return _to_the(base, power.get("", 0.0))
    return None


def _to_the(powers: dict[str, float], power: float) -> dict[str, float] | None:
    number = powers.get("", 1.0)
    if number == 0 or (number < 0 and not float(power).is_integer()):
        return None
    factor = 1.0 if number == 1 else float(arithmetic.powers(number, power))
    if not math.isfinite(factor):
        return None
    return {**{name: exponent * power for name, exponent in powers.items() if name}, "": factor}
