"""What the key of a plan draws: the order in which the rows of a release are written, and new ids of units."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.errors import PlanError
from shoal.read import Table

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["in_original_order", "in_random_order", "new_ids", "new_key", "order_digest"]

Integers = NDArray[np.int64]


def new_key() -> str:
    """Draw a key from the system: a seed can be guessed, and the order would be known with it."""
    return secrets.token_hex(16)


def in_random_order(plan: Plan, table: Table) -> Table:
    """Return the rows of a release in the order that the plan's key draws."""
    return table.rows(_order(plan, len(table)))


def in_original_order(plan: Plan, table: Table) -> Table:
    """Return the rows of a written release in the order of the input; PlanError if the plan draws another order."""
    output = plan.output
    if output is None:
        return table
    if output.order is not None and output.order != order_digest(plan, len(table), output.keep_order):
        raise PlanError(
            "The plan does not give the order in which the release was written: its key, its input or keep_order was "
            "changed. Use the plan as it was written, or put the rows in the order of the original and leave the plan "
            "out (--no-plan)."
        )
    if output.in_input_order:
        return table
    if output.shuffle:
        order = np.random.default_rng([plan.seed, len(plan.blocks)]).permutation(len(table))
    else:
        order = _order(plan, len(table))
    return table.rows(np.argsort(order))


def order_digest(plan: Plan, records: int, keep_order: bool) -> str:
    """Return the SHA-256 of the order of the written rows, by which a changed plan is known."""
    order = np.arange(records) if keep_order else _order(plan, records)
    return hashlib.sha256(order.astype("<i8").tobytes()).hexdigest()


def new_ids(key: str, of_input: str, units: Integers) -> Integers:
    """Return new numbers of units for every record, 1 to U in an order that only the key and the input give.

    Parameters
    ----------
    key, of_input
        The key of the plan, and the fingerprint of its input: the same plan gives the units of another year other ids.
    units
        The unit of every record, 0 to U - 1.
    """
    drawn = _drawn(f"{key} units {of_input}", int(units.max()) + 1)
    return np.asarray(np.argsort(drawn)[units] + 1, dtype=np.int64)


def _order(plan: Plan, records: int) -> Integers:
    """Return a permutation, another one for every key and every input.

    By the input too, because two files that a plan is carried out on, years of a panel perhaps, would otherwise show
    which of their records belong together.
    """
    return _drawn(f"{plan.key} order {'' if plan.input is None else plan.input.sha256}", records)


def _drawn(by: str, count: int) -> Integers:
    """Return a permutation that a text draws.

    Sorted by the bytes of a hash: NumPy's own permutations may change with its versions, and rows that are put back in
    another order would seem to be safe.
    """
    drawn = hashlib.shake_256(by.encode()).digest(8 * count)
    return np.argsort(np.frombuffer(drawn, dtype="<u8"), kind="stable")
