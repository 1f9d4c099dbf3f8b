"""Kernels of the bound by prices: triples of near records, steps that raise the bound, tolls and who pays them."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.keep_least import keep_least
from shoal.partition.kernels.squared_distance import squared_distance


@kernel
def measure_lists(X: Doubles, neighbours: Integers, squared: Doubles) -> None:
    """Fill `squared` with the squared distances from every record to its neighbours."""
    for i in range(neighbours.shape[0]):
        for t in range(neighbours.shape[1]):
            squared[i, t] = squared_distance(X, i, X[neighbours[i, t]])


@inner_kernel
def _is_listed(neighbours: Integers, of: Scalar, row: Scalar) -> Scalar:
    is_listed = False
    for t in range(neighbours.shape[1]):
        is_listed |= neighbours[of, t] == row
    return is_listed


@kernel
def count_pairs(neighbours: Integers, counts: Integers) -> None:
    """Count, for every record, those that it lists or that list it."""
    for i in range(neighbours.shape[0]):
        counts[i] += neighbours.shape[1]
        for j in neighbours[i]:
            if not _is_listed(neighbours, j, i):
                counts[j] += 1


@kernel
def list_pairs(neighbours: Integers, squared: Doubles, starts: Integers, others: Integers, distances: Doubles) -> None:
    """List, for every record, those that it lists or that list it, from its place in `starts` on."""
    filled = starts.copy()
    for i in range(neighbours.shape[0]):
        for t in range(neighbours.shape[1]):
            j = neighbours[i, t]
            others[filled[i]] = j
            distances[filled[i]] = squared[i, t]
            filled[i] += 1
            if not _is_listed(neighbours, j, i):
                others[filled[j]] = i
                distances[filled[j]] = squared[i, t]
                filled[j] += 1


@kernel
def raise_prices(
    starts: Integers, others: Integers, distances: Doubles, k: Scalar, highest: Doubles, prices: Doubles
) -> None:
    """Set each price in turn to where the bound is greatest, given all other prices.

    As a function of one price the bound rises until k-1 pairs of the record cost less than the two prices
    together, and falls from the next pair on. In between it is level; the middle leaves most room to the others.
    """
    least = np.empty(k)
    for i in range(prices.shape[0]):
        count = 0
        for t in range(starts[i], starts[i + 1]):
            cost = distances[t] - prices[others[t]]
            if count < k or cost < least[k - 1]:  # asked here too: a tenth faster
                count = keep_least(least, count, cost)
        price = least[k - 2]
        if count == k:
            price = 0.5 * (price + least[k - 1])
        prices[i] = min(max(price, 0.0), highest[i])


@kernel
def sum_overpaid(starts: Integers, others: Integers, distances: Doubles, prices: Doubles, by_record: Doubles) -> None:
    """Sum, for every record, by how much two prices exceed the distance, over the pairs with a later record."""
    for i in range(prices.shape[0]):
        total = 0.0
        for t in range(starts[i], starts[i + 1]):
            if others[t] > i:
                total += max(prices[i] + prices[others[t]] - distances[t], 0.0)
        by_record[i] = total


@kernel
def list_by_record(ends: Integers, starts: Integers, others: Integers, pairs: Integers) -> None:
    """List, for every record, the others it is in a pair with and the numbers of these pairs, lowest other first.

    `ends` holds the two records of every pair, the lower one first, in their order; the list of a record begins at
    its place in `starts`.
    """
    filled = starts.copy()
    for lower in range(1, -1, -1):  # a record's pairs with lower ones come before those with higher ones
        for pair in range(ends.shape[0]):
            record = ends[pair, lower]
            others[filled[record]] = ends[pair, 1 - lower]
            pairs[filled[record]] = pair
            filled[record] += 1


@kernel
def find_triples(ends: Integers, starts: Integers, others: Integers, pairs: Integers, triples: Integers) -> int:
    """List the triples of records that are three pairs, by the numbers of these; return how many there are.

    Only the first `len(triples)` are written, so that an empty array counts them.
    """
    count = 0
    for pair in range(ends.shape[0]):
        i, j = ends[pair, 0], ends[pair, 1]
        s, t = starts[i], starts[j]
        while s < starts[i + 1] and t < starts[j + 1]:
            if others[s] < others[t]:
                s += 1
            elif others[s] > others[t]:
                t += 1
            else:
                if others[s] > j:
                    if count < triples.shape[0]:
                        triples[count, 0] = pair
                        triples[count, 1] = pairs[s]
                        triples[count, 2] = pairs[t]
                    count += 1
                s += 1
                t += 1
    return count


@kernel
def climb(
    ends: Integers,
    distances: Doubles,
    triples: Integers,
    k: Scalar,
    units: Doubles,
    together: Doubles,
    all_three: Doubles,
    prices: Doubles,
    tolls: Doubles,
    paid: Doubles,
    steps: Scalar,
) -> None:
    """Make steps of the primal-dual method for the linear program of pairs (`together`) and triples (`all_three`).

    The steps are those of Chambolle and Pock with the diagonal scaling of Pock and Chambolle (2011); `units` are
    what a step of a price is measured in, record by record.
    """
    degrees = np.zeros(prices.shape[0])
    memberships = np.zeros(ends.shape[0])
    unit = np.empty(ends.shape[0])
    for pair in range(ends.shape[0]):
        degrees[ends[pair, 0]] += 1
        degrees[ends[pair, 1]] += 1
        unit[pair] = 0.5 * (units[ends[pair, 0]] + units[ends[pair, 1]])
    for t in range(triples.shape[0]):
        for h in range(3):
            memberships[triples[t, h]] += 1
    too_few = np.empty(prices.shape[0])  # records that a record is still short of
    unclosed = np.empty(ends.shape[0])  # triples that a pair is still short of
    ahead = np.empty(ends.shape[0])  # `together`, extrapolated
    taken = np.zeros(ends.shape[0])  # what triples take from the distance of a pair
    for t in range(triples.shape[0]):
        for h in range(3):
            taken[triples[t, h]] += paid[t, h]
    for _ in range(steps):
        too_few[:] = k - 1
        for pair in range(ends.shape[0]):
            i, j = ends[pair, 0], ends[pair, 1]
            cost = distances[pair] - prices[i] - prices[j] + (k - 2) * tolls[pair] - taken[pair]
            value = together[pair] - cost / (unit[pair] * (k + memberships[pair]))
            value = min(1.0, max(0.0, value))
            ahead[pair] = 2 * value - together[pair]
            together[pair] = value
            too_few[i] -= ahead[pair]
            too_few[j] -= ahead[pair]
            unclosed[pair] = (k - 2) * ahead[pair]
            taken[pair] = 0.0
        for t in range(triples.shape[0]):
            cost = 0.0
            step = 0.0
            for h in range(3):
                cost += paid[t, h] - tolls[triples[t, h]]
                step += 2 * unit[triples[t, h]]
            value = min(1.0, max(0.0, all_three[t] - cost / step))
            beyond = 2 * value - all_three[t]
            all_three[t] = value
            for h in range(3):
                pair = triples[t, h]
                unclosed[pair] -= beyond
                amount = max(0.0, paid[t, h] + 0.5 * unit[pair] * (beyond - ahead[pair]))
                paid[t, h] = amount
                taken[pair] += amount
        for i in range(prices.shape[0]):
            prices[i] = max(0.0, prices[i] + units[i] * too_few[i] / max(1.0, degrees[i]))
        for pair in range(ends.shape[0]):
            tolls[pair] = max(0.0, tolls[pair] + unit[pair] * unclosed[pair] / (k - 2 + memberships[pair]))


@kernel
def pay_tolls(
    ends: Integers,
    starts: Integers,
    others: Integers,
    pairs: Integers,
    number: Integers,
    core: Integers,
    triples: Integers,
    k: Scalar,
    tolls: Doubles,
    paid: Doubles,
    room: Doubles,
    wanted: Doubles,
) -> None:
    """Make every triple pay the tolls of its pairs, out of the `room` of the pairs where there is most.

    `room` is, for every pair, its distance less the two prices; it becomes what is left of it, with the pair's own
    tolls. `tolls` of the pairs in `core`, by their number, are lowered where paying them would cost more than they
    bring, or where they bring nothing. `paid` is what the listed triples pay. `wanted` becomes, for every pair
    outside, by how much payments fell short that a triple with it would have to make.
    """
    for t in range(triples.shape[0]):
        for h in range(3):
            room[core[triples[t, h]]] -= paid[t, h]
    least = np.empty(k - 2)
    payers = np.empty(starts.shape[0], dtype=np.int64)
    for e in range(core.shape[0]):
        pair = core[e]
        room[pair] += (k - 2) * tolls[e]
        if tolls[e] <= 0 or room[pair] <= 0:
            continue
        lowered = min(tolls[e], room[pair] / (k - 2))  # more than the prices of the pair ask for
        tolls[e] -= lowered
        room[pair] -= (k - 2) * lowered
    for e in range(core.shape[0]):
        if tolls[e] <= 0:
            continue
        i, j = ends[core[e], 0], ends[core[e], 1]
        s, t = starts[i], starts[j]
        found = 0
        count = 0
        while s < starts[i + 1] and t < starts[j + 1]:
            if others[s] < others[t]:
                s += 1
                continue
            if others[s] > others[t]:
                t += 1
                continue
            first, second = pairs[s], pairs[t]
            s += 1
            t += 1
            if number[first] >= 0 and number[second] >= 0:
                continue  # a listed triple
            payer = first if room[first] >= room[second] else second
            payers[found] = payer
            found += 1
            free = max(0.0, room[payer])
            if free >= tolls[e]:
                continue
            if number[first] < 0:
                wanted[first] += tolls[e] - free
            if number[second] < 0:
                wanted[second] += tolls[e] - free
            count = keep_least(least, count, free)
        if count == k - 2 and least[count - 1] < tolls[e]:
            room[core[e]] -= (k - 2) * (tolls[e] - least[count - 1])
            tolls[e] = least[count - 1]
        for f in range(found):
            room[payers[f]] -= tolls[e]
    for t in range(triples.shape[0]):
        due = tolls[triples[t, 0]] + tolls[triples[t, 1]] + tolls[triples[t, 2]]
        amount = paid[t, 0] + paid[t, 1] + paid[t, 2]
        if amount > due:
            for h in range(3):
                back = paid[t, h] * (1 - due / amount)
                paid[t, h] -= back
                room[core[triples[t, h]]] += back
    for t in range(triples.shape[0]):
        due = tolls[triples[t, 0]] + tolls[triples[t, 1]] + tolls[triples[t, 2]]
        amount = paid[t, 0] + paid[t, 1] + paid[t, 2]
        if amount < due:
            most = 0
            for h in range(1, 3):
                if room[core[triples[t, h]]] > room[core[triples[t, most]]]:
                    most = h
            paid[t, most] += due - amount
            room[core[triples[t, most]]] -= due - amount


@kernel
def share_bound(
    starts: Integers, others: Integers, distances: Doubles, k: Scalar, prices: Doubles, shares: Doubles
) -> None:
    """Fill `shares` with what every record adds to the bound: its price, less half of what its pairs are overpaid."""
    for i in range(prices.shape[0]):
        overpaid = 0.0
        for t in range(starts[i], starts[i + 1]):
            overpaid += max(prices[i] + prices[others[t]] - distances[t], 0.0)
        shares[i] = ((k - 1) * prices[i] - 0.5 * overpaid) / k
