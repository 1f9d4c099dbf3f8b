"""Kernels of pricing: groups whose squared error is below the prices of their records.

The reduced cost of a group of s records is the sum over its pairs of w = D/s - (u + u')/(s-1), D being their squared
distance and u the prices of the two. If a group of m records has the sum T, then without the record whose weights to
the others sum up to most it has at most T (1 - 2/m). So every group below a limit grows from a pair, one record after
the other, through groups that are all below their part of the limit: m (m-1) of s (s-1). Each is reached once, since a
record joins only if it is then the one with the largest sum; more than once if sums are equal up to rounding.

A cut, three records of which any two or all three may be in a group, costs its penalty once. A third of the
penalty for every pair of them is never more, and leads the search; the rest is added in the end.
"""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.keep_least import keep_least
from shoal.partition.kernels.squared_distance import squared_distance


@inner_kernel
def shared_penalties(i: Scalar, j: Scalar, cut_starts: Integers, cuts_of: Integers, penalties: Doubles) -> Scalar:
    """Return a third of the penalties of the cuts that have both records."""
    total = 0.0
    for c in range(cut_starts[i], cut_starts[i + 1]):
        for d in range(cut_starts[j], cut_starts[j + 1]):
            if cuts_of[c] == cuts_of[d]:
                total += penalties[cuts_of[c]] / 3.0
    return total


@inner_kernel
def weight_of(
    X: Doubles,
    prices: Doubles,
    size: Scalar,
    i: Scalar,
    j: Scalar,
    cut_starts: Integers,
    cuts_of: Integers,
    penalties: Doubles,
) -> Scalar:
    """Return the weight of a pair in groups of `size`, with a third of the penalty of every cut that has both."""
    weight = squared_distance(X, i, X[j]) / size - (prices[i] + prices[j]) / (size - 1)
    return weight + shared_penalties(i, j, cut_starts, cuts_of, penalties)


@inner_kernel
def _meet(group: Integers, cut_starts: Integers, cuts_of: Integers, met: Integers) -> None:
    """Count, for every cut, its records in a group, which is filled up with -1."""
    for x in group:
        if x >= 0:
            for c in range(cut_starts[x], cut_starts[x + 1]):
                met[cuts_of[c]] += 1


@inner_kernel
def rest_of_penalties(
    group: Integers, cut_starts: Integers, cuts_of: Integers, penalties: Doubles, met: Integers
) -> Scalar:
    """Return what the cuts with exactly two records in a group cost beyond a third; `met` is zero before and after."""
    rest = 0.0
    _meet(group, cut_starts, cuts_of, met)
    for x in group:
        for c in range(cut_starts[x], cut_starts[x + 1]):
            if met[cuts_of[c]] == 2:
                rest += penalties[cuts_of[c]] * (2.0 / 3.0)
            met[cuts_of[c]] = 0
    return rest


@kernel
def sum_cheapest(X: Doubles, prices: Doubles, size: Scalar, first: Scalar, last: Scalar, stars: Doubles) -> None:
    """Fill ``stars[i, r]`` with the sum of the r smallest weights of record i, for r below `size`."""
    n = X.shape[0]
    least = np.empty(size - 1)
    for i in range(first, last):
        filled = 0
        for j in range(n):
            if j != i:
                weight = squared_distance(X, i, X[j]) / size - (prices[i] + prices[j]) / (size - 1)
                if filled < size - 1 or weight < least[size - 2]:
                    filled = keep_least(least, filled, weight)
        stars[i, 0] = 0.0
        for r in range(1, size):
            stars[i, r] = stars[i, r - 1] + least[r - 1]


@inner_kernel
def _sum_least(keys: Doubles, count: Scalar, least: Doubles, wanted: Scalar) -> Scalar:
    """Return the sum of the `wanted` smallest of the first `count` keys; infinite if there are fewer."""
    if count < wanted:
        return np.inf
    if wanted == 0:
        return 0.0
    filled = 0
    for c in range(count):
        if filled < wanted or keys[c] < least[wanted - 1]:
            filled = keep_least(least[:wanted], filled, keys[c])
    total = 0.0
    for c in range(wanted):
        total += least[c]
    return total


