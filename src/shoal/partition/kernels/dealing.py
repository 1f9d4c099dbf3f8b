"""Categories dealt anew to the records of cells: as many of each as there were, to whom is drawn."""

from __future__ import annotations

import numpy as np

from shoal.partition.kernels.compiled import Doubles, Integers, kernel


@kernel
def deal(
    order: Integers, starts: Integers, codes: Integers, chances: Doubles, random: Doubles, dealt: Integers
) -> None:
    """Deal the codes of every cell to its records, one record after the other.

    A record gets a category with odds proportional to its own chance of it, times the number that is left, over the sum
    of the chances of those still to come. With equal chances every permutation is as likely as any other.

    Parameters
    ----------
    order, starts
        The records, cell by cell, in the order they are dealt to; where each cell starts, and where the last ends.
    codes, chances
        The category of every record, and its chances of each, above 0.
    random
        A number from 0 up to 1 for every record.
    dealt
        Where the new categories go.
    """
    categories = chances.shape[1]
    left, coming, odds = np.empty(categories), np.empty(categories), np.empty(categories)
    for cell in range(len(starts) - 1):
        left[:], coming[:] = 0.0, 0.0
        for place in range(starts[cell], starts[cell + 1]):
            record = order[place]
            left[codes[record]] += 1.0
            for category in range(categories):
                coming[category] += chances[record, category]
        for place in range(starts[cell], starts[cell + 1]):
            record, total = order[place], 0.0
            for category in range(categories):
                chance = chances[record, category]
                odds[category] = chance * left[category] / max(coming[category], chance)
                coming[category] -= chance
                total += odds[category]
            aim, chosen = random[record] * total, -1
            for category in range(categories):
                if odds[category] > 0.0:
                    chosen = category
                    aim -= odds[category]
                    if aim < 0.0:
                        break
            left[chosen] -= 1.0
            dealt[record] = chosen
