"""What recodes do for k, counted before anything is protected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import joined_codes, numbers_of_values
from shoal.describe.units import units_of
from shoal.describe.variables import distinct_values
from shoal.errors import ColumnError, nearest_name_hint
from shoal.parameters.limits import Whole, check_limits
from shoal.parameters.of_columns import as_names
from shoal.read import Table, as_table
from shoal.recode.catalogue import written_recodes
from shoal.recode.missing_codes import written_missing_codes
from shoal.recode.recoded_table import RecodedTable, recoded_table

Whole64 = NDArray[np.int64]


def lost_by_recoding(recoded: RecodedTable, columns: Iterable[str]) -> dict[str, float]:
    """Return by column what its recodes took away, in percent: 100 H(before | after) / H(before).

    H is the entropy of the values, of a number too; a missing value counts as one. A column that has one value only has
    nothing to lose.
    """
    return {
        name: _lost(numbers_of_values(recoded.before, name), numbers_of_values(recoded.table, name)) for name in columns
    }


def joined_loss(first: float, second: float) -> float:
    """Return what is lost in percent if something loses a share, and what is left of it another."""
    lower, higher = sorted(min(max(one, 0.0), 100.0) for one in (first, second))
    return lower + higher - lower * higher / 100


def joined_losses(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Return what columns lose in percent if they lose a share, and what is left of them another."""
    return {name: joined_loss(first.get(name, 0.0), second.get(name, 0.0)) for name in {**first, **second}}


def _lost(before: Whole64, after: Whole64) -> float:
    whole = _entropy(before)
    if whole <= 0:
        return 0.0
    left = _entropy(joined_codes([before, after], len(before))) - _entropy(after)
    return float(min(max(100 * left / whole, 0.0), 100.0))


def _entropy(codes: Whole64) -> float:
    """Return the entropy of values, whatever they are called."""
    from shoal.arithmetic import log  # the same on every processor: plans have what comes of it

    counts = np.sort(np.unique(codes, return_counts=True)[1]).astype(np.float64)
    if len(counts) < 2:
        return 0.0
    total = float(counts.sum())
    return float(log(np.array([total]))[0] - (counts * log(counts)).sum() / total)


@dataclass(frozen=True)
class KeyCounts:
    """How alike records are over the keys; a missing value counts as a category.

    Attributes
    ----------
    values
        How many different values each key has, and each column that is recoded.
    k
        The fewest records, or units where there are some, that share a combination of values.
    uniques
        The records whose combination no other record has; with a unit, no other unit.
    below_k
        The records whose combination fewer than k records, or units, have.
    """

    values: Mapping[str, int]
    k: int
    uniques: int
    below_k: int


@dataclass(frozen=True)
class RecodeEffect:
    """What recodes do: counts over the keys before, after each of them alone, and after all together.

    Attributes
    ----------
    records, k, keys
        How many records there are, the k that is wanted, and the columns that are looked at.
    before, together
        The counts without recodes, and with all.
    alone
        By column, the counts with the recodes of this column only.
    """

    records: int
    k: int
    keys: tuple[str, ...]
    before: KeyCounts
    alone: Mapping[str, KeyCounts]
    together: KeyCounts

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        rows = [("", "values", "k", "unique", f"below k={self.k}")]
        rows.append(("as it is", "", *_cells(self.before)))
        for name, counts in self.alone.items():
            values = f"{self.before.values[name]:,} to {counts.values[name]:,}"
            rows.append((name, values, *(_cells(counts) if name in self.keys else ("", "", ""))))
        if len(self.alone) > 1:
            rows.append(("all together", "", *_cells(self.together)))
        widths = [max(len(row[place]) for row in rows) for place in range(5)]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
        beside = [name for name in self.alone if name not in self.keys]
        if beside:
            lines.append(f"{', '.join(beside)} {'is' if len(beside) == 1 else 'are'} not among the keys")
        records = f"{self.records:,} record{'s' * (self.records != 1)}"
        return "\n".join([f"{records} over {', '.join(self.keys)}", *lines])


