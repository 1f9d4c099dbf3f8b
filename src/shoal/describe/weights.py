"""Sampling weights that single records out: they are released as they are, and k does not count them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.describe.combinations import unique_records
from shoal.errors import DisclosureWarning, warn
from shoal.read import Table

__all__ = ["warn_of_weights"]

_MOST = 0.05  # of the records may have a weight of their own before it is warned of


def warn_of_weights(table: Table, weights: str, unchanged: Sequence[str]) -> None:
    """Warn if many records can be told from all others by their weight.

    Parameters
    ----------
    table, weights
        What is released, and its column of weights.
    unchanged
        The other columns that are released as they are.
    """
    alone = unique_records(table, [weights])
    if alone <= _MOST * len(table):
        return
    beside = ""
    if unchanged:
        together = unique_records(table, [*unchanged, weights])
        beside = f", and {together:,} one together with the other columns that are released as they are"
    warn(
        f'Weights single records out: {alone:,} of {len(table):,} have a weight in "{weights}" that no other record has'
        f"{beside}. Round the weights, or drop the column.",
        DisclosureWarning,
    )
