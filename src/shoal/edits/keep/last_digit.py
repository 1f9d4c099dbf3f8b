"""Rules made to hold to the last digit: what follows from other values is computed from them, as the rule says it.

Averages satisfy a sum up to rounding. A processor that compares without tolerance would still find them broken, so the
dependent variable of every equality is computed anew, in the order of the rule's own signs, and what rounding has
carried over a bound is put back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.edits.evaluation import TOLERANCE, Columns, holds, worked_out
from shoal.edits.expressions import Variable
from shoal.edits.keep.atoms import Linear, Product

__all__ = ["Dependent", "dependents", "settle"]

Doubles = NDArray[np.float64]
Dependent = tuple[Linear | Product, str]  # an equality, and the variable that is computed from the others

_ROUNDS = 20
_ULPS = 8
_MOST_TRIES = 10_000


def dependents(
    equalities: Sequence[Linear | Product],
    movable: Collection[str],
    whole: Collection[str] = (),
    *,
    by_sight: bool = False,
) -> list[Dependent]:
    """Choose the variable that follows from the others in each equality, in the order they are to be computed.

    A variable that stands alone on one side is preferred, then one of few equalities; in a product that meets a sum,
    one that no other equality names, unless `by_sight`. An equality for which none is left is not in the list.
    """
    equalities = [one for one in equalities if isinstance(one, Product) or one.relation == "=="]
    uses = {name: sum(name in one.variables for one in equalities) for one in equalities for name in one.variables}
    in_sums = {name for one in equalities if isinstance(one, Linear) for name in one.variables}

    def preference(name: str, one: Linear | Product) -> tuple[int, int, int]:
        alone = Variable(name) in (one.source.left, one.source.right)
        fraction = name in whole and not _comes_out_whole(name, one, whole)
        meets_a_sum = not by_sight and isinstance(one, Product) and bool(in_sums.intersection(one.variables))
        return (fraction, uses[name], not alone) if meets_a_sum else (fraction, not alone, uses[name])

    choices = [
        sorted((name for name in one.variables if name in movable), key=lambda name, one=one: preference(name, one))  # type: ignore[misc]
        for one in equalities
    ]
    tries = 0

    def chosen(place: int, found: list[Dependent]) -> list[Dependent] | None:
        nonlocal tries
        tries += 1
        if place == len(equalities) or tries > _MOST_TRIES:
            return _in_order(found)
        for name in choices[place]:
            more = [*found, (equalities[place], name)]
            if name not in [other for _, other in found] and _in_order(more) is not None:
                whole = chosen(place + 1, more)
                if whole is not None:
                    return whole
        return chosen(place + 1, found)

    return chosen(0, []) or []


def settle(
    values: Mapping[str, Doubles],
    atoms: Sequence[Linear | Product],
    movable: Collection[str],
    following: Sequence[Dependent] | None = None,
    *,
    whole: Collection[str] = (),
) -> dict[str, Doubles]:
    """Return the values with every equality computed and every bound kept to the last digit, where that can be.

    Parameters
    ----------
    values
        The variables, one value for every group or record.
    atoms
        What holds for all of them, up to rounding.
    movable
        The variables that may change.
    following
        What is computed from what; by default `dependents` chooses.
    whole
        The variables that are whole numbers, and come in as such.
    """
    order = dependents(atoms, movable, whole) if following is None else following
    bounds = [atom for atom in atoms if isinstance(atom, Linear) and atom.relation != "=="]
    settled = {name: column.copy() for name, column in values.items()}
    sizes = {name: float(np.abs(column).max(initial=0.0)) for name, column in values.items()}
    _follow(settled, order, whole)
    for _ in range(_ROUNDS):
        moved = [_held_back(settled, bound, order, set(movable) - set(whole), sizes) for bound in bounds]
        if not any(moved):
            break
        _follow(settled, order, whole)
    return settled


def _in_order(found: Sequence[Dependent]) -> list[Dependent] | None:
    """Return the equalities so that each comes after those it needs; None if they go in a circle."""
    left, ordered = list(found), []
    while left:
        open_names = {name for _, name in left}
        ready = [one for one in left if not (open_names - {one[1]}).intersection(one[0].variables)]
        if not ready:
            return None
        ordered += ready
        left = [one for one in left if one not in ready]
    return ordered


def _comes_out_whole(name: str, atom: Linear | Product, whole: Collection[str]) -> bool:
    """Whether a variable that follows from whole numbers is one too: all are taken times whole numbers."""
    if isinstance(atom, Product):
        return False
    own = atom.coefficients[name]
    ratios = [atom.constant / own, *(factor / own for factor in atom.coefficients.values())]
    return set(atom.variables) <= set(whole) and all(abs(ratio - round(ratio)) < 1e-9 for ratio in ratios)


def _follow(values: dict[str, Doubles], order: Sequence[Dependent], whole: Collection[str]) -> None:
    for atom, name in order:
        left, right = atom.source.left, atom.source.right
        columns = Columns(values)
        if right == Variable(name):
            values[name] = worked_out(left, columns)[0]
        elif left == Variable(name):
            values[name] = worked_out(right, columns)[0]
        else:
            solved = _solved(atom, name, values)
            values[name] = np.rint(solved) if name in whole and _comes_out_whole(name, atom, whole) else solved
            _fit(atom, name, values)


def _solved(atom: Linear | Product, name: str, values: Mapping[str, Doubles]) -> Doubles:
    if isinstance(atom, Linear):
        others = [factor * values[other] for other, factor in atom.coefficients.items() if other != name]
        return np.asarray((atom.constant - np.sum(others, axis=0)) / atom.coefficients[name], dtype=np.float64)
    with np.errstate(all="ignore"):
        others = [values[other] ** power for other, power in atom.exponents.items() if other != name]
        product = 1 / (atom.factor * np.prod(others, axis=0))
        power = atom.exponents[name]
        if abs(power) == 1:
            return np.asarray(product**power)
        return np.asarray(np.sign(values[name]) * np.abs(product) ** (1 / power))


def _fit(atom: Linear | Product, name: str, values: dict[str, Doubles]) -> None:
    """Move a computed value by its last digits to where the rule holds without tolerance, if there is such a place."""
    solved = values[name].copy()
    for step in range(1, _ULPS + 1):
        for direction in (-np.inf, np.inf):
            wrong = ~holds(atom.source, Columns(values), 0.0)
            if not wrong.any():
                return
            tried = solved[wrong]
            for _ in range(step):
                tried = np.nextafter(tried, direction)
            values[name][wrong] = tried
    wrong = ~holds(atom.source, Columns(values), 0.0)
    values[name][wrong] = solved[wrong]


def _held_back(
    values: dict[str, Doubles],
    bound: Linear,
    order: Sequence[Dependent],
    movable: Collection[str],
    sizes: Mapping[str, float],
) -> bool:
    """Move one variable by what rounding has put it over a bound; return whether any had to be."""
    wrong = ~holds(bound.source, Columns(values), 0.0)
    if not wrong.any():
        return False
    name, factor = _lever(bound, order, movable)
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


def _lever(bound: Linear, order: Sequence[Dependent], movable: Collection[str]) -> tuple[str, float]:
    """Return a variable that moves the bound's sum, its own or one its own follow from, and by how much."""
    follows = {name: atom for atom, name in order}
    for name, factor in bound.coefficients.items():
        if name in movable and name not in follows:
            return name, factor
    for name, factor in bound.coefficients.items():
        atom = follows.get(name)
        if isinstance(atom, Linear):
            for other, part in atom.coefficients.items():
                if other != name and other in movable and other not in follows:
                    return other, -factor * part / atom.coefficients[name]
    return "", 0.0
