"""Two folders, looked at and brought together: what is compared in them, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import DataError
from shoal.flow.plan import Plan
from shoal.flow.recoding.asked import recoded_by_plan
from shoal.measure.correspondence import refuse_unrelated_rows
from shoal.measure.headline import released_columns
from shoal.measure.measuring import columns_apart, columns_in_both
from shoal.measure.pairs import Pair, pair, pair_of_everything
from shoal.progress import share
from shoal.read import Labels, Table
from shoal.read.arrow_files import labels_in_schema
from shoal.scale.cluster import Cluster
from shoal.scale.input.first_look import FirstLook, first_look, look_at
from shoal.scale.input.parts import Parts, parts_of
from shoal.scale.measured.passes.aligned_parts import PlacedRelease, cast_rows, leaving_of, place_release
from shoal.scale.measured.passes.first_pass import FirstPass
from shoal.scale.measured.passes.sides import ComparedFiles, NumberedChunk, Sides, common_schemas
from shoal.scale.scattered import row_numbers
from shoal.scale.setting import RunSetting, orders_of, prepared_rows, table_of_rows

__all__ = ["OpenedFiles", "looked_at", "open_files"]


@dataclass(frozen=True)
class OpenedFiles:
    """Two files that are ready to be compared.

    Attributes
    ----------
    chunks
        The chunks of the original, with their numbers.
    sides
        How both sides of a chunk are read.
    compared, everything
        Samples of both files, on the columns that are compared, and on all that both have.
    linked_numbers
        The columns, sampling weights among them, that an intruder compares as numbers.
    names, released
        All columns of the release, and those that count in its headline.
    drawn_before, drawn_after
        Rows drawn at random, of both files.
    records
        How many records there are.
    """

    chunks: tuple[NumberedChunk, ...]
    sides: ComparedFiles
    compared: Pair
    everything: Pair
    linked_numbers: tuple[str, ...]
    names: list[str]
    released: tuple[str, ...]
    drawn_before: Any
    drawn_after: Any
    records: int

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The columns that both files have and that are not compared."""
        own = self.compared
        return tuple(name for name in own.original.names if name in own.masked and name not in own.columns)

    def refuse_infinite(self, first: FirstPass) -> None:
        """Raise DataError if a column that is compared as numbers has infinite values."""
        for name in self.compared.numeric_names:
            for which, moments in (("original", first.before[name]), ("masked", first.after[name])):
                if moments.infinite:
                    raise DataError(
                        f'Column "{name}" of the {which} file has infinite values. Make them missing values first.'
                    )


@dataclass(frozen=True)
class _Nothing:
    """What a plan says of recodes where there is no plan."""

    recodes: Mapping[str, Any] = field(default_factory=dict)
    missing_codes: Mapping[str, Any] = field(default_factory=dict)


def open_files(
    original: str | os.PathLike[str],
    masked: str | os.PathLike[str],
    cluster: Cluster,
    plan: Plan | None,
    facts: Mapping[str, Any],
    folder: Path,
    chunk_rows: int,
    *,
    aligned: bool,
) -> OpenedFiles:
    """Look at both files, bring their rows together, and decide how their columns are compared.

    Parameters
    ----------
    original, masked
        The folders.
    cluster, folder
        The workers, and a private folder that they share.
    plan, facts
        The plan of the release, and what is known of it, as `shoal.evaluate` takes it.
    chunk_rows
        How many rows a worker reads at once.
    aligned
        Whether it is known that rows belong together; otherwise that is tested on a sample.
    """
    parts, release = parts_of(original, chunk_rows), parts_of(masked, chunk_rows)
    with share(0.5):
        look = looked_at(cluster, parts)
    leaving = leaving_of(plan, parts, release, look.fingerprint(parts.schema))
    setting, recoded = _prepared(look, parts, plan, folder)
    schemas = common_schemas(setting.schema, _released_schema(release), facts.get("unit"))
    with share(0.5):
        placed = place_release(cluster, parts, release, leaving, schemas[1], row_numbers(look.rows), folder)
    before = recoded
    after = table_of_rows(placed.sample, _labels(release), placed.orders)
    compared, everything = _pairs(before, after, facts, aligned=aligned or (plan is not None and plan.family.rewrites))
    weights = facts.get("weights")
    with_weights = [*everything.columns, *([weights] if weights is not None and weights in after else [])]
    numbers = pair_of_everything(before, after, with_weights, facts.get("kinds")).numeric_names
    sides = ComparedFiles(
        setting,
        placed.paths,
        *schemas,
        tuple(dict.fromkeys((*compared.numeric_names, *numbers))),
        _ordered([*compared.ordered_names, *everything.ordered_names], setting),
        tuple(dict.fromkeys((*compared.category_names, *everything.category_names))),
    )
    sides = replace(sides, setting=replace(setting, origins=_origins(look, placed, sides)))
    drawn_before, drawn_after = _drawn(look, placed, sides)
    return OpenedFiles(
        tuple(enumerate(parts.chunks)),
        sides,
        compared,
        everything,
        numbers,
        release.names,
        tuple(released_columns(after, facts.get("weights"), facts.get("unit"))),
        drawn_before,
        drawn_after,
        parts.records,
    )


