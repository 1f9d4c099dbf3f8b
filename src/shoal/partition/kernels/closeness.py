"""The kernels of t-close groups: distances to the file, groups with exchanges, groups dealt from buckets, swaps."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Booleans, Doubles, Integers, Scalar, inner_kernel, kernel
from shoal.partition.kernels.squared_distance import squared_distance

_LEAST_GAIN = 1e-9  # of the squared distance of two records that are swapped: rounding makes no endless rounds


@inner_kernel
def _distance(
    own: Integers, size: Scalar, v: Scalar, ordered: Booleans, start: Integers, below: Doubles, sums: Doubles
) -> Scalar:
    """Return the distance of some values, in their order, to those of the file; 0 where all are missing.

    Until the last division all numbers are whole, and exact up to 2**53.
    """
    missing = 0
    while missing < size and own[missing] < 0:
        missing += 1
    n = size - missing
    here, m = start[v], start[v + 1] - start[v]
    if n == 0 or m == 1:
        return 0.0
    moved = 0.0
    if not ordered[v]:
        total, present = sums[here + v + m], 0.0
        j = missing
        while j < size:
            value, count = own[j], 0
            while j < size and own[j] == value:
                count += 1
                j += 1
            moved += abs(total * count - n * below[here + value])
            present += below[here + value]
        return (moved + n * (total - present)) / (2.0 * total * n)
    total, at, begin = below[here + m - 1], here + v, 0
    for j in range(n + 1):
        end = own[missing + j] if j < n else m - 1
        if end <= begin:
            continue
        level = total * j
        low, high = begin, end  # the first value at which the file has reached what the group has
        while low < high:
            middle = (low + high) // 2
            if n * below[here + middle] >= level:
                high = middle
            else:
                low = middle + 1
        under = level * (low - begin) - n * (sums[at + low] - sums[at + begin])
        over = n * (sums[at + end] - sums[at + low]) - level * (end - low)
        moved += under + over
        begin = end
    return moved / (total * n * (m - 1))


@kernel
def largest_distance(own: Integers, ordered: Booleans, start: Integers, below: Doubles, sums: Doubles) -> Scalar:
    """Return the largest distance to the file of some records whose values, a row a variable, are in their order."""
    largest = 0.0
    for v in range(own.shape[0]):
        largest = max(largest, _distance(own[v], own.shape[1], v, ordered, start, below, sums))
    return largest


@kernel
def nearest_centre(centres: Doubles, is_open: Booleans, group: Scalar) -> Scalar:
    """Return the open group whose centre is nearest to that of another, the first of several; -1 if there is none."""
    best, nearest = np.inf, -1
    for other in range(centres.shape[0]):
        if other == group or not is_open[other]:
            continue
        distance = squared_distance(centres, other, centres[group])
        if nearest < 0 or distance < best:
            best, nearest = distance, other
    return nearest


@inner_kernel
def _put(values: Integers, size: Scalar, old: Scalar, new: Scalar) -> None:
    """Replace one of some values in their order by another."""
    place = 0
    while values[place] != old:
        place += 1
    while place + 1 < size and values[place + 1] < new:
        values[place] = values[place + 1]
        place += 1
    while place > 0 and values[place - 1] > new:
        values[place] = values[place - 1]
        place -= 1
    values[place] = new


@inner_kernel
def _excess(
    own: Integers, size: Scalar, t: Scalar, ordered: Booleans, start: Integers, below: Doubles, sums: Doubles
) -> Scalar:
    """Return by how much the distances of all variables are above t, together."""
    total = 0.0
    for v in range(own.shape[0]):
        total += max(0.0, _distance(own[v], size, v, ordered, start, below, sums) - t)
    return total


@inner_kernel
def _farthest(P: Doubles, rows: Integers, left: Scalar, point: Doubles) -> Scalar:
    """Return the place of the remaining record that is farthest from a point; of several the one with the least row."""
    best, farthest = -1.0, -1
    for place in range(left):
        distance = squared_distance(P, place, point)
        if distance > best or (distance == best and rows[place] < rows[farthest]):
            best, farthest = distance, place
    return farthest


@inner_kernel
def _nearest(
    P: Doubles, rows: Integers, left: Scalar, point: Doubles, far: Doubles, near: Integers, most: Scalar
) -> Scalar:
    """Put the places of the nearest remaining records into `near`, nearest first, and return how many there are."""
    size = 0
    for place in range(left):
        distance, row = squared_distance(P, place, point), rows[place]
        if size == most:
            if distance > far[0] or (distance == far[0] and row > rows[near[0]]):
                continue
            hole = 0  # the farthest is on top of a heap, and goes
            while 2 * hole + 1 < size:
                child = 2 * hole + 1
                if child + 1 < size and _is_farther(far, near, rows, child + 1, child):
                    child += 1
                if far[child] < distance or (far[child] == distance and rows[near[child]] < row):
                    break
                far[hole], near[hole] = far[child], near[child]
                hole = child
        else:
            hole = size
            size += 1
            while hole > 0:
                parent = (hole - 1) // 2
                if far[parent] > distance or (far[parent] == distance and rows[near[parent]] > row):
                    break
                far[hole], near[hole] = far[parent], near[parent]
                hole = parent
        far[hole], near[hole] = distance, place
    for end in range(size - 1, 0, -1):
        distance, place = far[end], near[end]
        far[end], near[end] = far[0], near[0]
        hole = 0
        while 2 * hole + 1 < end:
            child = 2 * hole + 1
            if child + 1 < end and _is_farther(far, near, rows, child + 1, child):
                child += 1
            if far[child] < distance or (far[child] == distance and rows[near[child]] < rows[place]):
                break
            far[hole], near[hole] = far[child], near[child]
            hole = child
        far[hole], near[hole] = distance, place
    return size


@inner_kernel
def _is_farther(far: Doubles, near: Integers, rows: Integers, one: Scalar, other: Scalar) -> Scalar:
    return far[one] > far[other] or (far[one] == far[other] and rows[near[one]] > rows[near[other]])


@inner_kernel
def _take_out(P: Doubles, rows: Integers, left: Scalar, chosen: Integers, sums: Doubles) -> Scalar:
    """Take the records at these places, ascending, out of those that remain, and return how many are left.

    The last comes to where one was, in `rows` and in the points `P`, which are read from one end to the other.
    """
    for i in range(len(chosen) - 1, -1, -1):
        left -= 1
        for j in range(P.shape[1]):
            sums[j] -= P[chosen[i], j]
            P[chosen[i], j] = P[left, j]
        rows[chosen[i]] = rows[left]
    return left


@kernel
def grouped_with_exchanges(
    X: Doubles,
    codes: Integers,
    k: Scalar,
    t: Scalar,
    most: Scalar,
    ordered: Booleans,
    start: Integers,
    below: Doubles,
    file_sums: Doubles,
) -> Integers:
    """Return groups of k as MDAV makes them, whose records were exchanged with near ones until they are close.

    Each group starts with the k nearest remaining records. The next `most` take turns, the nearest first: one comes in
    for the record whose place it fills best, if the group is then closer to the file.
    """
    n, d = X.shape
    variables = codes.shape[0]
    labels = np.full(n, -1, np.int64)
    rows, P = np.arange(n), X.copy()
    totals = np.zeros(d)
    for row in range(n):
        for j in range(d):
            totals[j] += X[row, j]
    far, near = np.empty(k + most), np.empty(k + most, np.int64)
    own = np.empty((variables, k), np.int64)
    tried, best_own = own.copy(), own.copy()
    group, is_second = 0, False
    left: Scalar = n
    seed: Scalar = -1
    point = np.empty(d)
    while left >= 2 * k:
        if is_second:
            point[:] = X[seed]
        else:
            for j in range(d):
                point[j] = totals[j] / left
        seed = rows[_farthest(P, rows, left, point)]
        is_second = not is_second and left >= 3 * k
        size = _nearest(P, rows, left, X[seed], far, near, k + most)
        members = near[:k].copy()
        for v in range(variables):
            for i in range(k):
                own[v, i] = codes[v, rows[members[i]]]
            own[v] = np.sort(own[v])
        excess = _excess(own, k, t, ordered, start, below, file_sums)
        turn = k
        while turn < size and excess > 0.0:
            best, leaver = excess, -1
            for i in range(k):
                for v in range(variables):
                    tried[v] = own[v]
                    _put(tried[v], k, codes[v, rows[members[i]]], codes[v, rows[near[turn]]])
                now = _excess(tried, k, t, ordered, start, below, file_sums)
                if now < best:
                    best, leaver = now, i
                    best_own[:] = tried
            if leaver >= 0:
                members[leaver] = near[turn]
                own[:] = best_own
                excess = best
            turn += 1
        for i in range(len(members)):
            labels[rows[members[i]]] = group
        left = _take_out(P, rows, left, np.sort(members), totals)
        group += 1
    for place in range(left):
        labels[rows[place]] = group
    return labels


@kernel
def dealt_from_buckets(X: Doubles, bucket: Integers, asked: Integers) -> Integers:
    """Return groups made as MDAV makes them, each with the nearest remaining records of every bucket.

    `asked` says, group by bucket, how many; all together they are all records.
    """
    n, d = X.shape
    groups, buckets = asked.shape
    labels = np.full(n, -1, np.int64)
    rows, P = np.arange(n), X.copy()
    totals = np.zeros(d)
    for row in range(n):
        for j in range(d):
            totals[j] += X[row, j]
    widest = 0
    for group in range(groups):
        for b in range(buckets):
            widest = max(widest, asked[group, b])
    far, near = np.empty((buckets, widest)), np.empty((buckets, widest), np.int64)
    left: Scalar = n
    seed: Scalar = -1
    point = np.empty(d)
    for group in range(groups):
        if group % 2 == 1:
            point[:] = X[seed]
        else:
            for j in range(d):
                point[j] = totals[j] / left
        seed = rows[_farthest(P, rows, left, point)]
        point[:] = X[seed]
        filled = np.zeros(buckets, np.int64)
        for place in range(left):
            row = rows[place]
            b = bucket[row]
            wanted = asked[group, b]
            if wanted == 0:
                continue
            distance = squared_distance(P, place, point)
            hole = filled[b]
            if hole == wanted:
                hole -= 1
                if distance > far[b, hole] or (distance == far[b, hole] and row > rows[near[b, hole]]):
                    continue
            else:
                filled[b] += 1
            while hole > 0 and (
                far[b, hole - 1] > distance or (far[b, hole - 1] == distance and rows[near[b, hole - 1]] > row)
            ):
                far[b, hole], near[b, hole] = far[b, hole - 1], near[b, hole - 1]
                hole -= 1
            far[b, hole], near[b, hole] = distance, place
        members = np.empty(filled.sum(), np.int64)
        count = 0
        for b in range(buckets):
            for i in range(filled[b]):
                members[count] = near[b, i]
                count += 1
        for i in range(len(members)):
            labels[rows[members[i]]] = group
        left = _take_out(P, rows, left, np.sort(members), totals)
    return labels


@kernel
def swap_records(
    X: Doubles,
    codes: Integers,
    rows: Integers,
    begin: Integers,
    centres: Doubles,
    near: Integers,
    t: Scalar,
    largest: Scalar,
    rounds: Scalar,
    ordered: Booleans,
    start: Integers,
    below: Doubles,
    sums: Doubles,
) -> None:
    """Swap records of near groups as long as the squared error falls and both groups stay close to the file.

    Parameters
    ----------
    X, codes
        The records as points, and their confidential values, a row a variable.
    rows, begin
        The records, those of one group after those of another, and where each group begins; `rows` is changed.
    centres, near
        The mean of every group, which is changed, and for every group those that are near.
    t, largest, rounds
        How far a group may be from the file, the size of the largest groups that are looked at, and how many rounds
        there are at most.
    """
    variables, d = codes.shape[0], X.shape[1]
    values = np.empty(codes.shape, np.int64)  # of every group in their order
    for v in range(variables):
        for group in range(len(begin) - 1):
            values[v, begin[group] : begin[group + 1]] = np.sort(codes[v, rows[begin[group] : begin[group + 1]]])
    mine, theirs = np.empty((variables, largest), np.int64), np.empty((variables, largest), np.int64)
    swapped = np.ones(len(begin) - 1, np.bool_)
    for _ in range(rounds):
        before = swapped.copy()
        swapped[:] = False
        for group in range(len(begin) - 1):
            size = begin[group + 1] - begin[group]
            if size > largest:
                continue
            for other in near[group]:
                other_size = begin[other + 1] - begin[other]
                fresh = before[group] or before[other] or swapped[group] or swapped[other]
                if other == group or other_size > largest or not fresh:
                    continue
                for i in range(begin[group], begin[group + 1]):
                    for j in range(begin[other], begin[other + 1]):
                        one, two = rows[i], rows[j]
                        along, apart = 0.0, 0.0
                        for c in range(d):
                            difference = X[two, c] - X[one, c]
                            along += difference * (centres[other, c] - centres[group, c])
                            apart += difference * difference
                        if 2.0 * along - apart * (1.0 / size + 1.0 / other_size) >= -_LEAST_GAIN * apart:
                            continue
                        for v in range(variables):
                            mine[v, :size] = values[v, begin[group] : begin[group + 1]]
                            theirs[v, :other_size] = values[v, begin[other] : begin[other + 1]]
                            _put(mine[v], size, codes[v, one], codes[v, two])
                            _put(theirs[v], other_size, codes[v, two], codes[v, one])
                        if _excess(mine, size, t, ordered, start, below, sums) > 0.0:
                            continue
                        if _excess(theirs, other_size, t, ordered, start, below, sums) > 0.0:
                            continue
                        for v in range(variables):
                            values[v, begin[group] : begin[group + 1]] = mine[v, :size]
                            values[v, begin[other] : begin[other + 1]] = theirs[v, :other_size]
                        for c in range(d):
                            difference = X[two, c] - X[one, c]
                            centres[group, c] += difference / size
                            centres[other, c] -= difference / other_size
                        rows[i], rows[j] = two, one
                        swapped[group] = swapped[other] = True
        if not swapped.any():
            return
