"""Values rounded to decimals so that rules hold to the last digit.

Every value goes to the nearest one with its decimals; the dependent variable of every equality is then computed from
the others. Where that carries a value over a bound, last digits of the other variables are moved, as few as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.edits.atoms import Atom, Definition, Equality, Linear, Product, Single
from shoal.edits.checked_records import NumericRecords
from shoal.edits.evaluation import holds
from shoal.edits.expressions import InOriginal, IsInteger, XPathTest, parts_of, variables_in
from shoal.edits.keep.last_digit import Dependent, dependents, is_derivable, solved

__all__ = [
    "from_digits",
    "in_digits",
    "most_decimals",
    "not_derivable",
    "rounded",
    "rounded_equalities",
    "rounded_to_rules",
]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Values = dict[str, Doubles]

_MOST_DIGITS = 15  # of a number that its float tells apart from all others
_UNITS_OFF = 4  # in the last place: computed numbers that differ by no more have the decimals
_MOST_STEPS = 200  # one last digit each, to bring a point back within bounds
_MOST_MOVES = 3_000  # of up to three last digits together, where single ones lead nowhere
_SAMPLES = 5  # points on which equalities that follow from others are known


def rounded(values: Doubles, decimals: int) -> Doubles:
    """Return numbers rounded to decimals, each the float that prints with no more of them; -2 rounds to hundreds."""
    return from_digits(np.rint(in_digits(values, decimals)), decimals)


def most_decimals(values: Doubles, *, single: bool = False) -> int | None:
    """Return the most decimals that any of some numbers has; None if a number has 15 digits or more with them.

    What differs from a number with so many decimals by a few units in the last place, as sums of such numbers do, has
    them too. `single` is whether they are of single precision, in which fewer digits tell them apart.
    """
    known = values[~np.isnan(values)]
    few = _UNITS_OFF * np.spacing(np.abs(known), dtype=np.float64)
    for decimals in range(_MOST_DIGITS):
        if np.abs(in_digits(known, decimals)).max(initial=0.0) >= 10.0 ** (_MOST_DIGITS - 1):
            return None
        near = rounded(known, decimals)
        if single and np.array_equal(near.astype(np.float32), known.astype(np.float32)):
            return decimals
        if not single and (np.abs(near - known) <= few).all():
            return decimals
    return None


def in_digits(values: Doubles, decimals: int) -> Doubles:
    """Return numbers in units of their last digit."""
    with np.errstate(over="ignore"):
        return np.asarray(values * 10.0**decimals if decimals >= 0 else values / 10.0**-decimals)


def from_digits(digits: NDArray[Any], decimals: int) -> Doubles:
    """Return the numbers that have so many units of their last digit."""
    # Powers of ten are exact, so that the result is the float nearest to the decimal number; 0 in place of -0.0.
    return np.asarray((digits / 10.0**decimals if decimals >= 0 else digits * 10.0**-decimals) + 0.0)


def not_derivable(atoms: Sequence[Atom], decimals: Mapping[str, int]) -> Equality | None:
    """Return an equality for which no variable can be computed from the others without more decimals, if there is one.

    Parameters
    ----------
    atoms
        What has to hold.
    decimals
        How many decimals each variable has; those left out are not rounded.
    """
    order = _order(atoms, decimals)
    names = list(dict.fromkeys(name for atom, _ in order for name in variables_in(atom.source)))
    rng = np.random.default_rng(0)
    values = {name: from_digits(rng.integers(1, 1000, _SAMPLES), decimals.get(name, 0)) for name in names}
    _compute(values, order, decimals)
    for atom in rounded_equalities(atoms, decimals):
        follows = (
            set(variables_in(atom.source)) <= set(names) and holds(atom.source, NumericRecords(values), None).all()
        )
        if not follows:
            return atom
    return None


def rounded_to_rules(values: Mapping[str, Doubles], atoms: Sequence[Atom], decimals: Mapping[str, int]) -> Values:
    """Return values with these decimals that keep the atoms to the last digit, where such values are found nearby.

    Parameters
    ----------
    values
        The variables, one value for every group or record; they keep the atoms up to rounding.
    atoms
        What has to hold.
    decimals
        How many decimals each variable has; those left out stay as they are.
    """
    search = _NearestDecimals(values, [atom for atom in atoms if _can_be_checked(atom, values)], decimals)
    return search.found()


def rounded_equalities(atoms: Sequence[Atom], decimals: Mapping[str, int]) -> list[Equality]:
    """Return the equalities among atoms that have a rounded variable."""
    return [
        atom
        for atom in atoms
        if (isinstance(atom, Product | Definition) or (isinstance(atom, Linear) and atom.relation == "=="))
        and not set(decimals).isdisjoint(atom.variables)
    ]


def _order(atoms: Sequence[Atom], decimals: Mapping[str, int]) -> list[Dependent]:
    """Choose which variable is computed from which equality, those first that have the fewest to choose from."""
    # A computed value may not be one of a list.
    listed = {atom.variable for atom in atoms if isinstance(atom, Single) and not isinstance(atom.source, IsInteger)}
    movable = set(decimals) - listed

    def allowed(one: Equality, name: str) -> bool:
        return name in movable and is_derivable(one, name, decimals)

    equalities = rounded_equalities(atoms, decimals)
    equalities.sort(key=lambda one: sum(allowed(one, name) for name in one.variables))
    return dependents(equalities, movable, alone_first=True, allowed=allowed)


def _compute(values: Values, order: Sequence[Dependent], decimals: Mapping[str, int]) -> None:
    """Compute every dependent variable in place."""
    for atom, name in order:
        values[name] = rounded(solved(atom, name, values), decimals[name])


def _can_be_checked(atom: Atom, values: Mapping[str, Doubles]) -> bool:
    parts = parts_of(atom.source)
    return set(variables_in(atom.source)) <= set(values) and not any(
        isinstance(part, InOriginal | XPathTest) for part in parts
    )


@dataclass
class _NearestDecimals:
    """A search for the nearest values with given decimals that keep all atoms."""

    values: Mapping[str, Doubles]
    atoms: Sequence[Atom]
    decimals: Mapping[str, int]

    def __post_init__(self) -> None:
        self._order = _order(self.atoms, self.decimals)
        computed = {name for _, name in self._order}
        self._free = [name for name in self.values if name in self.decimals and name not in computed]
        self._bounds = [atom for atom in self.atoms if isinstance(atom, Linear) and atom.relation != "=="]

    def found(self) -> Values:
        """Return the values; where none are found that keep all atoms, the nearest ones with these decimals."""
        nearest = {
            name: rounded(column, self.decimals[name]) if name in self.decimals else column
            for name, column in self.values.items()
        }
        _compute(nearest, self._order, self.decimals)
        known = ~np.isnan(list(self.values.values())).any(axis=0)
        for search in (self._moved_within_bounds, self._moved_by_few_digits):
            rows = np.flatnonzero(known & ~self._all_hold(nearest))
            if len(rows) == 0 or not self._free:
                break
            for name, column in search(_taken(nearest, rows), _taken(self.values, rows)).items():
                nearest[name] = nearest[name].copy()
                nearest[name][rows] = column
        return nearest

    def _all_hold(self, values: Values) -> Booleans:
        kept = np.ones(len(next(iter(values.values()))), dtype=bool)
        for atom in self.atoms:
            kept &= holds(atom.source, NumericRecords(values), None)
        return kept

    def _moved(self, values: Values, steps: Mapping[str, int]) -> Values:
        """Return values of which some are moved by last digits, and the dependent ones computed again."""
        moved = dict(values)
        for name, step in steps.items():
            decimals = self.decimals[name]
            moved[name] = from_digits(np.rint(in_digits(values[name], decimals)) + step, decimals)
        _compute(moved, self._order, self.decimals)
        return moved

    def _excess(self, values: Values) -> Doubles:
        """Return by how many last digits values are beyond the bounds, all bounds taken together."""
        total = np.zeros(len(next(iter(values.values()))))
        for bound in self._bounds:
            digit = min(abs(part) * 10.0 ** -self.decimals.get(one, 0) for one, part in bound.coefficients.items())
            sums = np.sum([part * values[one] for one, part in bound.coefficients.items()], axis=0) - bound.constant
            total += np.maximum(sums / digit + 0.5 * (bound.relation == "<"), 0.0)
        return np.asarray(np.round(total, 6))

    def _distance(self, values: Values, targets: Mapping[str, Doubles]) -> Doubles:
        moves = [in_digits(values[name] - targets[name], decimals) for name, decimals in self.decimals.items()]
        return np.asarray(np.sum(np.square(moves), axis=0))

    def _moved_within_bounds(self, values: Values, targets: Mapping[str, Doubles]) -> Values:
        """Move one last digit at a time, the one that helps most, as long as one does."""
        single = [{name: step} for name in self._free for step in (-1, 1)]
        active = np.arange(len(next(iter(values.values()))))
        values = {name: column.copy() for name, column in values.items()}
        for _ in range(_MOST_STEPS):
            here, there = _taken(values, active), _taken(targets, active)
            excess, best = self._excess(here), here
            distance = np.full(len(active), np.inf)
            improved = np.zeros(len(active), dtype=bool)
            for steps in single:
                moved = self._moved(here, steps)
                its_excess, its_distance = self._excess(moved), self._distance(moved, there)
                better = (its_excess < excess) | ((its_excess == excess) & improved & (its_distance < distance))
                best = {name: np.where(better, moved[name], column) for name, column in best.items()}
                excess, distance = np.where(better, its_excess, excess), np.where(better, its_distance, distance)
                improved |= better
            for name in values:
                values[name][active] = best[name]
            active = active[improved & ~self._all_hold(best)]
            if len(active) == 0:
                break
        return values

    def _moved_by_few_digits(self, values: Values, targets: Mapping[str, Doubles]) -> Values:
        """Move up to three last digits together, those first that move less."""
        active = np.arange(len(next(iter(values.values()))))
        values = {name: column.copy() for name, column in values.items()}
        for steps in islice(_few_steps(self._free), _MOST_MOVES):
            moved = self._moved(_taken(values, active), steps)
            keep = self._all_hold(moved)
            for name in values:
                values[name][active[keep]] = moved[name][keep]
            active = active[~keep]
            if len(active) == 0:
                break
        return values


def _taken(values: Mapping[str, Doubles], rows: NDArray[np.int64]) -> Values:
    return {name: column[rows] for name, column in values.items()}


def _few_steps(names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Return moves of one, two and three last digits."""
    for moved in chain.from_iterable(combinations_with_replacement(names, count) for count in (1, 2, 3)):
        distinct = list(dict.fromkeys(moved))
        for signs in product((-1, 1), repeat=len(distinct)):
            yield {name: sign * moved.count(name) for name, sign in zip(distinct, signs, strict=True)}
