"""A release brought back to the rows it was made of: block by block, by the order that the plan's key drew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError
from shoal.flow.plan import Plan
from shoal.scale.cluster import Cluster
from shoal.scale.input.category_orders import Order, joined_orders, orders_in
from shoal.scale.input.parts import Chunk, Parts, read_chunk
from shoal.scale.random_order import Leaving
from shoal.scale.scattered import ROW, decoded, gathered, row_numbers, scatter, with_row_numbers

__all__ = ["PlacedRelease", "cast_rows", "leaving_of", "place_release"]

# pyarrow is imported inside functions, to keep start-up quick.

_AT_ONCE = 1_000_000  # rows whose place is drawn by one task


@dataclass(frozen=True)
class PlacedRelease:
    """A release whose rows are known by their numbers in the original.

    Attributes
    ----------
    paths
        Files with its rows, by chunk of the original.
    sample
        Some of its rows, in the order of the original.
    orders
        The categories of the columns that have such a type, in their order.
    """

    paths: tuple[Path, ...]
    sample: Any
    orders: Mapping[str, Order]


@dataclass(frozen=True)
class _Where:
    """Where the rows of one chunk of the release come from.

    Attributes
    ----------
    number, chunk
        The chunk.
    part, skipped, records
        The part it belongs to, how many rows of the part come before it, and how many rows the part has.
    """

    number: int
    chunk: Chunk
    part: int
    skipped: int
    records: int


@dataclass(frozen=True)
class _Placing:
    """What all tasks that place rows share."""

    order: tuple[Path, ...]  # none where rows are in the order of the original
    bounds: NDArray[np.int64]  # the first row of every chunk of the original
    schema: Any
    wanted: NDArray[np.int64]
    folder: Path


def leaving_of(plan: Plan | None, original: Parts, masked: Parts, fingerprint: str) -> Leaving | None:
    """Return the order that a release left in; None for the order of the original.

    Raises
    ------
    PlanError
        The plan is that of another file, or of a release that was not made on a cluster, or was changed.
    DataError
        The two files have different numbers of records.
    """
    if original.records != masked.records:
        raise DataError(
            f"The files must have the same records; the original has {original.records:,} and the masked one "
            f"{masked.records:,}."
        )
    if plan is None:
        return None
    if plan.input is not None and (plan.input.records, plan.input.sha256) != (original.records, fingerprint):
        raise PlanError(f"{original.source} is not the file that the plan was made for. Name the plan of the release.")
    in_order = plan.output is not None and plan.output.in_input_order
    if plan.divided is None or plan.input is None:
        if in_order:
            return None
        raise PlanError(
            "The plan is of a release that was made on one machine, whose order a cluster does not draw. Measure it "
            "without an engine."
        )
    parts, no_rows = plan.divided.parts(original.records), np.zeros(0, dtype=np.int64)
    leaving = Leaving("" if in_order else f"{plan.key} order {fingerprint}", parts, original.records, no_rows)
    if plan.output is not None and plan.output.order not in (None, leaving.digest):
        raise PlanError(
            "The plan does not give the order in which the release was written: its key, its input or keep_order was "
            "changed. Use the plan as it was written, or put the rows in the order of the original and leave the plan "
            "out (--no-plan)."
        )
    return None if in_order else leaving


def place_release(
    cluster: Cluster,
    original: Parts,
    masked: Parts,
    leaving: Leaving | None,
    schema: Any,
    wanted: NDArray[np.int64],
    folder: Path,
) -> PlacedRelease:
    """Find the row of the original that every row of a release belongs to, and scatter it to the chunk of that row.

    Parameters
    ----------
    cluster
        The workers.
    original, masked
        The two files.
    leaving
        The order of the release; None for that of the original.
    schema
        The types that its columns are cast to.
    wanted
        The numbers of the rows to return as a sample, in order.
    folder
        A private folder that the workers share.
    """
    import pyarrow

    order: tuple[Path, ...] = ()
    if leaving is not None:
        (folder / "order").mkdir()
        starts = [*enumerate(range(0, original.records, _AT_ONCE))]
        order = tuple(cluster.map(_draw_places, starts, leaving, folder / "order", doing="drawing the order again"))
    (folder / "placed").mkdir()
    bounds = np.array([chunk.first for chunk in original.chunks], dtype=np.int64)
    placing = _Placing(order, bounds, schema, wanted, folder / "placed")
    results = cluster.map(_place_chunk, _wheres(masked), placing, doing="bringing rows together")
    sample = pyarrow.concat_tables([one for one, _ in results])
    sample = sample.take(pyarrow.array(np.argsort(row_numbers(sample), kind="stable")))
    if len(sample) != len(wanted):
        raise _does_not_fit(masked.source)
    return PlacedRelease(
        tuple(folder / "placed" / f"{number:06}.arrow" for number in range(len(masked.chunks))),
        sample,
        joined_orders([one for _, one in results]),
    )


def cast_rows(rows: Any, schema: Any) -> Any:
    """Return Arrow rows whose columns have the types of a schema, in its order; the row numbers stay."""
    import pyarrow

    numbers = row_numbers(rows)
    columns = [rows[field.name].cast(field.type, safe=False) for field in schema]
    return with_row_numbers(pyarrow.table(columns, schema=schema), numbers)


def _draw_places(start: tuple[int, int], leaving: Leaving, folder: Path) -> Path:
    """Draw the places of some rows, and scatter these to the parts they were written to."""
    import pyarrow

    number, first = start
    rows = np.arange(first, min(first + _AT_ONCE, leaving.records))
    path = folder / f"{number:06}.arrow"
    scatter(pyarrow.table({"place": leaving.place(rows), ROW: rows}), leaving.part(rows), path)
    return path


def _wheres(masked: Parts) -> list[_Where]:
    first = dict[str, int]()
    records = dict[str, int]()
    for chunk in masked.chunks:
        first.setdefault(chunk.path, chunk.first)
        records[chunk.path] = records.get(chunk.path, 0) + chunk.rows
    return [
        _Where(number, chunk, _part_number(chunk.path), chunk.first - first[chunk.path], records[chunk.path])
        for number, chunk in enumerate(masked.chunks)
    ]


def _part_number(path: str) -> int:
    digits = Path(path).stem.removeprefix("part-")
    return int(digits) if digits.isdecimal() else -1


def _place_chunk(where: _Where, placing: _Placing) -> tuple[Any, dict[str, Order]]:
    """Scatter the rows of one chunk of a release; return those that are wanted, and the orders of categories."""
    import pyarrow

    chunk = where.chunk
    rows = read_chunk(chunk)
    orders = orders_in(rows)
    numbers = np.arange(chunk.first, chunk.first + chunk.rows)
    if placing.order:
        numbers = _numbers_in_part(where, placing)
    table = cast_rows(with_row_numbers(decoded(rows), numbers), placing.schema)
    targets = np.searchsorted(placing.bounds, numbers, "right") - 1
    scatter(table, targets, placing.folder / f"{where.number:06}.arrow")
    return table.take(pyarrow.array(np.flatnonzero(np.isin(numbers, placing.wanted)))), orders


def _numbers_in_part(where: _Where, placing: _Placing) -> NDArray[np.int64]:
    own = gathered(placing.order, where.part)
    if own is None or len(own) != where.records:
        raise _does_not_fit(Path(where.chunk.path).parent)
    numbers = row_numbers(own)
    numbers = numbers[np.lexsort((numbers, own["place"].to_numpy()))]
    return numbers[where.skipped : where.skipped + where.chunk.rows]


def _does_not_fit(source: Path) -> PlanError:
    return PlanError(
        f"{source} is not the release that the plan describes: its parts have other numbers of rows. Name the plan of "
        "the release."
    )
