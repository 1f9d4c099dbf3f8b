"""What all tasks of one run share, and the rows of a chunk as the plan takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shoal.describe.standardize import Scale
from shoal.errors import ParameterError
from shoal.flow.plan import Plan
from shoal.flow.recoding.asked import recoded_by_plan
from shoal.read import Labels, Table, as_table
from shoal.read.arrow_files import arrow_to_pandas
from shoal.read.tables import LABELS_IN_ATTRS
from shoal.scale.scattered import GROUP, ROW, decoded, row_numbers, with_row_numbers
from shoal.write.arrow_files import to_arrow

__all__ = ["RunSetting", "orders_of", "prepared_rows", "table_of_rows"]

# pandas and pyarrow are imported inside functions, to keep start-up quick.


@dataclass(frozen=True)
class RunSetting:
    """What all tasks of one run share.

    Attributes
    ----------
    plan
        What is done.
    folder
        Where workers put what other workers need.
    orders
        The categories, in their order, of the columns that have such a type, and whether the order means something.
    labels, recoded_labels
        The labels of the file, and those it has once columns are recoded.
    guide
        Rows that every chunk is recoded with, so that bands and categories are those of the whole file; None where
        nothing is recoded.
    scales
        The scale of every variable in the whole file.
    origins
        A value near the mean of every column of numbers, which is taken away before anything is squared.
    schema
        The Arrow types of the columns once they are recoded; None before these are known.
    recoded_orders
        `orders` once columns are recoded.
    """

    plan: Plan
    folder: Path
    orders: Mapping[str, tuple[list[Any], bool]]
    labels: Labels
    guide: Any = None
    scales: Mapping[str, Scale] = field(default_factory=dict)
    origins: Mapping[str, float] = field(default_factory=dict)
    schema: Any = None
    recoded_labels: Labels = field(default_factory=Labels)
    recoded_orders: Mapping[str, tuple[list[Any], bool]] = field(default_factory=dict)


def table_of_rows(rows: Any, labels: Labels, orders: Mapping[str, tuple[Sequence[Any], bool]]) -> Table:
    """Return Arrow rows as a table whose categories are those of the whole file, in their order."""
    import pandas as pd

    rows = rows.drop_columns([name for name in (ROW, GROUP) if name in rows.column_names])
    frame = arrow_to_pandas(rows)
    for name, (categories, ordered) in orders.items():
        if name in frame.columns:
            frame[name] = pd.Categorical(frame[name], categories=list(categories), ordered=ordered)
    frame.attrs = {LABELS_IN_ATTRS: labels.to_plain()}
    return as_table(frame)


def prepared_rows(rows: Any, setting: RunSetting) -> Any:
    """Return the rows of a chunk after missing codes and recodes, as Arrow rows in the types of the whole file."""
    import pyarrow

    numbers, plan = row_numbers(rows), setting.plan
    if not (plan.recodes or plan.missing_codes):
        table = table_of_rows(rows, setting.labels, setting.orders)
    else:
        _refuse_counting(plan)
        plain = decoded(rows)
        if setting.guide is not None:
            plain = pyarrow.concat_tables([plain, setting.guide.cast(plain.schema)])
        table = recoded_by_plan(plan, table_of_rows(plain, setting.labels, setting.orders)).table
        table = table.rows(np.arange(len(numbers)))
    arrow = decoded(to_arrow(table.frame)).replace_schema_metadata(None)
    if setting.schema is not None:
        arrow = arrow.cast(setting.schema)
    return with_row_numbers(arrow, numbers)


def _refuse_counting(plan: Plan) -> None:
    """Raise ParameterError for recodes that count records: a chunk does not know how many there are in the file."""
    for column, recodes in plan.column_recodes.items():
        for one in recodes:
            if one.counts_records:
                raise ParameterError(
                    f'The recode "{one.name}" of "{column}" counts records of the whole file (rare categories, or a '
                    "mean), which is not done on a cluster. Name the categories or the limit, or leave the engine out.",
                    parameter="recodes",
                )


def orders_of(table: Table) -> dict[str, tuple[list[Any], bool]]:
    """Return the categories of every column of a categorical type, and whether they have an order."""
    native = table.frame.to_native()
    return {
        name: (native[name].cat.categories.tolist(), bool(native[name].cat.ordered))
        for name in table.names
        if hasattr(native[name].dtype, "categories")
    }
