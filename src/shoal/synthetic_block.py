"""One block of variables, the confidential ones of which are rewritten: groups, then synthetic values for each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal import progress
from shoal.choices import build
from shoal.crisp_block import ProtectedBlock, labels_of
from shoal.describe.matrix import block_matrix, block_values
from shoal.describe.strata import Strata
from shoal.errors import DataError, ShoalWarning
from shoal.partition import METHODS, Partition
from shoal.plan import Plan
from shoal.read import Table
from shoal.replace import REPLACEMENTS, MuralidharSarathy, SyntheticReplacement
from shoal.replace.hybrid import GroupsTooSmallError
from shoal.replace.synthetic import Tally, added_up, unchanged_cells

__all__ = ["protect_synthetic_block"]

Doubles = NDArray[np.float64]

# What the papers do not say of hybrid data; measured in the guide.
_EASIER_TO_LINK = "Records of hybrid data are easier to link than those of plain microaggregation with the same groups."
_NOT_ACROSS = "What alpha has for variables of different blocks is not used: every block is rewritten for itself."

_MOST_SEARCHED = 2000  # records; groups of more take longer to make than a message should take


def protect_synthetic_block(
    plan: Plan, table: Table, number: int, block: Sequence[str], strata: Strata
) -> ProtectedBlock:
    """Group every stratum and rewrite the confidential variables of every group; the others stay as they are."""
    try:
        return _protected(plan, table, number, block, strata)
    except GroupsTooSmallError as error:
        parts = _parts(plan, table, strata)
        fewest = min(records for _, records in parts)
        least = max(error.least, *(size for size, _ in parts))
        k, tried = _k_that_does(plan, table, strata, least, fewest)
        can_merge = all(size <= records for size, records in parts)
        can_be_raised = bool(error.raising) and least <= fewest and (k is not None or not tried)
        raise error.with_k(least, k, can_be_raised, can_merge) from None


def _protected(plan: Plan, table: Table, number: int, block: Sequence[str], strata: Strata) -> ProtectedBlock:
    values = block_values(table, block, plan.kinds)
    matrix = block_matrix(values, plan.kinds, standardize=plan.standardize)
    labels, _, steps = labels_of(plan, number, block, matrix, strata)
    rewritten = [column for column in plan.confidential if column in block]
    X, Y = _split(plan, values)
    replacement = _of_block(plan, rewritten)
    new, groups, count = np.empty_like(X), np.empty_like(labels), 0
    tallies: list[Tally] = []
    for stratum in range(len(strata)):
        rows = np.flatnonzero(strata.codes == stratum)
        own = np.unique(labels[rows], return_inverse=True)[1].ravel()
        rng = np.random.default_rng([plan.seed, number, stratum])
        try:
            found = replacement.synthetic(X[rows], Y[rows], own, rng)
        except GroupsTooSmallError as error:
            raise error.at(strata.where(stratum)) from None
        except DataError as error:
            if not strata.names[stratum]:
                raise
            raise type(error)(f"In {strata.names[stratum]}: {error}") from None
        new[rows] = found.values
        groups[rows] = (own if found.groups is None else found.groups) + count
        count = int(groups[rows].max()) + 1
        tallies += found.tallies
    before = f"Block {number + 1}: " * (len(plan.blocks) > 1)
    inside = " in every group" * (count > 1)
    notes = [*added_up(tallies), *_refuse_kept(rewritten, matrix.constant, X, new, inside)]
    notes = [*(before + note for note in notes), *_about(plan, rewritten)]
    partition = Partition(groups, tuple(block))
    return ProtectedBlock(
        matrix=matrix,
        partition=partition,
        computed={column: new[:, place] for place, column in enumerate(rewritten)},
        taken={},
        joined={},
        smallest_support=partition.k,
        steps=steps,
        notes=tuple(notes),
    )


def _of_block(plan: Plan, rewritten: Sequence[str]) -> SyntheticReplacement:
    """Return the replacement with what it has for these variables."""
    made: SyntheticReplacement = build(plan.replace[rewritten[0]], REPLACEMENTS, "replace")
    if isinstance(made, MuralidharSarathy):
        return made.for_some([plan.confidential.index(column) for column in rewritten], len(plan.confidential))
    return made


def _parts(plan: Plan, table: Table, strata: Strata) -> list[tuple[int, int]]:
    """Return the records any group needs, and those there are, for every block and stratum: one k serves them all."""
    found = []
    for block in plan.blocks:
        made = build(plan.replace[block[0]], REPLACEMENTS, "replace")
        values = block_values(table, block, plan.kinds)
        for stratum in range(len(strata)):
            rows = strata.codes == stratum
            X, Y = _split(plan, {name: values[name][rows] for name in block})
            found.append((made.enough_records(X, Y), len(X)))
    return found


def _split(plan: Plan, values: Mapping[str, Doubles]) -> tuple[Doubles, Doubles]:
    """Return the variables of a block that are rewritten, in the order of `confidential`, and those that stay."""
    X = np.column_stack([values[name] for name in plan.confidential if name in values])
    return X, np.column_stack([X[:, :0], *(values[name] for name in values if name not in plan.confidential)])


def _k_that_does(plan: Plan, table: Table, strata: Strata, least: int, most: int) -> tuple[int | None, bool]:
    """Look for a k that gives a release, in steps of a half; return it, and whether there was time to look."""
    if len(table) > _MOST_SEARCHED or hasattr(build(plan.method, METHODS, "method", k=plan.k), "steps"):
        return None, False
    k = least
    with progress.share(0.0), warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # nothing is released
        while least <= most:
            k = min(k, most)
            try:
                for number, block in enumerate(plan.blocks):
                    _protected(plan.model_copy(update={"k": k}), table, number, block, strata)
                return k, True
            except DataError:
                if k == most:
                    break
            k += (k + 1) // 2
    return None, True


def _about(plan: Plan, rewritten: Sequence[str]) -> list[str]:
    """Return what a reader should know of the replacement itself."""
    choice = plan.replace[rewritten[0]]
    notes = [_EASIER_TO_LINK] * (choice["name"] == "hybrid")
    alpha = np.array(choice.get("alpha", 0.0))
    if alpha.ndim == 2:
        inside = np.isin(plan.confidential, rewritten)
        notes += [_NOT_ACROSS] * bool(alpha[np.ix_(inside, ~inside)].any())
    return notes


def _refuse_kept(
    names: Sequence[str], constant: Sequence[str], before: Doubles, after: Doubles, inside: str
) -> list[str]:
    """Raise DataError if a whole variable comes out as it was; return a note on how many values do."""
    same = unchanged_cells(before, after)
    for place, name in enumerate(names):
        if name in constant:
            raise DataError(f'All values of "{name}" are the same: there is nothing to rewrite. Leave it out.')
        if same[:, place].all():
            raise DataError(
                f'"{name}" follows from the variables that stay{inside}, so that it would be released as it is. '
                f"{'Raise k, name' if inside else 'Name'} one of those confidential too, or leave it out."
            )
    whole = int(same.all(axis=1).sum())
    records = (
        f"{whole} of {len(same)} records do in all of them, which was accepted"
        if whole
        else "no record does in all of them"
    )
    note = f"{int(same.sum())} of {same.size} confidential values come out as they were; {records}."
    return [note] * bool(same.any())
