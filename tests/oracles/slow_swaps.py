"""Record swapping, one unit after the other, straight from its description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np


def slow_at_risk(columns: Sequence[Sequence[int]], units: Sequence[int], k: int) -> set[int]:
    """Return the units with a record whose combination fewer than k different units have."""
    carriers: dict[tuple[int, ...], set[int]] = {}
    for row, unit in enumerate(units):
        carriers.setdefault(tuple(int(column[row]) for column in columns), set()).add(int(unit))
    return {int(unit) for row, unit in enumerate(units) if len(carriers[tuple(int(one[row]) for one in columns)]) < k}


def slow_agree(columns: Sequence[Sequence[int]], units: Sequence[int], one: int, other: int) -> bool:
    """Whether two units agree: in columns that are constant in all units by value, in the rest by their records."""
    rows = {unit: [row for row, own in enumerate(units) if own == unit] for unit in set(units)}
    constant = [all(len({column[row] for row in some}) == 1 for some in rows.values()) for column in columns]
    for column, same in zip(columns, constant, strict=True):
        if same and column[rows[one][0]] != column[rows[other][0]]:
            return False
    varying = [column for column, same in zip(columns, constant, strict=True) if not same]
    if not varying:
        return True
    return Counter(tuple(column[row] for column in varying) for row in rows[one]) == Counter(
        tuple(column[row] for column in varying) for row in rows[other]
    )


def slow_partners(geography, within, similar, keys, units, k, rate) -> dict[int, int]:
    """Return who is swapped with whom; units are numbered in the order in which they choose.

    Parameters
    ----------
    geography, within, similar, keys
        Columns of codes, each a list.
    units
        The unit of every record.
    k, rate
        Fewer than k are at risk; the share of units to be swapped.
    """
    every = sorted(set(units))
    row_of = {unit: list(units).index(unit) for unit in every}
    sizes = Counter(units)
    placed = {unit for unit in every if all(one[row_of[unit]] >= 0 for one in geography)}
    partner: dict[int, int] = {}

    def area(unit, levels):
        return tuple(one[row_of[unit]] for one in geography[:levels])

    def choose(wanting, levels):
        for same_size in (True, False):
            for some in range(len(similar), -1, -1):
                for nearer in (True, False) if levels > 1 else (False,):
                    for unit in wanting:
                        for other in every:
                            if (
                                unit in placed
                                and other in placed
                                and unit not in partner
                                and other not in partner
                                and area(unit, levels) != area(other, levels)
                                and (not nearer or area(unit, levels - 1) == area(other, levels - 1))
                                and (not same_size or sizes[unit] == sizes[other])
                                and slow_agree(within, units, unit, other)
                                and slow_agree(similar[:some], units, unit, other)
                            ):
                                partner[unit], partner[other] = other, unit
                                break

    for levels in range(1, len(geography) + 1):
        choose(sorted(slow_at_risk([*keys, *geography[:levels]], units, k)), levels)
    pairs = int(np.ceil(rate * len(every) / 2 - 1e-9))
    untried = [unit for unit in every if unit in placed and unit not in partner]
    while len(partner) // 2 < pairs and untried:
        lacking = pairs - len(partner) // 2
        choose(untried[:lacking], len(geography))
        untried = [unit for unit in untried[lacking:] if unit not in partner]
    return partner
