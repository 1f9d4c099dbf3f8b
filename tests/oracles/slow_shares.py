"""Groups joined until nobody has too large a share: one group and one neighbour after another, shares as fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np

__all__ = ["largest_share", "slow_joined_to_shares"]

ROUNDING = Fraction(1, 10**12)


def largest_share(amounts, who):
    """Return the largest share of the total that one contributor has; 0 of nothing."""
    by_contributor = defaultdict(Fraction)
    for amount, one in zip(amounts, who, strict=True):
        by_contributor[one] += Fraction(amount)
    total = sum(by_contributor.values())
    return max(by_contributor.values()) / total if total else Fraction(0)


def slow_joined_to_shares(labels, contributions, centres, part_of_group):
    """Return the lowest group that each record's is joined to, None if somebody has too much of a whole part."""
    groups = len(part_of_group)
    means = [np.nanmean(column) if not np.isnan(column).all() else 0.0 for column in centres.T]
    places = np.where(np.isnan(centres), means, centres)

    def share(one, numbers):
        rows = [row for row, label in enumerate(labels) if label in numbers]
        who = rows if one.who is None else [one.who[row] for row in rows]
        return largest_share([one.amounts[row] for row in rows], who) if rows else Fraction(0)

    def too_large(one, numbers):
        return share(one, numbers) > Fraction(one.most) * (1 + ROUNDING)

    for part in set(part_of_group.tolist()):
        if any(too_large(one, set(np.flatnonzero(part_of_group == part))) for one in contributions):
            return None
    sets = [{group} for group in range(groups)]
    for group in range(groups):
        for one in contributions:
            others = [
                other
                for other in range(groups)
                if part_of_group[other] == part_of_group[group]
                and sum(one.amounts[row] for row, label in enumerate(labels) if label == other) > 0
            ]
            distance = {other: sum((places[other] - places[group]) ** 2) for other in others}
            for other in sorted(others, key=lambda other, distance=distance: (distance[other], other)):
                if not too_large(one, sets[group]):
                    break
                both = sets[group] | sets[other]
                for member in both:
                    sets[member] = both
    return [-1 if label < 0 else min(sets[label]) for label in labels]
