"""Centres drawn by membership: knowing the method does not tell which centre a record got."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import raised, squares, weighted_sums
from shoal.parameters.limits import Above, Limit, OrNone, TrueOrFalse, Whole, check_limits
from shoal.partition.fuzzy.alternating import MembershipRule, memberships
from shoal.replace.base import Replacement

__all__ = ["UNCHANGED", "Averages", "MembershipDraw", "SoftGroups", "averages", "merged", "soft_groups"]

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

UNCHANGED = 1e-3  # standard deviations, in every variable: as good as the record itself
_NEARBY = 0.1  # standard deviations, root mean square: what it may cost not to be unchanged
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


class HasFuzziness(Protocol):
    """A fuzzy method: how fuzzy its clusters are, and which parameter of the draw stands for that."""

    @property
    def fuzziness(self) -> tuple[str, float]:
        """The parameter and its value."""
        ...

    @property
    def draw_parameter(self) -> str:
        """The parameter of the draw: m2, lam2."""
        ...


@dataclass(frozen=True)
class MembershipDraw(Replacement):
    """Every record gets one of the centres, drawn with its memberships as probabilities.

    Parameters
    ----------
    m2, lam2
        How fuzzy the probabilities are: the exponent for "fuzzy", lambda for "entropy". None: as fuzzy as the clusters.
        The larger m2 (the smaller lam2), the more a record may get a centre that is far away.
    at_least
        A centre is released only if it is the average of at least so many records and so many get it; "k" stands for
        the k of the release. None is the algorithm as it was published, which releases persons: an outlier is its own
        centre. It warns, with the number of such records.
    per_variable
        Whether each variable is drawn for itself. A record then has the values of several centres: k holds for each
        variable, not for the record, and no edit rule holds.

    Notes
    -----
    The effective number of records behind a centre with weights w is (sum w)^2 / sum w^2. As long as one is below
    `at_least`, it is merged with the nearest, weights added. A centre that fewer than `at_least` records get is then
    left out, the one with the fewest first, and its records draw again among the others. A record that its centre would
    leave unchanged, within a thousandth of a standard deviation in every variable, draws again among the centres
    within a tenth, if fewer than `at_least` records are as near to that centre.

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
    summary: ClassVar[str] = "Every record gets one of the centres, drawn with its memberships as probabilities"
    reference: ClassVar[str] = (
        "V. Torra, Fuzzy microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems; the "
        "rules on at_least are shoal's."
    )
    scope: ClassVar[Literal["column", "block", "file"]] = "file"
    needs: ClassVar[Literal["groups", "memberships"]] = "memberships"
    supports_weights: ClassVar[bool] = False
    supports_missing: ClassVar[bool] = False
    keeps_rules: ClassVar[Literal["all", "linear", "none"]] = "linear"
    default_method: ClassVar[str] = "fuzzy"
    limits: ClassVar[Mapping[str, Limit]] = {
        "m2": OrNone(Above(1)),
        "lam2": OrNone(Above(0)),
        "at_least": _WholeOrWord(),
        "per_variable": TrueOrFalse(),
    }

    def __post_init__(self) -> None:
        if (
            self.at_least is None or str(self.at_least).lower() == "none"
        ):  # neither a plan nor the command line has None
            object.__setattr__(self, "at_least", 0)
        check_limits(self.limits, vars(self))

    def fewest(self, k: int) -> int:
        """Return how many records a centre needs; 0 for the algorithm as published."""
        return k if self.at_least == "k" else int(self.at_least or 0)

    def fuzziness(self, method: HasFuzziness) -> float:
        """Return how fuzzy the probabilities are: as set here, or as fuzzy as the clusters of the method."""
        own: float | None = getattr(self, method.draw_parameter)
        return method.fuzziness[1] if own is None else own


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


@dataclass(frozen=True)
class Averages:
    """What the records behind every centre add up to, each centre's weights divided by its largest.

    Attributes
    ----------
    largest
        The largest weight of each centre.
    total
        The sum of its weights.
    products
        The sums over records of the products of two centres' weights, c x c.
    means
        The weighted means, c x d: the centres.
    """

    largest: Doubles
    total: Doubles
    products: Doubles
    means: Doubles

    @property
    def behind(self) -> Doubles:
        """The effective number of records behind each centre: (sum w)^2 / sum w^2."""
        return np.asarray(self.total**2 / np.diag(self.products))


