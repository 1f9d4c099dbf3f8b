"""Records of a whole file that stand alone in what is regressed on: here they are refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.replace.synthetic.leverage import alone_in_basis

__all__ = ["alone_among", "farthest", "refuse_alone"]

Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MOST = 10  # records of a page: more than stand alone together


def farthest(basis: Doubles) -> NDArray[np.int64]:
    """Return which rows of a page have the most leverage."""
    return np.argsort(-np.square(basis).sum(axis=1), kind="stable")[:_MOST]


def alone_among(of_pages: Sequence[Doubles], records: int) -> Flags:
    """Return which of the records with the most leverage stand alone.

    Parameters
    ----------
    of_pages
        Their rows in an orthonormal basis, by page.
    records
        How many records all pages have.
    """
    rows = np.vstack(of_pages)
    found: Flags = alone_in_basis(rows[None], np.array([rows.shape[1]]), records)[0]
    return found


def refuse_alone(count: int, records: int, method: str) -> None:
    """Raise DataError if there are records that stand alone."""
    if count:
        raise DataError(
            f"{count} of {records} records stand alone in variables that stay, and would be released nearly as they "
            "are. On a cluster they are not rewritten with others: make such values less extreme, leave the records or "
            f"the engine out, or accept it (accept_unchanged=True; --replace {method}:accept_unchanged=true)."
        )
