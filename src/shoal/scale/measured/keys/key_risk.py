"""The risk over key variables of a folder, counted on a cluster."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.missing import refuse_counted_missing
from shoal.describe.weights import EVERY_RECORD_NEEDS_A_WEIGHT
from shoal.describe.wildcards import agreeing_sums_within
from shoal.errors import DataError
from shoal.measure.risk.keys.frequencies import KeyFrequencies
from shoal.measure.risk.keys.individual_risk import risk_of_frequencies, small_weights, warn_of_small_weights
from shoal.measure.risk.keys.key_values import (
    Missing,
    key_names,
    refuse_large_population,
    refuse_weight_as_key,
    role_column,
)
from shoal.measure.risk.keys.overview import KeyReading, KeyRisk, likely_keys
from shoal.parameters.limits import Whole, check_limits
from shoal.progress import share
from shoal.read import Table
from shoal.read.arrow_files import labels_in_schema
from shoal.scale.cluster import Cluster
from shoal.scale.input.parts import CHUNK, Parts, parts_of, read_chunk
from shoal.scale.measured.keys.key_combinations import KeyColumns, ReadKeys, combinations_in, scatter_combinations
from shoal.scale.measured.passes.opened_files import looked_at
from shoal.scale.measured.private_folder import private_folder
from shoal.scale.random_order import part_of
from shoal.scale.scattered import gathered, scatter
from shoal.scale.setting import table_of_rows

__all__ = ["agreeing_frequencies", "key_risk_parts"]

_BUCKET = 250_000  # records whose combinations are counted at once
MOST_WITH_WILDCARDS = 1_000_000  # combinations that are compared with each other where values are missing
MOST_WORK = 1e9  # rows and pairs of rows that are looked at for that: some forty seconds


@dataclass(frozen=True)
class _BucketRisk:
    """What was counted in one bucket of combinations."""

    combinations: int
    k: int
    uniques: int
    violators: tuple[int, ...]
    expected: float
    small: int  # records whose weights sum to less than their number
    people: float  # the sum of the weights


def key_risk_parts(
    source: str | os.PathLike[str],
    cluster: Cluster,
    *,
    keys: Iterable[Any] | str | None = None,
    weights: str | None = None,
    unit: str | None = None,
    ks: Sequence[int] = (2, 3, 5),
    chunk_rows: int = CHUNK,
) -> KeyRisk:
    """Return the risk of a folder of Parquet files over its key variables; as `shoal.measure.key_risk`, without SUDA.

    Parameters
    ----------
    source
        The folder, or a single file.
    cluster
        The workers.
    keys
        The columns that an intruder may know; by default those that seem to be categories.
    weights, unit, ks
        As in `shoal.measure.key_risk`.
    chunk_rows
        How many rows a worker reads at once.
    """
    for k in ks:
        check_limits({"k": Whole(1)}, {"k": k})
    parts = parts_of(source, chunk_rows)
    with cluster, private_folder(Path(source)) as folder:
        own = _columns(cluster, parts, keys, weights, unit)
        run = _KeyCounting(cluster, parts, own, folder)
        with share(0.6):
            incomplete = run.read()
        with share(0.4):
            return run.risk(incomplete, tuple(ks))


def _columns(
    cluster: Cluster, parts: Parts, keys: Iterable[Any] | str | None, weights: str | None, unit: str | None
) -> KeyColumns:
    labels = labels_in_schema(parts.schema).only(parts.names)
    if keys is None:
        look = looked_at(cluster, parts)
        rows = table_of_rows(look.rows, labels, look.orders)
        keys = likely_keys(rows, (weights, unit))
    table: Table = table_of_rows(read_chunk(replace(parts.chunks[0], rows=1)), labels, {})  # for its names
    names = key_names(table, keys)
    if weights is not None:
        refuse_weight_as_key(role_column(table, weights, "weights"), names)
    if unit is not None:
        role_column(table, unit, "unit")
    return KeyColumns(names, weights, unit)


class _KeyCounting:
    """The counting of one file, step by step."""

    def __init__(self, cluster: Cluster, parts: Parts, own: KeyColumns, folder: Path) -> None:
        self._cluster, self._parts, self._own, self._folder = cluster, parts, own, folder
        self._chunks = tuple(enumerate(parts.chunks))
        self._buckets = max(1, round(parts.records / _BUCKET))
        for name in ("keys", "risks", "units"):
            (folder / name).mkdir()
        self._paths = [folder / "keys" / f"{number:06}.arrow" for number, _ in self._chunks]

    def read(self) -> int:
        """Read the keys of every record, and return how many records have a missing one."""
        read: list[ReadKeys] = self._cluster.map(
            scatter_combinations, self._chunks, self._own, self._buckets, self._folder / "keys", doing="reading keys"
        )
        _refuse_weights(read, self._own.weights)
        if self._own.unit is not None:
            without = sum(one.without_unit for one in read)
            advice = "Every record needs its unit. Fill them, or leave those records out."
            refuse_counted_missing({self._own.unit: without}, advice)
        return sum(one.incomplete for one in read)

    def risk(self, incomplete: int, ks: tuple[int, ...]) -> KeyRisk:
        """Count who agrees with whom, and return the risk."""
        buckets = self._counted(ks)
        if self._own.weights is not None:
            refuse_large_population(math.fsum(bucket.people for bucket in buckets), self._own.weights)
            warn_of_small_weights(sum(bucket.small for bucket in buckets))
        units, reading = self._reading("category", buckets, ks)
        wild = None
        if incomplete:
            agreeing = agreeing_frequencies(self._cluster, self._buckets, self._paths, self._folder / "risks")
            wild = None if agreeing is None else self._reading("wildcard", self._counted(ks), ks)[1]
        return KeyRisk(
            **vars(reading),
            keys=self._own.keys,
            records=self._parts.records,
            incomplete=incomplete,
            combinations=sum(bucket.combinations for bucket in buckets),
            weighted=self._own.weights is not None,
            units=units,
            as_wildcards=wild,
            suda_records=None,
            suda_largest=None,
            dis_largest=None,
            suda_contributions=None,
            suda_size=None,
        )

    def _counted(self, ks: tuple[int, ...]) -> list[_BucketRisk]:
        weighted, with_units = self._own.weights is not None, self._own.unit is not None
        counted = self._cluster.map(
            _risk_in, range(self._buckets), self._paths, ks, weighted, with_units, self._buckets, self._folder,
            doing="counting combinations",
        )  # fmt: skip
        return [bucket for bucket in counted if bucket is not None]

    def _reading(
        self, missing: Missing, buckets: Sequence[_BucketRisk], ks: tuple[int, ...]
    ) -> tuple[int | None, KeyReading]:
        """Return how many units there are, None without, and what was counted last."""
        expected = math.fsum(bucket.expected for bucket in buckets)
        units, with_units = (None, None) if self._own.unit is None else self._with_units()
        reading = KeyReading(
            missing=missing,
            k=min(bucket.k for bucket in buckets),
            uniques=sum(bucket.uniques for bucket in buckets),
            violators={k: sum(bucket.violators[place] for bucket in buckets) for place, k in enumerate(ks)},
            expected=expected,
            global_risk=expected / self._parts.records,
            household_expected=with_units,
        )
        return units, reading

    def _with_units(self) -> tuple[int, float]:
        paths = sorted((self._folder / "units").glob("*.arrow"))
        found = self._cluster.map(_risk_of_units_in, range(self._buckets), paths, doing="counting units")
        return sum(one[0] for one in found), math.fsum(one[1] for one in found)


def agreeing_frequencies(
    cluster: Cluster, buckets: int, paths: Sequence[Path], folder: Path
) -> NDArray[np.int64] | None:
    """Count how many records agree with each combination where a missing value agrees with every value.

    What is found is written for every bucket, combinations in the order of `combinations_in`, and returned for all;
    None, and nothing written, where there are too many combinations to compare with each other.
    """
    import pandas as pd

    found = cluster.map(_collected, range(buckets), paths, doing="counting combinations")
    if sum(len(one.records) for one in found if one is not None) > MOST_WITH_WILDCARDS:
        return None
    present = [one for one in found if one is not None]
    values = np.concatenate([one.values for one in present])
    missing = np.concatenate([one.missing for one in present])
    amounts = np.concatenate([np.column_stack([one.records, one.weights]) for one in present]).astype(np.float64)
    codes = [np.where(absent, -1, pd.factorize(own)[0]) for own, absent in zip(values.T, missing.T, strict=True)]
    sums = agreeing_sums_within([one.astype(np.int64) for one in codes], amounts, MOST_WORK)
    if sums is None:
        return None
    place = 0
    for bucket, one in enumerate(found):
        if one is not None:
            np.save(folder / f"{bucket:06}.npy", sums[place : place + len(one.records)])
            place += len(one.records)
    return sums[:, 0].astype(np.int64)


def _collected(bucket: int, paths: Sequence[Path]) -> Any:
    found = combinations_in(bucket, paths)
    return None if found is None else found[0]


def _risk_in(
    bucket: int,
    paths: Sequence[Path],
    ks: tuple[int, ...],
    weighted: bool,
    with_units: bool,
    buckets: int,
    folder: Path,
) -> _BucketRisk | None:
    """Return the risk of the combinations of one bucket; write that of every unit's records, by bucket of the unit."""
    import pyarrow

    found = combinations_in(bucket, paths)
    if found is None:
        return None
    own, of_units = found
    f, F = own.records, own.weights
    agreeing = folder / "risks" / f"{bucket:06}.npy"
    if agreeing.exists():
        sums = np.load(agreeing)
        f, F = sums[:, 0].astype(np.int64), sums[:, 1]
    frequencies = KeyFrequencies((), "category", f, F if weighted else f.astype(np.float64), len(f), weighted)
    risks = risk_of_frequencies(frequencies, warns=False).by_record
    if with_units:
        table = pyarrow.Table.from_pandas(
            of_units.assign(risk=risks[of_units["place"].to_numpy()]), preserve_index=False
        )
        targets = part_of(of_units["unit"].to_numpy(), buckets)
        scatter(table.replace_schema_metadata(None), targets, folder / "units" / f"{bucket:06}.arrow")
    return _BucketRisk(
        len(f),
        int(f.min()),
        int(own.records[f == 1].sum()),
        tuple(int(own.records[f < k].sum()) for k in ks),
        math.fsum((own.records * risks).tolist()),
        int(own.records[small_weights(f.astype(np.float64), F)].sum()) if weighted else 0,
        math.fsum(own.weights.tolist()),
    )


