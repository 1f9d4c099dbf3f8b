"""Guesses of one variable from the others, record by record, as an intruder would make them by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import median

import numpy as np


def slow_attack(original, masked, guessed, neighbours, tolerance):
    """Return for every guessed column the least and most success, and the least and most baseline, in per cent.

    Among equally near records any may be taken; the bounds are over all of them. The regression is numpy's own.
    """
    numbers = [name for name in original if original[name].dtype.kind == "f"]
    before, after = ({name: file[name].tolist() for name in original} for file in (original, masked))
    names = [name for name in before if len(set(before[name])) > 1]
    found = {}
    for name in guessed:
        known = [one for one in names if one != name]
        best = [
            _best(before, source, known, name, numbers, neighbours, tolerance, own=own)
            for source, own in ((after, False), (before, True))
        ]
        found[name] = best[0], best[1]
    return found


def _best(original, source, known, name, numbers, neighbours, tolerance, *, own):
    """Return the least and the most that the best guess is right, as the ties among neighbours allow."""
    n = len(original[name])
    least, most = [], []
    for count in (1, min(neighbours, n - 1)):
        low = high = 0
        for row in range(n):
            distances = {
                other: round(_distance(original, source, row, other, known, numbers), 6)
                for other in range(n)
                if not (own and other == row)
            }
            right = [
                _is_right(_guess(source, some, name, numbers), original, row, name, numbers, tolerance)
                for some in _choices(distances, count)
            ]
            low, high = low + all(one is True for one in right), high + any(one is not False for one in right)
        least.append(low)
        most.append(high)
    if name in numbers:
        by_regression = sum(_regressed(original, source, known, name, numbers, tolerance, own=own))
        least.append(by_regression)
        most.append(by_regression)
    return 100 * max(least) / n, 100 * max(most) / n


def _distance(original, source, row, other, known, numbers):
    total = 0.0
    for name in known:
        one, two = original[name][row], source[name][other]
        total += ((one - two) / np.std(original[name], ddof=1)) ** 2 if name in numbers else 2.0 * (one != two)
    return total


def _choices(distances, count):
    """Return all sets of nearest records."""
    last = sorted(distances.values())[count - 1]
    nearer = [other for other in distances if distances[other] < last]
    tied = [other for other in distances if distances[other] == last]
    return [[*nearer, *some] for some in combinations(tied, count - len(nearer))]


def _guess(source, some, name, numbers):
    """Return a set of guesses: of equally frequent categories any."""
    values = [source[name][other] for other in some]
    if name in numbers:
        return {median(values)}
    counts = Counter(values)
    return {value for value in counts if counts[value] == max(counts.values())}


def _is_right(guesses, original, row, name, numbers, tolerance):
    """Whether a guess is right. Of equally frequent categories either may be guessed: that is None."""
    values, truth = original[name], original[name][row]
    if name not in numbers:
        return None if len(guesses) > 1 and truth in guesses else guesses == {truth}
    (guess,) = guesses
    guess = min(sorted(set(values)), key=lambda one: round(abs(one - guess), 6))  # the lower of two equally near
    low, high = min(guess, truth), max(guess, truth)
    return sum(low <= value <= high and value != truth for value in values) <= tolerance / 100 * len(values)


def _regressed(original, source, known, name, numbers, tolerance, *, own):
    """Yield whether the guess of every record by least squares is right, learned without it where it is its own."""

    def design(file):
        columns = [np.ones(len(file[name]))]
        for one in known:
            if one in numbers:
                columns.append((np.array(file[one]) - np.mean(original[one])) / np.std(original[one], ddof=1))
            else:
                columns += [np.array([value == level for value in file[one]]) for level in sorted(set(source[one]))]
        return np.column_stack(columns).astype(float)

    everyone, sought, y = design(source), design(original), np.array(source[name])
    for row in range(len(y)):
        learned = np.arange(len(y)) != row if own else np.ones(len(y), dtype=bool)
        if np.linalg.matrix_rank(everyone[learned]) < np.linalg.matrix_rank(everyone):
            guess = y.mean()  # the record alone decides its own fit
        else:
            # About the mean, the least slopes: it matters where the release has fewer directions than the targets.
            Z, centre = everyone[learned], everyone[learned].mean(axis=0)
            slopes = np.linalg.lstsq(Z - centre, y[learned] - y[learned].mean(), rcond=1e-8)[0]
            guess = float(y[learned].mean() + (sought[row] - centre) @ slopes)
        yield _is_right({guess}, original, row, name, numbers, tolerance)
