"""The numbers of a page that passes compute with: columns on their scale, and indicators of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import Scale
from shoal.errors import DataError
from shoal.scale.input.chunks import read_rows
from shoal.scale.input.second_look import numbers_of
from shoal.scale.iterated.passes import Page, saved
from shoal.scale.setting import RunSetting

__all__ = ["Indicators", "PageColumns", "count_categories", "indicators_of", "write_numbers"]

_MOST_INDICATORS = 1000  # of a variable


@dataclass(frozen=True)
class Indicators:
    """The categories of a column that have an indicator each, by their hash; all others have none."""

    name: str
    places: Mapping[Any, int]

    @property
    def width(self) -> int:
        """How many indicators there are."""
        return max(self.places.values(), default=-1) + 1


@dataclass(frozen=True)
class PageColumns:
    """What is written for a block of variables.

    Attributes
    ----------
    scaled
        The columns of numbers, each with its scale; None leaves it as it is.
    indicators
        Categories, which come before the numbers.
    """

    scaled: Sequence[tuple[str, Scale | None]]
    indicators: Sequence[Indicators] = ()


def write_numbers(page: Page, setting: RunSetting, columns: PageColumns) -> None:
    """Write the numbers of a page to a file that passes read."""
    rows = read_rows(page.rows)
    found: list[NDArray[np.float64]] = []
    for one in columns.indicators:
        places = np.array([one.places.get(value, -1) for value in rows[one.name].to_pylist()], dtype=np.int64)
        found += [(places == place).astype(np.float64) for place in range(one.width)]
    for name, scale in columns.scaled:
        values = numbers_of(rows, name, setting)
        found.append(values if scale is None else scale.apply(values))
    saved(page.path("numbers"), np.column_stack(found))


def count_categories(page: Page, names: Sequence[str]) -> dict[str, Counter[Any]]:
    """Count the categories of some columns."""
    rows = read_rows(page.rows)
    return {name: Counter(rows[name].to_pylist()) for name in names}


def indicators_of(name: str, counts: Counter[Any], least: int) -> Indicators:
    """Give every category an indicator; those that fewer than `least` records have share one, and the last has none.

    Where those have too few records even together, the next smallest category joins them.
    """
    ascending = sorted(counts, key=lambda value: (counts[value], str(value)))
    rare = sum(counts[value] < least for value in ascending)
    if rare and sum(counts[value] for value in ascending[:rare]) < least:
        rare += 1
    together = max(rare - 1, 0)
    numbered = {value: max(place - together, 0) for place, value in enumerate(ascending)}
    last = max(numbered.values())
    if last >= _MOST_INDICATORS:
        raise DataError(
            f'"{name}" has {last + 1} categories of at least k={least} records, too many to enter a regression. Make '
            "them coarser, or drop it (role identifier)."
        )
    return Indicators(name, {value: place for value, place in numbered.items() if place < last})
