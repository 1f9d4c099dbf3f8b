"""Rules kept record by record, in values that were drawn for each record.

The values of a record that breaks a rule are moved to the nearest ones that keep all of them. A condition with
rewritten variables in it is kept in one of the ways in which the original record keeps it, so that there always are
such values: the original ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.edits.atoms import Linear
from shoal.edits.checked_records import CheckedRecords, NumericRecords
from shoal.edits.evaluation import TOLERANCE, holds, term_values
from shoal.edits.expressions import Among, NumberLiteral, variables_in
from shoal.edits.keep.block_edits import Demand
from shoal.edits.keep.last_digit import to_last_digit
from shoal.edits.keep.matrix_stacks import pseudo_inverses
from shoal.edits.keep.records.record_definitions import RecordDefinition
from shoal.edits.keep.records.record_edits import RecordEdits
from shoal.edits.keep.records.record_sums import RecordSums
from shoal.edits.keep.rounding import rounded_to_rules
from shoal.edits.rules import Rule
from shoal.errors import RuleError

__all__ = ["RecordRules", "RuledValues"]

Doubles = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RuledValues:
    """Values that were moved to where the rules hold.

    Attributes
    ----------
    values
        The values.
    unrounded
        The same before they were rounded to whole numbers, decimals or listed values.
    hold
        In which records all rules hold.
    """

    values: Doubles
    unrounded: Doubles
    hold: Booleans


class RecordRules:
    """The rules of one block, as they are in every record once the values that stay are put in.

    Parameters
    ----------
    edits
        What the rules require.
    records
        The original records.
    decimals
        How many decimals each variable has that is rounded, by the user or because it is whole.
    strictly
        The variables that the user gave decimals: their rules hold in decimal arithmetic.
    """

    def __init__(
        self, edits: RecordEdits, records: CheckedRecords, decimals: Mapping[str, int], strictly: Sequence[str] = ()
    ) -> None:
        self.edits, self.columns = edits, edits.columns
        self.listed = {name: _listed_values(edits, name, records) for name in edits.listed}
        self.decimals = {name: decimals[name] for name in self.columns if name in decimals and name not in self.listed}
        linear = {
            id(atom): (atom, not set(strictly).isdisjoint(demand.rule.variables))
            for demand in edits.demands
            for alternative in demand.alternatives
            for atom in alternative
            if isinstance(atom, Linear) and not set(self.columns).isdisjoint(atom.variables)
        }
        self._place = {one: place for place, one in enumerate(linear)}
        self._in_decimals = [in_decimals for _, in_decimals in linear.values()]
        self._sums = RecordSums([atom for atom, _ in linear.values()], self.columns, records)
        self.original, self.scale = self._sums.original, self._sums.scale
        used = [*(atom.variables for atom in self._sums.atoms), *(variables_in(one.term) for one in edits.computed)]
        staying = dict.fromkeys(name for names in used for name in names if name not in self.columns)
        self._staying = {name: records.numbers(name) for name in staying}
        self._open, self._satisfied = self._ways(records)

    @property
    def discrete(self) -> list[str]:
        """The variables that are rounded, or have one of several values."""
        return [*self.decimals, *self.listed]

    def violations(self, values: Doubles, rows: Places | None = None) -> Doubles:
        """Return how far each record is from the rules, in standard deviations, all rules together; 0 if they hold."""
        rows = np.arange(len(values)) if rows is None else rows
        apart = self._sums.apart(values, rows)
        total = np.zeros(len(values))
        for place in range(len(self.edits.demands)):
            least = self._costs(apart, place, self._open[place][rows]).min(axis=1)
            total += np.where(self._applies[rows, place], least, 0.0)
        return total

    def determined(self) -> tuple[str, Rule] | None:
        """Return a variable that sums give from what stays, in every record, and the rule; None if there is none."""
        changing = set(self.columns) - {one.name for one in self.edits.computed}
        for one in self.edits.computed:
            if changing.isdisjoint(variables_in(one.term)):
                return one.name, one.rule
            changing.add(one.name)
        if not self._sums.is_equality.any():
            return None
        chosen = self._chosen(self.original, np.arange(len(self.original)), originals=True)
        fixed = np.ones(len(self.columns), dtype=bool)
        for pattern in np.unique(chosen, axis=0):
            own = [place for place in self._in_pattern(pattern) if self._sums.is_equality[place]]
            _, free = pseudo_inverses(self._sums.rows[None, own] * self.scale)
            fixed &= (free[0] == 0).all(axis=1)
        for name in np.array(self.columns)[fixed].tolist():
            return name, next(rule for rule, atom in self.edits.linear(equalities=True) if name in atom.variables)
        return None

    def tight(self) -> Places:
        """Return how many sums (twice) and bounds leave no room at the original values, in every record."""
        apart = np.abs(self._sums.excess(self.original, np.arange(len(self.original))))
        tight = apart <= TOLERANCE * self._sums.sizes
        used = np.zeros_like(tight)
        for place, demand in enumerate(self.edits.demands):
            for way, own in enumerate(self._places(demand)):
                used[:, own] |= self._satisfied[place][:, [way]]
        return np.asarray(((tight & used) * np.where(self._sums.is_equality, 2, 1)).sum(axis=1), dtype=np.int64)

    def tight_rules(self, row: int) -> list[Rule]:
        """Return the rules that leave a record no room, in the order they were given."""
        apart = np.abs(self._sums.excess(self.original[[row]], np.array([row])))[0]
        tight = {
            id(atom)
            for atom, near in zip(self._sums.atoms, apart <= TOLERANCE * self._sums.sizes[row], strict=True)
            if near
        }
        return [
            demand.rule
            for demand in self.edits.demands
            if any(id(atom) in tight for alternative in demand.alternatives for atom in alternative)
        ]

    def unsatisfied(self) -> tuple[Rule, int] | None:
        """Return a rule that records satisfy only in a way that cannot be kept, and how many; None if there is none."""
        for place, demand in enumerate(self.edits.demands):
            none = ~self._satisfied[place].any(axis=1) & self._applies[:, place]
            if none.any():
                return demand.rule, int(none.sum())
        return None

    def kept(self, targets: Doubles, rows: Places, *, originals: bool = False) -> RuledValues:
        """Return the nearest values that keep all rules.

        Parameters
        ----------
        targets
            m x d: what the values should be near to.
        rows
            m: which records they are for.
        originals
            Whether a condition is kept only in a way in which the original record keeps it; by default also in one that
            the targets keep.
        """
        chosen = self._chosen(targets, rows, originals=originals)
        applies = np.zeros((len(rows), len(self._sums.atoms)), dtype=bool)
        patterns, of_row = np.unique(chosen, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            applies[np.ix_(of_row.reshape(-1) == number, self._in_pattern(pattern))] = True
        unrounded = self._sums.nearest(targets, rows, applies, self.columns)
        values = unrounded.copy()
        for number, pattern in enumerate(patterns):
            part = np.flatnonzero((of_row.reshape(-1) == number) & np.isfinite(values).all(axis=1))
            if len(part):
                values[part] = self._exact(values[part], rows[part], self._in_pattern(pattern), applies[part])
        for one in self.edits.computed:
            self._compute(one, values, rows)
        return RuledValues(values, unrounded, self._hold(values, rows, applies))

    def _named(self, values: Doubles, rows: Places) -> dict[str, Doubles]:
        """Return the values of records by variable, with those that stay."""
        columns = {name: values[:, place].copy() for place, name in enumerate(self.columns)}
        return columns | {name: column[rows] for name, column in self._staying.items()}

    def _compute(self, one: RecordDefinition, values: Doubles, rows: Places) -> None:
        """Compute a variable in place, where nothing that it is computed from is missing."""
        columns = self._named(values, rows)
        computed = term_values(one.term, NumericRecords(columns))[0]
        known = ~np.isnan([columns[name] for name in variables_in(one.term)]).any(axis=0)
        place = self.columns.index(one.name)
        values[:, place] = np.where(known, computed, values[:, place]) + 0.0

    def _ways(self, records: CheckedRecords) -> tuple[list[Booleans], list[Booleans]]:
        """Return which alternatives each demand leaves open once what stays is known, and which the originals keep."""
        open_ways, satisfied = [], []
        self._applies = np.ones((len(records), len(self.edits.demands)), dtype=bool)
        for place, demand in enumerate(self.edits.demands):
            for name in demand.rule.variables:
                self._applies[:, place] &= ~records.missing(name)
            possible, true = np.ones((2, len(records), len(demand.alternatives)), dtype=bool)
            for way, alternative in enumerate(demand.alternatives):
                for atom in alternative:
                    held = holds(atom.source, records)
                    true[:, way] &= held
                    if set(self.columns).isdisjoint(atom.variables):
                        possible[:, way] &= held
            open_ways.append(possible)
            satisfied.append(true)
        return open_ways, satisfied

    def _places(self, demand: Demand) -> list[list[int]]:
        return [
            [self._place[id(atom)] for atom in alternative if id(atom) in self._place]
            for alternative in demand.alternatives
        ]

    def _costs(self, apart: Doubles, demand: int, allowed: Booleans) -> Doubles:
        """Return how far each record is from each alternative of a demand; infinite where it is not allowed."""
        places = self._places(self.edits.demands[demand])
        costs = np.column_stack([apart[:, own].sum(axis=1) for own in places])
        return np.where(allowed, costs, np.inf)

    def _chosen(self, values: Doubles, rows: Places, *, originals: bool) -> Places:
        """Return the alternative of every demand that each record keeps; -1 where it has a missing value."""
        apart = self._sums.apart(values, rows)
        stays = np.full(len(rows), not originals) & (self.violations(values, rows) == 0)
        chosen = np.full((len(rows), len(self.edits.demands)), -1, dtype=np.int64)
        for place in range(len(self.edits.demands)):
            allowed = np.where(stays[:, None], self._open[place][rows], self._satisfied[place][rows])
            costs = self._costs(apart, place, allowed)
            chosen[:, place] = np.where(self._applies[rows, place], costs.argmin(axis=1), -1)
        return chosen

    def _in_pattern(self, pattern: Places) -> list[int]:
        """Return the sums and bounds that have to hold where these alternatives are chosen."""
        ways = [self._places(demand)[way] for demand, way in zip(self.edits.demands, pattern, strict=True) if way >= 0]
        return sorted({place for own in ways for place in own})

    def _exact(self, values: Doubles, rows: Places, own: Sequence[int], applies: Booleans) -> Doubles:
        """Return values that are rounded where they have to be, and keep sums and bounds to the last digit."""
        atoms = [self._sums.atoms[place] for place in own]
        needed = {*self.columns, *(name for atom in atoms for name in atom.variables)}
        columns = {name: column for name, column in self._named(values, rows).items() if name in needed}
        for name, known in self.listed.items():
            columns[name] = self._nearest_listed(name, known, columns[name], rows, own)
        if self.decimals:
            bound = [atom for atom in atoms if self._is_for_rounding(atom)]
            columns |= rounded_to_rules(columns, bound, self.decimals)
        free = [name for name in self.columns if name not in self.discrete]
        values = np.column_stack([columns[name] for name in self.columns])
        if free and self.discrete and atoms:
            beside = self._sums.nearest(values, rows, applies, free)
            columns |= self._named(np.where(np.isfinite(beside), beside, values), rows)
        if free and atoms:
            columns = to_last_digit(columns, atoms, free)
        return np.column_stack([columns[name] for name in self.columns]) + 0.0

    def _is_for_rounding(self, atom: Linear) -> bool:
        """Whether all rewritten variables of a sum or bound are rounded or listed, and one of them is rounded."""
        names = set(self.columns).intersection(atom.variables)
        return names <= set(self.discrete) and not names.isdisjoint(self.decimals)

    def _nearest_listed(self, name: str, known: Doubles, values: Doubles, rows: Places, own: Sequence[int]) -> Doubles:
        """Return for every record the nearest of the known values of a variable within its bounds."""
        column = self.columns.index(name)
        low, high = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
        for place in own:
            factor = self._sums.rows[place, column]
            if factor and (self._sums.rows[place] != 0).sum() == 1:
                bound = self._sums.right[rows, place] / factor
                if factor < 0 or self._sums.is_equality[place]:
                    low = np.maximum(low, bound)
                if factor > 0 or self._sums.is_equality[place]:
                    high = np.minimum(high, bound)
        first, last = np.searchsorted(known, low, "left"), np.searchsorted(known, high, "right") - 1
        above = np.clip(np.searchsorted(known, values), 1, max(1, len(known) - 1))
        below = above - 1
        above = np.minimum(above, len(known) - 1)
        near = np.where(values - known[below] <= known[above] - values, below, above)
        return np.asarray(known[np.clip(np.clip(near, first, last), 0, len(known) - 1)])

    def _hold(self, values: Doubles, rows: Places, applies: Booleans) -> Booleans:
        """Return in which records all sums and bounds that apply hold, bounds without tolerance."""
        hold: Booleans = np.asarray(np.isfinite(values).all(axis=1))
        columns = self._named(values, rows)
        for name, known in self.listed.items():
            hold &= np.isin(columns[name], known)
        for place, atom in enumerate(self._sums.atoms):
            part = np.flatnonzero(applies[:, place] & hold)
            some = NumericRecords({name: columns[name][part] for name in atom.variables})
            tolerances = [TOLERANCE] if self._sums.is_equality[place] else [TOLERANCE, 0.0]
            for tolerance in [None] if self._in_decimals[place] else tolerances:
                hold[part] &= holds(atom.source, some, tolerance)
        return hold


def _listed_values(edits: RecordEdits, name: str, records: CheckedRecords) -> Doubles:
    """Return the values that a variable may have, ascending."""
    allowed: Doubles | None = None
    for test in edits.listed[name]:
        if isinstance(test.source, Among):
            own = np.array([one.value for one in test.source.values if isinstance(one, NumberLiteral)])
        else:
            own = np.unique(records.numbers(name))
        allowed = np.unique(own) if allowed is None else np.intersect1d(allowed, own)
    assert allowed is not None
    if name in edits.whole:
        allowed = allowed[np.rint(allowed) == allowed]
    if not len(allowed):
        raise RuleError(f'No number is in all lists of values of "{name}". Leave a rule out.')
    return allowed
