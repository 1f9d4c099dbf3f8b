"""One block of variables, the confidential ones of which are rewritten: groups, then synthetic values for each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import is_constant
from shoal.errors import DataError, DisclosureWarning, warn
from shoal.flow.blocks.grouping import group_records
from shoal.flow.blocks.mixed_variables import refuse_kept_categories, rows_with, split_variables
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.rules.kept_ranges import ends_of, kept_in_range
from shoal.flow.rules.ruled_values import kept_to_rules
from shoal.partition import Partition
from shoal.replace import MicroHybrid, SyntheticReplacement
from shoal.replace.synthetic.hybrid import GroupsTooSmallError
from shoal.replace.synthetic.leverage import alone_in_all
from shoal.replace.synthetic.residuals import regressed
from shoal.replace.synthetic.synthetic import (
    Synthetic,
    Tally,
    added_up,
    is_unchanged,
    near_cells,
    unchanged_cells,
    without_extremes,
)

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["protect_synthetic_block"]

Doubles = NDArray[np.float64]

_MOST_LOOKED_AT = 50_000  # records, to see whether a variable follows from columns of the file
_MOSTLY = 0.9  # of a column's values have to be there, to look at it
_NEARLY = 0.999  # old and new values that correlate by more are nearly the same
_NOTHING_TO_REWRITE = 'All values of "{}" are the same: there is nothing to rewrite. Leave it out.'


def protect_synthetic_block(work: Work, number: int, block: Sequence[str]) -> ProtectedBlock:
    """Group every stratum and rewrite the confidential variables of every group; the others stay as they are."""
    notes = _refuse_determined(work, number, block)
    try:
        protected = _rewritten(work, number, block)
    except GroupsTooSmallError as error:
        raise _for_whole_file(error, work) from None
    return replace(protected, notes=tuple(dict.fromkeys([*protected.notes, *notes])))


def _rewritten(work: Work, number: int, block: Sequence[str]) -> ProtectedBlock:
    plan, strata = work.plan, work.strata
    values, matrix = work.values[number], work.matrices[number]
    grouping = group_records(work, number, plan.grouped_by(block), matrix, strata)
    labels = grouping.labels
    names = _numbers(plan, block)
    is_rewritten = np.isin(_numbers(plan, plan.columns), names)
    variables = split_variables(plan, values)
    X = variables.X
    shared = plan.masking.replacement
    assert isinstance(shared, SyntheticReplacement)
    replacement = shared.for_variables(is_rewritten)
    new, groups, count = np.empty_like(X), np.empty_like(labels), 0
    watched = np.zeros(X.shape, dtype=bool)
    categories = {name: codes.copy() for name, codes in variables.rewritten.items()}
    tallies: list[Tally] = []
    for stratum in range(len(strata)):
        rows = np.flatnonzero(strata.codes == stratum)
        own = np.unique(labels[rows], return_inverse=True)[1].ravel()
        rng = np.random.default_rng([plan.seed, number, stratum])
        part = split_variables(plan, {name: column[rows] for name, column in values.items()})
        synthetic = Synthetic(part.X, 0)
        try:
            if names:
                synthetic = replacement.synthetic(part.X, part.Y, own, rng, k=plan.k)
        except GroupsTooSmallError as error:
            raise error.at(strata.where) from None
        except DataError as error:
            if not strata.columns:
                raise
            raise type(error)(f"In a stratum of {', '.join(strata.columns)}: {error}") from None
        new[rows] = synthetic.values
        if synthetic.watched is not None:
            watched[rows] = synthetic.watched
        own = own if synthetic.groups is None else synthetic.groups
        for name, codes in part.new_categories(synthetic.values, own, rng).items():
            categories[name][rows] = codes
        groups[rows] = own + count
        count = int(groups[rows].max()) + 1
        tallies += [*synthetic.tallies, *[part.rare] * bool(names)]
    if work.record_rules and work.record_rules[number].columns:
        rng = np.random.default_rng([plan.seed, number, len(strata)])
        new, of_rules = kept_to_rules(work.record_rules[number], variables.Y, new, groups, replacement, rng)
        tallies += [Tally(note, 1, 1) for note in of_rules]
    if plan.bounds and names:
        rng = np.random.default_rng([plan.seed, number, len(strata), 1])
        ends = ends_of(plan, {name: values[name] for name in names})
        new, of_ends = kept_in_range(X, variables.Y, new, [ends[name] for name in names], groups, replacement, rng)
        tallies += [Tally(note, 1, 1) for note in of_ends]
    before = f"Block {number + 1}: " * (len(plan.blocks) > 1)
    inside = " in every group" * (count > 1)
    accepted = replacement.accepts_unchanged
    dealt_notes = refuse_kept_categories(variables, categories, inside, accepted)
    stays = np.all([categories[name] == codes for name, codes in variables.rewritten.items()], axis=0)
    notes = [*added_up(tallies), *_refuse_kept(names, X, new, inside, accepted, stays), *dealt_notes]
    notes += _near(X, new, watched, accepted)
    in_groups = plan.masking.method.scope != "file"
    remarks = shared.remarks(in_groups=in_groups, is_rewritten=is_rewritten)
    partition = Partition(groups, tuple(block))
    return ProtectedBlock(
        matrix=matrix,
        partition=partition,
        computed={column: new[:, place] for place, column in enumerate(names)},
        taken={name: rows_with(codes, categories[name]) for name, codes in variables.rewritten.items()},
        joined={},
        smallest_support=partition.k,
        steps=grouping.steps,
        notes=(*(before + note for note in notes), *remarks, *grouping.notes),
    )


def _for_whole_file(error: GroupsTooSmallError, work: Work) -> GroupsTooSmallError:
    """Return the error with the k that all blocks and strata need: one k serves them all."""
    plan, parts = work.plan, []
    replacement = plan.masking.replacement
    assert isinstance(replacement, MicroHybrid)  # the only one that raises it
    for block, values in zip(plan.blocks, work.values, strict=True):
        for stratum in range(len(work.strata) if _numbers(plan, block) else 0):
            rows = work.strata.codes == stratum
            part = split_variables(plan, {name: values[name][rows] for name in block})
            parts.append((replacement.enough_records(part.X, part.Y), len(part.X)))
    least = max(error.least, *(needed for needed, _ in parts))
    can_be_raised = bool(error.raising) and least <= min(records for _, records in parts)
    return error.for_whole_file(least, can_be_raised, all(needed <= records for needed, records in parts))


def _numbers(plan: Plan, columns: Collection[str]) -> list[str]:
    """Return which of the columns are numbers that are rewritten, in the order of `confidential`."""
    return [name for name in plan.confidential if name in columns and plan.kinds[name] == "continuous"]


def _refuse_determined(work: Work, number: int, block: Sequence[str]) -> list[str]:
    """Raise DataError if a variable follows from what stays in its block; return notes on those the file gives."""
    plan, table, strata = work.plan, work.table, work.strata
    variables = split_variables(plan, work.values[number])
    X, Y = variables.X, variables.Y
    names = _numbers(plan, block)
    for name, codes in variables.rewritten.items():
        if codes.min() == codes.max():
            raise DataError(_NOTHING_TO_REWRITE.format(name))
    if not names:
        return []
    for place, name in enumerate(names):
        if is_constant(X[:, place]):
            raise DataError(_NOTHING_TO_REWRITE.format(name))
        if unchanged_cells(X[:, [place]], np.full((len(X), 1), X[0, place])).all():
            raise DataError(
                f'The values of "{name}" differ by no more than rounding. Take off what they have in common.'
            )
    predicted, alone = _predicted_from(X, Y, strata.codes)
    follows = unchanged_cells(X[~alone], predicted[~alone])
    for place, name in enumerate(names):
        if follows[:, place].all():
            raise DataError(
                f'"{name}" follows from the variables that stay, so that it would be released as it is. Name one of '
                "those confidential too, or drop it (role identifier)."
            )
    known = {*plan.confidential, *plan.identifiers, *block}
    outside = [name for name in table.names if name not in known and table.is_numeric(name)]
    others = [column for column in map(table.numbers, outside) if np.isfinite(column).mean() >= _MOSTLY]
    there = np.flatnonzero(np.all([np.isfinite(column) for column in [X[:, 0], *others]], axis=0))
    some = there[:: max(1, len(there) // max(_MOST_LOOKED_AT, 20 * (len(others) + Y.shape[1])))]
    predicted, alone = _predicted_from(
        X[some], np.column_stack([Y[some], *(column[some] for column in others)]), strata.codes[some]
    )
    return [
        f'"{name}" follows, exactly or nearly, from columns that stay as they are. Name one of those confidential too, '
        "in its block."
        for name, is_near in zip(names, _correlations(X[some][~alone], predicted[~alone]) > _NEARLY, strict=True)
        if is_near
    ]


def _predicted_from(X: Doubles, Y: Doubles, strata: NDArray[np.int64]) -> tuple[Doubles, NDArray[np.bool_]]:
    """Return the confidential variables as predicted from the others, by regression in every stratum.

    In a stratum with hardly more records than variables anything follows from anything: there it is infinite. Records
    that stand alone are left out, and returned: any regression follows them.
    """
    predicted, alone = np.full_like(X, np.inf), np.zeros(len(X), dtype=bool)
    scaled, exponents = without_extremes(X)
    others, _ = without_extremes(Y)
    if Y.shape[1] == 0:
        return predicted, alone
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        alone[rows] = alone_in_all(Y[rows])
        rows = rows[~alone[rows]]
        fit = regressed(scaled[rows][None], others[rows][None])
        if fit.degrees[0] >= max(2, X.shape[1]):
            with np.errstate(under="ignore"):
                predicted[rows] = np.ldexp(fit.means[0] + fit.fitted[0], exponents)
    return predicted, alone


def _correlations(before: Doubles, after: Doubles) -> Doubles:
    """Return the correlation of each variable with what became of it; 0 where there is none."""
    found = np.zeros(before.shape[1])
    for place in range(before.shape[1]):
        pair, _ = without_extremes(np.column_stack([before[:, place], after[:, place]]))
        if len(pair) > 1 and np.isfinite(pair).all() and (np.ptp(pair, axis=0) > 0).all():
            one, other = (pair - pair.mean(axis=0)).T
            found[place] = (one * other).sum() / np.sqrt((one * one).sum() * (other * other).sum())
    return found


def _near(before: Doubles, after: Doubles, watched: NDArray[np.bool_], accepted: bool) -> list[str]:
    """Say how many records that stand alone have a value that is near their own: a note if accepted, else a warning."""
    near = int((watched & near_cells(before, before, after)).any(axis=1).sum())
    if not near:
        return []
    text = (
        f"{near} of {int(watched.any(axis=1).sum())} records that stand alone, in a value of theirs or in what stays, "
        "come out within 1 % of a value of theirs"
    )
    if accepted:
        return [f"{text}, which was accepted."]
    warn(
        f"{text}. Make such values less extreme (--recode with top and bottom), or leave the records out.",
        DisclosureWarning,
    )
    return []


def _refuse_kept(
    names: Sequence[str], before: Doubles, after: Doubles, inside: str, accepted: bool, stays: NDArray[np.bool_]
) -> list[str]:
    """Raise DataError if a whole variable comes out as it was, unless accepted; return notes on what nearly does.

    `stays` says which records have the categories they had, or is true where none are rewritten.
    """
    same = unchanged_cells(before, after)
    notes = []
    correlations = _correlations(before, after)
    for place, name in enumerate(names):
        is_kept = bool(same[:, place].all())
        if is_kept and not accepted:
            raise DataError(
                f'"{name}" follows from the variables that stay{inside}, so that it would be released as it is. '
                f"{'Raise k, name' if inside else 'Name'} one of those confidential too, or drop it (role identifier)."
            )
        if is_kept:
            warn(f'"{name}" is released as it is, which was accepted.', DisclosureWarning)
        elif correlations[place] > _NEARLY:
            notes.append(f'"{name}" comes out nearly as it was: old and new values correlate by more than {_NEARLY}.')
    whole, by_chance = int((is_unchanged(before, after) & stays).sum()), int((same.all(axis=1) & stays).sum())
    records = "no record does in all of them"
    if whole and accepted:
        records = f"{whole} of {len(same)} records do in all of them, which was accepted"
    elif by_chance:
        records = f"{by_chance} of {len(same)} records do in all of them, by chance, as these have few values"
    count = f"{int(same.sum())} of {same.size} confidential values come out as they were, whole numbers after rounding"
    return [f"{count}; {records}."] * bool(same.any()) + notes
