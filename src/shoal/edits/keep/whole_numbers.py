"""Whole numbers that keep sums: the nearest points of the lattice on which all sums hold.

Where 2 * a == 3 * b holds between whole numbers, a is 3 t and b is 2 t for a whole number t. In general the whole
solutions of sums are one of them plus whole multiples of a few vectors, the basis. It is brought to a form in which
each vector first changes a variable that those before it left alone, so that variables are rounded one after another.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from shoal.edits.atoms import Atom, Linear

__all__ = ["Lattice", "lattice_of"]

Doubles = NDArray[np.float64]
Row = list[int]

_MOST_STEPS = 243  # neighbours of a point: all for up to five vectors, beyond that those along few of them
_LARGEST = 2**31  # factors beyond this leave what floats hold exactly


@dataclass(frozen=True, eq=False)
class Lattice:
    """The differences between whole numbers that keep the same sums.

    Attributes
    ----------
    names
        The variables.
    basis
        One row for every variable, one column for every vector; above the pivot of a column there are zeros.
    pivots
        The row of each column that decides how many times the vector is taken.
    """

    names: tuple[str, ...]
    basis: Doubles
    pivots: tuple[int, ...]

    def nearest(self, values: Mapping[str, Doubles], origin: Mapping[str, Doubles]) -> dict[str, Doubles]:
        """Return points of the lattice through `origin` near `values`, one for every group."""
        point = np.column_stack([origin[name] for name in self.names])
        wanted = np.column_stack([values[name] for name in self.names])
        for column, pivot in enumerate(self.pivots):
            vector = self.basis[:, column]
            if abs(vector[pivot]) == 1:  # halves go to even numbers, as everywhere
                times = (np.rint(wanted[:, pivot]) - point[:, pivot]) * vector[pivot]
            else:
                times = np.floor((wanted[:, pivot] - point[:, pivot]) / vector[pivot] + 0.5)
            point = point + times[:, None] * vector
        return {name: point[:, place].copy() for place, name in enumerate(self.names)}

    def steps(self) -> Doubles:
        """Return differences to the nearest other points, one a row, in the order of `names`."""
        count = self.basis.shape[1]
        if 3**count <= _MOST_STEPS:
            times = np.array([one for one in product((-1.0, 0.0, 1.0), repeat=count) if any(one)])
        else:
            single = np.eye(count)
            pairs = [one + sign * other for one in single for other in single for sign in (-1, 1)]
            times = np.array([*single, *-single, *pairs[:_MOST_STEPS]])
        times = times.reshape(-1, count)
        return np.array([(self.basis * one).sum(axis=1) for one in times]).reshape(len(times), len(self.names))


def lattice_of(atoms: Sequence[Atom], whole: Sequence[str], others: Collection[str]) -> Lattice | None:
    """Return the lattice on which the sums among atoms hold; None if its numbers are too large to compute with.

    Parameters
    ----------
    atoms
        What has to hold.
    whole
        The whole numbers that may change; those that are to be rounded first come first.
    others
        The other variables that may change. They follow, so that only what sums require of the whole numbers counts.
    """
    rows = [
        {name: Fraction(repr(factor)) for name, factor in atom.coefficients.items()}
        for atom in atoms
        if isinstance(atom, Linear) and atom.relation == "==" and set(atom.variables) <= {*whole, *others}
    ]
    for name in others:
        rows = _without(rows, name)
    matrix = [[row.get(name, Fraction(0)) for name in whole] for row in rows]
    kernel = _kernel([_as_integers(row) for row in matrix if any(row)], len(whole))
    basis, pivots = _echelon(kernel)
    if any(abs(number) > _LARGEST for vector in basis for number in vector):
        return None
    columns = np.array(basis, dtype=np.float64).reshape(len(basis), len(whole)).T
    return Lattice(tuple(whole), columns, tuple(pivots))


def _without(rows: list[dict[str, Fraction]], name: str) -> list[dict[str, Fraction]]:
    """Return what rows require of the other variables, whatever the value of one is."""
    pivot = next((row for row in rows if row.get(name)), None)
    if pivot is None:
        return rows
    remaining = []
    for row in rows:
        if row is pivot:
            continue
        share = row.get(name, Fraction(0)) / pivot[name]
        names = {*row, *pivot} - {name}
        remaining.append({one: row.get(one, Fraction(0)) - share * pivot.get(one, Fraction(0)) for one in names})
    return remaining


def _as_integers(row: Sequence[Fraction]) -> Row:
    shared = math.lcm(*(number.denominator for number in row))
    return [int(number * shared) for number in row]


def _kernel(rows: Sequence[Row], count: int) -> list[Row]:
    """Return whole vectors of which every whole vector that all rows give 0 is a whole combination."""
    vectors = [[int(place == other) for other in range(count)] for place in range(count)]
    for row in rows:
        values = [sum(factor * number for factor, number in zip(row, vector, strict=True)) for vector in vectors]
        vectors = _reduced(vectors, values)[1:] if any(values) else vectors
    return vectors


def _reduced(vectors: list[Row], values: list[int]) -> list[Row]:
    """Return combinations of vectors by Euclid's algorithm: the first alone has a value that is not 0."""
    order = list(range(len(vectors)))
    vectors, values = [list(vector) for vector in vectors], list(values)
    while sum(value != 0 for value in values) > 1:
        order.sort(key=lambda place: (values[place] == 0, abs(values[place])))
        smallest = order[0]
        for place in order[1:]:
            times = values[place] // values[smallest]
            values[place] -= times * values[smallest]
            vectors[place] = [one - times * by for one, by in zip(vectors[place], vectors[smallest], strict=True)]
    order.sort(key=lambda place: values[place] == 0)
    return [vectors[place] for place in order]


def _echelon(vectors: list[Row]) -> tuple[list[Row], list[int]]:
    """Return vectors that span the same lattice, each with zeros where those before it have their pivots."""
    basis: list[Row] = []
    pivots: list[int] = []
    for place in range(len(vectors[0]) if vectors else 0):
        values = [vector[place] for vector in vectors]
        if any(values):
            first, *vectors = _reduced(vectors, values)
            basis.append(first)
            pivots.append(place)
    return basis, pivots
