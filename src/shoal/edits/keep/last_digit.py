"""Values that satisfy rules to the last digit: dependent variables are computed from the others, as the rule says.

Averages satisfy a sum up to rounding. A processor that compares without tolerance would still find the rule broken, so
the dependent variable of every equality is computed again, in the order in which the rule is written, and values that
rounding has carried over a bound are moved back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import powers
from shoal.edits.atoms import Definition, Equality, Linear, Product
from shoal.edits.checked_records import NumericRecords
from shoal.edits.evaluation import TOLERANCE, holds, term_values
from shoal.edits.expressions import Arithmetic, Negative, NumberLiteral, Term, VariableName

__all__ = ["Dependent", "comes_out_whole", "dependents", "is_derivable", "solved", "to_last_digit"]

Doubles = NDArray[np.float64]
Dependent = tuple[Equality, str]  # an equality, and the variable that is computed from the others

_ROUNDS = 20  # moving one value back within its bound can carry another over its own
_ULPS = 8  # last digits by which a computed value may be moved to where its rule holds without tolerance
_MOST_ATTEMPTS = 10_000  # to find an order in which all dependent variables can be computed


def dependents(
    equalities: Sequence[Equality],
    movable: Collection[str],
    whole: Collection[str] = (),
    *,
    alone_first: bool = False,
    allowed: Callable[[Equality, str], bool] = lambda one, name: True,
) -> list[Dependent]:
    """Choose the dependent variable of each equality, in the order in which they are to be computed.

    A variable that stands alone on one side is preferred, then one that few equalities name; in a product that meets a
    sum it is the other way round, unless `alone_first`. An equality for which no variable is left is not in the list.

    Parameters
    ----------
    equalities
        Sums and products; bounds among them are skipped.
    movable
        The variables that may be computed.
    whole
        The variables that are whole numbers; one that would not come out whole is chosen last.
    alone_first
        Whether to prefer variables that stand alone on one side in every equality.
    allowed
        Whether an equality may be used to compute one of its variables.
    """
    equalities = [one for one in equalities if not isinstance(one, Linear) or one.relation == "=="]
    equalities.sort(key=lambda one: not isinstance(one, Definition))  # which have one variable to choose from
    uses = {name: sum(name in one.variables for one in equalities) for one in equalities for name in one.variables}
    in_sums = {name for one in equalities if isinstance(one, Linear) for name in one.variables}

    def preference(name: str, one: Equality) -> tuple[int, int, int]:
        alone = VariableName(name) in (one.source.left, one.source.right)
        fractional = name in whole and not comes_out_whole(name, one, whole)
        meets_a_sum = not alone_first and isinstance(one, Product) and bool(in_sums.intersection(one.variables))
        return (fractional, uses[name], not alone) if meets_a_sum else (fractional, not alone, uses[name])

    choices = [
        sorted(
            (name for name in _solvable(one) if name in movable and allowed(one, name)),
            key=lambda name, one=one: preference(name, one),  # type: ignore[misc]
        )
        for one in equalities
    ]
    attempts = 0

    def completed(place: int, chosen: list[Dependent]) -> list[Dependent] | None:
        nonlocal attempts
        attempts += 1
        if place == len(equalities) or attempts > _MOST_ATTEMPTS:
            return _in_order(chosen)
        for name in choices[place]:
            more = [*chosen, (equalities[place], name)]
            if name not in [other for _, other in chosen] and _in_order(more) is not None:
                complete = completed(place + 1, more)
                if complete is not None:
                    return complete
        return completed(place + 1, chosen)

    return completed(0, []) or []


def _solvable(one: Equality) -> tuple[str, ...]:
    """Return the variables that an equality can be solved for."""
    return (one.variable,) if isinstance(one, Definition) else one.variables


def to_last_digit(
    values: Mapping[str, Doubles],
    atoms: Sequence[Equality],
    movable: Collection[str],
    order: Sequence[Dependent] | None = None,
    *,
    whole: Collection[str] = (),
) -> dict[str, Doubles]:
    """Return values that satisfy every equality and every bound to the last digit, where that is possible.

    Parameters
    ----------
    values
        The variables, one value for every group or record.
    atoms
        What the values satisfy up to rounding.
    movable
        The variables that may change.
    order
        Which variable is computed from which equality, in this order; by default as `dependents` chooses.
    whole
        The variables that are whole numbers, and have whole values already.
    """
    order = dependents(atoms, movable, whole) if order is None else order
    bounds = [atom for atom in atoms if isinstance(atom, Linear) and atom.relation != "=="]
    exact = {name: column.copy() for name, column in values.items()}
    sizes = {name: float(np.abs(column).max(initial=0.0)) for name, column in values.items()}
    _compute_dependents(exact, order, whole)
    for _ in range(_ROUNDS):
        moved = [_restore_bound(exact, bound, order, set(movable) - set(whole), sizes) for bound in bounds]
        if not any(moved):
            break
        _compute_dependents(exact, order, whole)
    return exact


def _in_order(chosen: Sequence[Dependent]) -> list[Dependent] | None:
    """Return the equalities in an order in which each can be computed; None if they depend on each other in a cycle."""
    waiting, ordered = list(chosen), []
    while waiting:
        not_computed = {name for _, name in waiting}
        ready = [one for one in waiting if not (not_computed - {one[1]}).intersection(one[0].variables)]
        if not ready:
            return None
        ordered += ready
        waiting = [one for one in waiting if one not in ready]
    return ordered


def is_derivable(atom: Equality, name: str, decimals: Mapping[str, int]) -> bool:
    """Whether a variable computed from the others has no more decimals than it may have.

    Parameters
    ----------
    atom
        An equality.
    name
        The variable that is computed.
    decimals
        How many decimals each variable has; those left out are whole numbers.
    """
    if isinstance(atom, Definition):
        return _decimals_of(atom.computed, decimals) <= decimals.get(name, 0)
    unit = {other: 10.0 ** -decimals.get(other, 0) for other in atom.variables}
    if isinstance(atom, Linear):
        own = atom.coefficients[name] * unit[name]
        steps = [atom.constant / own, *(factor * unit[other] / own for other, factor in atom.coefficients.items())]
        return all(_is_whole(step) for step in steps)
    power = atom.exponents[name]
    if abs(power) != 1:
        return False
    powers = {other: -of_other * power for other, of_other in atom.exponents.items() if other != name}
    step = (1 / atom.factor if power == 1 else atom.factor) / unit[name]
    step *= math.prod(unit[other] ** of_other for other, of_other in powers.items())
    return all(of_other > 0 and _is_whole(of_other) for of_other in powers.values()) and _is_whole(step)


def _decimals_of(term: Term, decimals: Mapping[str, int]) -> float:
    """Return how many decimals the value of a term has at most; infinitely many where it divides."""
    match term:
        case NumberLiteral(value=value):
            return -float(Decimal(repr(value)).normalize().as_tuple().exponent)  # type: ignore[arg-type]
        case VariableName(name=name):
            return decimals.get(name, 0)
        case Negative(term=inner):
            return _decimals_of(inner, decimals)
        case Arithmetic(sign="+" | "-", left=left, right=right):
            return max(_decimals_of(left, decimals), _decimals_of(right, decimals))
        case Arithmetic(sign="*", left=left, right=right):
            return _decimals_of(left, decimals) + _decimals_of(right, decimals)
        case Arithmetic(sign="**", left=left, right=NumberLiteral(value=power)) if power >= 0 and power.is_integer():
            return power * _decimals_of(left, decimals)
    return math.inf


def _is_whole(number: float) -> bool:
    if not math.isfinite(number) or 0 < abs(number) < 0.5:
        return False
    return abs(number - round(number)) < max(1e-9, 4e-16 * abs(number))


def comes_out_whole(name: str, atom: Equality, whole: Collection[str]) -> bool:
    """Whether a variable computed from whole numbers is one too: all are multiplied by whole numbers."""
    return set(atom.variables) <= set(whole) and is_derivable(atom, name, {})


def _compute_dependents(values: dict[str, Doubles], order: Sequence[Dependent], whole: Collection[str]) -> None:
    """Compute every dependent variable in place, as its rule is written where it stands alone on one side."""
    for atom, name in order:
        left, right = atom.source.left, atom.source.right
        records = NumericRecords(values)
        if right == VariableName(name):
            values[name] = term_values(left, records)[0]
        elif left == VariableName(name):
            values[name] = term_values(right, records)[0]
        else:
            value = solved(atom, name, values)
            values[name] = np.rint(value) if name in whole and comes_out_whole(name, atom, whole) else value
            _move_by_last_digits(atom, name, values)


def solved(atom: Equality, name: str, values: Mapping[str, Doubles]) -> Doubles:
    """Return an equality solved for one of its variables."""
    if isinstance(atom, Definition):
        return term_values(atom.computed, NumericRecords(values))[0]
    if isinstance(atom, Linear):
        others = [factor * values[other] for other, factor in atom.coefficients.items() if other != name]
        total = np.sum(others, axis=0) if others else np.zeros_like(values[name])
        return np.asarray((atom.constant - total) / atom.coefficients[name], dtype=np.float64)
    with np.errstate(all="ignore"):
        others = [powers(values[other], power) for other, power in atom.exponents.items() if other != name]
        product = 1 / (atom.factor * np.prod(others, axis=0))
        power = atom.exponents[name]
        if abs(power) == 1:
            return powers(product, power)
        return np.sign(values[name]) * powers(np.abs(product), 1 / power)


def _move_by_last_digits(atom: Equality, name: str, values: dict[str, Doubles]) -> None:
    """Move a computed variable by its last digits to where the rule holds without tolerance, if it does anywhere."""
    before = values[name].copy()
    for step in range(1, _ULPS + 1):
        for direction in (-np.inf, np.inf):
            wrong = ~holds(atom.source, NumericRecords(values), 0.0)
            if not wrong.any():
                return
            moved = before[wrong]
            for _ in range(step):
                moved = np.nextafter(moved, direction)
            values[name][wrong] = moved
    wrong = ~holds(atom.source, NumericRecords(values), 0.0)
    values[name][wrong] = before[wrong]


def _restore_bound(
    values: dict[str, Doubles],
    bound: Linear,
    order: Sequence[Dependent],
    movable: Collection[str],
    sizes: Mapping[str, float],
) -> bool:
    """Move one variable back by what rounding has carried it over a bound; return whether any value had to move."""
    wrong = ~holds(bound.source, NumericRecords(values), 0.0)
    if not wrong.any():
        return False
    name, factor = _adjustable(bound, order, movable)
    if not name:
        return False
    excess = np.sum([part * values[one] for one, part in bound.coefficients.items()], axis=0) - bound.constant
    size = sum(abs(part) * sizes[one] for one, part in bound.coefficients.items()) + abs(bound.constant)
    wrong &= excess <= TOLERANCE * size
    if not wrong.any():
        return False
    column = values[name]
    step = np.maximum(np.abs(excess[wrong] / factor), np.spacing(np.abs(column[wrong])))
    column[wrong] -= np.sign(factor) * step
    return True


def _adjustable(bound: Linear, order: Sequence[Dependent], movable: Collection[str]) -> tuple[str, float]:
    """Return a variable that changes the sum of a bound, and its factor there; an empty name if there is none.

    It is one of the bound's own variables, or one that a dependent variable of the bound is computed from.
    """
    dependent = {name: atom for atom, name in order}
    for name, factor in bound.coefficients.items():
        if name in movable and name not in dependent:
            return name, factor
    for name, factor in bound.coefficients.items():
        atom = dependent.get(name)
        if isinstance(atom, Linear):
            for other, part in atom.coefficients.items():
                if other != name and other in movable and other not in dependent:
                    return other, -factor * part / atom.coefficients[name]
    return "", 0.0
