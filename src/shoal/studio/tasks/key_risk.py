"""How risky the key variables are, as the file is and once it is recoded: what `shoal risk` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.measure import key_frequencies
from shoal.measure.risk.keys.overview import KeyRisk, key_risk
from shoal.recode.base import text_of
from shoal.report.page.plots import bars
from shoal.studio.tasks.tables import recoded_of

__all__ = ["MeasuredKeys", "keys_of_record", "measured"]

# How many records agree, in classes that a picture has room for: the first number of each.
_CLASSES = (1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class MeasuredKeys:
    """The risk over the keys.

    Attributes
    ----------
    k
        The k that is wanted.
    before, after
        Without the recodes, None where there are none; and with them.
    alike
        By number of records that agree, as a text, how many records there are of which so many agree.
    alike_picture, suda_picture
        The same as a picture, and the share of the SUDA scores that each key has a part in; `svg` elements, "" if there
        is nothing to draw.
    """

    k: int
    before: KeyRisk | None
    after: KeyRisk
    alike: dict[str, int]
    alike_picture: str
    suda_picture: str


def measured(
    source: dict[str, Any],
    options: dict[str, Any],
    keys: list[str],
    k: int,
    weights: str | None,
    unit: str | None,
    most: int = 15,
) -> MeasuredKeys:
    """Measure the risk over the keys; of the options, recodes and missing codes count."""
    ks = sorted({2, 3, 5, k})
    recoded = recoded_of(source, options, max(2, k))
    before = key_risk(recoded.before, keys, weights=weights, unit=unit, ks=ks) if options.get("recodes") else None
    after = key_risk(recoded.table, keys, weights=weights, unit=unit, ks=ks, most=most)
    alike = _classes(key_frequencies(recoded.table, keys).sample)
    return MeasuredKeys(k, before, after, alike, _picture_of_classes(alike), _picture_of_suda(after))


def _classes(frequencies: NDArray[np.int64]) -> dict[str, int]:
    """Count records by how many agree with them, themselves counted; empty classes at the end are left out."""
    ends = [*(first - 1 for first in _CLASSES[1:]), None]
    counts = {}
    for first, last in zip(_CLASSES, ends, strict=True):
        inside = (frequencies >= first) & (True if last is None else frequencies <= last)
        name = f"{first}+" if last is None else str(first) if first == last else f"{first} to {last}"
        counts[name] = int(np.count_nonzero(inside))
    while not list(counts.values())[-1]:
        counts.popitem()
    return counts


def _picture_of_classes(alike: dict[str, int]) -> str:
    records = sum(alike.values())
    shares = [100 * count / records for count in alike.values()]
    text = "Share of records by how many records have the same keys"
    return bars("alike", text, list(alike), shares, texts=[f"{count:,}" for count in alike.values()])


def _picture_of_suda(risk: KeyRisk) -> str:
    if not risk.suda_records or risk.suda_contributions is None:
        return ""
    shares = dict(sorted(risk.suda_contributions.items(), key=lambda one: -one[1]))
    return bars("suda", "Share of the SUDA scores by key", list(shares), list(shares.values()))


def keys_of_record(source: dict[str, Any], options: dict[str, Any], keys: list[str], record: int) -> dict[str, str]:
    """Return the keys of one record, as recoded; the first record is 1, and a missing value is ""."""
    table = recoded_of(source, options).table

    def text(name: str) -> str:
        cell = table.cells(name)[record - 1]
        label = table.labels.values.get(name, {}).get(cell)
        return "" if table.missing(name)[record - 1] else text_of(cell) if label is None else str(label)

    return {name: text(name) for name in keys}
