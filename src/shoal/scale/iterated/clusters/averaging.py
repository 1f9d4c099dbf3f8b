"""The centres that may be released: averages by membership over all pages, each of enough records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import raised, squares, weighted_sums
from shoal.errors import DataError
from shoal.partition.fuzzy.alternating import MembershipRule, memberships
from shoal.replace.membership_draw import Averages, merged
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded

__all__ = ["averaged", "rows_at_once"]

Doubles = NDArray[np.float64]

_AT_ONCE = 4_000_000  # memberships: 32 MB


def averaged(
    pages: Sequence[Page], centres: Doubles, rule: MembershipRule, power: float, fewest: int
) -> Passes[Averages]:
    """Return the averages with the weights u^power, merged until each is one of at least `fewest` records.

    Parameters
    ----------
    pages
        The pages of one stratum.
    centres, rule
        What memberships follow from.
    power
        What they are raised to.
    fewest
        How many records, by effective number, are to be behind each; 0 for any.
    """
    most = np.max((yield Pass(pages, _largest, (centres, rule))), axis=0)
    kept = most > 0
    sums = yield Pass(pages, _weights_of, (centres, rule, power, most, False))
    total, own, rows = (sum(part) for part in zip(*sums, strict=True))
    products = np.diag(own)
    if fewest and (total**2 / own).min() < fewest:  # only to merge, products of two centres are needed
        products = sum(one[1] for one in (yield Pass(pages, _weights_of, (centres, rule, power, most, True))))
    largest = raised(most[kept] / most.max(), power)
    found = merged(Averages(largest, total, products, rows / total[:, None], np.arange(len(total))), fewest)
    if fewest and found.behind.min() < fewest:
        raise DataError(
            f"No centre averages {fewest} records, because too few of them differ or too few count in any. Make the "
            'clusters less fuzzy or fewer, or use the method "mdav".'
        )
    return found


def rows_at_once(records: int, centres: int) -> Iterator[slice]:
    """Yield some of the rows of a page at a time, so that their memberships fit into little memory."""
    size = max(1, _AT_ONCE // max(1, centres))
    for start in range(0, records, size):
        yield slice(start, start + size)


def _largest(page: Page, centres: Doubles, rule: MembershipRule) -> Doubles:
    """Return the largest membership in every cluster."""
    X = loaded(page)
    parts = [memberships(X[rows], centres, rule).max(axis=0) for rows in rows_at_once(len(X), len(centres))]
    return np.asarray(np.max(parts, axis=0))


def _weights_of(
    page: Page, centres: Doubles, rule: MembershipRule, power: float, most: Doubles, with_products: bool
) -> tuple[Doubles, Doubles, Doubles]:
    """Return the sums of the weights, of their squares or of the products of every two, and of weighted records."""
    X, kept = loaded(page), most > 0
    width = int(kept.sum())
    total, rows_summed = np.zeros(width), np.zeros((width, X.shape[1]))
    products = np.zeros((width, width) if with_products else width)
    for rows in rows_at_once(len(X), len(centres)):
        weights = raised(memberships(X[rows], centres, rule)[:, kept] / most[kept], power)
        total += weights.sum(axis=0)
        products += squares(weights) if with_products else np.square(weights).sum(axis=0)
        rows_summed += weighted_sums(weights, X[rows])
    return total, products, rows_summed