def _risk_of_units_in(bucket: int, paths: Sequence[Path]) -> tuple[int, float]:
    """Return how many units a bucket has, and how many of their records are expected to be given away."""
    table = gathered(paths, bucket)
    if table is None:
        return 0, 0.0
    frame = table.to_pandas().sort_values(["unit", "one", "other"])
    safe = (1 - frame["risk"].to_numpy()) ** frame["records"].to_numpy()
    units = frame.assign(safe=safe).groupby("unit", sort=True).agg(safe=("safe", "prod"), records=("records", "sum"))
    lost = units["records"].to_numpy() * (1 - units["safe"].to_numpy())
    return len(units), math.fsum(lost.tolist())


def _refuse_weights(read: Sequence[ReadKeys], name: str | None) -> None:
    """Raise an error unless all weights are there, finite and above zero."""
    if name is None:
        return
    refuse_counted_missing({name: sum(one.without_weight for one in read)}, EVERY_RECORD_NEEDS_A_WEIGHT)
    infinite, wrong = sum(one.infinite_weights for one in read), sum(one.wrong_weights for one in read)
    if infinite:
        raise DataError(
            f'Column "{name}" has {infinite:,} infinite value{"s" * (infinite > 1)}. Correct them, or make them '
            "missing."
        )
    if wrong:
        first = min(one.first_wrong for one in read if one.first_wrong is not None)
        raise DataError(
            f'Weights must be positive; "{name}" has {wrong:,} that are zero or negative, the first in record '
            f"{first:,}. Correct them, or leave those records out."
        )
