"""What is proven of the groups of a release: no groups of at least k have a squared error below the bound.

A release has one bound, whoever names it. Where the search for the groups was asked to prove one, that is it, and the
outcome of the plan has it. For other releases a bound takes time and is computed when somebody asks for it: in reports
and comparisons.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, MutableMapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.describe.matrix import Matrix, block_matrix, block_values
from shoal.describe.strata import combined, strata_of
from shoal.describe.units import columns_within, units_of
from shoal.describe.variables import codes
from shoal.flow.outcome import ProvenLoss
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.blocks.work import ProtectedBlock
    from shoal.flow.plan import Plan
    from shoal.partition import LowerBound

__all__ = ["KnownBounds", "added_bounds", "losses_of", "together", "with_bounds"]

_BY_THE_WAY = "neighbours"  # the bound that every search has, whether or not it was asked for a proof
_MOST_INDICATORS = 2**23  # numbers in a matrix with indicators, of which the nearest neighbours are slow to find

KnownBounds = MutableMapping[tuple[object, ...], "LowerBound"]
"""Bounds that were computed already, for other groups of the same records."""


def losses_of(plan: Plan, blocks: Sequence[ProtectedBlock]) -> list[ProvenLoss]:
    """Return the squared error of every block that was just protected, with the bound that its search proved."""
    return [_loss_of(plan, block) for block in blocks]


def _loss_of(plan: Plan, block: ProtectedBlock) -> ProvenLoss:
    why = _no_bound(plan, block)
    if why or block.squared_error is None:
        return ProvenLoss(no_bound=why)
    # The bound of a search is about its own matrix and parts: for units it has further columns, by rules fewer records.
    own = block.lower_bound if plan.unit is None and not plan.edits else None
    if own is not None and _BY_THE_WAY in own.method.split(" and "):
        own = None  # a better one is computed when it is asked for, and there must not be two
    return _bounded(block.squared_error, own)


def _no_bound(plan: Plan, block: ProtectedBlock) -> str:
    """Return why there is no bound on the squared error of a block, "" if there can be one."""
    if plan.before:
        return "the release is made in several steps"
    if plan.family.no_k:
        return plan.family.no_k
    if not block.matrix.complete:
        return "values are missing"
    if block.matrix.distance != "euclidean":
        return "records are not grouped by Euclidean distances"
    if block.squared_error is None:
        return "all columns keep their values"
    return "" if math.isfinite(block.squared_error) else "the numbers are too large to be squared"


def _bounded(squared_error: float, bound: LowerBound | None) -> ProvenLoss:
    if bound is None:
        return ProvenLoss(squared_error=squared_error)
    return ProvenLoss(squared_error=squared_error, lower_bound=float(bound), method=bound.method)


def with_bounds(plan: Plan, table: Table, masked: Table, known: KnownBounds | None = None) -> tuple[ProvenLoss, ...]:
    """Return the squared error of every block with its bound: what the search proved, or else one computed now.

    Parameters
    ----------
    plan
        The plan of a release, with its outcome; of an older one without squared errors nothing is returned.
    table, masked
        The table after recodes, and what was released; their records in the same order.
    known
        Bounds on groups of the same records, to which those computed now are added.
    """
    losses = [] if plan.outcome is None else plan.outcome.proven
    known = {} if known is None else known
    return tuple(_with_bound(plan, table, masked, number, loss, known) for number, loss in enumerate(losses))


def _with_bound(
    plan: Plan, table: Table, masked: Table, number: int, loss: ProvenLoss, known: KnownBounds
) -> ProvenLoss:
    if loss.squared_error is None or loss.lower_bound is not None:
        return loss
    names = plan.grouped_blocks[number]
    parts = strata_of(table, plan.strata).codes
    for name in plan.blocks[number]:
        if name in plan.categories and name in masked:  # groups are within these as well
            parts = combined(parts, codes(masked, name))
    key = (plan.k, *names, hashlib.sha256(parts.tobytes()).digest())
    if key not in known:
        matrix = block_matrix(block_values(table, names, plan.kinds), plan.kinds, standardize=plan.standardize)
        rows = _grouped_rows(plan, table, number)
        if matrix.nominal and len(rows) * matrix.width(rows) > _MOST_INDICATORS:
            why = "there are too many records and categories to compute one"
            return loss.model_copy(update={"no_bound": why})
        known[key] = _bound_within(matrix, rows, parts[rows], plan.k)
    bound = known[key]
    return _bounded(loss.squared_error, bound).model_copy(update={"note": bound.note or None})


def _grouped_rows(plan: Plan, table: Table, number: int) -> NDArray[np.int64]:
    """Return the records that were grouped: one of each unit where a block has one value within every unit."""
    if plan.unit is not None:
        units = units_of(table, plan.unit)
        if len(columns_within(table, units, plan.blocks[number])) == len(plan.blocks[number]):
            return np.unique(units, return_index=True)[1]
    return np.arange(len(table))


def _bound_within(matrix: Matrix, rows: NDArray[np.int64], parts: NDArray[np.int64], k: int) -> LowerBound:
    """Return the bound on groups of at least k that mix no two parts."""
    from shoal.partition import lower_bound  # quick start-up

    order = np.argsort(parts, kind="stable")
    ends = np.cumsum(np.unique(parts, return_counts=True)[1])[:-1]
    bound = added_bounds([lower_bound(matrix.embedded(rows[part]), k) for part in np.split(order, ends)])
    assert bound is not None
    return bound


def added_bounds(bounds: Iterable[LowerBound | None]) -> LowerBound | None:
    """Return the bound on groups of all parts of a file, from one for every part; None if one is not there."""
    found = list(bounds)
    there = [one for one in found if one is not None]
    if not there or len(there) < len(found):
        return None
    from shoal.partition import LowerBound  # quick start-up

    methods = " and ".join(dict.fromkeys(one.method for one in there))
    return LowerBound({methods: math.fsum(there)}, next((one.note for one in there if one.note), ""))


def together(losses: Sequence[ProvenLoss]) -> ProvenLoss:
    """Return the squared error of all blocks and the bound on it; why there is none if one block has none."""
    why = next((one.no_bound for one in losses if one.no_bound), None)
    errors = [one.squared_error for one in losses if one.squared_error is not None]
    bounds = [one.lower_bound for one in losses if one.lower_bound is not None]
    if not losses or len(errors) < len(losses) or len(bounds) < len(losses):
        return ProvenLoss(no_bound=why)
    return ProvenLoss(
        squared_error=math.fsum(errors),
        lower_bound=math.fsum(bounds),
        method=" and ".join(dict.fromkeys(one.method for one in losses if one.method)),
        note=next((one.note for one in losses if one.note), None),
    )
