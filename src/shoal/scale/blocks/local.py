"""One block of a file on one worker: the same flow as on one machine, on the scale of the whole file."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShoalWarning
from shoal.flow.carry_out import Engine, carry_out
from shoal.flow.outcome import Outcome
from shoal.flow.release import Release
from shoal.measure.headline import released_columns, unit_numbers
from shoal.read import Labels, Table
from shoal.recode.recoded_table import RecodedTable
from shoal.scale.input.chunks import Gathered, read_rows
from shoal.scale.input.exact_sums import ExactSum, exact_squares
from shoal.scale.input.moments import ExactMoments, moments_of
from shoal.scale.random_order import Leaving
from shoal.scale.released.counted_alike import scatter_counts
from shoal.scale.run_folder import FINISHED
from shoal.scale.scattered import decoded, row_numbers, scatter, with_row_numbers
from shoal.scale.setting import RunSetting, orders_of, table_of_rows
from shoal.write import replacing
from shoal.write.arrow_files import to_arrow

__all__ = ["Block", "BlockResult", "protect_block", "release_of", "result_of", "write_block"]


@dataclass(frozen=True)
class Block:
    """Some rows of the file that one worker protects: the leaves of the tree that were scattered to it."""

    number: int
    rows: Gathered


@dataclass(frozen=True)
class BlockResult:
    """What came of one block.

    Attributes
    ----------
    records, units
        How many records and units it has; no units where every record is one.
    outcome
        What carrying out the plan did.
    after
        The moments of every column of numbers in the release of the block. Those of its records before would stay with
        the finished blocks of an interrupted run, and their lowest and highest are values of single records.
    squared_errors
        By column, the sum of squared differences between the block and its release.
    labels
        The labels that the release still needs.
    categories
        By column of a categorical type, the categories that the release shows.
    """

    records: int
    units: int | None
    outcome: Outcome
    after: Mapping[str, ExactMoments]
    squared_errors: Mapping[str, ExactSum]
    labels: Labels
    categories: Mapping[str, Sequence[Any]]


def protect_block(block: Block, setting: RunSetting, leaving: Leaving) -> int:
    """Protect one block, and leave what came of it in the folder of the run; return its number.

    What others need of it is in three files: the released rows by the part they are written to, how many records are
    alike by their hash, and what is released of the records that an intruder looks for. The result is written last:
    where it is, all is.
    """
    rows = read_rows(block.rows)
    write_block(block.number, release_of(rows, setting), row_numbers(rows), setting, leaving)
    return block.number


def release_of(rows: Any, setting: RunSetting, engine: Engine | None = None) -> Release:
    """Return the release of some rows, on the scale of the whole file; `engine` as in `carry_out`."""
    table = table_of_rows(rows, setting.recoded_labels, setting.recoded_orders)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # what is said is said once, of the whole file
        return carry_out(setting.plan, table, recoded=RecodedTable(table, table), scales=setting.scales, engine=engine)


def write_block(number: int, release: Release, rows: NDArray[np.int64], setting: RunSetting, leaving: Leaving) -> None:
    """Write what others need of the release of one block, and its result."""
    plan, original, masked = setting.plan, release.recoded, release.masked
    released = decoded(to_arrow(masked.frame)).replace_schema_metadata(None)
    scatter(with_row_numbers(released, rows), leaving.part(rows), _file(setting, "masked", number))
    units = unit_numbers(original, masked, plan.unit)
    counted = released_columns(masked, plan.weights, plan.unit)
    scatter_counts(released, counted, units, leaving.parts, number, _file(setting, "alike", number))
    if plan.weights is not None and plan.weights in masked:
        with_weights = [*counted, plan.weights]
        scatter_counts(released, with_weights, units, leaving.parts, number, _file(setting, "weighted", number))
        scatter_counts(released, [plan.weights], None, leaving.parts, number, _file(setting, "weights", number))
    assert release.plan.outcome is not None
    if release.plan.outcome.unchanged:
        as_is = decoded(to_arrow(original.frame))
        scatter_counts(
            as_is, release.plan.outcome.unchanged, None, leaving.parts, number, _file(setting, "unchanged", number)
        )
    _write_true(number, released, rows, setting, leaving)
    after, errors = _compared(original, masked, setting)
    result = BlockResult(
        len(masked),
        None if units is None else int(units.max()) + 1,
        release.plan.outcome,
        after,
        errors,
        masked.labels,
        {name: categories for name, (categories, _) in orders_of(masked).items()},
    )
    with replacing(setting.folder / FINISHED / "results" / f"{number:06}.json", owner_only=True) as temporary:
        temporary.write_text(json.dumps(_plain(result)))


def result_of(number: int, folder: Path) -> BlockResult | None:
    """Return the result of a block; None where it is not finished."""
    path = folder / FINISHED / "results" / f"{number:06}.json"
    if not path.exists():
        return None
    plain = json.loads(path.read_text())
    return BlockResult(
        plain["records"],
        plain["units"],
        Outcome.model_validate(plain["outcome"]),
        {name: ExactMoments.from_plain(one) for name, one in plain["after"].items()},
        {name: ExactSum.from_plain(one) for name, one in plain["squared_errors"].items()},
        Labels.from_plain(plain["labels"]),
        plain["categories"],
    )


def _file(setting: RunSetting, what: str, number: int) -> Path:
    return setting.folder / FINISHED / what / f"{number:06}.arrow"


def _plain(result: BlockResult) -> dict[str, Any]:
    return {
        "records": result.records,
        "units": result.units,
        "outcome": result.outcome.model_dump(mode="json", exclude_none=True),
        "after": {name: one.to_plain() for name, one in result.after.items()},
        "squared_errors": {name: one.to_plain() for name, one in result.squared_errors.items()},
        "labels": result.labels.to_plain(),
        "categories": result.categories,
    }


def _compared(
    original: Table, masked: Table, setting: RunSetting
) -> tuple[dict[str, ExactMoments], dict[str, ExactSum]]:
    """Return the moments of every released column of numbers, and its squared error."""
    after: dict[str, ExactMoments] = {}
    errors: dict[str, ExactSum] = {}
    for name in masked.names:
        if not (masked.is_numeric(name) and original.is_numeric(name)) or name == setting.plan.unit:
            continue
        one, other = original.numbers(name), masked.numbers(name)
        after[name] = moments_of(other, setting.origins.get(name, 0.0))
        difference = np.where(np.isfinite(one) & np.isfinite(other), one - other, np.nan)
        errors[name] = exact_squares(difference)
    return after, errors


def _write_true(number: int, released: Any, rows: NDArray[np.int64], setting: RunSetting, leaving: Leaving) -> None:
    """Write what is released of the records that an intruder looks for."""
    import pyarrow

    sought = np.flatnonzero(np.isin(rows, leaving.sought, assume_unique=True))
    own = with_row_numbers(released, rows).take(pyarrow.array(sought))
    scatter(own, np.zeros(len(sought), dtype=np.int64), _file(setting, "true", number))
