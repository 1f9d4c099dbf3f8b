"""Synthetic values that keep rules: drawn again inside groups, then moved to the nearest values that keep them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products
from shoal.describe.missing import refuse_missing
from shoal.edits.checked_records import TableRecords, orders_of
from shoal.edits.keep.records import RecordEdits, RecordRules, edits_of_records
from shoal.edits.keep.rounding import in_digits, rounded
from shoal.errors import DataError, RuleError
from shoal.progress import share
from shoal.read import Table
from shoal.replace import SyntheticReplacement
from shoal.replace.synthetic.ipso import rewritten
from shoal.replace.synthetic.residuals import normal_numbers
from shoal.replace.synthetic.synthetic import is_unchanged, unmoved_cells, without_extremes

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = [
    "REDRAWS",
    "ExplainedRecords",
    "explained_records",
    "kept_to_rules",
    "moment_differences",
    "record_edits_of",
    "record_rules_of",
    "redrawn",
]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]
Booleans = NDArray[np.bool_]

REDRAWS = 50  # attempts to draw values inside groups that keep the rules
_FEW_DIGITS = 5.0  # rounded variables with a smaller standard deviation come out as they were by chance


def record_rules_of(plan: Plan, table: Table) -> list[RecordRules]:
    """Return the rules of every block whose values are drawn for each record; an error if they cannot be kept.

    Nothing where there are no rules, or where representatives of groups keep them.
    """
    shared = plan.masking.replacement
    records, found = TableRecords(table, table), []
    for edits in record_edits_of(plan, table):
        assert isinstance(shared, SyntheticReplacement)
        refuse_missing(table, edits.columns, "Fill them, or drop the variables (role identifier).")
        decimals = {**plan.decimals, **{name: min(0, plan.decimals.get(name, 0)) for name in edits.whole}}
        _refuse_single_precision(edits, table)
        _refuse_rounded_definition(edits, plan.decimals)
        rules = RecordRules(edits, records, decimals, list(plan.decimals))
        _refuse_unkept(rules, accepts_unchanged=shared.accepts_unchanged)
        found.append(rules)
    return found


def _refuse_single_precision(edits: RecordEdits, table: Table) -> None:
    """Raise RuleError if a variable is stored with so few digits that rules do not survive it."""
    for rule in edits.rules:
        for name in rule.variables:
            if name in edits.columns and isinstance(table.frame.schema[name], nw.Float32):
                raise RuleError(
                    f'The rule "{rule.shown}" names "{name}", which is stored in single precision: synthetic values '
                    "would be rounded after they keep it. Store it in double precision, or leave the rule out.",
                    rule=rule.text,
                )


def _refuse_rounded_definition(edits: RecordEdits, decimals: Collection[str]) -> None:
    """Raise RuleError if a variable is computed that is rounded, or from one that is."""
    for one in edits.computed:
        rounded = [name for name in one.rule.variables if name in decimals]
        if rounded:
            raise RuleError(
                f'"{one.name}" is computed by the rule "{one.rule.shown}", and not rounded. Leave '
                f'"{rounded[0]}" out of decimals, or leave the rule out.',
                rule=one.rule.text,
            )


def record_edits_of(plan: Plan, table: Table) -> list[RecordEdits]:
    """Return what the rules require of the rewritten variables of every block; nothing where there are none."""
    if not plan.edits or not plan.family.rewrites:
        return []
    texts = [name for name in table.names if not table.is_numeric(name)]
    whole = [
        name
        for name in plan.confidential
        if name not in texts and np.array_equal(np.rint(table.numbers(name)), table.numbers(name))
    ]
    blocks = [[name for name in plan.confidential if name in block] for block in plan.blocks]
    return [
        edits_of_records(
            own,
            plan.edits,
            plan.kinds,
            texts,
            whole,
            [one for one in plan.confidential if one not in own],
            orders_of(table),
        )
        for own in blocks
    ]


@dataclass(frozen=True)
class ExplainedRecords:
    """What a plan does with one block whose values are drawn for each record."""

    edits: RecordEdits
    rules: tuple[int, ...]  # their numbers, from 1


def explained_records(plan: Plan, blocks: Iterable[RecordRules]) -> list[ExplainedRecords]:
    """Say which rules are kept in the records of every block."""
    return [
        ExplainedRecords(rules.edits, tuple(plan.edits.index(rule) + 1 for rule in rules.edits.rules))
        for rules in blocks
    ]


def _refuse_unkept(rules: RecordRules, *, accepts_unchanged: bool) -> None:
    """Raise an error if rules leave nothing to rewrite, or records no other values than those they have."""
    unsatisfied = rules.unsatisfied()
    if unsatisfied is not None:
        rule, count = unsatisfied
        raise DataError(
            f'{count} records satisfy the rule "{rule.shown}" only in a way that synthetic values cannot keep. Leave '
            "the rule out, or leave its variables out of confidential."
        )
    if accepts_unchanged:
        return
    determined = rules.determined()
    if determined is not None:
        name, rule = determined
        raise RuleError(
            f'By the rule "{rule.shown}" the variable "{name}" follows from those that stay, so that it would be '
            "released as it is. Name one of those confidential too, or drop it (role identifier).",
            rule=rule.text,
        )
    _refuse_fixed_records(rules)


def _refuse_fixed_records(rules: RecordRules) -> None:
    """Raise RuleError if there are records that the rules, and what stays, leave only the values they have."""
    n, d = rules.original.shape
    # A point alone in a polyhedron has more of its sides through it than there are dimensions.
    free = d - len(rules.edits.computed)
    suspects = np.arange(n) if rules.discrete else np.flatnonzero(rules.tight() > free)
    left = _placed(rules, suspects, _other_points(rules), accepts_unchanged=False)[1]
    if len(left):
        named = " and ".join(f'"{rule.shown}"' for rule in list(dict.fromkeys(rules.tight_rules(int(left[0]))))[:3])
        raise RuleError(
            f"For {len(left)} of {n} records no other values than their own keep the rules, given what stays"
            f"{f': {named}' if named else ''}. They would be released as they are. Name another variable confidential "
            "too, leave a rule out, or accept it (accept_unchanged=True; of hybrid data small_groups=accept)."
        )


def kept_to_rules(
    rules: RecordRules,
    kept: Doubles,
    values: Doubles,
    groups: Labels,
    replacement: SyntheticReplacement,
    rng: np.random.Generator,
) -> tuple[Doubles, list[str]]:
    """Return synthetic values that keep the rules, and notes on what that took.

    Parameters
    ----------
    rules
        The rules, as they are in every record.
    kept
        The variables that stay, n x M.
    values
        What the replacement made, n x L.
    groups
        The groups in which it did.
    replacement
        What made them.
    rng
        Where the noise of redraws comes from; nothing is drawn where all rules hold.
    """
    drawn, before = values, int((rules.violations(values) > 0).sum())
    if replacement.redraws:
        beside = np.hstack([kept, rules.original]) if replacement.keeps_old_relation else kept
        drawn = redrawn(rules.violations, beside, values, groups, rng)
    targets = chain([drawn, drawn, 2 * rules.original - drawn], _other_points(rules))
    placed, left = _placed(rules, np.arange(len(values)), targets, accepts_unchanged=replacement.accepts_unchanged)
    if len(left):
        raise DataError(
            f"No other values that keep all rules were found for {len(left)} of {len(values)} records; nothing is "
            "released. Leave a rule out, or name another variable confidential too."
        )
    return placed, _notes(rules, kept, values, drawn, placed, before, replacement.redraws)


def redrawn(
    violations_of: Callable[..., Doubles], kept: Doubles, values: Doubles, groups: Labels, rng: np.random.Generator
) -> Doubles:
    """Return values drawn again where that brings records nearer to the rules, or whatever `violations_of` is about.

    Groups are cut at random into pieces, and IPSO-C runs over the values of each piece that breaks a rule: means and
    covariances stay as they are to the last digits, and so does every sum.
    """
    values, violations = values.copy(), violations_of(values)
    for _ in range(REDRAWS):
        if not (violations > 0).any():
            break
        pieces = _pieces(groups, 3 + kept.shape[1] + values.shape[1], rng)  # small ones have more to choose from
        rows = np.flatnonzero(np.bincount(pieces, weights=violations)[pieces] > 0)
        own = np.unique(pieces[rows], return_inverse=True)[1].reshape(-1)
        with share(0.0):
            new = rewritten(values[rows], kept[rows], normal_numbers(rng, (len(rows), values.shape[1])), own)
        after = violations_of(new.values, rows)
        # With one degree of freedom, what is not the original is its mirror image.
        better = (np.bincount(own, weights=after) < np.bincount(own, weights=violations[rows])) & (new.degrees > 1)
        taken = better[own]
        values[rows[taken]], violations[rows[taken]] = new.values[taken], after[taken]
    return values


def _pieces(groups: Labels, size: int, rng: np.random.Generator) -> Labels:
    """Return a piece for every record: groups cut at random, into pieces of at least this size where there is room."""
    sizes = np.bincount(groups)
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    own = groups[order]
    place = np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[own]
    parts = np.maximum(1, sizes // size)
    piece = (np.cumsum(parts) - parts)[own] + place * parts[own] // sizes[own]
    pieces = np.empty_like(groups)
    pieces[order] = np.unique(piece, return_inverse=True)[1].reshape(-1)
    return pieces


def _other_points(rules: RecordRules) -> Iterator[Doubles]:
    """Yield points around the originals: a record that has other admissible values has some near one of them.

    If the nearest admissible point to each of them were the original, so would every point of the polyhedron be.
    """
    units = np.array([10.0 ** -rules.decimals[name] if name in rules.decimals else 0.0 for name in rules.columns])
    for step in (np.maximum(rules.scale, units), 2 * units, units):
        for place in np.flatnonzero(step):
            for sign in (1.0, -1.0):
                points = rules.original.copy()
                points[:, place] += sign * step[place]
                yield points


def _placed(
    rules: RecordRules, rows: Labels, targets: Iterable[Doubles], *, accepts_unchanged: bool
) -> tuple[Doubles, Labels]:
    """Return values near the first targets that keep the rules and are not the original ones; and rows without."""
    values, unrounded = rules.original.copy(), rules.original.copy()
    for number, points in enumerate(targets):
        if not len(rows):
            break
        ruled = rules.kept(points[rows], rows, originals=number > 0)
        values[rows], unrounded[rows] = ruled.values, ruled.unrounded
        fine = ruled.hold
        if not accepts_unchanged:
            fine &= ~_is_unchanged(rules, values, unrounded)[rows]
        values[rows[~fine]] = unrounded[rows[~fine]] = rules.original[rows[~fine]]
        rows = rows[~fine]
    return values, rows


def _is_unchanged(rules: RecordRules, values: Doubles, unrounded: Doubles) -> Booleans:
    """Return which records have no value that changed; values that round back by chance have."""
    before, after = rules.original.copy(), values.copy()
    for place, name in enumerate(rules.columns):
        if name in rules.decimals:
            before[:, place] = rounded(before[:, place], rules.decimals[name])
            if in_digits(before[:, place], rules.decimals[name]).std() < _FEW_DIGITS:
                after[:, place] = unrounded[:, place]
    return is_unchanged(before, np.where(np.isfinite(after), after, before))


def _notes(
    rules: RecordRules, kept: Doubles, made: Doubles, drawn: Doubles, placed: Doubles, before: int, redraws: bool
) -> list[str]:
    """Say how many records broke a rule, what was done, and by how much means and covariances are off."""
    n = len(made)
    own = [place for place, name in enumerate(rules.columns) if name not in {one.name for one in rules.edits.computed}]
    moved = int((~unmoved_cells(rules.original, drawn, placed))[:, own].any(axis=1).sum())
    computed = [f'"{one.name}" is computed from others by the rule "{one.rule.shown}".' for one in rules.edits.computed]
    if not (moved or before or computed):
        return []
    broke = f"{before} of {n} records broke a rule as drawn"
    if redraws and before:
        left = int((rules.violations(drawn) > 0).sum())
        broke += f", {left} after drawing again up to {REDRAWS} times inside groups"
    if not (moved or computed):
        return [f"{broke}: means and covariances are those of the first draw."]
    if moved:
        how = "moved or rounded" if rules.discrete else "moved"
        broke += f"; {moved} were {how} to the nearest values that keep all rules"
    mean, covariance = moment_differences(rules.original, kept, made, placed)
    return [
        *computed,
        f"{broke}. Means are then off by up to {mean:.2g} standard deviations, covariances by up to {covariance:.2g} "
        "of the product of two.",
    ]


def moment_differences(original: Doubles, kept: Doubles, made: Doubles, placed: Doubles) -> tuple[float, float]:
    """Return the largest difference of a mean in standard deviations, and of a covariance in products of them."""
    scaled, exponents = without_extremes(original)
    spread = np.where(np.ptp(scaled, axis=0) > 0, scaled.std(axis=0, ddof=1), 1.0)
    others, _ = without_extremes(kept)
    width = others.std(axis=0, ddof=1)
    others = (others - others.mean(axis=0)) / np.where(width > 0, width, 1.0)
    moments = []
    for values in (made, placed):
        standard = (np.ldexp(values, -exponents) - scaled.mean(axis=0)) / spread
        means = standard.mean(axis=0)
        deviations = standard - means
        moments.append((means, products(deviations.T, np.hstack([deviations, others])) / max(1, len(made) - 1)))
    (one, one_covariances), (other, other_covariances) = moments
    return float(np.abs(one - other).max()), float(np.abs(one_covariances - other_covariances).max())
