"""Rules kept record by record, in values that were drawn for each record.

The values of a record that breaks a rule are moved to the nearest ones that keep all of them. A condition with
rewritten variables in it is kept in one of the ways in which the original record keeps it, so that there always are
such values: the original ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products
from shoal.edits.atoms import Atom, Linear, Requirement, Single, requirements
from shoal.edits.checked_records import CheckedRecords, NumericRecords
from shoal.edits.evaluation import TOLERANCE, holds, term_values
from shoal.edits.expressions import (
    Among,
    InOriginal,
    IsInteger,
    NumberLiteral,
    Term,
    TermComparison,
    TextLiteral,
    VariableName,
    parts_of,
    variables_in,
)
from shoal.edits.keep.block_edits import Demand
from shoal.edits.keep.last_digit import to_last_digit
from shoal.edits.keep.least_changes import least_changes, matrix_products, pseudo_inverses
from shoal.edits.keep.rounding import rounded_to_rules
from shoal.edits.rules import Rule
from shoal.errors import RuleError


@dataclass(frozen=True)
class RecordEdits:
    """What the rules require of the rewritten variables of one block.

    Attributes
    ----------
    columns
        The numbers that are rewritten.
    demands
        What has to hold, each with the alternatives that can be kept.
    whole
        Variables of which a rule says that they are whole numbers.
    listed
        Tests of variables that have one of several values, by variable.
    computed
        Variables that are computed from others, in this order.
    """

    columns: tuple[str, ...]
    demands: tuple[Demand, ...]
    whole: frozenset[str]
    listed: Mapping[str, tuple[Single, ...]]
    computed: tuple[RecordDefinition, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that have to be kept; what the others require has no rewritten variable in it."""
        return tuple(dict.fromkeys([*(one.rule for one in self.demands), *(one.rule for one in self.computed)]))

    def linear(self, *, equalities: bool) -> list[tuple[Rule, Linear]]:
        """Return the sums, or the bounds, that have a rewritten variable, in the order of the rules."""
        return [
            (demand.rule, atom)
            for demand in self.demands
            for alternative in demand.alternatives
            for atom in alternative
            if isinstance(atom, Linear)
            and (atom.relation == "==") == equalities
            and not set(self.columns).isdisjoint(atom.variables)
        ]


def edits_of_records(
    rewritten: Sequence[str],
    rules: Iterable[Rule],
    kinds: Mapping[str, str],
    texts: Collection[str],
    whole: Collection[str],
    elsewhere: Collection[str] = (),
    orders: Mapping[str, Sequence[str]] | None = None,
) -> RecordEdits:
    """Say what the rules require of variables that are rewritten together.

    Parameters
    ----------
    rewritten
        The variables that get new values. Of categories among them rules are kept that name nothing else.
    rules
        All rules; those without such a variable are skipped, because nothing of them changes.
    kinds
        The kind of every protected variable.
    texts
        The columns that hold texts.
    whole
        The rewritten variables that have whole numbers in all records.
    elsewhere
        Variables that are rewritten in another block.
    orders
        The categories of the columns that have ordered ones, in their order.

    Raises
    ------
    RuleError
        A rule cannot be kept; the message names it and says what to do.
    """
    required = [
        (rule, one)
        for rule in rules
        for one in requirements(rule.expression, texts, orders or {})
        if not set(rewritten).isdisjoint(one.variables)
    ]
    for rule, one in required:
        apart = [name for name in one.variables if name in elsewhere]
        if apart:
            raise RuleError(
                f'The rule "{rule.shown}" joins "{apart[0]}" to another block. Put its variables into one block, '
                "or leave blocks out.",
                rule=rule.text,
            )
    kept = [_kept(one, rewritten, kinds, whole) for _, one in required]
    numbers = [name for name in rewritten if kinds[name] == "continuous"]
    needed = [place for place, ways in enumerate(kept) if not ways]
    computed = definitions_of_records(required, needed, numbers, texts)
    if isinstance(computed, int):
        raise _not_kept(required, needed, computed)
    demands = [Demand(rule, kept[place]) for place, (rule, _) in enumerate(required) if place not in computed]
    singles = [
        atom
        for demand in demands
        for alternative in demand.alternatives
        for atom in alternative
        if isinstance(atom, Single) and atom.variable in numbers
    ]
    listed: dict[str, tuple[Single, ...]] = {}
    for atom in singles:
        if not isinstance(atom.source, IsInteger):
            listed[atom.variable] = (*listed.get(atom.variable, ()), atom)
    integers = frozenset(atom.variable for atom in singles if isinstance(atom.source, IsInteger))
    edits = RecordEdits(tuple(numbers), tuple(demands), integers, listed, tuple(computed.values()))
    _refuse_two_lists(edits)
    return edits