def looked_at(cluster: Cluster, parts: Parts) -> FirstLook:
    """Return what a first look at a file shows."""
    return first_look(cluster.map(look_at, parts.chunks, None, doing="looking at the file"), None)


def _labels(parts: Parts) -> Labels:
    return labels_in_schema(parts.schema).only(parts.names)


def _prepared(look: FirstLook, parts: Parts, plan: Plan | None, folder: Path) -> tuple[RunSetting, Table]:
    """Return how rows of the original are prepared, and those of the sample as a table."""
    import pyarrow

    known: Any = plan if plan is not None else _Nothing()
    guide = look.telling if known.recodes or known.missing_codes else None
    setting = RunSetting(known, folder, look.orders, _labels(parts), guide)
    prepared = prepared_rows(look.rows, setting)
    table = table_of_rows(look.rows, setting.labels, look.orders)
    if guide is not None:
        table = recoded_by_plan(known, table).table
    schema = pyarrow.schema(list(prepared.schema)[:-1])
    return replace(setting, schema=schema, recoded_orders=orders_of(table)), table


def _released_schema(release: Parts) -> Any:
    import pyarrow

    return pyarrow.schema([release.schema.field(name) for name in release.names])


def _pairs(before: Table, after: Table, facts: Mapping[str, Any], *, aligned: bool) -> tuple[Pair, Pair]:
    """Return samples of both files on the columns that are compared and on all, as `shoal.evaluate` takes them."""
    columns, kinds = facts.get("columns"), facts.get("kinds")
    weights, unit = facts.get("weights"), facts.get("unit")
    files = pair(before, after, columns, kinds=kinds)
    if not aligned:
        refuse_unrelated_rows(files)
    apart = columns_apart(files, weights=weights, unit=unit)
    if columns is None and apart:
        files = pair(before, after, columns_in_both(files, weights, unit), kinds=kinds)
    everything = files
    if set(files.columns) != set(in_both := columns_in_both(files, weights, unit)):
        everything = pair_of_everything(before, after, in_both, kinds)
    return files, everything


def _ordered(names: Sequence[str], setting: RunSetting) -> dict[str, Sequence[Any] | None]:
    """Return the columns with an order that are not compared as numbers: their categories, or None for numbers."""
    import pyarrow

    found: dict[str, Sequence[Any] | None] = {}
    for name in dict.fromkeys(names):
        kind = setting.schema.field(name).type
        if name in setting.recoded_orders and setting.recoded_orders[name][1]:
            found[name] = setting.recoded_orders[name][0]
        elif pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind):
            found[name] = None
    return found


def _origins(look: FirstLook, placed: PlacedRelease, sides: ComparedFiles) -> dict[str, float]:
    """Return a value near the mean of every column that has ranks: its mean in the sample."""
    sample = Sides(cast_rows(prepared_rows(look.rows, sides.setting), sides.before), placed.sample, sides)
    origins = {}
    for name in sides.ranked:
        values = sample.values(name)[0]
        values = values[np.isfinite(values)]
        origins[name] = float(values.mean()) if len(values) else 0.0
    return origins


def _drawn(look: FirstLook, placed: PlacedRelease, sides: ComparedFiles) -> tuple[Any, Any]:
    """Return the rows drawn at random, of both files."""
    import pyarrow

    wanted = row_numbers(look.drawn)
    before = cast_rows(prepared_rows(look.drawn, sides.setting), sides.before)
    places = np.searchsorted(row_numbers(placed.sample), wanted)
    return before, placed.sample.take(pyarrow.array(places))
