"""How the rows of a file are put into pages: by their stratum and their number, whatever the chunks are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.scale.cluster import Cluster
from shoal.scale.input.chunks import Gathered, RowSource, read_rows
from shoal.scale.input.keys import keys_of
from shoal.scale.iterated.passes import Page
from shoal.scale.scattered import row_numbers, scatter
from shoal.scale.setting import RunSetting, prepared_rows

__all__ = ["PAGE", "pages_of", "scatter_to_pages"]

PAGE = 131_072  # rows, about


@dataclass(frozen=True)
class _Targets:
    """Where rows belong: those of a stratum with more rows than a page by their number, all others by their stratum.

    Attributes
    ----------
    keys
        The strata, hashed, in ascending order.
    first
        The first target of each.
    is_cut
        Whether it has several.
    width
        How many consecutive rows of the file go to one target.
    """

    keys: NDArray[np.uint64]
    first: NDArray[np.int64]
    is_cut: NDArray[np.bool_]
    width: int

    def of(self, keys: NDArray[np.uint64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the target of every row."""
        place = np.searchsorted(self.keys, keys)
        return np.asarray(self.first[place] + np.where(self.is_cut[place], rows // self.width, 0), dtype=np.int64)


def pages_of(
    cluster: Cluster,
    sources: Sequence[tuple[int, RowSource]],
    setting: RunSetting,
    counts: Mapping[int, int],
    most: int,
) -> list[Page]:
    """Scatter the rows of a file to pages, and return these: stratum by stratum, in the order of the file.

    Parameters
    ----------
    cluster
        The workers.
    sources
        The chunks.
    setting
        What all tasks share.
    counts
        How many records each stratum has, by its hash.
    most
        How many rows a page may have, about.
    """
    width, keys = min(PAGE, most), sorted(counts)
    records = sum(counts.values())
    is_cut = np.array([counts[key] > width for key in keys])
    own = np.where(is_cut, -(-records // width), 1)
    first = np.cumsum([0, *own])
    targets = _Targets(np.array(keys, dtype=np.uint64), first[:-1], is_cut, width)
    filled: list[dict[int, int]] = cluster.map(
        scatter_to_pages, sources, setting, targets, doing="putting rows in order"
    )
    folder = Path(setting.folder) / "scattered"
    total = np.zeros(first[-1], dtype=np.int64)
    holders: dict[int, list[int]] = {}
    for (number, _), rows_of in zip(sources, filled, strict=True):
        for target, rows in rows_of.items():
            total[target] += rows
            holders.setdefault(target, []).append(number)
    pages: list[Page] = []
    for stratum in range(len(keys)):
        for together in _together(total[first[stratum] : first[stratum + 1]], width):
            own_targets = tuple((first[stratum] + np.array(together)).tolist())
            files = tuple(dict.fromkeys(number for target in own_targets for number in holders[target]))
            rows = int(total[list(own_targets)].sum())
            pages.append(Page(len(pages), stratum, Gathered(folder, files, own_targets), rows, folder))
    return pages


def scatter_to_pages(chunk: tuple[int, RowSource], setting: RunSetting, targets: _Targets) -> dict[int, int]:
    """Scatter the rows of a chunk; return how many rows each target got."""
    number, source = chunk
    rows = prepared_rows(read_rows(source), setting)
    target = targets.of(keys_of(rows, setting), row_numbers(rows))
    scatter(rows, target, Path(setting.folder) / "scattered" / f"{number:06}.arrow")
    present, counts = np.unique(target, return_counts=True)
    return dict(zip(present.tolist(), counts.tolist(), strict=True))


def _together(counts: NDArray[np.int64], width: int) -> list[list[int]]:
    """Return which targets make a page: consecutive ones, about as many rows as the width, none with few."""
    pages: list[list[int]] = []
    filled = 0
    for target in np.flatnonzero(counts).tolist():
        if not pages or filled + counts[target] > 1.25 * width:
            pages.append([])
            filled = 0
        pages[-1].append(target)
        filled += int(counts[target])
    if len(pages) > 1 and filled < width // 4:
        last = pages.pop()
        pages[-1] += last
    return pages
