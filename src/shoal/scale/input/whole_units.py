"""The records of a unit brought together, so that whatever reads them sees units whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shoal.scale.input.category_orders import Order, orders_in
from shoal.scale.input.chunks import RowSource, read_rows
from shoal.scale.input.row_hashes import hashed_numbers, hashed_values
from shoal.scale.random_order import part_of
from shoal.scale.scattered import scatter

__all__ = ["scatter_units"]


def scatter_units(
    chunk: tuple[int, RowSource], unit: str, targets: int, folder: str
) -> tuple[list[int], dict[str, Order]]:
    """Scatter the rows of a chunk by their unit; return the targets that got some, and the orders of categories."""
    number, source = chunk
    rows = read_rows(source)
    target = part_of(hashed_numbers(hashed_values(rows[unit]), 13), targets)
    orders = orders_in(rows)
    scatter(rows, target, Path(folder) / f"{number:06}.arrow")
    return np.unique(target).tolist(), orders
