"""The kernels of `Refine` that Python calls: make the proposals of a round, and apply those that gain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, intrinsic, kernel
from shoal.partition.kernels.exponentials import power
from shoal.partition.kernels.refine_anneal import anneal, exponential, fill_squared_distances, list_near
from shoal.partition.kernels.refine_groups import MOST_GROUPS, MOST_MOVABLE, USUAL_RECORDS, Groups, Proposals
from shoal.partition.kernels.refine_random import advanced, below, fraction, state_of_step
from shoal.partition.kernels.refine_region import (
    add_a_group,
    choose_region,
    dissolve_a_group,
    gather,
    measure_groups,
    put_torn_first,
    tabulate_groups,
)

_NEAR = 10  # how many others a record may follow to their group
_COLDEST, _HOTTEST = 0.5, 4.0  # the first temperature of a step is between these, times its heat
_MORE_MOVES = 2  # times as many moves for outliers, where each costs or saves much
_CHANGES_COUNT = 0.3  # the part of the steps that make one group more or one less
_LEAST_GAIN = 1e-12  # relative; less may be rounding


@intrinsic
def take_next(typing_context, counter):  # type: ignore[no-untyped-def]
    """Return the first number of `counter` and raise it by one, as one operation that threads cannot interleave."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.atomic_rmw("add", array.data, context.get_constant(types.int64, 1), "monotonic")

    return types.int64(counter), generate


@kernel
def make_proposals(
    X: Doubles,
    groups: Groups,
    neighbours: Integers,
    k: Scalar,
    seed: Scalar,
    first_step: Scalar,
    count: Scalar,
    moves: Scalar,
    heat: Scalar,
    proposals: Proposals,
) -> None:
    """Make proposals until all `count` steps of a round are taken, by this thread or another that works on them.

    The random numbers of a step follow from `seed` and its number, `first_step` and on. `moves` is how many moves of
    each record it draws, `heat` what its temperature is multiplied by.
    """
    d = X.shape[1]
    most_records = proposals.rows.shape[1]
    most_groups = min(MOST_GROUPS, max(2, USUAL_RECORDS // k))
    points = np.empty(d * MOST_MOVABLE)
    distances = np.empty(MOST_MOVABLE * MOST_MOVABLE)
    near = np.empty(MOST_MOVABLE * _NEAR, np.int32)
    scale = np.empty(MOST_MOVABLE)
    to_group = np.empty((MOST_GROUPS + 1) * MOST_MOVABLE)
    pairs = np.empty(MOST_GROUPS + 1)
    means = np.empty((MOST_GROUPS + 1, d))
    sizes = np.empty(MOST_GROUPS + 1, np.int64)
    lengths = np.empty(MOST_GROUPS + 1, np.int64)
    listed = np.empty((MOST_GROUPS + 1, 2 * k), np.int32)
    place = np.empty(MOST_MOVABLE, np.int32)
    while True:
        step = take_next(proposals.next_step)
        if step >= count:
            break
        taken, rows = proposals.taken[step], proposals.rows[step]
        parts, sse = proposals.parts[step], proposals.sse[step]
        state = state_of_step(seed, first_step + step)
        before, records, is_scattered, state = choose_region(
            groups, neighbours, most_groups, most_records, taken, state
        )
        proposals.gain[step] = 0.0
        proposals.counts[step, 0], proposals.counts[step, 1], proposals.counts[step, 2] = before, before, records
        if before == 1:
            continue
        after = before
        loss = gather(groups, taken, before, rows, parts)
        measure_groups(X, rows, parts, records, before, sizes, means, sse)
        movable = min(records, MOST_MOVABLE)
        if movable < records:
            put_torn_first(X, means, before, records, rows, parts)
        else:
            state = advanced(state)
            if fraction(state) < _CHANGES_COUNT:
                more = records >= (before + 1) * k
                fewer = records <= (before - 1) * (2 * k - 1)
                if more and (not fewer or (state & np.uint64(1)) == np.uint64(0)):
                    after = before + 1
                elif fewer:
                    after = before - 1
        D = distances[: movable * movable].reshape((movable, movable))
        columns = points[: d * movable].reshape((d, movable))
        fill_squared_distances(X, rows, columns, D)
        if after > before:
            state = advanced(state)
            add_a_group(D, k, below(state, records), before, sizes, parts)
        elif after < before:
            state = advanced(state)
            dissolve_a_group(columns, k, below(state, before), before, sizes, means, parts)
        if after != before:
            measure_groups(X, rows, parts, records, after, sizes, means, sse)
        near_ones = near[: movable * min(_NEAR, movable - 1)].reshape((movable, min(_NEAR, movable - 1)))
        list_near(D, k, near_ones, scale)
        table = to_group[: after * movable].reshape((after, movable))
        tabulate_groups(columns, parts, after, sizes, means, sse, table, pairs, listed, lengths, place)
        state = advanced(state)
        temperature = heat * _COLDEST * power(_HOTTEST / _COLDEST, fraction(state))
        state = anneal(
            D, table, pairs, sizes, listed, lengths, place, parts, near_ones, scale,
            k, temperature, moves * movable * (_MORE_MOVES if is_scattered else 1), state,
        )  # fmt: skip
        new_loss = measure_groups(X, rows, parts, records, after, sizes, means, sse)
        proposals.counts[step, 1] = after
        if abs(loss - new_loss) > loss * _LEAST_GAIN:
            proposals.gain[step] = loss - new_loss
        proposals.leeway[step] = loss / records * exponential(advanced(state))


@kernel
def apply_proposals(
    groups: Groups, proposals: Proposals, count: Scalar, round_number: Scalar, tolerance: Scalar
) -> Scalar:
    """Apply the proposals that gain, in order, unless an earlier one changed a group they took; return how many.

    With a tolerance above zero those that cost a little are applied as well.
    """
    applied = 0
    for step in range(count):
        gain = proposals.gain[step]
        taken = proposals.taken[step]
        before, after, records = proposals.counts[step, 0], proposals.counts[step, 1], proposals.counts[step, 2]
        for t in range(before):
            groups.visits[taken[t]] += 1
        if gain == 0 or gain < -tolerance * proposals.leeway[step]:
            continue
        is_outdated = False
        for t in range(before):
            is_outdated |= groups.changed[taken[t]] == round_number
        if is_outdated:
            continue
        applied += 1
        if after > before:
            taken[before] = groups.numbers[groups.in_use[0]]
            groups.visits[taken[before]] = groups.visits[taken[0]]
            groups.in_use[0] += 1
        elif after < before:
            gone = taken[after]
            groups.sizes[gone] = 0
            groups.sse[gone] = 0.0
            groups.changed[gone] = round_number
            groups.in_use[0] -= 1
            last = groups.numbers[groups.in_use[0]]
            groups.numbers[groups.place[gone]] = last
            groups.place[last] = groups.place[gone]
            groups.numbers[groups.in_use[0]] = gone
            groups.place[gone] = groups.in_use[0]
        for t in range(after):
            groups.sizes[taken[t]] = 0
            groups.sse[taken[t]] = proposals.sse[step, t]
            groups.changed[taken[t]] = round_number
        for i in range(records):
            row = proposals.rows[step, i]
            group = taken[proposals.parts[step, i]]
            groups.labels[row] = group
            groups.members[group, groups.sizes[group]] = row
            groups.sizes[group] += 1
    return applied
