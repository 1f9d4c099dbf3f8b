"""Centres drawn by membership: knowing the method does not tell which centre a record got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.limits import Limit, OrNone, TrueOrFalse, Whole, check_limits
from shoal.partition.fuzzy.alternating import Rule, memberships
from shoal.partition.fuzzy.limits import Above

__all__ = ["MembershipDraw", "SoftGroups", "merged", "soft_groups"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_AT_ONCE = 4_000_000  # memberships: 32 MB


@dataclass(frozen=True)
class _WholeOrWord:
    """A whole number, or the word that stands for the k of the release; 0 is how a plan writes None."""

    @property
    def wanted(self) -> str:
        return f'{Whole(2).wanted}, None, or "k"'

    def accepts(self, value: Any) -> bool:
        return value == "k" or (value == 0 and Whole(0).accepts(value)) or Whole(2).accepts(value)

    def bad_values(self) -> list[Any]:
        return [1, -1, 2.5, "no such word", True]


@dataclass(frozen=True)
class MembershipDraw:
    """Every record gets one of the centres, drawn with its memberships as probabilities.

    Parameters
    ----------
    m2, lam2
        How fuzzy the probabilities are: the exponent for "fuzzy", lambda for "entropy". None: as fuzzy as the clusters.
        The larger m2 (the smaller lam2), the more a record may get a centre that is far away.
    at_least
        A centre is released only if it is the average of at least so many records and so many get it; "k" stands for
        the k of the release. None is the algorithm as it was published, which releases persons: an outlier is its own
        centre. It warns, and says how many.
    per_variable
        Whether each variable is drawn for itself. A record then has the values of several centres: k holds for each
        variable, not for the record, and no edit rule holds.

    Notes
    -----
    The effective number of records behind a centre with weights w is (sum w)^2 / sum w^2. As long as one is below
    `at_least`, it is merged with the nearest, weights added. A centre that fewer than `at_least` records get is then
    left out, the one with the fewest first, and its records draw again among the others.

    References
    ----------
    V. Torra, Fuzzy microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems; the rules on
    `at_least` are shoal's.
    """

    m2: float | None = None
    lam2: float | None = None
    at_least: int | str | None = "k"
    per_variable: bool = False

    name: ClassVar[str] = "membership-draw"
    kinds: ClassVar[frozenset[str]] = frozenset({"continuous"})
    limits: ClassVar[Mapping[str, Limit]] = {
        "m2": OrNone(Above(1)),
        "lam2": OrNone(Above(0)),
        "at_least": _WholeOrWord(),
        "per_variable": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        if self.at_least is None:  # a plan has no None
            object.__setattr__(self, "at_least", 0)
        check_limits(self.limits, vars(self))

    def fewest(self, k: int) -> int:
        """Return how many records a centre needs; 0 for the algorithm as published."""
        return k if self.at_least == "k" else int(self.at_least or 0)

    def fuzziness(self, name: str, value: float) -> float:
        """Return how fuzzy the probabilities are where clusters have `name` = `value`."""
        own = self.m2 if name == "m" else self.lam2
        return value if own is None else own


@dataclass(frozen=True)
class SoftGroups:
    """What came of a draw.

    Attributes
    ----------
    labels
        The centre of every record.
    centres
        The centres, one row each; some may be no record's.
    behind
        The effective number of records behind each.
    """

    labels: Labels
    centres: Doubles
    behind: Doubles


def merged(weights: Doubles, centres: Doubles, fewest: int) -> tuple[Doubles, Doubles]:
    """Merge centres until each averages at least `fewest` records; return them and their effective numbers.

    Parameters
    ----------
    weights
        With which the records enter each centre, n x c.
    centres
        The centres, c x d.
    fewest
        The least effective number.
    """
    total = weights.sum(axis=0)
    products = weights.T @ weights
    centres = centres.copy()
    kept = total > 0
    if not kept.all():
        total, products, centres = total[kept], products[np.ix_(kept, kept)], centres[kept]
    alive = np.ones(len(centres), dtype=bool)
    behind = total**2 / np.diag(products)
    while alive.sum() > 1:
        least = int(np.argmin(np.where(alive, behind, np.inf)))
        if behind[least] >= fewest:
            break
        distances = np.where(alive, np.square(centres - centres[least]).sum(axis=1), np.inf)
        distances[least] = np.inf
        other = int(np.argmin(distances))
        share = total[least] / (total[least] + total[other])
        centres[other] += share * (centres[least] - centres[other])
        total[other] += total[least]
        products[other] += products[least]
        products[:, other] += products[:, least]
        alive[least] = False
        behind[other] = total[other] ** 2 / products[other, other]
    return centres[alive], behind[alive]


def soft_groups(
    X: Doubles,
    centres: Doubles,
    behind: Doubles,
    rule: Rule,
    fewest: int,
    rng: np.random.Generator,
    *,
    unchanged: Doubles | None = None,
) -> SoftGroups:
    """Draw a centre for every record; each is then some record's `fewest` times or not at all.

    Parameters
    ----------
    X
        The records.
    centres, behind
        The centres, and the effective number of records behind each.
    rule
        How distances become the probabilities.
    fewest
        How many records a centre needs that is not left out.
    rng
        What is drawn from.
    unchanged
        How near, variable by variable, a centre may not be to a record that gets it, unless it is the only one or so
        many records are the same as this one. None: as near as it is.
    """
    near = None if unchanged is None else np.where(_is_repeated(X, fewest)[:, None], -1.0, unchanged)
    labels = _drawn(X, centres, rule, rng.random(len(X)), near)
    counts = np.bincount(labels, minlength=len(centres))
    alive = np.flatnonzero(counts >= 0)
    while len(alive) > 1:
        carried = counts[alive]
        if carried.min() >= fewest:
            break
        out = alive[np.argmin(carried)]
        alive = alive[alive != out]
        rows = np.flatnonzero(labels == out)
        if len(rows):
            own = None if near is None else near[rows]
            labels[rows] = alive[_drawn(X[rows], centres[alive], rule, rng.random(len(rows)), own)]
            counts = np.bincount(labels, minlength=len(centres))
    used, labels = np.unique(labels, return_inverse=True)
    return SoftGroups(labels.astype(np.int64), centres[used], behind[used])


def _is_repeated(X: Doubles, times: int) -> NDArray[np.bool_]:
    """Return which records are there at least so many times."""
    _, place, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(counts[place.ravel()] >= times, dtype=bool)


def _drawn(X: Doubles, centres: Doubles, rule: Rule, chance: Doubles, near: Doubles | None) -> Labels:
    """Return the centre whose part of the interval from 0 to 1 a number between them falls into, for every record."""
    labels = np.empty(len(X), dtype=np.int64)
    at_once = max(1, _AT_ONCE // len(centres))
    for start in range(0, len(X), at_once):
        rows = slice(start, start + at_once)
        share = np.asarray(memberships(X[rows], centres, rule))
        if near is not None:
            _avoid(share, X[rows], centres, rule, near[rows])
        upto = np.cumsum(share, axis=1)
        labels[rows] = (upto < chance[rows, None] * upto[:, -1:]).sum(axis=1)
    return np.minimum(labels, len(centres) - 1)


def _avoid(share: Doubles, X: Doubles, centres: Doubles, rule: Rule, near: Doubles) -> None:
    """Take from every record the centres that would leave it unchanged, as long as it has another."""
    best = share.argmax(axis=1)
    for row in np.flatnonzero((np.abs(X - centres[best]) <= near).all(axis=1)):
        others = (np.abs(X[row] - centres) > near[row]).any(axis=1)
        if others.any():
            # Beside a centre that it lies on, the others have no membership left that could be scaled up.
            share[row] = 0.0
            share[row, others] = memberships(X[row : row + 1], centres[others], rule)[0]
