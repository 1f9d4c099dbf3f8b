"""The combinations of key variables of a whole file: how many records have each, and the sum of their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.scale.input.chunks import read_rows
from shoal.scale.input.row_hashes import hashed_values, joined_hashes
from shoal.scale.measured.passes.sides import NumberedChunk, is_missing
from shoal.scale.random_order import part_of
from shoal.scale.scattered import gathered, row_numbers, scatter

__all__ = ["Combinations", "KeyColumns", "ReadKeys", "combinations_in", "scatter_combinations", "scatter_keys"]

# pandas and pyarrow are imported inside functions, to keep start-up quick.

Doubles = NDArray[np.float64]
Whole64 = NDArray[np.int64]

# A weight is added as three whole numbers, which no order of adding rounds: what is before the point, and twice 26 bits
# behind it.
_HALF = 26
_AMOUNTS = ("records", "whole", "high", "low")


@dataclass(frozen=True)
class KeyColumns:
    """The key variables, the sampling weight and the unit of a file, by their names."""

    keys: tuple[str, ...]
    weights: str | None
    unit: str | None


@dataclass(frozen=True)
class ReadKeys:
    """What was read of the keys of a chunk.

    Attributes
    ----------
    incomplete
        The records with a missing key.
    without_unit
        The records without a unit.
    without_weight, infinite_weights, wrong_weights
        The records whose weight is missing, infinite, or not above zero.
    first_wrong
        The number of the first record whose weight is not above zero.
    """

    incomplete: int
    without_unit: int = 0
    without_weight: int = 0
    infinite_weights: int = 0
    wrong_weights: int = 0
    first_wrong: int | None = None


@dataclass(frozen=True)
class Combinations:
    """Some combinations of key variables, those of one bucket.

    Attributes
    ----------
    hashes
        Two hashes of every combination.
    values
        The hashes of its values, a column for every key; and which of them are missing.
    missing
        Which values are missing.
    records, weights
        How many records have it, and the sum of their weights.
    """

    hashes: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    values: NDArray[np.uint64]
    missing: NDArray[np.bool_]
    records: Whole64
    weights: Doubles


def scatter_combinations(chunk: NumberedChunk, own: KeyColumns, buckets: int, folder: Path) -> ReadKeys:
    """Write how many records of a chunk have each combination of keys, and unit, by bucket of its hash."""
    rows = read_rows(chunk[1])
    known = ReadKeys(0)
    weights = np.ones(len(rows))
    if own.weights is not None:
        weights = np.asarray(rows[own.weights].cast("float64", safe=False).to_numpy(), dtype=np.float64)
        wrong = np.flatnonzero(weights <= 0)
        known = ReadKeys(
            0,
            without_weight=int(np.isnan(weights).sum()),
            infinite_weights=int(np.isinf(weights).sum()),
            wrong_weights=len(wrong),
            first_wrong=int(row_numbers(rows)[wrong[0]]) + 1 if len(wrong) else None,
        )
        weights = np.clip(np.nan_to_num(weights), 0, 2.0**52)  # wrong ones are refused
    units = np.zeros(len(rows), dtype=np.uint64)
    without_unit = 0
    if own.unit is not None:
        units = hashed_values(rows[own.unit])
        without_unit = int(is_missing(rows[own.unit]).sum())
    incomplete = scatter_keys(rows, own.keys, weights, units, buckets, folder / f"{chunk[0]:06}.arrow")
    return ReadKeys(
        incomplete,
        without_unit,
        known.without_weight,
        known.infinite_weights,
        known.wrong_weights,
        known.first_wrong,
    )


def scatter_keys(
    rows: Any, keys: Sequence[str], weights: Doubles, units: NDArray[np.uint64], buckets: int, path: Path
) -> int:
    """Write how many Arrow rows have each combination of some columns, and unit; return how many are incomplete."""
    import pandas as pd
    import pyarrow

    hashes = [hashed_values(rows[name]) for name in keys]
    missing = np.column_stack([is_missing(rows[name]) for name in keys])
    one, other = joined_hashes(hashes, len(rows))
    frame = pd.DataFrame({"one": one, "other": other, "unit": units})
    places = frame.groupby(["one", "other", "unit"], sort=False).ngroup().to_numpy()
    first = np.unique(places, return_index=True)[1]
    whole = np.floor(weights)
    fraction = np.ldexp(weights - whole, 2 * _HALF)
    high = np.floor(np.ldexp(fraction, -_HALF))
    amounts = (np.ones(len(rows)), whole, high, np.floor(fraction - np.ldexp(high, _HALF)))
    table = pyarrow.table(
        {
            **{name: frame[name].to_numpy()[first] for name in frame.columns},
            **{f"value {place}": own[first] for place, own in enumerate(hashes)},
            **{f"missing {place}": missing[first, place] for place in range(len(keys))},
            **{name: np.bincount(places, own).astype(np.int64) for name, own in zip(_AMOUNTS, amounts, strict=True)},
        }
    )
    scatter(table, part_of(table["one"].to_numpy(), buckets), path)
    return int(missing.any(axis=1).sum())


def combinations_in(bucket: int, paths: Sequence[Path]) -> tuple[Combinations, Any] | None:
    """Return the combinations of one bucket, and the records of each by unit as a frame; None where it is empty."""
    table = gathered(paths, bucket)
    if table is None:
        return None
    frame = table.to_pandas()
    found = frame.groupby(["one", "other"], sort=True)
    sums, first = found[list(_AMOUNTS)].sum(), found.first()
    columns = sum(name.startswith("value ") for name in frame.columns)
    fraction = np.ldexp(sums["high"].to_numpy().astype(np.float64), _HALF) + sums["low"].to_numpy()
    weights = sums["whole"].to_numpy() + np.ldexp(fraction, -2 * _HALF)
    hashes = sums.index.to_frame()
    of_units = frame.groupby(["one", "other", "unit"], sort=True)["records"].sum().reset_index()
    of_units["place"] = found.ngroup().groupby([frame["one"], frame["other"], frame["unit"]]).first().to_numpy()
    return (
        Combinations(
            (hashes["one"].to_numpy(), hashes["other"].to_numpy()),
            first[[f"value {place}" for place in range(columns)]].to_numpy(),
            first[[f"missing {place}" for place in range(columns)]].to_numpy(),
            sums["records"].to_numpy(),
            weights.astype(np.float64),
        ),
        of_units,
    )