@kernel
def price_groups(
    X: Doubles,
    prices: Doubles,
    size: Scalar,
    limit: Scalar,
    slack: Scalar,
    stars: Doubles,
    cut_starts: Integers,
    cuts_of: Integers,
    penalties: Doubles,
    first: Scalar,
    last: Scalar,
    most_nodes: Scalar,
    groups: Integers,
    costs: Doubles,
    least: Doubles,
) -> tuple[Scalar, Scalar]:
    """Find the groups of `size` records with a reduced cost below `limit` whose first pair begins with some records.

    They are written to `groups` and `costs` as far as there is room; `slack` is more than rounding takes. ``least[i]``
    becomes the smallest reduced cost of a group with record i, divided by `size`, if it is smaller. The cuts of record
    i are ``cuts_of[cut_starts[i]:cut_starts[i + 1]]``. Returns how many groups there are, also beyond the room, and how
    many were looked at; -1 if that was more than `most_nodes`, and the search was given up.
    """
    n = X.shape[0]
    count = 0
    nodes = 0
    part = np.empty(size + 1)
    for m in range(2, size + 1):
        part[m] = m * (m - 1) / (size * (size - 1))
    group = np.empty(size, np.int64)
    totals = np.zeros(size + 1)
    own = np.zeros((size + 1, size))
    lengths = np.zeros(size + 1, np.int64)
    position = np.zeros(size + 1, np.int64)
    smallest = np.empty(size)
    keys = np.empty(n)
    attached = np.empty((size + 1, n))
    candidates = np.empty((size + 1, n), np.int64)
    row = np.empty(n)
    listed = np.empty(n, np.int64)
    met = np.zeros(max(penalties.shape[0], 1), np.int64)
    for i in range(first, last):
        # Who can be in a group with i at all: the r others of a group cost at least their weights to i and half of
        # what each has among its own cheapest.
        r = size - 1
        for j in range(n):
            row[j] = weight_of(X, prices, size, i, j, cut_starts, cuts_of, penalties)
            keys[j] = row[j] + 0.5 * stars[j, r - 1]
        keys[i] = np.inf
        length = 0
        allowed = limit + slack - _sum_least(keys, n, smallest, r - 1)
        for j in range(n):
            if keys[j] < allowed:
                listed[length] = j
                length += 1
        if length < r:
            continue
        group[0] = i
        candidates[1, :length] = listed[:length]
        for t in range(length):
            attached[1, t] = row[listed[t]]
        lengths[1] = length
        totals[1] = 0.0
        own[1, 0] = 0.0
        position[1] = 0
        m = 1
        while m >= 1:
            # The next record that may join the m records of the present group.
            here, joins = candidates[m], attached[m]
            room = limit * part[m + 1] - totals[m] + slack
            joining = -1
            t = position[m]
            while t < lengths[m]:
                a = here[t]
                if joins[t] < room and (m > 1 or a > i):
                    is_last = True
                    for p in range(m if m > 1 else 0):  # the records of a pair have the same sum
                        other = own[m, p] + weight_of(X, prices, size, group[p], a, cut_starts, cuts_of, penalties)
                        if other > joins[t] + slack:
                            is_last = False
                            break
                    if is_last:
                        joining = a
                        break
                t += 1
            if joining < 0:
                m -= 1
                continue
            nodes += 1
            if nodes > most_nodes:
                return count, -1
            position[m] = t + 1
            total = totals[m] + joins[t]
            group[m] = joining
            if m + 1 == size:
                total += rest_of_penalties(group, cut_starts, cuts_of, penalties, met)
                if total < limit:
                    for x in group:
                        least[x] = min(least[x], total / size)
                    if count < groups.shape[0]:
                        groups[count, :size] = group
                        costs[count] = total
                    count += 1
                continue
            m += 1
            totals[m] = total
            for p in range(m - 1):
                own[m, p] = own[m - 1, p] + weight_of(
                    X, prices, size, group[p], joining, cut_starts, cuts_of, penalties
                )
            own[m, m - 1] = joins[t]
            # Who can still be in it: as above, for the r records that are missing.
            r = size - m
            length_now = 0
            for c in range(lengths[m - 1]):
                a = here[c]
                if a != joining:
                    attached[m, length_now] = joins[c] + weight_of(
                        X, prices, size, joining, a, cut_starts, cuts_of, penalties
                    )
                    candidates[m, length_now] = a
                    keys[length_now] = attached[m, length_now] + 0.5 * stars[a, r - 1]
                    length_now += 1
            allowed = limit + slack - total
            if r > 1:
                allowed -= _sum_least(keys, length_now, smallest, r - 1)
            kept = 0
            for c in range(length_now):
                if keys[c] < allowed:
                    attached[m, kept] = attached[m, c]
                    candidates[m, kept] = candidates[m, c]
                    kept += 1
            lengths[m] = kept
            position[m] = 0
    return count, nodes


