"""How a plan keeps its rules, found out without masking anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.describe.matrix import block_matrix, block_values
from shoal.describe.strata import strata_of
from shoal.edits.keep.block_edits import BlockEdits
from shoal.flow.carry_out import rehearse
from shoal.flow.rules.decimals import refuse_unroundable
from shoal.flow.rules.kept_rules import block_edits_of, refuse_broken_file, split_by_rules
from shoal.flow.rules.ruled_values import ExplainedRecords, explained_records
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["ExplainedBlock", "explain"]


@dataclass(frozen=True)
class ExplainedBlock:
    """What a plan does with one block, and why."""

    edits: BlockEdits
    rules: tuple[int, ...]  # their numbers, from 1
    parts: tuple[int, ...]  # how many records are grouped together, largest first
    filled: tuple[str, ...]  # what was done about parts with fewer than k


def explain(plan: Plan, table: Table) -> Sequence[ExplainedBlock | ExplainedRecords]:
    """Say what a plan does to keep its rules. Nothing is released.

    Whether all rules can be kept, and whether the plan can be carried out at all, may depend on the groups and on what
    is drawn: so it is carried out, and what it would refuse is refused here.
    """
    blocks = block_edits_of(plan, table)
    refuse_broken_file(plan, table, blocks)
    refuse_unroundable(plan, table)
    explained = explained_records(plan, table) if plan.is_synthetic else _explained_blocks(plan, table, blocks)
    rehearse(plan, table, blocks)
    return explained


def _explained_blocks(plan: Plan, table: Table, blocks: Sequence[BlockEdits]) -> list[ExplainedBlock]:
    strata = strata_of(table, plan.strata)
    explained = []
    for edits in blocks:
        values = block_values(table, edits.columns, plan.kinds)
        matrix = block_matrix(values, plan.kinds, standardize=plan.standardize)
        cells = split_by_rules(plan, table, edits, matrix, strata)
        numbers = [plan.edits.index(demand.rule) + 1 for demand in edits.demands]
        sizes = sorted(np.bincount(cells.codes).tolist(), reverse=True)
        explained.append(ExplainedBlock(edits, tuple(dict.fromkeys(numbers)), tuple(sizes), cells.filled))
    return explained
