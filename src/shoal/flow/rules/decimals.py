"""Released values rounded to decimals, so that the rules of a plan hold in the text of the file as well.

New values are computed for each combination of released values once, so that records that were alike stay alike: a
release is k-anonymous after rounding if it was before. Columns get the decimals that the plan gives them; where it
gives none, text has those of the original and a few more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.edits import Rule
from shoal.edits.atoms import Atom, Definition, Linear, Product, Requirement, Single, requirements
from shoal.edits.checked_records import TableRecords, orders_of
from shoal.edits.evaluation import TOLERANCE, holds
from shoal.edits.expressions import IsInteger
from shoal.edits.keep.block_edits import joined_blocks
from shoal.edits.keep.last_digit import dependents, solved
from shoal.edits.keep.rounding import (
    from_digits,
    in_digits,
    most_decimals,
    not_derivable,
    rounded,
    rounded_equalities,
    rounded_to_rules,
)
from shoal.errors import DataError, RuleError
from shoal.flow.rules.kept_ranges import ends_of
from shoal.read import Table
from shoal.replace import SyntheticReplacement
from shoal.replace.synthetic.synthetic import is_unchanged

if TYPE_CHECKING:
    from shoal.flow.blocks.work import Work
    from shoal.flow.plan import Plan

__all__ = [
    "EXTRA_DECIMALS",
    "decimals_per_column",
    "defines_unrounded",
    "refuse_unroundable",
    "rounded_for_text",
    "rounded_release",
    "rounding_notes",
]

EXTRA_DECIMALS = 2  # that new numbers have in text, beyond those of their column in the original
_EXACT = 1e-13  # of the terms of a rule: less than a last digit, more than what floating point is off
_MOST_NAMED = 5  # columns, in a note
_DIGITS = {"double": 1e15, "single": 1e6}  # largest number of last digits that a float of this precision can tell apart

Doubles = NDArray[np.float64]


def decimals_per_column(decimals: int | Mapping[str, int] | None, columns: Sequence[str]) -> dict[str, int]:
    """Return the decimals of every column: one number is for all of `columns`, a mapping for those it names."""
    if decimals is None:
        return {}
    return dict.fromkeys(columns, decimals) if isinstance(decimals, int) else dict(decimals)


def refuse_unroundable(plan: Plan, table: Table) -> None:
    """Raise RuleError if a rule cannot hold between values with the decimals of the plan, whatever the values are."""
    if plan.decimals:
        required = _required(plan.edits, table)
        _refuse_impossible(required, _with_whole(plan.decimals, required, plan.rewritten), plan.rewritten, table)


def _refuse_impossible(
    required: Sequence[tuple[Rule, Requirement]], decimals: Mapping[str, int], rewritten: Sequence[str], table: Table
) -> None:
    """Raise RuleError if what is required cannot hold between rewritten columns with these decimals."""
    for rule, one in required:
        for atom in (atom for alternative in one.alternatives for atom in alternative):
            if not (_is_left_unrounded(atom, decimals) and len(one.alternatives) == 1):
                _refuse_tie(rule, atom, decimals, rewritten)
            _refuse_finer(rule, atom, decimals, rewritten, table)
    always = [atom for atom in _always(required) if not _is_left_unrounded(atom, decimals)]
    conditional = [atoms for _, one in required if len(one.alternatives) > 1 for atoms in one.alternatives]
    for more in ((), *(atoms for atoms in conditional if rounded_equalities(atoms, decimals))):
        missed = not_derivable([*always, *more], decimals)
        if missed is not None:
            rule = next(
                rule for rule, one in required for own in one.alternatives if any(atom is missed for atom in own)
            )
            raise RuleError(
                f'With these decimals no variable of the rule "{rule.shown}" can be computed from the others. Give one '
                f"of them more decimals, or the others fewer, {_unnamed(missed)}or leave the rule out.",
                rule=rule.text,
            )


def _unnamed(atom: Atom) -> str:
    return f'or name all but "{atom.variable}" in decimals, ' if isinstance(atom, Definition) else ""


def _always(required: Sequence[tuple[Rule, Requirement]]) -> list[Atom]:
    """Return what is required without a condition."""
    return [atom for _, one in required if len(one.alternatives) == 1 for atom in one.alternatives[0]]


def _is_left_unrounded(atom: Atom, decimals: Mapping[str, int]) -> bool:
    return isinstance(atom, Definition) and atom.variable not in decimals


def defines_unrounded(rule: Rule, decimals: Mapping[str, int]) -> bool:
    """Whether a rule says what a variable is computed from that is not rounded itself."""
    return any(_is_left_unrounded(atom, decimals) for one in rule.requirements for atom in one.alternatives[0])


def _refuse_tie(rule: Rule, atom: Atom, decimals: Mapping[str, int], protected: Sequence[str]) -> None:
    """Raise RuleError for an equality or a bound with variables that are rounded and others that are not."""
    tied = [name for name in atom.variables if name in decimals]
    others = [name for name in atom.variables if name in protected and name not in decimals]
    if isinstance(atom, Linear | Product | Definition) and tied and others:
        raise RuleError(
            f'The rule "{rule.shown}" ties "{tied[0]}", which is rounded, to "{others[0]}", which is not. Name both in '
            "decimals, or leave the rule out.",
            rule=rule.text,
        )


def _refuse_finer(rule: Rule, atom: Atom, decimals: Mapping[str, int], rewritten: Sequence[str], table: Table) -> None:
    """Raise RuleError for a sum of rounded variables and one that stays, and has more decimals."""
    tied = [name for name in atom.variables if name in decimals]
    if not isinstance(atom, Linear) or atom.relation != "==" or not tied:
        return
    for name in atom.variables:
        if name in rewritten:
            continue
        values = table.numbers(name)
        if not np.array_equal(rounded(values, max(decimals[one] for one in tied)), values, equal_nan=True):
            raise RuleError(
                f'The rule "{rule.shown}" ties "{tied[0]}", which is rounded, to "{name}", which stays and has more '
                "decimals. Give it more decimals, or leave the rule out.",
                rule=rule.text,
            )


def rounded_release(work: Work, masked: Table) -> Table:
    """Return the release with the columns rounded that the plan gives decimals; as it is where it gives none."""
    plan = work.plan
    if not plan.decimals:
        return masked
    required = _required(plan.edits, masked)
    decimals = _with_whole(plan.decimals, required, plan.rewritten)
    before = {name: masked.numbers(name) for name in decimals}
    if work.record_rules:  # rounded in their blocks, where rules are kept
        after = before
    elif plan.family.rewrites:
        after = _unlike_originals(plan, plan.decimals, work.table, masked)
    else:
        after = _kept(plan.edits, decimals, work.table, masked)
    for name, values in after.items():
        _refuse_too_many_digits(masked, name, values, decimals[name])
    definitions = [atom for atom in _always(required) if _is_left_unrounded(atom, decimals)]
    defined = [atom for atom in definitions if isinstance(atom, Definition) and atom.variable in plan.columns]
    numbers = {name: masked.numbers(name) for atom in defined for name in atom.variables} | after
    for atom, name in dependents(defined, numbers):
        before[name] = numbers[name]
        after[name] = numbers[name] = solved(atom, name, numbers)
    changed = {name: values for name, values in after.items() if not np.array_equal(values, before[name], True)}
    return masked.replaced(changed, {})


def rounding_notes(plan: Plan) -> list[str]:
    """Say which columns were rounded, a sentence for every number of decimals."""
    notes = []
    for number in sorted(set(plan.decimals.values())):
        names = [f'"{name}"' for name, decimals in plan.decimals.items() if decimals == number]
        listed = ", ".join(names) if len(names) <= _MOST_NAMED else f"{len(names)} columns"
        to = f"{number} decimal{'s' * (number != 1)}" if number >= 0 else f"multiples of {10**-number}"
        notes.append(f"Rounded to {to}: {listed}.")
    return notes


def rounded_for_text(
    steps: Sequence[Plan], rules: Sequence[Rule], original: Table, recoded: Table, masked: Table, extra: int
) -> tuple[Table, dict[str, int]]:
    """Return a release as text has it, and to how many decimals each column was rounded for that.

    A column has the decimals that it has in the original, and so many more. None is rounded that the plan gives
    decimals, and none of those that a rule joins where the rule would then not hold.

    Parameters
    ----------
    steps, rules
        The steps that made it, the last at the end, and their rules.
    original, recoded, masked
        The file, the same after recodes, and the release.
    extra
        How many decimals more than in the original.
    """
    last = {name: step for step in steps for name in step.rewritten}
    decimals = {
        name: found for name in last if (found := _in_text(name, last[name], original, masked, extra)) is not None
    }
    after: dict[str, Doubles] = {}
    for names in joined_blocks(rules, list(decimals), size=1):
        own = {name: decimals[name] for name in names}
        ruled = [rule for rule in rules if not own.keys().isdisjoint(rule.variables)]
        if not ruled:
            after |= {name: rounded(masked.numbers(name), one) for name, one in own.items()}
        elif not any(last[name].family.rewrites for name in names):
            after |= _kept_in_text(ruled, own, list(last), recoded, masked)
    for step in steps:
        own = {name: decimals[name] for name in after if last[name] is step}
        if step.family.rewrites and own:
            after |= _unlike_originals(step, own, recoded, masked)
    changed = {name: new for name, new in after.items() if not np.array_equal(new, masked.numbers(name), True)}
    return masked.replaced(changed, {}), {name: decimals[name] for name in changed}


def _in_text(name: str, step: Plan, original: Table, masked: Table, extra: int) -> int | None:
    """Return how many decimals a column has in text; None for one that stays as it is.

    That is one without new numbers, and one of so many digits that floats hold no more of them.
    """
    is_there = name not in step.decimals and name in masked and name in original
    if not (is_there and masked.type_of(name).is_float() and original.is_numeric(name)):
        return None
    own = most_decimals(original.numbers(name), single=isinstance(original.type_of(name), nw.Float32))
    largest = np.nan_to_num(np.abs(masked.numbers(name))).max()
    wanted = [] if own is None else range(own + extra, own - 1, -1)
    return next((one for one in wanted if in_digits(largest, one) <= _most_digits(masked, name)), None)


def _kept_in_text(
    rules: Sequence[Rule], decimals: Mapping[str, int], protected: Sequence[str], table: Table, masked: Table
) -> dict[str, Doubles]:
    """Return columns that rules join, rounded so that all rules hold; none of them where that cannot be had."""
    required = _required(rules, masked)
    decimals = _with_whole(decimals, required, list(decimals))
    try:
        _refuse_impossible(required, decimals, protected, table)
    except RuleError:
        return {}
    after = _kept(rules, decimals, table, masked)
    before, records = TableRecords(masked, table), TableRecords(masked.replaced(after, {}), table)
    for rule in rules:
        is_exact = not rule.broken(before, _EXACT).any()
        if rule.broken(records, _EXACT if is_exact else TOLERANCE).any():
            return {}
    return after


def _required(rules: Sequence[Rule], table: Table) -> list[tuple[Rule, Requirement]]:
    texts = [name for name in table.names if not table.is_numeric(name)]
    orders = orders_of(table)
    return [(rule, one) for rule in rules for one in requirements(rule.expression, texts, orders)]


def _with_whole(
    decimals: Mapping[str, int], required: Sequence[tuple[Rule, Requirement]], rewritten: Sequence[str]
) -> dict[str, int]:
    """Return the decimals of every column that is rounded; variables that a rule calls whole numbers have none."""
    decimals = dict(decimals)
    for _, one in required:
        for atom in one.alternatives[0] if len(one.alternatives) == 1 else ():
            if isinstance(atom, Single) and isinstance(atom.source, IsInteger) and atom.variable in rewritten:
                decimals[atom.variable] = min(0, decimals.get(atom.variable, 0))
    return decimals


def _kept(rules: Sequence[Rule], decimals: Mapping[str, int], table: Table, masked: Table) -> dict[str, Doubles]:
    """Return the columns rounded so that the rules hold that held before, variables that rules join together."""
    records = TableRecords(masked, table)
    before = {name: masked.numbers(name) for name in decimals}
    required = [one for _, one in _required(rules, masked)]
    after: dict[str, Doubles] = {}
    for names in joined_blocks(rules, list(decimals), size=1):
        own = [one for one in required if not set(names).isdisjoint(one.variables)]
        combinations = _codes([before[name] for name in names])
        first = np.unique(combinations, return_index=True)[1]
        values = {name: before[name][first] for name in names}
        own_decimals = {name: decimals[name] for name in names}
        chosen = _chosen_alternatives(own, records, combinations)
        for alternatives in np.unique(chosen, axis=0):
            rows = np.flatnonzero((chosen == alternatives).all(axis=1))
            kept = [one.alternatives[place] for one, place in zip(own, alternatives, strict=True) if place >= 0]
            part = {name: column[rows] for name, column in values.items()}
            for name, column in rounded_to_rules(
                part, [atom for atoms in kept for atom in atoms], own_decimals
            ).items():
                values[name][rows] = column
        after |= {name: column[combinations] for name, column in values.items()}
    return after


def _codes(columns: Sequence[Doubles]) -> NDArray[np.int64]:
    """Return a number for every record, 0, 1, ..., the same where the values of all columns are the same."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        own = np.unique(column, return_inverse=True)[1].reshape(-1)
        codes = np.unique(codes * (int(own.max()) + 1) + own, return_inverse=True)[1].reshape(-1)
    return codes


