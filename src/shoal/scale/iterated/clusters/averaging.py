"""The centres that may be released: averages by membership over all pages, each of enough records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.partition.fuzzy.alternating import MembershipRule, memberships
from shoal.replace.membership_draw import Averages, averages_of_sums, largest_memberships, merged, sums_of_weights
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded

Doubles = NDArray[np.float64]


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
    sums = yield Pass(pages, _sums_of, (centres, rule, power, most, False))
    total, own, rows = (sum(part) for part in zip(*sums, strict=True))
    products = np.diag(own)
    if fewest and (total**2 / own).min() < fewest:  # only to merge, products of two centres are needed
        products = sum(one[1] for one in (yield Pass(pages, _sums_of, (centres, rule, power, most, True))))
    found = merged(averages_of_sums(most, power, total, products, rows), fewest)
    if fewest and found.behind.min() < fewest:
        raise DataError(
            f"No centre averages {fewest} records, because too few of them differ or too few count in any. Make the "
            'clusters less fuzzy or fewer, or use the method "mdav".'
        )
    return found


def _largest(page: Page, centres: Doubles, rule: MembershipRule) -> Doubles:
    return largest_memberships(loaded(page), partial(memberships, centres=centres, rule=rule), len(centres))


def _sums_of(
    page: Page, centres: Doubles, rule: MembershipRule, power: float, most: Doubles, with_products: bool
) -> tuple[Doubles, Doubles, Doubles]:
    memberships_of = partial(memberships, centres=centres, rule=rule)
    return sums_of_weights(loaded(page), memberships_of, power, most, with_products=with_products)
