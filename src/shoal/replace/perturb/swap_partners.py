"""Who is swapped with whom: units that are alike where they should be, and in different areas."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes

__all__ = ["agreement", "paired", "units_at_risk"]

Whole64 = NDArray[np.int64]
Truths = NDArray[np.bool_]


def agreement(columns: Sequence[Whole64], units: Whole64, first: Whole64) -> Whole64:
    """Number the units so that those with the same number agree in all columns.

    In a column that has one value within every unit, units agree that have the same. In the other columns, taken
    together, they agree if their records have the same combinations, each as often.

    Parameters
    ----------
    columns
        Codes of the columns, a row for each record, -1 for a missing value, which counts as a value.
    units
        The unit of every record, 0 to U - 1.
    first
        A record of each unit.
    """
    constant = [np.array_equal(column[first][units], column) for column in columns]
    codes = [column[first] for column, same in zip(columns, constant, strict=True) if same]
    varying = [column for column, same in zip(columns, constant, strict=True) if not same]
    if varying:
        combined = joined_codes(varying, len(units))
        order = np.lexsort((combined, units))
        ends = np.cumsum(np.bincount(units, minlength=len(first)))
        numbers: dict[bytes, int] = {}
        texts = [some.tobytes() for some in np.split(combined[order], ends[:-1])]
        codes.append(np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64))
    return joined_codes(codes, len(first))


def units_at_risk(columns: Sequence[Whole64], units: Whole64, k: int) -> Truths:
    """Return which units have a record whose combination in the columns fewer than k different units have."""
    combined = joined_codes(columns, len(units))
    count = int(units.max(initial=-1)) + 1
    pairs = np.unique(combined * count + units)
    few = np.bincount(pairs // count)[combined] < k
    return np.bincount(units, few, minlength=count) > 0


def paired(codes: Whole64, areas: Whole64, wanting: Truths, free: Truths) -> Iterator[tuple[int, int]]:
    """Yield pairs of units with the same code and different areas.

    The units that want a partner choose in their order, each the first unit that is still free. As many steps are
    taken as there are areas and pairs: the first free unit of every area with the same code is in a heap.

    Parameters
    ----------
    codes
        What partners have to have in common.
    areas
        What they may not have in common.
    wanting
        Which units look for a partner.
    free
        Which units may still be swapped; no unit is in two pairs.
    """
    free = free.copy()
    wanted = np.flatnonzero(wanting & free)
    if not len(wanted):
        return
    is_wanted = np.zeros(int(codes.max()) + 1, dtype=bool)
    is_wanted[codes[wanted]] = True
    pool = np.flatnonzero(free & is_wanted[codes])
    pool = pool[np.lexsort((pool, areas[pool], codes[pool]))]
    cut = np.flatnonzero(np.diff(codes[pool])) + 1
    looking = wanted[np.argsort(codes[wanted], kind="stable")]
    looking_cut = np.flatnonzero(np.diff(codes[looking])) + 1
    for members, choosing in zip(np.split(pool, cut), np.split(looking, looking_cut), strict=True):
        yield from _paired_alike(members, areas, choosing.tolist(), free)


def _paired_alike(members: Whole64, areas: Whole64, choosing: list[int], free: Truths) -> Iterator[tuple[int, int]]:
    """Yield the pairs among units with one code, which are sorted by area; `free` says what is left."""
    starts = np.concatenate([[0], np.flatnonzero(np.diff(areas[members])) + 1])
    ends = [*starts[1:].tolist(), len(members)]
    # The first free unit of every area, where it is among the members, and where its area ends.
    heads = [(int(members[start]), int(start), end) for start, end in zip(starts, ends, strict=True)]
    heapq.heapify(heads)
    for unit in choosing:
        if not free[unit]:
            continue
        own = None
        while heads:
            other, place, end = heads[0]
            if not free[other]:
                heapq.heappop(heads)
                while place < end and not free[members[place]]:
                    place += 1
                if place < end:
                    heapq.heappush(heads, (int(members[place]), place, end))
            elif areas[other] == areas[unit]:
                own = heapq.heappop(heads)
            else:
                free[unit] = free[other] = False
                yield unit, other
                break
        if own is not None:
            heapq.heappush(heads, own)
