"""The order in which the rows of a release are written, drawn from the key of its plan."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["in_original_order", "in_random_order", "new_key"]


def new_key() -> str:
    """Draw a key from the system: a seed can be guessed, and the order would be known with it."""
    return secrets.token_hex(16)


def in_random_order(plan: Plan, table: Table) -> Table:
    """Return the rows of a release in the order that the plan's key draws."""
    return table.rows(_order(plan, len(table)))


def in_original_order(plan: Plan, table: Table) -> Table:
    """Return the rows of a written release in the order of the input."""
    if plan.output is None or plan.output.in_input_order:
        return table
    if plan.output.shuffle:
        order = np.random.default_rng([plan.seed, len(plan.blocks)]).permutation(len(table))
    else:
        order = _order(plan, len(table))
    return table.rows(np.argsort(order))


def _order(plan: Plan, records: int) -> NDArray[np.int64]:
    """Return a permutation, another one for every key and every input.

    Sorted by the bytes of a hash: NumPy's own permutations may change with its versions, and rows that are put back in
    another order would seem to be safe. By the input too, because two files that a plan is carried out on, years of a
    panel perhaps, would otherwise show which of their records belong together.
    """
    of_input = "" if plan.input is None else plan.input.sha256
    drawn = hashlib.shake_256(f"{plan.key} order {of_input}".encode()).digest(8 * records)
    return np.argsort(np.frombuffer(drawn, dtype="<u8"), kind="stable")
