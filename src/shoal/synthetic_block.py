"""One block of variables, the confidential ones of which are rewritten: groups, then synthetic values for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.choices import build
from shoal.crisp_block import ProtectedBlock, labels_of
from shoal.describe.matrix import block_matrix, block_values
from shoal.describe.strata import Strata
from shoal.errors import DataError, MethodError
from shoal.partition import Partition
from shoal.plan import Plan
from shoal.read import Table
from shoal.replace import REPLACEMENTS
from shoal.replace.synthetic import unchanged_cells

__all__ = ["protect_synthetic_block"]

Doubles = NDArray[np.float64]

# What the papers do not say of hybrid data; measured in the guide.
_EASIER_TO_LINK = "Records of hybrid data are easier to link than those of plain microaggregation with the same groups."


def protect_synthetic_block(
    plan: Plan, table: Table, number: int, block: Sequence[str], strata: Strata
) -> ProtectedBlock:
    """Group every stratum and rewrite the confidential variables of every group; the others stay as they are."""
    name = plan.replace[block[0]]["name"]
    values = block_values(table, block, plan.kinds)
    matrix = block_matrix(values, plan.kinds, standardize=plan.standardize)
    if not matrix.complete:
        raise MethodError(f'replace "{name}" rewrites complete records; some here have gaps. Fill them first.')
    labels, _, steps = labels_of(plan, number, block, matrix, strata)
    partition = Partition(labels, tuple(block))
    rewritten = [column for column in plan.confidential if column in block]
    kept = [column for column in block if column not in plan.confidential]
    computed = {column: np.empty(len(table)) for column in rewritten}
    notes: list[str] = []
    if rewritten:
        X = np.column_stack([values[column] for column in rewritten])
        Y = np.column_stack([values[column] for column in kept]) if kept else np.empty((len(table), 0))
        for stratum in range(len(strata)):
            rows = np.flatnonzero(strata.codes == stratum)
            groups = np.unique(labels[rows], return_inverse=True)[1]
            rng = np.random.default_rng([plan.seed, number, stratum])
            found = build(plan.replace[block[0]], REPLACEMENTS, "replace").synthetic(X[rows], Y[rows], groups, rng)
            for place, column in enumerate(rewritten):
                computed[column][rows] = found.values[:, place]
            notes += [note for note in found.notes if note not in notes]
        _refuse_kept(rewritten, X, np.column_stack([computed[column] for column in rewritten]), notes)
        if name == "hybrid":
            notes.append(_EASIER_TO_LINK)
    return ProtectedBlock(
        matrix=matrix,
        partition=partition,
        computed=computed,
        taken={},
        joined={},
        smallest_support=partition.k,
        steps=steps,
        notes=tuple(notes),
    )


def _refuse_kept(names: Sequence[str], before: Doubles, after: Doubles, notes: list[str]) -> None:
    """Raise DataError if a whole variable comes out as it was, and note how many values do."""
    same = unchanged_cells(before, after)
    for place, name in enumerate(names):
        if same[:, place].all():
            raise DataError(
                f'"{name}" follows from the variables that stay, so that it would be released as it is. Name one of '
                "those confidential too, or leave it out of the columns."
            )
    if same.any():
        kept = f"{int(same.sum())} of {same.size} confidential values"
        notes.append(f"{kept} come out as they were; no record does in all of them.")