@kernel
def measure_neighbourhoods(X: Doubles, neighbours: Integers, first: Scalar, last: Scalar, distances: Doubles) -> None:
    """Fill the squared distances of every two of a record and its neighbours; the record itself comes first."""
    for i in range(first, last):
        for a in range(neighbours.shape[1] + 1):
            x = i if a == 0 else np.int64(neighbours[i, a - 1])
            distances[i, a, a] = 0.0
            for b in range(a):
                y = i if b == 0 else np.int64(neighbours[i, b - 1])
                distances[i, a, b] = squared_distance(X, x, X[y])
                distances[i, b, a] = distances[i, a, b]


@kernel
def grow_groups(
    distances: Doubles,
    prices: Doubles,
    size: Scalar,
    neighbours: Integers,
    cut_starts: Integers,
    cuts_of: Integers,
    penalties: Doubles,
    first: Scalar,
    last: Scalar,
    groups: Integers,
    costs: Doubles,
) -> None:
    """Grow a group of `size` around some records by what costs least, and exchange records while that makes it cheaper.

    The group of record i and its reduced cost are written to their place i. They need not be the best.
    """
    near = neighbours.shape[1] + 1
    W = np.empty((near, near))
    listed = np.empty(near, np.int64)
    attached = np.empty(near)
    is_in = np.zeros(near, np.bool_)
    members = np.empty(size, np.int64)
    group = np.empty(size, np.int64)
    met = np.zeros(max(penalties.shape[0], 1), np.int64)
    for i in range(first, last):
        listed[0] = i
        listed[1:] = neighbours[i]
        for a in range(near):
            x = listed[a]
            for b in range(near):
                W[a, b] = distances[i, a, b] / size - (prices[x] + prices[listed[b]]) / (size - 1)
            if cut_starts[x + 1] > cut_starts[x]:
                for b in range(near):
                    W[a, b] += shared_penalties(x, listed[b], cut_starts, cuts_of, penalties)
            W[a, a] = 0.0
        is_in[:] = False
        is_in[0] = True
        members[0] = 0
        attached[:] = W[0]
        total = 0.0
        for m in range(1, size):
            best = -1
            for a in range(1, near):
                if not is_in[a] and (best < 0 or attached[a] < attached[best]):
                    best = a
            total += attached[best]
            is_in[best] = True
            members[m] = best
            for a in range(near):
                attached[a] += W[best, a]
        for _ in range(2 * size):
            gain = -1e-12 * abs(total)
            leaving, joining = -1, -1
            for m in range(1, size):
                x = members[m]
                for a in range(1, near):
                    if not is_in[a] and attached[a] - W[x, a] - attached[x] < gain:
                        gain = attached[a] - W[x, a] - attached[x]
                        leaving, joining = m, a
            if joining < 0:
                break
            x = members[leaving]
            is_in[x] = False
            is_in[joining] = True
            members[leaving] = joining
            total += gain
            for a in range(near):
                attached[a] += W[joining, a] - W[x, a]
        for m in range(size):
            group[m] = listed[members[m]]
        groups[i, :size] = group
        costs[i] = total + rest_of_penalties(group, cut_starts, cuts_of, penalties, met)


@kernel
def list_held(
    members: Integers, cut_starts: Integers, cuts_of: Integers, met: Integers, counts: Integers, held: Integers
) -> None:
    """List the cuts of which groups hold two or three records, in ascending order, one group after the other.

    `counts` becomes how many each holds. Only the first `len(held)` are written, so that an empty array counts them;
    `met` is zero before and after.
    """
    filled = 0
    for g in range(members.shape[0]):
        begin = filled
        _meet(members[g], cut_starts, cuts_of, met)
        for i in members[g]:
            if i >= 0:
                for c in range(cut_starts[i], cut_starts[i + 1]):
                    if met[cuts_of[c]] >= 2:
                        if filled < held.shape[0]:
                            held[filled] = cuts_of[c]
                        filled += 1
                    met[cuts_of[c]] = 0
        counts[g] = filled - begin
        if counts[g] > 1:
            held[begin:filled].sort()
