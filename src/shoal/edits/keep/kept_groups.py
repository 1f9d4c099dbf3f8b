"""The representatives of groups in which the same rules hold, moved to where all of them do.

Dependent variables are computed, whole numbers rounded, and points that break a rule moved to the nearest ones that
keep it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import log
from shoal.edits.atoms import Atom, Equality, Linear, Product, is_equality
from shoal.edits.checked_records import NumericRecords
from shoal.edits.evaluation import TOLERANCE, holds, term_values
from shoal.edits.expressions import InOriginal, TermComparison, VariableName, parts_of, variables_in
from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.cells import Cells
from shoal.edits.keep.joint_projection import System, project
from shoal.edits.keep.last_digit import dependents, to_last_digit
from shoal.errors import RuleError

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


_LAST_DIGITS = 8  # by which a value may be moved beyond a bound that was computed

_SHARES = (1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2)  # of the way from the average of a group to one of its records


class KeptGroups:
    """Keeps what holds in the groups of cells that are alike.

    Parameters
    ----------
    edits
        What the rules require of the block, and how they are kept.
    atoms
        What holds in these cells.
    spreads
        The standard deviation of every column: the unit in which distances are measured.
    repair
        Whether representatives are moved to where sums and bounds hold that the file breaks.
    """

    def __init__(self, edits: BlockEdits, atoms: Sequence[Atom], spreads: Mapping[str, float], repair: bool) -> None:
        self._edits, self._atoms, self._spreads, self._repair = edits, atoms, spreads, repair
        self._equalities = [atom for atom in atoms if isinstance(atom, Equality) and is_equality(atom)]
        self._movable = edits.movable
        order = dependents(self._equalities, self._movable, edits.counts)
        last = {name for _, name in order}
        tied = {name for atom in self._equalities for name in variables_in(atom.source)} | edits.counts
        self._free = [name for name in self._movable if name not in tied]
        self._not_computed = [name for name in self._movable if name not in last]
        whole = sorted(edits.whole, key=lambda name: (name in last, edits.columns.index(name)))
        others = [name for name in self._movable if name not in edits.whole]
        self._lattice = lattice_of(atoms, whole, others) if whole and not repair else None

    def nearest(
        self, values: Mapping[str, Doubles], fixed: Mapping[str, Doubles], records: Mapping[str, Doubles]
    ) -> dict[str, Doubles]:
        """Return the representatives nearest to `values` that keep the rules, where such are found; one a group.

        Parameters
        ----------
        values
            The representatives of the variables that may change.
        fixed
            Those of the variables that may not.
        records
            One record of every group, which keeps the rules.
        """
        values = dict(values)
        active = self._within({**values, **fixed})
        linear = [atom for atom in self._within(values) if isinstance(atom, Linear | Product)]
        if self._repair:
            values = _projected(values, values, [atom for atom in linear if isinstance(atom, Linear)], self._spreads)
        if self._lattice is not None:
            values |= self._lattice.nearest(values, records)
        else:
            values |= {name: _bounded(np.rint(values[name]), name, active) for name in self._edits.whole}
        if not active:
            kept = {name: column.copy() for name, column in {**values, **fixed}.items()}
            self._push(kept, self._free)
            return kept
        whole = self._edits.counts
        kept = to_last_digit({**values, **fixed}, active, self._movable, whole=whole)
        if self._edits.joint:
            kept |= _projected(values, {name: kept[name] for name in values}, linear, self._spreads)
        wrong = ~_all_hold(active, kept)
        if (
            wrong.any()
            and linear
            and not self._edits.whole.intersection(name for one in active for name in one.variables)
        ):
            some = {name: column[wrong] for name, column in values.items()}
            start = {name: kept[name][wrong] for name in values}
            for name, column in _projected(some, start, linear, self._spreads).items():
                kept[name][wrong] = column
        if not _all_hold(active, kept, tolerance=0.0).all():
            # All rules hold up to rounding: only last digits move, so that any variable may be the dependent one.
            order = dependents(active, self._movable, whole, alone_first=True)
            kept = to_last_digit(kept, active, self._movable, order, whole=whole)
        self._push(kept, self._free)
        return kept

    def _push(self, values: dict[str, Doubles], free: Collection[str]) -> None:
        """Move variables that are free to move to where inequalities hold, in place."""
        for atom in self._checkable(values):
            wrong = ~self._holds(atom, values)
            named = [name for name in free if name in atom.variables] if wrong.any() else []
            bounds = [(name, _bound_of(atom, name, values)) for name in named]
            for name, bound in [(name, bound) for name, bound in bounds if bound is not None][:1]:
                moved, direction = bound
                is_whole = name in self._edits.whole
                moved = np.rint(moved) if is_whole else moved
                for _ in range(_LAST_DIGITS):
                    values[name][wrong] = moved[wrong]
                    wrong &= ~self._holds(atom, values)
                    moved = moved + direction if is_whole else np.nextafter(moved, direction * np.inf)

    def nearest_towards(
        self,
        values: Mapping[str, float],
        fixed: Mapping[str, float],
        records: Mapping[str, Doubles],
        reach: Doubles | None = None,
    ) -> dict[str, float] | None:
        """Return the nearest values of one group that keep the rules, None if there are none.

        Variables that are not computed are moved: first by what an inequality lacks, then whole numbers by a step, then
        all of them on the way to one of the records, but not beyond its half.

        Parameters
        ----------
        values
            The representative of every variable.
        fixed
            Those that may not change.
        records
            The records of the group.
        reach
            How much of the way to each of them values may be moved at most; by default half.
        """
        here = {name: np.array([values[name]]) for name in self._movable}
        within = [slice(None) if reach is None else reach >= share for share in _SHARES]
        towards = [
            {name: column + share * (records[name][near] - column) for name, column in here.items()}
            for share, near in zip(_SHARES, within, strict=True)
        ]
        pushed = {name: column.copy() for name, column in here.items()}
        beside = {name: np.array([value]) for name, value in fixed.items()}
        self._push(pushed | beside, self._not_computed)
        for tried in ([pushed], self._neighbours(here), towards):
            start = {name: np.concatenate([one[name] for one in tried]) for name in here} if tried else {}
            count = len(next(iter(start.values()), []))
            if count == 0:
                continue
            beside = {name: np.full(count, value) for name, value in fixed.items()}
            found = self.nearest(start, beside, {name: np.full(count, column[0]) for name, column in records.items()})
            holding = np.flatnonzero(self.hold(found))
            if len(holding):
                moves = [(found[name] - here[name]) / (self._spreads[name] or 1.0) for name in self._movable]
                best = int(holding[np.nan_to_num(np.sum(np.square(moves), axis=0), nan=np.inf)[holding].argmin()])
                return {name: float(found[name][best]) for name in self._movable}
        return None

    def _neighbours(self, here: Mapping[str, Doubles]) -> list[dict[str, Doubles]]:
        """Return the whole numbers nearest to those of a point, with its other values."""
        if self._lattice is None:
            return []
        steps = self._lattice.steps()
        near = {name: np.repeat(column, len(steps)) for name, column in here.items()}
        return [near | {name: near[name] + steps[:, place] for place, name in enumerate(self._lattice.names)}]

    def hold(self, values: Mapping[str, Doubles]) -> NDArray[np.bool_]:
        """Return which groups keep everything: equalities up to rounding, all else without tolerance."""
        kept = np.ones(len(next(iter(values.values()), [])), dtype=bool)
        for atom in self._checkable(values):
            kept &= self._holds(atom, values)
        return kept

    def refuse(self, values: Mapping[str, Doubles]) -> NoReturn:
        """Raise RuleError for groups that have no values that keep everything."""
        broken = next(atom for atom in self._checkable(values) if not self._holds(atom, values).all())
        demanded = [
            (demand.rule, atom) for demand in self._edits.demands for one in demand.alternatives for atom in one
        ]
        rule = next(rule for rule, atom in demanded if atom is broken)
        count = len(next(iter(values.values())))
        raise RuleError(
            f'In {count} group{"s" * (count > 1)} no values near the averages keep the rule "{rule.shown}" together '
            f"with the others. Leave one out, choose another k, or {self._edits.way_out}.",
            rule=rule.text,
        )

    def _holds(self, atom: Atom, values: Mapping[str, Doubles]) -> NDArray[np.bool_]:
        return holds(atom.source, NumericRecords(values), TOLERANCE if is_equality(atom) else 0.0)

    def _within(self, values: Mapping[str, Doubles]) -> list[Equality]:
        """Return the sums, bounds, products and definitions of which all variables are known."""
        return [
            atom for atom in self._atoms if isinstance(atom, Equality) and set(variables_in(atom.source)) <= set(values)
        ]

    def _checkable(self, values: Mapping[str, Doubles]) -> list[Atom]:
        return [
            atom
            for atom in self._atoms
            if set(variables_in(atom.source)) <= set(values)
            and not any(isinstance(part, InOriginal) for part in parts_of(atom.source))
        ]


def _bound_of(atom: Atom, name: str, values: Mapping[str, Doubles]) -> tuple[Doubles, float] | None:
    """Return the value of a variable at which an inequality begins to hold, and 1 if it does above it, -1 if below.

    None if it is no inequality that can be solved for the variable: a sum, or one with the variable alone on one side.
    """
    source = atom.source
    if not isinstance(source, TermComparison) or source.relation in ("==", "!="):
        return None
    downwards = source.relation in ("<", "<=")
    for alone, other, direction in ((source.left, source.right, -1), (source.right, source.left, 1)):
        if alone == VariableName(name) and name not in variables_in(other):
            return term_values(other, NumericRecords(values))[0], float(direction if downwards else -direction)
    if not isinstance(atom, Linear):
        return None
    factor = atom.coefficients[name]
    excess = np.sum([part * values[one] for one, part in atom.coefficients.items()], axis=0) - atom.constant
    return values[name] - excess / factor, -float(np.sign(factor))


def _bounded(numbers: Doubles, name: str, atoms: Sequence[Equality]) -> Doubles:
    """Return whole numbers moved within the bounds that rules put on their variable alone."""
    for atom in atoms:
        if isinstance(atom, Linear) and atom.relation != "==" and set(atom.variables) == {name}:
            bound = atom.constant / atom.coefficients[name]
            strict = float(atom.relation == "<" and bound.is_integer())
            if atom.coefficients[name] > 0:
                numbers = np.minimum(numbers, np.floor(bound) - strict)
            else:
                numbers = np.maximum(numbers, np.ceil(bound) + strict)
    return numbers


def _all_hold(
    atoms: Sequence[Equality], values: Mapping[str, Doubles], tolerance: float = TOLERANCE
) -> NDArray[np.bool_]:
    return np.asarray(np.logical_and.reduce([holds(atom.source, NumericRecords(values), tolerance) for atom in atoms]))


def _projected(
    values: Mapping[str, Doubles],
    start: Mapping[str, Doubles],
    atoms: Sequence[Linear | Product],
    spreads: Mapping[str, float],
) -> dict[str, Doubles]:
    """Return the nearest values that keep all atoms, as found from `start`; where there are none, those of `start`."""
    names = [name for name in values if any(name in atom.variables for atom in atoms)]
    if not names:
        return dict(start)
    sums = [atom for atom in atoms if isinstance(atom, Linear) and atom.relation == "=="]
    bounds = [atom for atom in atoms if isinstance(atom, Linear) and atom.relation != "=="]
    products = [atom for atom in atoms if isinstance(atom, Product)]

    def matrix(rows: Sequence[Mapping[str, float]]) -> Doubles:
        return np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(len(rows), len(names))

    system = System(
        A=matrix([atom.coefficients for atom in sums]),
        b=np.array([atom.constant for atom in sums]),
        G=matrix([atom.coefficients for atom in bounds]),
        h=np.array([atom.constant for atom in bounds]),
        exponents=matrix([atom.exponents for atom in products]),
        logs=np.array([-float(log(abs(atom.factor))) for atom in products]),
    )
    points, starts = (np.column_stack([one[name] for name in names]) for one in (values, start))
    starts = np.where(np.isfinite(starts), starts, points)
    scale = np.array([spreads[name] or 1.0 for name in names])
    projected, reached = project(points, starts, scale, system)
    projected = np.where(reached[:, None], projected, starts)
    return {**start, **{name: projected[:, place].copy() for place, name in enumerate(names)}}


def kept_representatives(
    edits: BlockEdits,
    cells: Cells,
    computed: Mapping[str, Doubles],
    labels: NDArray[np.int64],
    originals: Mapping[str, Doubles],
    *,
    selected: Mapping[str, Doubles] | None = None,
    repair: bool = False,
    reach: Doubles | None = None,
) -> dict[str, Doubles]:
    """Return the computed columns of a block with every rule kept in every group.

    Parameters
    ----------
    edits
        What the rules require of the block, and how they are kept.
    cells
        The cell of every record, and what holds in each cell.
    computed
        The columns whose representatives are computed, each group's representative in all its records.
    labels
        The group of every record, 0 to g-1.
    originals
        The columns of numbers in the original file.
    selected
        The columns of numbers whose representatives are values that occur, likewise. They stay as they are.
    repair
        Whether representatives are moved to where sums and bounds hold that the file breaks.
    reach
        For every record, how much of the way to it a representative may be moved at most; by default half.

    Raises
    ------
    RuleError
        Some groups have no values near their averages that keep all rules.
    """
    first = np.unique(labels, return_index=True)[1]
    sorted_rows = np.argsort(labels, kind="stable")
    members = np.split(sorted_rows, np.flatnonzero(np.diff(labels[sorted_rows])) + 1)
    spreads = {name: float(np.std(originals[name], ddof=1)) for name in edits.movable}
    representatives = {name: computed[name][first] for name in edits.movable}
    fixed = {name: column[first] for name, column in (selected or {}).items()}
    for alike in cells.alike():
        groups = np.flatnonzero(np.isin(cells.codes[first], alike))
        kept = KeptGroups(edits, cells.atoms[alike[0]], spreads, repair)
        values = {name: column[groups] for name, column in representatives.items()}
        beside = {name: column[groups] for name, column in fixed.items()}
        found = kept_in_groups(kept, values, beside, [members[group] for group in groups], originals, reach)
        for name in representatives:
            representatives[name][groups] = found[name]
    return {
        name: representatives[name][labels] if name in representatives else column for name, column in computed.items()
    }


def kept_in_groups(
    kept: KeptGroups,
    values: Mapping[str, Doubles],
    fixed: Mapping[str, Doubles],
    members: Sequence[NDArray[np.int64]],
    originals: Mapping[str, Doubles],
    reach: Doubles | None = None,
) -> dict[str, Doubles]:
    """Return the representatives of groups in which the same rules hold, moved to where they do.

    Parameters
    ----------
    kept
        What holds in the groups.
    values, fixed
        The representatives, those that may be moved and those that may not; one a group.
    members
        The records of every group, which keep the rules.
    originals
        The columns of numbers in the original file.
    reach
        As in `kept_representatives`.
    """
    first = np.array([rows[0] for rows in members], dtype=np.int64)
    found = kept.nearest(values, fixed, {name: column[first] for name, column in originals.items()})
    wrong = np.flatnonzero(~kept.hold(found))
    _move_to_rules(kept, found, fixed, wrong, [members[group] for group in wrong.tolist()], originals, reach)
    return found


def _move_to_rules(
    kept: KeptGroups,
    found: dict[str, Doubles],
    fixed: Mapping[str, Doubles],
    wrong: NDArray[np.int64],
    members: list[NDArray[np.int64]],
    originals: Mapping[str, Doubles],
    reach: Doubles | None,
) -> None:
    """Replace the values of groups that break a rule by the nearest that keep all, in place; refuse if none do."""
    left = []
    for place, rows in zip(wrong.tolist(), members, strict=True):
        values = {name: float(column[place]) for name, column in found.items()}
        beside = {name: float(column[place]) for name, column in fixed.items()}
        records = {name: column[rows] for name, column in originals.items()}
        nearby = kept.nearest_towards(values, beside, records, None if reach is None else reach[rows])
        if nearby is None:
            left.append(place)
            continue
        for name, value in nearby.items():
            found[name][place] = value
    if left:
        kept.refuse({name: column[left] for name, column in found.items()})
