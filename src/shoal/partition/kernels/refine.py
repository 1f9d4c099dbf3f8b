"""The kernels of `Refine` that Python calls: make the proposals of a round, and apply those that gain."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, intrinsic, kernel
from shoal.partition.kernels.exponentials import power

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@inner_kernel
def scrambled(number: Scalar) -> Scalar:
    """Turn neighbouring numbers into unrelated ones (the output of splitmix64)."""
    x = np.uint64(number) + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@inner_kernel
def state_of_step(seed: Scalar, step: Scalar) -> Scalar:
    """Return the state that the random numbers of a step start from; it is never zero."""
    return scrambled(scrambled(seed) + np.uint64(step)) | np.uint64(1)


@inner_kernel
def advanced(state: Scalar) -> Scalar:
    """Return the next state, which is also the next random number (xorshift64)."""
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return state


@inner_kernel
def below(random: Scalar, limit: Scalar) -> Scalar:
    """Turn the upper half of a random number into a whole number from 0 to limit - 1."""
    return np.int64(((random >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@inner_kernel
def below_by_lower_bits(random: Scalar, limit: Scalar) -> Scalar:
    """Turn other bits of the same random number into a whole number from 0 to limit - 1, for limits up to 1,000."""
    return np.int64(((random & np.uint64(0xFFFF)) * np.uint64(limit)) >> np.uint64(16))


@inner_kernel
def fraction(random: Scalar) -> Scalar:
    """Turn a random number into one between 0 and 1."""
    return np.float64(random >> np.uint64(11)) * 2.0**-53


MOST_GROUPS = 32  # that one step takes
MOST_MOVABLE = 320  # records that one step moves: their table of distances stays in the cache
USUAL_RECORDS = 160  # in groups of k; fewer groups are taken where these have more


class Groups(NamedTuple):
    """A partition with groups of k to 2k-1; `apply_proposals` changes it in place.

    Numbers of groups run to n // k, and not all are in use: those that are stand first in `numbers`.
    """

    labels: NDArray[np.int32]  # n
    members: NDArray[np.int32]  # numbers x (2k-1)
    sizes: NDArray[np.int32]  # numbers: 0 if not in use
    sse: NDArray[np.float64]  # numbers: computed anew, from the records, whenever the group changes
    numbers: NDArray[np.int32]
    place: NDArray[np.int32]  # by number: where it stands in `numbers`
    in_use: NDArray[np.int64]  # 1: how many
    changed: NDArray[np.int64]  # by number: the round in which the group last changed
    visits: NDArray[np.int32]  # by number: how many steps took the group


class Proposals(NamedTuple):
    """What the steps of one round propose: for each, the groups it takes and how it would part their records."""

    taken: NDArray[np.int32]  # steps x (MOST_GROUPS + 1): numbers of the groups
    counts: NDArray[np.int32]  # steps x 3: groups taken, groups proposed, records
    rows: NDArray[np.int32]  # steps x records
    parts: NDArray[np.int32]  # steps x records: the proposed group, 0 to groups proposed - 1
    sse: NDArray[np.float64]  # steps x (MOST_GROUPS + 1): of the proposed groups
    gain: NDArray[np.float64]  # steps: by how much the sum of squared errors would fall; 0 if that may be rounding
    leeway: NDArray[np.float64]  # steps: how much it may rise, times the tolerance of the moment
    next_step: NDArray[np.int64]  # 1: the threads take the number of their next step from here


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


_CONTESTS = 4  # the first group is the worst of 1, 4, 16 or 64: a few groups of outliers can be most of the loss
_SHAPES = 9  # of a region:
_SCATTERED = 0  # one in nine,
_ROUND = 5  # four in nine; the others wander
_NEAREST = 5  # a region that wanders looks at this many neighbours of a record first, and at more if it has to


@inner_kernel
def worst_of_some(groups: Groups, contestants: Scalar, state: Scalar) -> tuple[Scalar, Scalar]:
    """Return the group with the largest loss for each of its visits, of some random ones, and the random state."""
    # Tried instead of the loss: what a group costs beyond the prices of its records, by `bound_by_prices`. With as many
    # steps, on files that nothing was tuned on, the loss was 0.37 % less on diabetes at k = 3 (three seeds, which
    # differ by as much) and 0.02 % on wine at k = 5 (six seeds), where the prices took as long as these steps.
    worst = np.int64(-1)
    largest = 0.0
    for _ in range(contestants):
        state = advanced(state)
        group = np.int64(groups.numbers[below(state, groups.in_use[0])])
        loss = groups.sse[group] / (1 + groups.visits[group])
        if worst < 0 or loss > largest:
            worst = group
            largest = loss
    return worst, state


@inner_kernel
def choose_region(
    groups: Groups, neighbours: Integers, most_groups: Scalar, most_records: Scalar, taken: Integers, state: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Fill `taken` with groups; return how many groups and records that are, if it is scattered, and the random state.

    The region is round, made of the groups of the neighbours of a record in its middle, or it wanders from any of
    its records to a neighbour of that, or it is scattered: then every other group is one with a large loss, because
    outliers that should be together need not be neighbours.
    """
    state = advanced(state)
    shape = below(state, _SHAPES)
    state = advanced(state)
    contestants = 1 << (2 * below(state, _CONTESTS))
    if shape == _SCATTERED:
        contestants = max(contestants, 16)
    group, state = worst_of_some(groups, contestants, state)
    state = advanced(state)
    wanted = min(2 + below(state, most_groups - 1), groups.in_use[0])
    state = advanced(state)
    middle = np.int64(groups.members[group, below(state, groups.sizes[group])])
    taken[0] = group
    count = 1
    records = np.int64(groups.sizes[group])
    looks = 0
    while count < wanted and looks < 20 * wanted:
        if shape == _SCATTERED and looks % 2 == 0:
            group, state = worst_of_some(groups, contestants, state)
        elif shape >= _ROUND and looks < neighbours.shape[1]:
            group = np.int64(groups.labels[neighbours[middle, looks]])
        else:
            state = advanced(state)
            group = np.int64(taken[below(state, count)])
            state = advanced(state)
            member = groups.members[group, below(state, groups.sizes[group])]
            state = advanced(state)
            neighbour = neighbours[member, below(state, min(neighbours.shape[1], _NEAREST + looks // 2))]
            group = np.int64(groups.labels[neighbour])
        looks += 1
        known = False
        for t in range(count):
            known |= bool(taken[t] == group)
        if known:
            continue
        if records + groups.sizes[group] > most_records:
            break
        taken[count] = group
        count += 1
        records += np.int64(groups.sizes[group])
    return count, records, shape == _SCATTERED, state


@inner_kernel
def gather(groups: Groups, taken: Integers, count: Scalar, rows: Integers, parts: Integers) -> Scalar:
    """List the records of the groups and the group of each, 0 to count - 1; return the loss of these groups."""
    filled = 0
    loss = 0.0
    for t in range(count):
        group = taken[t]
        loss += groups.sse[group]
        for m in range(groups.sizes[group]):
            rows[filled] = groups.members[group, m]
            parts[filled] = t
            filled += 1
    return loss


@inner_kernel
def put_torn_first(X: Doubles, means: Doubles, count: Scalar, records: Scalar, rows: Integers, parts: Integers) -> None:
    """Sort the records by how much nearer the mean of their own group is than that of any other."""
    torn = np.empty(records)
    for i in range(records):
        own = 0.0
        other = np.inf
        for g in range(count):
            distance = 0.0
            for j in range(X.shape[1]):
                z = X[rows[i], j] - means[g, j]
                distance += z * z
            if g == parts[i]:
                own = distance
            else:
                other = min(other, distance)
        torn[i] = other - own
    order = np.argsort(torn)
    rows[:records] = rows[order]
    parts[:records] = parts[order]


@inner_kernel
def add_a_group(D: Doubles, k: Scalar, seed: Scalar, count: Scalar, sizes: Integers, parts: Integers) -> None:
    """Make a group of the k records nearest to the record `seed` that others can spare; there are k of those."""
    for _ in range(k):
        nearest = -1
        for i in range(D.shape[0]):
            if parts[i] != count and sizes[parts[i]] > k and (nearest < 0 or D[seed, i] < D[seed, nearest]):
                nearest = i
        sizes[parts[nearest]] -= 1
        parts[nearest] = count
    sizes[count] = k


@inner_kernel
def dissolve_a_group(
    columns: Doubles, k: Scalar, victim: Scalar, count: Scalar, sizes: Integers, means: Doubles, parts: Integers
) -> None:
    """Give the records of the group `victim` to the groups with the nearest means that have room.

    The last group takes its number; `means` are those of the groups before.
    """
    d, movable = columns.shape
    last = count - 1
    for i in range(movable):
        if parts[i] == victim:
            parts[i] = -1
        elif parts[i] == last:
            parts[i] = victim
    sizes[victim] = sizes[last]
    means[victim] = means[last]
    for i in range(movable):
        if parts[i] >= 0:
            continue
        nearest = -1
        least = np.inf
        for g in range(last):
            if sizes[g] < 2 * k - 1:
                distance = 0.0
                for j in range(d):
                    z = columns[j, i] - means[g, j]
                    distance += z * z
                if nearest < 0 or distance < least:
                    least = distance
                    nearest = g
        parts[i] = nearest
        sizes[nearest] += 1


@inner_kernel
def measure_groups(
    X: Doubles,
    rows: Integers,
    parts: Integers,
    records: Scalar,
    count: Scalar,
    sizes: Integers,
    means: Doubles,
    sse: Doubles,
) -> Scalar:
    """Compute sizes, means and losses of the groups 0 to count - 1 from their records; return the total loss."""
    d = X.shape[1]
    for g in range(count):
        sizes[g] = 0
        sse[g] = 0.0
        for j in range(d):
            means[g, j] = 0.0
    for i in range(records):
        sizes[parts[i]] += 1
        for j in range(d):
            means[parts[i], j] += X[rows[i], j]
    for g in range(count):
        for j in range(d):
            means[g, j] /= sizes[g]
    for i in range(records):
        loss = 0.0
        for j in range(d):
            z = X[rows[i], j] - means[parts[i], j]
            loss += z * z
        sse[parts[i]] += loss
    total = 0.0
    for g in range(count):
        total += sse[g]
    return total


@inner_kernel
def tabulate_groups(
    columns: Doubles,
    parts: Integers,
    count: Scalar,
    sizes: Integers,
    means: Doubles,
    sse: Doubles,
    to_group: Doubles,
    pairs: Doubles,
    listed: Integers,
    lengths: Integers,
    place: Integers,
) -> None:
    """Fill the tables that annealing works on (see `anneal`) from the measures of the groups.

    The squared distances from a point to n records sum up to n times that to their mean, plus their loss.
    """
    d, movable = columns.shape
    for g in range(count):
        lengths[g] = 0
        pairs[g] = sizes[g] * sse[g]
        line = to_group[g]
        for i in range(movable):
            line[i] = 0.0
        for j in range(d):
            mean = means[g, j]
            column = columns[j]
            for i in range(movable):
                z = column[i] - mean
                line[i] += z * z
        for i in range(movable):
            line[i] = sizes[g] * line[i] + sse[g]
    for i in range(movable):
        g = parts[i]
        listed[g, lengths[g]] = i
        place[i] = lengths[g]
        lengths[g] += 1


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
