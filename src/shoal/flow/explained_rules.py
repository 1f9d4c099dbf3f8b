"""How a plan keeps its rules, found out without masking anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.edits.keep.block_edits import BlockEdits
from shoal.flow.blocks.work import Work
from shoal.flow.carry_out import rehearse
from shoal.flow.rules.kept_rules import split_by_rules
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
    work = rehearse(plan, table)
    return explained_records(plan, work.record_rules) if plan.family.rewrites else _explained_blocks(work)


def _explained_blocks(work: Work) -> list[ExplainedBlock]:
    plan, explained = work.plan, []
    for edits, matrix in zip(work.edits, work.matrices, strict=False):  # no edits where centres keep linear rules
        cells = split_by_rules(plan, work.table, edits, matrix, work.strata)
        numbers = [plan.edits.index(demand.rule) + 1 for demand in edits.demands]
        sizes = sorted(np.bincount(cells.codes).tolist(), reverse=True)
        explained.append(ExplainedBlock(edits, tuple(dict.fromkeys(numbers)), tuple(sizes), cells.filled))
    return explained
