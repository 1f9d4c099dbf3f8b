"""Centres drawn by membership: knowing the method does not tell which centre a record got."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import raised, squares, weighted_sums
from shoal.parameters.limits import Above, Limit, Number, OrNone, TrueOrFalse, Whole, check_limits
from shoal.replace.base import Replacement
from shoal.replace.family import DRAWN, Family

Doubles = NDArray[np.float64]
Labels = NDArray[np.int64]

_AT_ONCE = 4_000_000  # memberships: 32 MB


@dataclass(frozen=True)
class _WholeOrWord(Limit):
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
        The larger m2 (the smaller lam2), the more a record may get a centre that is far away. With m2 = 1 nothing is
        drawn: every record gets the nearest of the released centres; with groups that were split again and again, the
        nearest at every split.
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
    left out, the one with the fewest first, and its records draw again among the others. With a method that has groups
    too, "at-least-k", centres are the means of groups, and none is left out: records of its own group return to it, and
    others with the highest memberships join. A record that its centre would leave unchanged, within a thousandth of a
    standard deviation in every variable, draws again among the centres within a tenth, if fewer than `at_least` records
    are as near to that centre.

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
    reference: ClassVar[str] = (
        "V. Torra, Fuzzy microaggregation for data with constraints, Journal of Intelligent and Fuzzy Systems; the "
        "rules on at_least are shoal's."
    )
    scope: ClassVar[Literal["column", "block", "file"]] = "file"
    family: ClassVar[Family] = DRAWN
    supports_weights: ClassVar[bool] = False
    supports_missing: ClassVar[bool] = False
    keeps_rules: ClassVar[Literal["all", "averages", "records"]] = "averages"
    default_method: ClassVar[str] = "fuzzy"
    limits: ClassVar[Mapping[str, Limit]] = {
        "m2": OrNone(Number(1)),
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
    centre_of
        For every cluster that has any weight, the centre that it is, or that it was merged into.
    """

    largest: Doubles
    total: Doubles
    products: Doubles
    means: Doubles
    centre_of: Labels

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
    most = largest_memberships(X, memberships_of, memberships_of(X[:1]).shape[1])
    return averages_of_sums(most, power, *sums_of_weights(X, memberships_of, power, most))


def averages_of_sums(most: Doubles, power: float, total: Doubles, products: Doubles, sums: Doubles) -> Averages:
    """Return the averages from the largest membership in every cluster and the sums over all records."""
    largest = raised(most[most > 0] / most.max(), power)
    return Averages(largest, total, products, sums / total[:, None], np.arange(len(total)))


def rows_at_once(records: int, centres: int) -> Iterator[slice]:
    """Yield some of the rows at a time, so that their memberships fit into little memory."""
    size = max(1, _AT_ONCE // max(1, centres))
    for start in range(0, records, size):
        yield slice(start, start + size)


def largest_memberships(X: Doubles, memberships_of: Callable[[Doubles], Doubles], centres: int) -> Doubles:
    """Return the largest membership in every cluster."""
    parts = [memberships_of(X[rows]).max(axis=0) for rows in rows_at_once(len(X), centres)]
    return np.asarray(np.max(parts, axis=0))


def sums_of_weights(
    X: Doubles,
    memberships_of: Callable[[Doubles], Doubles],
    power: float,
    most: Doubles,
    *,
    with_products: bool = True,
) -> tuple[Doubles, Doubles, Doubles]:
    """Return the sums of the weights, of the products of every two or of their squares alone, and of weighted records.

    Weights are relative to those of `most`, the largest membership in every cluster; clusters without one are left out.
    """
    kept = most > 0
    width = int(kept.sum())
    total, sums = np.zeros(width), np.zeros((width, X.shape[1]))
    products = np.zeros((width, width) if with_products else width)
    for rows in rows_at_once(len(X), len(most)):
        weights = raised(memberships_of(X[rows])[:, kept] / most[kept], power)
        total += weights.sum(axis=0)
        products += squares(weights) if with_products else np.square(weights).sum(axis=0)
        sums += weighted_sums(weights, X[rows])
    return total, products, sums


def group_averages(X: Doubles, labels: Labels) -> Averages:
    """Add up the records of every group, all with the same weight."""
    sizes = np.bincount(labels).astype(np.float64)
    means = np.column_stack([np.bincount(labels, column) for column in X.T]) / sizes[:, None]
    return Averages(np.ones(len(sizes)), sizes, np.diag(sizes), means, np.arange(len(sizes)))


def merged(found: Averages, fewest: int) -> Averages:
    """Merge centres, weights added, until each averages at least `fewest` records."""
    largest, total = found.largest.copy(), found.total.copy()
    products, means = found.products.copy(), found.means.copy()
    alive = np.ones(len(total), dtype=bool)
    centre_of = found.centre_of.copy()
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
        centre_of[centre_of == least] = other
        behind[other] = total[other] ** 2 / products[other, other]
    numbers = np.cumsum(alive) - 1
    return Averages(
        largest[alive], total[alive], products[np.ix_(alive, alive)], means[alive], numbers[centre_of].astype(np.int64)
    )
