"""Guesses of one variable from the others, record by record, as an intruder would make them by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def slow_attack(original, masked, guessed, neighbours, tolerance):
    """Return for every guessed column the least and most success, and the least and most baseline, in per cent.

    Among equally near records any may be taken; the bounds are over all of them. The regression is numpy's own.
    """
    names = [name for name in original if original[name].nunique() > 1]
    numbers = [name for name in names if original[name].dtype.kind == "f"]
    found = {}
    for name in guessed:
        known = [one for one in names if one != name]
        released = _best(original, masked, known, name, numbers, neighbours, tolerance, own=False)
        others = _best(original, original, known, name, numbers, neighbours, tolerance, own=True)
        found[name] = released, others
    return found


def _best(original, source, known, name, numbers, neighbours, tolerance, *, own):
    """Return the least and the most of the best guess: right as often as the ties among neighbours allow."""
    wanted = min(neighbours, len(source) - 1)
    least, most = [], []
    for count in (1, wanted):
        low = high = 0
        for row in range(len(original)):
            distances = {
                other: round(_distance(original, source, row, other, known, numbers), 9)
                for other in range(len(source))
                if not (own and other == row)
            }
            right = [
                _is_right(_guess(source, some, name, numbers), original, row, name, numbers, tolerance)
                for some in _choices(distances, count)
            ]
            low, high = low + all(right), high + any(right)
        least.append(low)
        most.append(high)
    if name in numbers:
        by_regression = sum(_regressed(original, source, known, name, numbers, tolerance, own=own))
        least.append(by_regression)
        most.append(by_regression)
    return 100 * max(least) / len(original), 100 * max(most) / len(original)


def _distance(original, source, row, other, known, numbers):
    total = 0.0
    for name in known:
        one, two = original[name].iloc[row], source[name].iloc[other]
        total += ((one - two) / original[name].std()) ** 2 if name in numbers else 2.0 * (one != two)
    return total


def _choices(distances, count):
    """Return all sets of nearest records, each with the nearest first."""
    last = sorted(distances.values())[count - 1]
    nearer = sorted((other for other in distances if distances[other] < last), key=lambda one: distances[one])
    tied = [other for other in distances if distances[other] == last]
    return [[*nearer, *some] for some in combinations(tied, count - len(nearer))]


def _guess(source, some, name, numbers):
    """Return a set of guesses: of equally frequent categories any."""
    values = source[name].iloc[some]
    if name in numbers:
        return {float(np.median(values))}
    counts = values.value_counts()
    return set(counts[counts == counts.max()].index)


def _is_right(guesses, original, row, name, numbers, tolerance):
    truth = original[name].iloc[row]
    if name not in numbers:
        return truth in guesses
    (guess,) = guesses
    levels = np.unique(original[name])
    guess = levels[np.abs(levels - guess).round(9).argmin()]  # the lower one of two equally near
    values = original[name]
    low, high = min(guess, truth), max(guess, truth)
    between = (values.between(low, high) & (values != truth)).sum()
    return bool(between <= tolerance / 100 * len(values))


def _regressed(original, source, known, name, numbers, tolerance, *, own):
    """Yield whether the guess of every record by least squares is right, learned without it where it is its own."""

    def design(frame):
        columns = [
            (frame[one] - original[one].mean()) / original[one].std()
            if one in numbers
            else [frame[one] == level for level in sorted(set(original[one]) | set(source[one]))]
            for one in known
        ]
        return np.column_stack([np.ones(len(frame)), *(np.array(one, dtype=float).T for one in columns)])

    for row in range(len(original)):
        learned = np.arange(len(source)) != row if own else np.ones(len(source), dtype=bool)
        Z, y = design(source)[learned], source[name].to_numpy()[learned]
        everyone = np.linalg.matrix_rank(design(source))
        if own and np.linalg.matrix_rank(Z) < everyone:
            guess = source[name].mean()  # the record alone decides its own fit
        else:
            guess = float(design(original)[row] @ np.linalg.lstsq(Z, y, rcond=1e-10)[0])
        yield _is_right({round(guess, 9)}, original, row, name, numbers, tolerance)