def averages(X: Doubles, memberships_of: Callable[[Doubles], Doubles], power: float) -> Averages:
    """Add up the weights u^power, some records at a time.

    Parameters
    ----------
    X
        The records.
    memberships_of
        Gives the memberships of some records, one column for each centre.
    power
        What memberships are raised to: m, or 1 for the entropy kind. Taken relative to each centre's largest, weights
        are numbers even where all of them would be too small for that.
    """
    width = memberships_of(X[:1]).shape[1]
    blocks = [slice(start, start + max(1, _AT_ONCE // width)) for start in range(0, len(X), max(1, _AT_ONCE // width))]
    most = np.max([memberships_of(X[rows]).max(axis=0) for rows in blocks], axis=0)
    kept = most > 0
    total, products = np.zeros(kept.sum()), np.zeros((kept.sum(), kept.sum()))
    sums = np.zeros((kept.sum(), X.shape[1]))
    for rows in blocks:
        weights = raised(memberships_of(X[rows])[:, kept] / most[kept], power)
        total += weights.sum(axis=0)
        products += squares(weights)
        sums += weighted_sums(weights, X[rows])
    largest = raised(most[kept] / most.max(), power)
    return Averages(largest, total, products, sums / total[:, None])


def merged(found: Averages, fewest: int) -> Averages:
    """Merge centres, weights added, until each averages at least `fewest` records."""
    largest, total = found.largest.copy(), found.total.copy()
    products, means = found.products.copy(), found.means.copy()
    alive = np.ones(len(total), dtype=bool)
    behind = found.behind.copy()
    while alive.sum() > 1:
        least = int(np.argmin(np.where(alive, behind, np.inf)))
        if behind[least] >= fewest:
            break
        distances = np.where(alive, np.square(means - means[least]).sum(axis=1), np.inf)
        distances[least] = np.inf
        other = int(np.argmin(distances))
        # Both on the scale of the one with the larger weights, so that nothing is too small to be there.
        scale = max(largest[least], largest[other])
        of_least, of_other = (largest[one] / scale if scale > 0 else 1.0 for one in (least, other))
        share = of_least * total[least] / (of_least * total[least] + of_other * total[other])
        means[other] += share * (means[least] - means[other])
        total[other] = of_other * total[other] + of_least * total[least]
        products[other] = of_other * products[other] + of_least * products[least]
        products[:, other] = of_other * products[:, other] + of_least * products[:, least]
        largest[other] = scale
        alive[least] = False
        behind[other] = total[other] ** 2 / products[other, other]
    return Averages(largest[alive], total[alive], products[np.ix_(alive, alive)], means[alive])


def soft_groups(
    X: Doubles,
    centres: Doubles,
    behind: Doubles,
    rule: MembershipRule,
    fewest: int,
    rng: np.random.Generator,
    *,
    unit: Doubles | None = None,
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
    unit
        The standard deviation of every variable. With it, a record that a centre would leave unchanged draws again
        among others nearby, unless `fewest` records are as near to that centre.
    """
    labels = _drawn(X, centres, rule, rng)
    if unit is not None:
        _redraw_unchanged(X, centres, labels, rule, fewest, unit, rng)
    counts = np.bincount(labels, minlength=len(centres))
    alive = np.arange(len(centres))
    while len(alive) > 1:
        carried = counts[alive]
        if carried.min() >= fewest:
            break
        out = alive[np.argmin(carried)]
        alive = alive[alive != out]
        rows = np.flatnonzero(labels == out)
        if len(rows):
            labels[rows] = alive[_drawn(X[rows], centres[alive], rule, rng)]
            counts = np.bincount(labels, minlength=len(centres))
    used, labels = np.unique(labels, return_inverse=True)
    return SoftGroups(labels.astype(np.int64), centres[used], behind[used])


def _drawn(X: Doubles, centres: Doubles, rule: MembershipRule, rng: np.random.Generator) -> Labels:
    """Return the centre whose part of the interval from 0 to 1 a random number falls into, for every record."""
    labels = np.empty(len(X), dtype=np.int64)
    at_once = max(1, _AT_ONCE // len(centres))
    for start in range(0, len(X), at_once):
        rows = slice(start, start + at_once)
        upto = np.cumsum(memberships(X[rows], centres, rule), axis=1)
        labels[rows] = (upto < rng.random((len(upto), 1)) * upto[:, -1:]).sum(axis=1)
    return np.minimum(labels, len(centres) - 1)


def _redraw_unchanged(
    X: Doubles,
    centres: Doubles,
    labels: Labels,
    rule: MembershipRule,
    fewest: int,
    unit: Doubles,
    rng: np.random.Generator,
) -> None:
    """Let records draw again that got a centre as good as themselves, if there is another one nearby."""
    for row in np.flatnonzero((np.abs(X - centres[labels]) <= UNCHANGED * unit).all(axis=1)):
        if (np.abs(X - centres[labels[row]]) <= UNCHANGED * unit).all(axis=1).sum() >= fewest:
            continue
        apart = np.abs(X[row] - centres) / unit
        others = np.flatnonzero((apart > UNCHANGED).any(axis=1) & (np.square(apart).mean(axis=1) <= _NEARBY**2))
        if len(others):
            labels[row] = others[_drawn(X[row : row + 1], centres[others], rule, rng)[0]]