def effect(
    data: Any,
    recodes: Mapping[Any, Any] | None,
    keys: Any,
    k: int,
    unit: Any = None,
    *,
    missing_codes: Mapping[Any, Any] | None = None,
) -> RecodeEffect:
    """Count how alike records are over the keys, before and after recodes. Nothing is changed.

    Parameters
    ----------
    data
        A table, or the path of a file, as `shoal.protect` takes it.
    recodes
        By column, a recode or several, as `shoal.protect` takes them.
    keys
        The columns that an intruder may know.
    k
        The k that is wanted.
    unit
        The column of the household, firm or other unit: units are counted then, not records.
    missing_codes
        Values that mean a missing one, as `shoal.protect` takes them.

    Returns
    -------
    RecodeEffect
        ``print`` shows it as a table.

    Examples
    --------
    >>> import pandas as pd
    >>> from shoal.recode import Bands, effect
    >>> people = pd.DataFrame({"age": [31, 33, 34, 47, 48], "sex": ["f", "f", "f", "m", "m"]})
    >>> print(effect(people, {"age": Bands(width=10)}, ["age", "sex"], k=2))
    5 records over age, sex
              values  k  unique  below k=2
    as it is          1       5          5
    age       5 to 2  2       0          0
    """
    check_limits({"k": Whole(2)}, {"k": k})
    table = as_table(data)
    names = [str(name) for name in as_names(keys, "keys")]
    for name in (*names, *(() if unit is None else (str(unit),))):
        if name not in table:
            raise ColumnError(f'There is no column "{name}".{nearest_name_hint(name, table.names)}', column=name)
    if not names:
        raise ColumnError("keys names no column. Name those that an intruder may know.")
    recoded = recoded_table(table, written_recodes(recodes), written_missing_codes(missing_codes), k=k)
    return effect_on(recoded, list(recodes or {}), names, k, None if unit is None else units_of(table, str(unit)))


def effect_on(
    recoded: RecodedTable, columns: Sequence[str], keys: Sequence[str], k: int, units: Whole64 | None = None
) -> RecodeEffect:
    """Count how alike records are over the keys in a table that was recoded in these columns."""
    before = {name: numbers_of_values(recoded.before, name) for name in keys}
    after = {name: numbers_of_values(recoded.table, name) if name in columns else before[name] for name in keys}
    values = {name: _different(recoded.before, name) for name in dict.fromkeys((*keys, *columns))}
    values_after = {name: _different(recoded.table, name) for name in columns}
    counts = _counts(before, values, k, units)
    alone = {
        name: _counts({**before, **{one: after[one] for one in keys if one == name}}, values | {name: own}, k, units)
        for name, own in values_after.items()
    }
    together = _counts(after, values | values_after, k, units)
    return RecodeEffect(len(recoded.table), k, tuple(keys), counts, alone, together)


def _counts(codes: Mapping[str, Whole64], values: Mapping[str, int], k: int, units: Whole64 | None) -> KeyCounts:
    records = len(next(iter(codes.values())))
    combinations = joined_codes(list(codes.values()), records)
    each = np.bincount(combinations)
    if units is not None:
        pairs = np.unique(np.column_stack([combinations, units]), axis=0)
        each = np.bincount(pairs[:, 0])
    alike = each[combinations]
    return KeyCounts(dict(values), int(each.min()), int((alike == 1).sum()), int((alike < k).sum()))


def _different(table: Table, name: str) -> int:
    missing = table.missing(name)
    if table.type_of(name).is_float():
        return len(np.unique(table.numbers(name)[~missing]))  # minus zero is zero, as it is in combinations
    return 0 if missing.all() else distinct_values(table, name, missing)


def _cells(counts: KeyCounts) -> tuple[str, str, str]:
    return f"{counts.k:,}", f"{counts.uniques:,}", f"{counts.below_k:,}"
