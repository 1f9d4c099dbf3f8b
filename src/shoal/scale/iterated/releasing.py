"""The pages of a release: new values put into the rows of a page, and what is said of the whole file said once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.errors import ShoalWarning
from shoal.flow.blocks.work import ProtectedBlock, Work
from shoal.flow.carry_out import carry_out
from shoal.flow.release import Release
from shoal.recode.recoded_table import RecodedTable
from shoal.scale.blocks.local import write_block
from shoal.scale.input.chunks import read_rows
from shoal.scale.input.moments import ExactMoments
from shoal.scale.iterated.passes import Page
from shoal.scale.random_order import Leaving
from shoal.scale.scattered import row_numbers
from shoal.scale.setting import RunSetting, table_of_rows

__all__ = ["PagedRun", "Said", "release_page"]

_ROUNDING = 1e-9  # of the range: what is less outside is not


@dataclass(frozen=True)
class PagedRun:
    """What protecting all pages of a file starts from.

    Attributes
    ----------
    tasks
        Calls a function with every item of a list, and what all share, on the cluster.
    pages, waiting
        All pages, and those whose release is not there yet.
    setting, leaving
        What all tasks share.
    moments
        Of every variable in the whole file.
    """

    tasks: Callable[..., list[Any]]
    pages: Sequence[Page]
    waiting: Sequence[Page]
    setting: RunSetting
    leaving: Leaving
    moments: Mapping[str, ExactMoments]

    def strata(self, block: int) -> list[list[Page]]:
        """Return the pages of every stratum, for passes about one block of variables."""
        own: list[list[Page]] = [[] for _ in range(self.pages[-1].stratum + 1)]
        for page in self.pages:
            own[page.stratum].append(replace(page, block=block))
        return own


@dataclass(frozen=True)
class Said:
    """What is said of the groups of the whole file, in the outcomes of its pages, which are put together later.

    Attributes
    ----------
    groups
        How many groups there are, by block.
    smallest, largest
        The records of the smallest group and of the largest one.
    support
        The fewest records behind any released value.
    alike
        By confidential column, how many groups have one value of it only.
    notes
        What a reader should know.
    """

    groups: Sequence[int]
    smallest: int
    largest: int
    support: int
    alike: Mapping[str, int]
    notes: Sequence[str]

    def for_page(self, number: int) -> dict[str, Any]:
        """Return the part of an outcome that one page stands for: the first for all that is counted."""
        is_first = number == 0
        return {
            "groups": list(self.groups) if is_first else [0] * len(self.groups),
            "smallest_group": self.smallest,
            "largest_group": self.largest,
            "smallest_support": self.support,
            "alike": dict(self.alike) if is_first else {},
            "notes": list(self.notes) if is_first else [],
        }


def release_page(
    page: Page,
    protected: Callable[[Work], list[ProtectedBlock]],
    said: Said,
    setting: RunSetting,
    leaving: Leaving,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> int:
    """Release the rows of a page with their new values, and leave what came of it in the folder of the run.

    Parameters
    ----------
    page
        The page.
    protected
        Gives the new values.
    said
        What is said of the whole file.
    setting, leaving
        What all tasks share.
    ranges
        By column, the lowest and highest original value of the whole file, to count what is outside of them.
    """
    rows = read_rows(page.rows)
    table = table_of_rows(rows, setting.recoded_labels, setting.recoded_orders)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # what is said is said once, of the whole file
        release = carry_out(
            setting.plan, table, recoded=RecodedTable(table, table), scales=setting.scales, engine=protected
        )
    outcome = release.plan.outcome
    assert outcome is not None
    update = said.for_page(page.number)
    if ranges is not None:
        update["outside"] = _outside(release, ranges)
    outcome = outcome.model_copy(update=update)
    release = replace(release, plan=release.plan.model_copy(update={"outcome": outcome}))
    write_block(page.number, release, row_numbers(rows), setting, leaving)
    return page.number


def _outside(release: Release, ranges: Mapping[str, tuple[float, float]]) -> dict[str, int]:
    """Count the values below the lowest or above the highest original one of the whole file, where there are some."""
    counts = {}
    for name, (low, high) in ranges.items():
        margin = _ROUNDING * (high - low)
        values = release.masked.numbers(name)
        counts[name] = int(((values < low - margin) | (values > high + margin)).sum())
    return {name: count for name, count in counts.items() if count}
