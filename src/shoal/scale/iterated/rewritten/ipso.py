"""IPSO of a whole file: a regression from the triangles of its pages, and noise that keeps its moments exactly.

The confidential variables X are regressed on [1, Y]. The noise W, drawn page by page, is regressed on the same, and
what is left is turned so that its squares and products are those of the residuals of X: with the triangles R of both,
E'E = R_E'R_E and N'N = R_N'R_N, the new residuals are N R_N^-1 R_E.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import products, pseudo_inverse
from shoal.errors import DataError, TooFewRecordsError
from shoal.replace import IPSO
from shoal.replace.synthetic.ipso import redrawn
from shoal.replace.synthetic.residuals import normal_numbers
from shoal.replace.synthetic.synthetic import refuse_unchanged
from shoal.scale.iterated.passes import Page, Pass, Passes, loaded, saved
from shoal.scale.iterated.rewritten.alone import alone_among, farthest, refuse_alone
from shoal.scale.iterated.rewritten.triangles import coefficients, coordinates, joined, left_over, triangle
from shoal.scale.iterated.rewritten.variables import Kept, Layout, StratumFacts, facts_of, kept_in

__all__ = ["rewritten_by_ipso"]

Doubles = NDArray[np.float64]

_FOLLOWS = 1e-9  # of a standard deviation, root mean square: what a variable may differ from what others give
_NOISE, _REDRAWN = range(2)  # what random numbers are for
_RANK = 1e-12  # of the triangle of noise, whose columns are as good as orthogonal


@dataclass(frozen=True)
class _Turned:
    """How a page gets its new values: fitted ones, and noise of which a part is taken away and the rest turned.

    Attributes
    ----------
    fit
        The coefficients of X on [1, Y].
    taken
        Those of the noise on what it is made orthogonal to; zeros where it is not.
    turn
        What the rest is multiplied by.
    """

    fit: Doubles
    taken: Doubles
    turn: Doubles


def rewritten_by_ipso(
    pages: Sequence[Page], layout: Layout, names: Sequence[str], ipso: IPSO, seed: tuple[int, ...]
) -> Passes[Kept]:
    """Rewrite the confidential variables of one stratum; leave new values beside the pages.

    Parameters
    ----------
    pages
        The pages of the stratum.
    layout
        What their numbers are.
    names
        The confidential variables.
    ipso
        The variant.
    seed
        What random numbers follow from, with the page.
    """
    facts = yield from facts_of(pages, layout)
    width, n = 1 + layout.others, facts.records
    fit, rank = coefficients(facts.whole, width)
    rest = left_over(facts.whole, width)
    _refuse(facts, rest, rank, names, layout, ipso)
    if not ipso.accept_unchanged:
        found = alone_among((yield Pass(pages, _farthest, (layout, coordinates(facts.whole, width)))), n)
        refuse_alone(int(found.sum()), n, ipso.name)
    noise = joined((yield Pass(pages, _triangle_with_noise, (layout, ipso.orthogonal, seed))))
    kept = noise.shape[1] - layout.confidential
    taken, _ = coefficients(noise, kept)
    turn = rest / np.sqrt(n)
    if ipso.variant == "C":
        turn = products(pseudo_inverse(left_over(noise, kept), _RANK), rest)
    elif ipso.variant == "A":
        taken = np.zeros_like(taken)
    kept_of_pages = yield Pass(pages, _rewrite, (layout, _Turned(fit, taken, turn), facts, ipso.orthogonal, seed))
    whole: Kept = reduce(add, kept_of_pages)
    if not ipso.accept_unchanged:
        refuse_unchanged(
            "IPSO",
            whole.unchanged,
            n,
            "They follow from the other variables, or nearly. Name variables that determine them confidential too, or "
            "accept it (accept_unchanged=True; --replace ipso:accept_unchanged=true).",
        )
    return whole


def _refuse(facts: StratumFacts, rest: Doubles, rank: int, names: Sequence[str], layout: Layout, ipso: IPSO) -> None:
    """Raise an error where there are too few records, or a variable follows from those that stay."""
    n, columns = facts.records, layout.confidential
    least = max(2, columns)
    if ipso.orthogonal and n < 2 * columns + layout.others + 1:
        raise TooFewRecordsError(
            f"orthogonal=True needs up to {2 * columns + layout.others + 1} records, two for each confidential "
            f"variable, one for each other and one; there are {n}. Name fewer variables, or use orthogonal=False."
        )
    if n - rank < least:
        raise TooFewRecordsError(
            f"IPSO needs {least} records more than the other variables tell apart; there are {n}. Name fewer other "
            "variables."
        )
    lengths = np.sqrt(np.square(rest).sum(axis=0) / n)
    own = np.sqrt(np.square(facts.whole[1:, 1 + layout.others :]).sum(axis=0) / n)
    for name, length, spread in zip(names, lengths, own, strict=True):
        if spread == 0:
            raise DataError(f'All values of "{name}" are the same: there is nothing to rewrite. Leave it out.')
        if length <= _FOLLOWS * spread:
            raise DataError(
                f'"{name}" follows from the variables that stay, so that it would be released as it is. Name one of '
                "those confidential too, or drop it (role identifier)."
            )


def _farthest(page: Page, layout: Layout, turn: Doubles) -> Doubles:
    """Return the rows of a page that have the most leverage, in an orthonormal basis."""
    basis = products(layout.design(loaded(page)), turn)
    return basis[farthest(basis)]


def _noise_of(page: Page, columns: int, seed: tuple[int, ...]) -> Doubles:
    return normal_numbers(np.random.default_rng([*seed, _NOISE, page.number]), (page.records, columns))


def _kept(numbers: Doubles, layout: Layout, orthogonal: bool) -> Doubles:
    """Return what noise is made orthogonal to."""
    design = layout.design(numbers)
    return np.column_stack([design, layout.scaled(numbers)]) if orthogonal else design


def _triangle_with_noise(page: Page, layout: Layout, orthogonal: bool, seed: tuple[int, ...]) -> Doubles:
    numbers = loaded(page)
    return triangle(np.column_stack([_kept(numbers, layout, orthogonal), _noise_of(page, layout.confidential, seed)]))


def _rewrite(
    page: Page, layout: Layout, turned: _Turned, facts: StratumFacts, orthogonal: bool, seed: tuple[int, ...]
) -> Kept:
    """Write the new values of a page."""
    numbers = loaded(page)
    noise = _noise_of(page, layout.confidential, seed) - products(_kept(numbers, layout, orthogonal), turned.taken)
    scaled = products(layout.design(numbers), turned.fit) + products(noise, turned.turn)
    before, after = layout.as_they_are(numbers), layout.undone(scaled)
    if facts.unchanged(before, after).any():
        # What is drawn again keeps its moments inside the page, and so those of the file.
        rng = np.random.default_rng([*seed, _REDRAWN, page.number])
        groups = np.zeros(len(before), dtype=np.int64)
        after = redrawn(before, numbers[:, : layout.others], after, groups, rng, orthogonal=orthogonal)
    saved(page.path("new"), after)
    return kept_in(numbers, after, layout, facts)