def _kept(
    one: Requirement, rewritten: Sequence[str], kinds: Mapping[str, str], whole: Collection[str]
) -> tuple[tuple[Atom, ...], ...]:
    """Return the alternatives of a requirement that can be kept."""
    is_alone = len(one.alternatives) == 1 and len(one.alternatives[0]) == 1

    def is_kept(atom: Atom) -> bool:
        changing = [name for name in atom.variables if name in rewritten]
        if not changing:
            return True
        if any(kinds[name] != "continuous" for name in changing):
            return is_alone and isinstance(atom, Single)  # new categories are some that occur
        if isinstance(atom, Single):
            if isinstance(atom.source, IsInteger):
                return atom.variable in whole
            return is_alone and isinstance(atom.source, Among | InOriginal)
        return isinstance(atom, Linear)

    return tuple(alternative for alternative in one.alternatives if all(map(is_kept, alternative)))


def _not_kept(required: Sequence[tuple[Rule, Requirement]], needed: Sequence[int], place: int) -> RuleError:
    """Return the error for a rule that cannot be kept, by itself or beside one that defines a variable."""
    rule = required[place][0]
    others = [required[other][0] for other in needed if other != place and place not in needed]
    beside = f' beside "{others[0].shown}"' if others else ""
    return RuleError(
        f'Synthetic values keep sums, bounds, lists of values and definitions; they cannot keep the rule "{rule.shown}"'
        f"{beside}. Leave it out, or leave its variables out of confidential.",
        rule=rule.text,
    )


def _refuse_two_lists(edits: RecordEdits) -> None:
    """Raise RuleError if a rule ties variables all of which have one of several values."""
    for equalities in (True, False):
        for rule, atom in edits.linear(equalities=equalities):
            own = [name for name in atom.variables if name in edits.columns]
            if len(own) > 1 and set(own) <= set(edits.listed):
                raise RuleError(
                    f'The rule "{rule.shown}" ties "{own[0]}" and "{own[1]}", both of which have listed values: '
                    "synthetic values cannot keep that. Leave a rule out.",
                    rule=rule.text,
                )


@dataclass(frozen=True)
class RecordDefinition:
    """A variable that is computed in every record, what from, and the rule that says so."""

    name: str
    term: Term
    rule: Rule


def definitions_of_records(
    required: Sequence[tuple[Rule, Requirement]],
    needed: Collection[int],
    rewritten: Collection[str],
    texts: Collection[str],
) -> dict[int, RecordDefinition] | int:
    """Choose the variables that are computed, in an order in which each can be.

    A variable that is computed is in no other requirement, unless that defines another variable by it.

    Parameters
    ----------
    required
        What all rules require, with rewritten variables in it.
    needed
        The places of requirements that can be kept only by computing a variable.
    rewritten
        The variables that may be computed.
    texts
        The columns that hold texts.

    Returns
    -------
    definitions
        By the place of the requirement; or the place of one that defines no variable.
    """
    chosen: dict[int, RecordDefinition] = {}
    waiting = list(needed)
    while waiting:
        place = waiting.pop(0)
        if place in chosen:
            continue
        rule, one = required[place]
        taken = {definition.name for definition in chosen.values()}
        possible = {name: term for name, term in _sides(one, texts).items() if name in rewritten and name not in taken}
        elsewhere = {
            name: [other for other, (_, its) in enumerate(required) if other != place and name in its.variables]
            for name in possible
        }
        if not possible:
            return place
        name = min(possible, key=lambda each: len(elsewhere[each]))
        chosen[place] = RecordDefinition(name, possible[name], rule)
        waiting += [other for other in elsewhere[name] if other not in chosen]
    return _ordered(chosen) or (next(iter(chosen)) if chosen else {})


