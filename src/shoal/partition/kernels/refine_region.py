"""What a step works on: some neighbouring groups, and how many groups it will make of their records."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel
from shoal.partition.kernels.refine_groups import Groups
from shoal.partition.kernels.refine_random import advanced, below

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
