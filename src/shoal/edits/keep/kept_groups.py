"""The representatives of groups in which the same rules hold, moved to where all of them do.

Dependent variables are computed, whole numbers rounded, and points that break a rule moved to the nearest ones that
keep it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import log
from shoal.edits.atoms import Atom, Equality, Linear, Product, is_equality
from shoal.edits.checked_records import NumericRecords
from shoal.edits.evaluation import TOLERANCE, holds, term_values
from shoal.edits.expressions import InOriginal, TermComparison, VariableName, parts_of, variables_in
from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.joint_projection import System, project
from shoal.edits.keep.last_digit import dependents, to_last_digit
from shoal.edits.keep.whole_numbers import lattice_of
from shoal.errors import RuleError

__all__ = ["KeptGroups"]

Doubles = NDArray[np.float64]

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
        self, values: Mapping[str, float], fixed: Mapping[str, float], records: Mapping[str, Doubles]
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
        """
        here = {name: np.array([values[name]]) for name in self._movable}
        towards = [
            {name: column + share * (records[name] - column) for name, column in here.items()} for share in _SHARES
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