def _sides(one: Requirement, texts: Collection[str]) -> Mapping[str, Term]:
    """Return the variables that stand alone on one side of an equality, and the other side."""
    if len(one.alternatives) != 1 or len(one.alternatives[0]) != 1:
        return {}
    source = one.alternatives[0][0].source
    if not isinstance(source, TermComparison) or source.relation != "==" or not set(texts).isdisjoint(one.variables):
        return {}
    if any(isinstance(part, TextLiteral) for part in parts_of(source)):
        return {}
    sides = ((source.left, source.right), (source.right, source.left))
    return {
        side.name: other
        for side, other in sides
        if isinstance(side, VariableName) and side.name not in variables_in(other)
    }


def _ordered(chosen: Mapping[int, RecordDefinition]) -> dict[int, RecordDefinition]:
    """Return the definitions in an order in which each variable can be computed; nothing if there is none."""
    waiting, ordered = dict(chosen), {}
    while waiting:
        names = {one.name for one in waiting.values()}
        ready = [place for place, one in waiting.items() if names.isdisjoint(variables_in(one.term))]
        if not ready:
            return {}
        for place in ready:
            ordered[place] = waiting.pop(place)
    return ordered


Doubles = NDArray[np.float64]

Booleans = NDArray[np.bool_]

_EPSILON = float(np.finfo(np.float64).eps)

_AT_BOUND = 1e-12  # of a standard deviation, or of the bound: a value as near as this is meant to be at it

_NUMBERS_AT_ONCE = 1 << 21


