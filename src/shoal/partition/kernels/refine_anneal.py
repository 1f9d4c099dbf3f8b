"""Simulated annealing of the few groups that one step took.

With the squared distances D of the records that may move, the sum of squared errors of a group of n records is
pairs / n, `pairs` being the sum of D over its pairs. `to_group` keeps, for every group and every record, the sum of
D from the record to the members of the group. Then what a shift or a swap would change costs a few operations
whatever the number of columns, and a move that is made costs one pass over the records of the step.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel
from shoal.partition.kernels.exponentials import power
from shoal.partition.kernels.refine_random import advanced, below, below_by_lower_bits

_STAGES = 40  # the temperature falls from one to the next,
_COLD_STAGES = 4  # the last of which accept only what is better
_COOLING = 0.05  # the last temperature above zero, as a part of the first

# Exponentially distributed numbers: a move that costs c is made if c is below the temperature times one of them.
_DRAWS = 1024
_EXPONENTIAL = np.array([-float(Decimal((i + 0.5) / _DRAWS).ln()) for i in range(_DRAWS)])  # the same everywhere
_DRAW_BITS = np.uint64(_DRAWS - 1)
_SHIFT_BIT = np.uint64(_DRAWS)
_REVERSE_BIT = np.uint64(2 * _DRAWS)


@inner_kernel
def exponential(random: Scalar) -> Scalar:
    """Turn a random number into an exponentially distributed one."""
    return _EXPONENTIAL[np.int64(random & _DRAW_BITS)]


@inner_kernel
def fill_squared_distances(X: Doubles, rows: Integers, columns: Doubles, D: Doubles) -> None:
    """Copy the records that may move to `columns`, one line a variable, and fill the table of their squared distances.

    The innermost loops go over records, so that the compiler can take several at a time; sums keep their order.
    """
    d, movable = columns.shape
    for i in range(movable):
        for j in range(d):
            columns[j, i] = X[rows[i], j]
    for i in range(movable):
        line = D[i]
        for h in range(movable):
            line[h] = 0.0
        for j in range(d):
            x = columns[j, i]
            column = columns[j]
            for h in range(movable):
                z = x - column[h]
                line[h] += z * z


@inner_kernel
def list_near(D: Doubles, k: Scalar, near: Integers, scale: Doubles) -> None:
    """List the nearest others of every record, and what a record in a group of near ones would cost."""
    movable, length = near.shape
    nearest = np.empty(length)
    others = min(k - 1, length)
    for i in range(movable):
        count = 0
        for h in range(movable):
            distance = D[i, h]
            if h == i:
                continue
            if count < length:
                count += 1
            elif distance >= nearest[length - 1]:
                continue
            t = count - 1
            while t > 0 and nearest[t - 1] > distance:
                nearest[t] = nearest[t - 1]
                near[i, t] = near[i, t - 1]
                t -= 1
            nearest[t] = distance
            near[i, t] = h
        total = 0.0
        for t in range(others):
            total += nearest[t]
        scale[i] = total / others * (k - 1) / (2 * k)


@inner_kernel
def anneal(
    D: Doubles,
    to_group: Doubles,
    pairs: Doubles,
    sizes: Integers,
    listed: Integers,
    lengths: Integers,
    place: Integers,
    parts: Integers,
    near: Integers,
    scale: Doubles,
    k: Scalar,
    temperature: Scalar,
    moves: Scalar,
    state: Scalar,
) -> Scalar:
    """Draw `moves` shifts and swaps at falling temperatures, make those that are accepted; return the random state.

    A move proposes that a record joins the group of one of its near ones, or one of these the group of the record
    (no other record has an outlier among its near ones): on its own, a shift, or in place of a random member, a swap.
    The temperature is relative to `scale` of the record, because one that suits the outskirts would shuffle the core.
    Groups have `sizes` records, of which `lengths` may move, those in `listed`.
    """
    movable, length = near.shape
    most = 2 * k - 1
    cooling = power(_COOLING, 1.0 / (_STAGES - _COLD_STAGES))
    moves_a_stage = moves // _STAGES + 1
    for stage in range(_STAGES):
        if stage >= _STAGES - _COLD_STAGES:
            temperature = 0.0
        for _ in range(moves_a_stage):
            state = advanced(state)
            i = below(state, movable)
            other = np.int64(near[i, below_by_lower_bits(state, length)])
            if parts[i] == parts[other]:
                continue
            state = advanced(state)
            threshold = temperature * scale[i] * exponential(state)
            if (state & _REVERSE_BIT) != np.uint64(0):
                i, other = other, i
            a, b = parts[i], parts[other]
            size_a, size_b = sizes[a], sizes[b]
            if size_a > k and size_b < most and (state & _SHIFT_BIT) != np.uint64(0):
                left = pairs[a] - to_group[a, i]
                joined = pairs[b] + to_group[b, i]
                cost = left / (size_a - 1) - pairs[a] / size_a + joined / (size_b + 1) - pairs[b] / size_b
                if cost < threshold:
                    pairs[a] = left
                    pairs[b] = joined
                    for h in range(movable):
                        to_group[a, h] -= D[i, h]
                        to_group[b, h] += D[i, h]
                    sizes[a] -= 1
                    sizes[b] += 1
                    lengths[a] -= 1
                    last = listed[a, lengths[a]]
                    listed[a, place[i]] = last
                    place[last] = place[i]
                    listed[b, lengths[b]] = i
                    place[i] = lengths[b]
                    lengths[b] += 1
                    parts[i] = b
                continue
            j = listed[b, below(state, lengths[b])]
            gain_a = to_group[a, i] - to_group[a, j] + D[i, j]
            gain_b = to_group[b, j] - to_group[b, i] + D[i, j]
            if -gain_a / size_a - gain_b / size_b < threshold:
                pairs[a] -= gain_a
                pairs[b] -= gain_b
                for h in range(movable):
                    change = D[j, h] - D[i, h]
                    to_group[a, h] += change
                    to_group[b, h] -= change
                place[i], place[j] = place[j], place[i]
                listed[a, place[j]] = j
                listed[b, place[i]] = i
                parts[i] = b
                parts[j] = a
        temperature *= cooling
    return state