def _chosen_alternatives(
    required: Sequence[Requirement], records: TableRecords, combinations: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for every combination of values, the first alternative that all its records satisfy; -1 if none."""
    chosen = np.full((int(combinations.max()) + 1, len(required)), -1, dtype=np.int64)
    for place, one in enumerate(required):
        missing = np.logical_or.reduce([records.missing(name) for name in one.variables])
        for number, atoms in reversed(list(enumerate(one.alternatives))):
            broken = ~missing & ~np.logical_and.reduce([holds(atom.source, records) for atom in atoms])
            chosen[np.bincount(combinations, broken) == 0, place] = number
    return chosen


def _unlike_originals(plan: Plan, decimals: Mapping[str, int], table: Table, masked: Table) -> dict[str, Doubles]:
    """Return synthetic values rounded, one of a record the other way where all its values would be what they were."""
    after = {name: rounded(masked.numbers(name), decimals[name]) for name in decimals}
    shared = plan.masking.replacement
    assert isinstance(shared, SyntheticReplacement)
    if shared.accepts_unchanged:
        return after
    for columns in plan.blocks:
        names = [name for name in columns if name in plan.confidential and plan.kinds[name] == "continuous"]
        names = [name for name in names if name in masked]
        block = {name: table.numbers(name) for name in names}
        ends = ends_of(plan, block) if plan.bounds else {}
        inside = {name: in_digits(np.array(own), decimals.get(name, 0)) for name, own in ends.items()}
        with_decimals = [name for name in names if name in decimals]
        if with_decimals:
            digits = {name: in_digits(masked.numbers(name), decimals.get(name, 0)) for name in names}
            before = {name: in_digits(block[name], decimals.get(name, 0)) for name in names}
            before |= {name: np.rint(before[name]) for name in with_decimals}
            for name, (low, high) in inside.items():
                if name in decimals and np.ceil(low) <= np.floor(high):
                    nearest = np.clip(np.rint(digits[name]), np.ceil(low), np.floor(high))
                    after[name] = from_digits(nearest, decimals[name])
            same = is_unchanged(np.column_stack([*before.values()]), np.column_stack([*digits.values()]))
            name = max(with_decimals, key=lambda one: float(before[one].std()))
            step = np.where(digits[name] >= before[name], 1.0, -1.0)
            if plan.bounds:  # one of the two sides is inside
                low, high = inside[name]
                step = np.where(before[name] + step > high, -1.0, np.where(before[name] + step < low, 1.0, step))
            other_side = before[name] + step
            after[name] = np.where(same, from_digits(other_side, decimals[name]), after[name])
    return after


def _refuse_too_many_digits(masked: Table, name: str, values: Doubles, decimals: int) -> None:
    if (np.abs(in_digits(values, decimals)) > _most_digits(masked, name)).any():
        raise DataError(
            f'"{name}" has values so large that floats do not hold {decimals} decimals of them; nothing is released. '
            "Give it fewer decimals."
        )


def _most_digits(table: Table, name: str) -> float:
    return _DIGITS["single" if isinstance(table.type_of(name), nw.Float32) else "double"]
