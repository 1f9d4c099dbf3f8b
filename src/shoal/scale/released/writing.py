"""The parts of a release: each is put together from all blocks, in the order that the key draws, and written whole."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ClusterError
from shoal.flow.outcome import Output
from shoal.read import Labels
from shoal.read.arrow_files import with_labels
from shoal.read.files import file_digest
from shoal.scale.cluster import Cluster
from shoal.scale.random_order import Leaving
from shoal.scale.released.digests import folder_digest
from shoal.scale.run_folder import RELEASE, WRITING
from shoal.scale.scattered import gathered, row_numbers, without_row_numbers

__all__ = ["Shown", "WrittenPart", "new_unit_ids", "write_part", "write_release"]

_ROUNDS = 8


@dataclass(frozen=True)
class Shown:
    """How a release looks once it is written.

    Attributes
    ----------
    schema
        The Arrow types of its columns.
    orders
        The categories of the columns of such a type that are still there, in their order.
    labels
        Its labels.
    unit
        The column of units, if it is released; they get new ids.
    first_unit
        By block, how many units the blocks before it have.
    units
        How many units there are.
    key
        What draws the new ids.
    """

    schema: Any
    orders: Mapping[str, tuple[Sequence[Any], bool]]
    labels: Labels
    unit: str | None = None
    first_unit: Sequence[int] = ()
    units: int = 0
    key: str = ""


@dataclass(frozen=True)
class WrittenPart:
    """A part that was written: how many rows it has, and the SHA-256 of its file."""

    records: int
    sha256: str


def write_release(
    cluster: Cluster, masked: Sequence[Path], shown: Shown, leaving: Leaving, run: Path, target: Path
) -> Output:
    """Write all parts of a release where they wait to take their place, and return what the plan says of it.

    Parameters
    ----------
    cluster
        The workers.
    masked, shown, leaving, run
        As in `write_part`.
    target
        The place of the release.
    """
    tasks = cluster.map(write_part, range(leaving.parts), masked, shown, leaving, run, doing="writing the release")
    written: list[WrittenPart] = [one for one in tasks if one is not None]
    files = sum(1 for _ in (run / RELEASE).iterdir())
    if sum(one.records for one in written) != leaving.records or files != len(written):
        raise ClusterError("Not every record was written; nothing is released. Run the command again.")
    return Output(
        path=str(target.resolve()),
        keep_order=not leaving.key,
        sha256=folder_digest(one.sha256 for one in written),
        order=leaving.digest,
    )


def write_part(part: int, masked: Sequence[Path], shown: Shown, leaving: Leaving, run: Path) -> WrittenPart | None:
    """Write one part of the release; one without rows is not written, and None is returned.

    Parameters
    ----------
    part
        Its number.
    masked
        The released rows, block by block.
    shown, leaving
        How the release looks, and in which order rows leave.
    run
        The folder of the run.
    """
    import pyarrow
    import pyarrow.parquet

    pieces = []
    for block, path in enumerate(masked):
        piece = gathered([path], part)
        if piece is not None:
            pieces.append(_with_new_ids(piece, block, shown))
    if not pieces:
        return None
    rows = pyarrow.concat_tables(pieces)
    numbers = row_numbers(rows)
    rows = without_row_numbers(rows.take(pyarrow.array(np.lexsort((numbers, leaving.place(numbers))))))
    table = with_labels(_with_categories(rows, shown), shown.labels)
    # Written elsewhere: a task that is carried out twice must not open again what is part of a release by then.
    temporary = run / WRITING / f"{secrets.token_hex(6)}.parquet"
    pyarrow.parquet.write_table(table, temporary)
    digest = file_digest(temporary)
    temporary.replace(run / RELEASE / f"part-{part:05}.parquet")
    return WrittenPart(len(table), digest)


def new_unit_ids(numbers: NDArray[np.int64], units: int, key: str) -> NDArray[np.int64]:
    """Return new ids of units, 1 to U in an order that only the key gives, without anyone having to know all of them.

    A Feistel network over the next power of four, gone through again where it leaves the range: a permutation of the
    units, each of which can be asked for alone.
    """
    bits = max(1, (max(units - 1, 1).bit_length() + 1) // 2)
    keys = np.frombuffer(hashlib.shake_256(f"{key} units".encode()).digest(8 * _ROUNDS), dtype="<u8")
    drawn = numbers.astype(np.uint64)
    waiting = np.arange(len(drawn))
    while len(waiting):
        drawn[waiting] = _permuted(drawn[waiting], bits, keys)
        waiting = waiting[drawn[waiting] >= units]
    return drawn.astype(np.int64) + 1


def _permuted(numbers: NDArray[np.uint64], bits: int, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    from shoal.scale.input.row_hashes import hashed_numbers

    mask, shift = np.uint64((1 << bits) - 1), np.uint64(bits)
    high, low = numbers >> shift, numbers & mask
    for key in keys:
        high, low = low, high ^ (hashed_numbers(low ^ key) & mask)
    return (high << shift) | low


def _with_new_ids(rows: Any, block: int, shown: Shown) -> Any:
    """Return rows whose units, numbered from 1 in their block, have new ids."""
    import pyarrow

    if shown.unit is None:
        return rows
    own = rows[shown.unit].cast(pyarrow.int64()).to_numpy() - 1 + shown.first_unit[block]
    ids = pyarrow.array(new_unit_ids(own, shown.units, shown.key))
    place = rows.column_names.index(shown.unit)
    return rows.set_column(place, shown.unit, ids.cast(rows.schema.field(place).type))


def _with_categories(rows: Any, shown: Shown) -> Any:
    """Return rows in the types of the release, with its categories."""
    import pyarrow
    import pyarrow.compute

    columns = []
    for field in shown.schema:
        column = rows[field.name]
        if field.name in shown.orders:
            categories, ordered = shown.orders[field.name]
            values = pyarrow.array(list(categories), column.type)
            indices = pyarrow.compute.index_in(column.combine_chunks(), value_set=values)
            column = pyarrow.chunked_array([pyarrow.DictionaryArray.from_arrays(indices, values, ordered=ordered)])
        columns.append(column if field.name in shown.orders else column.cast(field.type))
    return pyarrow.table(columns, names=shown.schema.names)