def nearest_values(
    points: Doubles, scale: Doubles, rows: Doubles, right: Doubles, is_equality: Booleans, applies: Booleans
) -> Doubles:
    """Return the nearest values with rows v == right, or rows v <= right; NaN where there are none.

    Parameters
    ----------
    points
        n x d.
    scale
        d, positive: what the difference in a variable is divided by before it is squared and added up.
    rows, is_equality
        a x d, and a: the left sides of sums and bounds, and which of them are sums.
    right, applies
        n x a: their right sides in every record, and whether they have to hold there.
    """
    n, d = points.shape
    values = np.empty_like(points)
    height = max(1, _NUMBERS_AT_ONCE // (1 + d * (len(rows) + 4 * d)))
    for begin in range(0, n, height):
        part = slice(begin, begin + height)
        values[part] = _nearest(points[part], scale, rows, right[part], is_equality, applies[part])
    return values


def _nearest(
    points: Doubles, scale: Doubles, rows: Doubles, right: Doubles, is_equality: Booleans, applies: Booleans
) -> Doubles:
    stack = (rows * scale)[None] * applies[:, :, None]
    left = np.where(applies, right - products(points, rows.T), 0.0)
    sums, bounds = stack[:, is_equality], stack[:, ~is_equality]
    inverse, free = pseudo_inverses(sums)
    change = matrix_products(inverse, left[:, is_equality])
    room = np.where(
        applies[:, ~is_equality] & (bounds != 0).any(axis=2),
        left[:, ~is_equality] - matrix_products(bounds, change),
        1.0,
    )
    sizes = products(np.abs(points), np.abs(rows).T) + np.abs(right)
    rounding = 4 * _EPSILON * sizes[:, ~is_equality]
    over = np.flatnonzero((room < -rounding).any(axis=1))
    more, _, possible = least_changes(
        bounds[over], np.array(free[over]), room[over], rounding[over], np.zeros((len(over), 0))
    )
    change[over] += more
    change[over[~possible]] = np.nan
    return _at_bounds(points + change * scale, scale, rows, right, applies)


def _at_bounds(values: Doubles, scale: Doubles, rows: Doubles, right: Doubles, applies: Booleans) -> Doubles:
    """Return values that are exactly at the bounds of their variable that they are nearly at."""
    for place in np.flatnonzero((rows != 0).sum(axis=1) == 1):
        column = int(np.flatnonzero(rows[place])[0])
        bound = right[:, place] / rows[place, column] + 0.0  # not -0
        apart = np.abs(values[:, column] - bound)
        near = applies[:, place] & (apart <= _AT_BOUND * (scale[column] + np.abs(bound)))
        values[near, column] = bound[near]
    return values


Places = NDArray[np.int64]

# How far below its bound a sum is kept that may not reach it, if there is room; of the size of its terms.
_STRICT = 1e-8

# A sum that misses by less of the size of its terms holds, and is then computed to the last digit.
_NEARLY = 1e-10


class RecordSums:
    """Sums and bounds once the values that stay are put in.

    Parameters
    ----------
    atoms
        The sums and bounds, each with a rewritten variable in it.
    columns
        The rewritten variables.
    records
        The original records.
    """

    def __init__(self, atoms: Sequence[Linear], columns: Sequence[str], records: CheckedRecords) -> None:
        self.atoms, self._columns = atoms, columns
        none = np.empty((len(records), 0))  # a block may have no numbers to rewrite
        self.original: Doubles = np.column_stack([none, *(records.numbers(name) for name in columns)])
        largest = np.abs(self.original).max(axis=0, initial=0.0)
        with np.errstate(over="ignore"):
            spread = self.original.std(axis=0)
        self.scale: Doubles = np.where((spread > 0) & np.isfinite(spread), spread, np.where(largest > 0, largest, 1.0))
        self.is_equality: Booleans = np.array([atom.relation == "==" for atom in atoms], dtype=bool)
        self.rows: Doubles = np.array(
            [[atom.coefficients.get(name, 0.0) for name in columns] for atom in atoms]
        ).reshape(len(atoms), len(columns))
        self.right, self.sizes = np.zeros((2, len(records), len(atoms)))
        for place, atom in enumerate(atoms):
            staying = [part * records.numbers(name) for name, part in atom.coefficients.items() if name not in columns]
            self.right[:, place] = atom.constant - np.sum(staying, axis=0)
            rewritten = (np.abs(self.rows[place]) * largest).sum()
            self.sizes[:, place] = abs(atom.constant) + np.abs(staying).sum(axis=0) + rewritten
        strict = np.array([atom.relation == "<" for atom in atoms], dtype=bool)
        # In units in which rows are about one standard deviation long: no square of theirs is too small or too large.
        units = np.abs(self.rows * self.scale).max(axis=1, initial=0.0)
        self.rows, self.right, self.sizes = self.rows / units[:, None], self.right / units, self.sizes / units
        self._lengths: Doubles = np.sqrt(np.square(self.rows * self.scale).sum(axis=1))
        room = self.right - products(self.original, self.rows.T)
        self.right -= np.where(strict, np.clip(room, 0.0, _STRICT * self.sizes), 0.0)

    def excess(self, values: Doubles, records: Places) -> Doubles:
        """Return left side less right side of every sum and bound, for these records."""
        return products(values, self.rows.T) - self.right[records]

    def apart(self, values: Doubles, records: Places) -> Doubles:
        """Return how far values are from each sum and bound, in standard deviations; 0 where it holds."""
        excess = self.excess(values, records)
        nearly = np.abs(excess) <= _NEARLY * self.sizes[records]
        apart = np.where(self.is_equality, np.where(nearly, 0.0, np.abs(excess)), np.maximum(excess, 0.0))
        return np.asarray(apart / self._lengths)

    def nearest(self, values: Doubles, records: Places, applies: Booleans, movable: Collection[str]) -> Doubles:
        """Return the nearest values that keep the sums and bounds that apply; NaN where there are none.

        Parameters
        ----------
        values, records
            m x d, and the m records that they are for.
        applies
            m x a: which sums and bounds have to hold in which of them.
        movable
            The variables that may change.
        """
        moves = np.array([name in movable for name in self._columns], dtype=bool)
        right = self.right[records] - products(values[:, ~moves], self.rows[:, ~moves].T)
        broken = (applies & (self.apart(values, records) > 0)).any(axis=1)
        moved = values.copy()
        moved[np.ix_(broken, moves)] = nearest_values(
            values[np.ix_(broken, moves)],
            self.scale[moves],
            self.rows[:, moves],
            right[broken],
            self.is_equality,
            applies[broken],
        )
        return moved


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
