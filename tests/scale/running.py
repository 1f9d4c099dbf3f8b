"""Clusters for tests, folders of Parquet to protect on them, and what is counted of a release without shoal."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import chdir, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.progress import advance, listening
from shoal.scale.cluster import Cluster, _attempt, _Failure
from shoal.scale.protect import protect_parts
from shoal.scale.release import ClusterRelease

__all__ = [
    "InThisProcess",
    "alike",
    "brute_force_linkage",
    "bytes_of",
    "mixed",
    "numbers",
    "on_cluster",
    "protected",
    "released",
    "running_cluster",
    "write_parts",
]


class InThisProcess(Cluster):
    """Workers that are not elsewhere: tasks are carried out here, one by one, on copies as workers get them."""

    def _start(self) -> None:
        pass

    def map(self, function: Callable[..., Any], items: Iterable[Any], *shared: Any, doing: str = "") -> list[Any]:
        """Return ``function(item, *shared)`` for every item, in their order; the first error ends all."""
        items = list(items)
        return [self._carried_out(function, item, shared, len(items)) for item in items]

    def _carried_out(self, function: Callable[..., Any], item: Any, shared: tuple[Any, ...], items: int) -> Any:
        # What a worker does is not heard of until it is done, and it may have been started in another folder.
        with listening(lambda part: None), chdir(tempfile.gettempdir()):
            outcome = _sent(_attempt(*_sent((function, item, shared))))
        if isinstance(outcome, _Failure):
            raise outcome.error
        advance(1 / items)
        return outcome


def _sent(what: Any) -> Any:
    """Return what arrives in another process."""
    from distributed.protocol.pickle import dumps, loads

    return loads(dumps(what))


@contextmanager
def running_cluster(workers: int = 2) -> Iterator[Cluster]:
    """Start workers that stay for many releases, each in a process of its own."""
    with Cluster(workers=workers, memory="2GB") as started:
        yield Cluster(client=started._client)


def write_parts(frame: pd.DataFrame | pa.Table, folder: Path, *, files: int = 3, row_group: int | None = None) -> Path:
    """Write a frame as so many Parquet files, all with the types of the whole."""
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame, preserve_index=False)
    folder.mkdir(parents=True)
    bounds = [len(table) * place // files for place in range(files + 1)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        pq.write_table(table.slice(start, end - start), folder / f"part-{number:03}.parquet", row_group_size=row_group)
    return folder


def protected(
    source: Path, output: Path, cluster: Cluster, k: int = 5, *, block_records: int = 300, **options: Any
) -> ClusterRelease:
    """Protect a folder on a cluster, with a seed."""
    options = {"seed": 7, **options}
    return protect_parts(source, output, cluster, k=k, options=options, block_records=block_records)


def on_cluster(
    frame: pd.DataFrame, folder: Path, cluster: Cluster, k: int = 5, **options: Any
) -> tuple[pd.DataFrame, ClusterRelease, list[str]]:
    """Protect a frame in parts; return what was written, the release, and what was warned of."""
    source = write_parts(frame, folder / "in")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = protected(source, folder / "out", cluster, k, **options)
    said = [str(one.message) for one in caught if one.category.__module__ == "shoal.errors"]
    return released(folder / "out"), release, said


def released(folder: Path) -> pd.DataFrame:
    """Return a written release, part after part, as one frame."""
    return pd.concat([pq.read_table(path).to_pandas() for path in sorted(folder.glob("*.parquet"))], ignore_index=True)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return what is in the files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def alike(frame: pd.DataFrame, columns: Sequence[str], unit: pd.Series[Any] | None = None) -> pd.Series[int]:
    """Return how many records, or units, have each combination of values; a missing value is one."""
    plain = frame[list(columns)].astype(object).where(frame[list(columns)].notna(), "(missing)")
    grouped = plain.assign(**{"(unit)": range(len(plain)) if unit is None else unit}).groupby(list(columns), sort=False)
    return grouped["(unit)"].nunique()


def brute_force_linkage(
    before: pd.DataFrame, after: pd.DataFrame, numbers: Sequence[str], categories: Sequence[str]
) -> float:
    """Return the percentage of records that are linked, each compared with each: every file on its own scale.

    A category that differs counts 2 in the squared distance, as it does by its indicators. The rows of both files have
    to be in one order.
    """

    def scaled(frame: pd.DataFrame) -> np.ndarray[Any, Any]:
        values = frame[list(numbers)].astype(float)
        return ((values - values.mean()) / values.std()).to_numpy()

    one, other = scaled(before), scaled(after)
    squared = ((one[:, None, :] - other[None, :, :]) ** 2).sum(axis=2)
    for name in categories:
        left, right = before[name].astype(object).to_numpy(), after[name].astype(object).to_numpy()
        squared += 2.0 * (left[:, None] != right[None, :])
    near = squared <= squared.min(axis=1, keepdims=True) * (1 + 1e-9) + 1e-12
    return float(100 * (np.diag(near) / near.sum(axis=1)).mean())


def numbers(records: int, columns: int = 4, seed: int = 0) -> pd.DataFrame:
    """Return correlated numbers."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(records, columns)) @ generator.normal(size=(columns, columns))
    return pd.DataFrame(values, columns=[f"v{place}" for place in range(columns)])


def mixed(records: int, seed: int = 0) -> pd.DataFrame:
    """Return columns of every kind, none of them with missing values."""
    generator = np.random.default_rng(seed)
    education = ["none", "school", "college", "university"]
    return pd.DataFrame(
        {
            "sex": generator.choice(["f", "m"], records),
            "education": pd.Categorical(generator.choice(education, records), education, ordered=True),
            "region": pd.Categorical(generator.choice(["north", "south", "west"], records)),
            "works": generator.choice([True, False], records),
            "age": generator.integers(18, 95, records),
            "rooms": generator.integers(1, 6, records).astype("int8"),
            "income": generator.lognormal(10, 1, records),
            "rent": generator.lognormal(6, 0.5, records).astype("float32"),
        }
    )
