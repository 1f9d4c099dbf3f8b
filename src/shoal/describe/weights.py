"""Sampling weights: all above zero, and warned of where they single records out, since k does not count them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import unique_records
from shoal.describe.missing import refuse_infinities, refuse_missing
from shoal.errors import DataError, DisclosureWarning, warn
from shoal.read import Table

__all__ = [
    "EVERY_RECORD_NEEDS_A_WEIGHT",
    "positive_weights",
    "refuse_extreme_weights",
    "warn_of_lone_weights",
    "warn_of_weights",
]

EVERY_RECORD_NEEDS_A_WEIGHT = "Every record needs a weight. Fill them, or leave those records out."
_LARGEST = 1e150
_MOST = 0.05  # of the records may have a weight of their own before it is warned of


def positive_weights(table: Table, name: str) -> NDArray[np.float64]:
    """Return the sampling weight of every record; an error unless all are there, finite and above zero."""
    refuse_missing(table, [name], EVERY_RECORD_NEEDS_A_WEIGHT)
    refuse_infinities(table, [name])
    weights = table.numbers(name)
    wrong = np.flatnonzero(weights <= 0)
    if wrong.size:
        raise DataError(
            f'Weights must be positive; "{name}" has {wrong.size:,} that are zero or negative, the first in record '
            f"{wrong[0] + 1:,}. Correct them, or leave those records out."
        )
    return weights


def refuse_extreme_weights(weights: NDArray[np.float64], name: str) -> None:
    """Raise DataError for weights of which floating point could not say what share of a sum they are."""
    beyond = int(((weights < 1 / _LARGEST) | (weights > _LARGEST)).sum())
    if beyond:
        raise DataError(
            f'Weights must be between {1 / _LARGEST:g} and {_LARGEST:g}; "{name}" has {beyond:,} that are not. Divide '
            "them all by the same number, or leave those records out."
        )


def warn_of_weights(table: Table, weights: str, unchanged: Sequence[str]) -> None:
    """Warn if many records can be told from all others by their weight.

    Parameters
    ----------
    table, weights
        What is released, and its column of weights.
    unchanged
        The other columns that are released as they are.
    """
    together = unique_records(table, [*unchanged, weights]) if unchanged else None
    warn_of_lone_weights(weights, unique_records(table, [weights]), together, len(table))


def warn_of_lone_weights(weights: str, alone: int, together: int | None, records: int) -> None:
    """Warn if many records can be told from all others by their weight.

    Parameters
    ----------
    weights
        The column of weights.
    alone, together
        The records with a weight that no other has, and with one that no other has together with the other columns
        that are released as they are; None if there are no others.
    records
        How many records there are.
    """
    if alone <= _MOST * records:
        return
    beside = ""
    if together is not None:
        beside = f", and {together:,} one together with the other columns that are released as they are"
    warn(
        f'Weights single records out: {alone:,} of {records:,} have a weight in "{weights}" that no other record has'
        f"{beside}. Round the weights, or drop the column.",
        DisclosureWarning,
    )
