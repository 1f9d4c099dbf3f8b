"""One block of variables protected by crisp groups: partition, then a representative for every group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal import progress
from shoal.describe.strata import Strata
from shoal.edits.keep.block_edits import BlockEdits
from shoal.edits.keep.cells import Cells
from shoal.edits.keep.kept_groups import kept_representatives
from shoal.errors import DisclosureWarning, MethodError, TooFewRecordsError, warn
from shoal.flow.blocks.behind import GroupedBlock, partition_behind
from shoal.flow.blocks.confidential.closeness import with_closeness
from shoal.flow.blocks.confidential.diversity import confidential_codes, with_diversity
from shoal.flow.blocks.grouping import group_centres, group_records, with_empty_records
from shoal.flow.blocks.kept_categories import KeptCategories, keep_categories, within_parts
from shoal.flow.blocks.largest_shares import reach_of_weights, refuse_large_shares
from shoal.flow.blocks.representatives import Representatives
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.rules.kept_rules import split_by_rules
from shoal.replace.members import members

__all__ = ["protect_crisp_block"]

Doubles = NDArray[np.float64]

_GROUPING = 0.2  # the part of the work where groups are then made close to the file


def protect_crisp_block(work: Work, number: int, block: Sequence[str]) -> ProtectedBlock:
    """Group every stratum and give every group its representatives, variable by variable, so that rules hold."""
    edits = work.edits[number] if work.edits else None
    kept = keep_categories(work, number, block)
    if not kept.others:
        return kept.alone(number, block)
    cells = None
    if edits is not None and edits.demands:
        kept, cells = _split(work, number, block, edits, kept)
    whole_block, block, work = tuple(block), kept.others, kept.work
    plan, strata = work.plan, work.strata
    values, matrix = work.values[number], work.matrices[number]
    if cells is not None:
        strata = Strata(cells.codes, len(cells.parts), strata.columns)
        refuse_large_shares(work, number, strata)
    with progress.share(1.0 if plan.closeness is None else _GROUPING):
        grouping = group_records(work, number, block, matrix, strata)
    if plan.missing == "fill":
        grouping = with_empty_records(grouping, strata, plan.k)
    everyone = members(grouping.labels, grouping.labels >= 0)
    if plan.closeness is not None:
        with progress.step(1 - _GROUPING):
            grouping = with_closeness(work, block, matrix, strata, grouping)
        everyone = members(grouping.labels, grouping.labels >= 0)
    if plan.diversity is not None:
        confidential = confidential_codes(work, block)
        grouping = with_diversity(grouping, group_centres(matrix, everyone), confidential, plan.diversity)
        everyone = members(grouping.labels, grouping.labels >= 0)
    grouped = GroupedBlock(work, number, block, values, matrix, strata, grouping, everyone, edits)
    notes = _notes_on_records(grouped)
    representatives = Representatives(grouped)
    representatives.compute()
    partition = partition_behind(grouped, representatives.behind, whole_block, kept.combinations)
    computed = representatives.computed
    if computed and edits is not None and cells is not None:
        computed |= _keeping_rules(work, edits, cells, computed, representatives.taken, partition.labels)
    return ProtectedBlock(
        matrix=matrix,
        partition=partition,
        computed=computed,
        suppressed=kept.suppressed,
        taken=representatives.taken,
        joined=representatives.joined,
        filled=representatives.filled,
        held_by_one=representatives.held_by_one,
        lone=representatives.lone,
        dominated=representatives.dominated,
        effective_number=min(representatives.effective, default=math.inf),
        smallest_support=min(representatives.supports, default=len(work.table)),
        steps=grouping.steps,
        notes=(*notes, *grouping.notes),
        squared_error=representatives.squared_error,
        lower_bound=grouping.lower_bound,
    )


def _split(
    work: Work, number: int, block: Sequence[str], edits: BlockEdits, kept: KeptCategories
) -> tuple[KeptCategories, Cells]:
    """Split the combinations of kept categories so that one alternative of every rule holds throughout a part.

    Where too few records of a combination keep the same rules, cells are suppressed inside the parts that rules make.
    """
    plan, matrix = work.plan, work.matrices[number]
    try:
        return kept, split_by_rules(plan, kept.work.table, edits, matrix, kept.work.strata)
    except TooFewRecordsError:
        if not kept.can_suppress:
            raise
    coarse = split_by_rules(plan, work.table, edits, matrix, within_parts(work, block))
    strata = Strata(coarse.codes, len(coarse.parts), work.strata.columns)
    kept = keep_categories(replace(work, strata=strata, wider=None), number, block)
    parts = kept.work.strata.codes
    first = np.unique(parts, return_index=True)[1]
    cells = replace(
        coarse,
        codes=parts,
        parts=coarse.parts[coarse.codes[first]],
        atoms=tuple(coarse.atoms[cell] for cell in coarse.codes[first].tolist()),
    )
    return kept, cells


def _keeping_rules(
    work: Work,
    edits: BlockEdits,
    cells: Cells,
    computed: Mapping[str, Doubles],
    taken: Mapping[str, NDArray[np.int64]],
    labels: NDArray[np.int64],
) -> dict[str, Doubles]:
    """Return the computed columns that rules name, with the rules kept.

    A variable with missing values is in no rule with others; only whole numbers are then to be kept.
    """
    numbers = {name: work.table.numbers(name) for name in edits.columns if work.table.is_numeric(name)}
    complete = {name: column for name, column in numbers.items() if not _has_gaps(column)}
    whole = {name: np.rint(computed[name]) for name in edits.whole if name not in complete}
    if (labels < 0).any():  # a record has no values but those of constant columns: no others are complete
        return whole
    averaged = {name: computed[name] for name in complete if name in computed}
    selected = {name: complete[name][rows] for name, rows in taken.items() if name in complete}
    return whole | kept_representatives(
        edits.among(complete),
        cells,
        averaged,
        labels,
        complete,
        selected=selected,
        repair=work.plan.repair,
        reach=reach_of_weights(work, labels),
    )


def _has_gaps(values: Doubles) -> bool:
    return bool(np.isnan(values).any())


def _notes_on_records(grouped: GroupedBlock) -> tuple[str, ...]:
    """Return a note, and warn, where records are released as they are; MethodError if some are incomplete."""
    if not grouped.is_shared:
        return ()
    if not grouped.matrix.complete:
        raise MethodError(
            "A medoid is a complete record; some here have missing values. Fill them, or use another replacement."
        )
    warn("A medoid is one of the records: for every group an original record is released as it is.", DisclosureWarning)
    return ("For every group one of its records is released as it is (medoid).",)
