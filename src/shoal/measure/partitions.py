"""How similar two partitions of the same records are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError, ParameterError
from shoal.measure.measure import About, MeasuredValue, partition_measure
from shoal.parameters.limits import Limit, Number, OneOf, TrueOrFalse, Whole, check_limits

__all__ = [
    "adjusted_rand_index",
    "alpha_cut_distance",
    "centre_distance",
    "fuzzy_rand_index",
    "jaccard_index",
    "rand_index",
]

Doubles = NDArray[np.float64]
Codes = NDArray[np.int64]
Array = TypeVar("Array", bound=NDArray[Any])

# How much larger than 1, or than alpha, rounding can make a membership.
_ROUNDING = 1e-9
_CELLS_AT_ONCE = 1 << 22

# For each norm of differences of memberships the name scipy has for it, and the most that it can be.
_NORMS = {"l1": ("cityblock", 2.0), "l2": ("euclidean", math.sqrt(2)), "max": ("chebyshev", 1.0)}


@partition_measure(
    About(
        name="rand_index",
        title="Rand index",
        definition="Share of the pairs of records that both partitions put together, or both keep apart.",
        reference="Rand (1971), Objective criteria for the evaluation of clustering methods, JASA 66",
        range=(0.0, 1.0),
        better="higher",
        side="partitions",
        unit="",
        counts="neither",
        slow=False,
    )
)
def rand_index(P: Any, Q: Any) -> MeasuredValue:
    """Return the Rand index of two partitions, with the four numbers of pairs as parts.

    Parameters
    ----------
    P, Q
        The label of each record in the first and in the second partition: numbers, text or anything hashable.
    """
    pairs = _count_pairs(P, Q)
    return MeasuredValue((pairs["together"] + pairs["apart"]) / sum(pairs.values()), **pairs)


@partition_measure(
    About(
        name="adjusted_rand_index",
        title="Adjusted Rand index",
        definition="The Rand index, less what is expected if the labels of one partition are assigned to the records "
        "at random, as a part of what it can at most be above that: 1 if the partitions are the same, 0 on average by "
        "chance, below 0 if they agree less than by chance.",
        reference="Hubert and Arabie (1985), Comparing partitions, Journal of Classification 2",
        range=(-0.5, 1.0),
        better="higher",
        side="partitions",
        unit="",
        counts="neither",
        slow=False,
    )
)
def adjusted_rand_index(P: Any, Q: Any) -> MeasuredValue:
    """Return the Rand index of two partitions corrected for chance, with the four numbers of pairs as parts.

    Parameters
    ----------
    P, Q
        The label of each record in the first and in the second partition: numbers, text or anything hashable.
    """
    pairs = _count_pairs(P, Q)
    both, first, second, neither = pairs.values()
    most = (both + first) * (first + neither) + (both + second) * (second + neither)
    # Nothing is left to chance only if both partitions are one cluster, or each record is by itself in both.
    return MeasuredValue(2 * (both * neither - first * second) / most if most else 1.0, **pairs)


@partition_measure(
    About(
        name="jaccard_index",
        title="Jaccard index",
        definition="Share of the pairs of records that both partitions put together among those that at least one "
        "does; 1 if neither puts any two together.",
        reference="Jaccard (1912), The distribution of the flora in the alpine zone, New Phytologist 11(2)",
        range=(0.0, 1.0),
        better="higher",
        side="partitions",
        unit="",
        counts="neither",
        slow=False,
    )
)
def jaccard_index(P: Any, Q: Any) -> MeasuredValue:
    """Return the Jaccard index of two partitions, with the four numbers of pairs as parts.

    Parameters
    ----------
    P, Q
        The label of each record in the first and in the second partition: numbers, text or anything hashable.
    """
    pairs = _count_pairs(P, Q)
    joined = sum(pairs.values()) - pairs["apart"]
    return MeasuredValue(pairs["together"] / joined if joined else 1.0, **pairs)


@partition_measure(
    About(
        name="fuzzy_rand_index",
        title="Fuzzy Rand index",
        definition="1 minus the mean over pairs of records of |E_P - E_Q|, where E is 1 minus half the sum of absolute "
        "differences of their memberships, or another norm divided by the most that it can be: the Rand index if both "
        "partitions are crisp.",
        reference="Hüllermeier and Rifqi (2009), A fuzzy variant of the Rand index for comparing clustering "
        "structures, IFSA-EUSFLAT",
        range=(0.0, 1.0),
        better="higher",
        side="partitions",
        unit="",
        counts="neither",
        slow=False,
    )
)
def fuzzy_rand_index(P: Any, Q: Any, *, norm: str = "l1", sample: int = 20_000, seed: int = 0) -> MeasuredValue:
    """Return the fuzzy Rand index of two partitions; order and number of their clusters may differ.

    Parameters
    ----------
    P, Q
        Memberships, n records by c clusters, or the labels of a crisp partition. The column of a noise cluster is one
        of the c.
    norm
        How far apart the memberships of two records are, from 0 to 1: "l1", half the sum of their absolute differences;
        "l2", the root of half the sum of their squares; "max", the largest of them.
    sample
        Every pair of records is looked at. If there are more records than this, a sample of this size is drawn, and
        `.sampled` is its size; it is None otherwise.
    seed
        The seed of the sample.
    """
    limits: dict[str, Limit] = {"norm": OneOf(tuple(_NORMS)), "sample": Whole(2), "seed": Whole(0)}
    check_limits(limits, {"norm": norm, "sample": sample, "seed": seed})
    first, second = _two(_labels_or_memberships(P, "P"), _labels_or_memberships(Q, "Q"), least=2)
    is_drawn = len(first) > sample
    if is_drawn:
        drawn = np.random.default_rng(seed).choice(len(first), sample, replace=False)
        first, second = first[drawn], second[drawn]
    count = len(first)
    rows = max(1, _CELLS_AT_ONCE // count)
    apart = []
    for start in range(0, count, rows):
        stop = min(start + rows, count)
        differences = np.abs(_distances(first, norm, start, stop) - _distances(second, norm, start, stop))
        # Each pair once: within the block, only what is above the diagonal.
        apart += [float(np.triu(differences[:, : stop - start], 1).sum()), float(differences[:, stop - start :].sum())]
    return MeasuredValue(max(0.0, 1 - math.fsum(apart) / math.comb(count, 2)), sampled=count if is_drawn else None)


@partition_measure(
    About(
        name="alpha_cut_distance",
        title="Distance of alpha-cuts",
        definition="Sum of the absolute differences of memberships after those above alpha have become 1 and the "
        "others 0 (or stay), divided by the number of records (or of cells). Clusters are matched first, so that the "
        "sum of absolute differences of the uncut memberships is smallest; a partition with fewer clusters gets empty "
        "ones.",
        reference="Cano, Ladra and Torra (2010), Evaluation of information loss for privacy preserving data mining "
        "through comparison of fuzzy partitions, FUZZ-IEEE",
        range=(0.0, math.inf),
        better="lower",
        side="partitions",
        unit="",
        counts="neither",
        slow=False,
    )
)
def alpha_cut_distance(
    P: Any,
    Q: Any,
    *,
    alpha: float | Iterable[float] = 0.5,
    keep_below: bool = False,
    normalize: str = "records",
    noise: bool = False,
    align: bool = True,
) -> MeasuredValue:
    """Return the distance of the alpha-cuts of two fuzzy partitions.

    Parameters
    ----------
    P, Q
        Memberships, n records by c clusters; the numbers of clusters may differ.
    alpha
        Where to cut, from 0 to 1. For several, the value is the mean and `.by_alpha` has each.
    keep_below
        Leave memberships that are not above alpha as they are, instead of making them 0.
    normalize
        "records" divides by n, "cells" by n times the number of clusters, for a value from 0 to 1.
    noise
        Whether the last column of each is a noise cluster, which is matched only with the other noise cluster.
    align
        Whether to match the clusters; otherwise columns are compared in their order. `.alignment` has the column of Q
        that is matched with each column of P, None for an empty one.
    """
    cuts: Any = list(alpha) if isinstance(alpha, Iterable) and not isinstance(alpha, str) else alpha
    several = isinstance(cuts, list)
    cuts = cuts if several else [cuts]
    for cut in cuts or [None]:
        check_limits({"alpha": Number(0, 1)}, {"alpha": cut})
    switches = {"keep_below": keep_below, "noise": noise, "align": align}
    limits: dict[str, Limit] = {"normalize": OneOf(("records", "cells")), **dict.fromkeys(switches, TrueOrFalse())}
    check_limits(limits, {"normalize": normalize, **switches})
    first, second, alignment = _matched(*_two(_memberships(P, "P"), _memberships(Q, "Q")), noise, align)
    by_alpha = {}
    for cut in cuts:
        one, other = (
            np.where(matrix > cut + _ROUNDING, 1.0, matrix if keep_below else 0.0) for matrix in (first, second)
        )
        by_alpha[str(float(cut))] = float(np.abs(one - other).sum()) / (
            first.size if normalize == "cells" else len(first)
        )
    return MeasuredValue(
        math.fsum(by_alpha.values()) / len(by_alpha),
        alignment=alignment,
        **({"by_alpha": by_alpha} if several else {}),
    )


@partition_measure(
    About(
        name="centre_distance",
        title="Distance of centres",
        definition="Mean Euclidean distance between the centres of two clusterings, paired one to one so that it is "
        "smallest; if one has more centres, each that is left over is paired with the nearest.",
        reference="V. Torra, Fuzzy microaggregation for data with constraints, Journal of Intelligent and Fuzzy "
        "Systems; the pairing is shoal's",
        range=(0.0, math.inf),
        better="lower",
        side="partitions",
        unit="",
        counts="neither",
        slow=False,
    )
)
def centre_distance(first: Any, second: Any) -> MeasuredValue:
    """Return the distance between the centres of two clusterings, such as those of an original and of a masked file.

    Parameters
    ----------
    first, second
        The centres, a row each, in the same units; their numbers may differ. `.pairs` has the rows that are paired,
        in the order of `first`, then those left over of `second`; `.distances` has the distance of each pair.
    """
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]
    from scipy.spatial.distance import cdist  # type: ignore[import-untyped]

    one, other = _centres(first, "first"), _centres(second, "second")
    if one.shape[1] != other.shape[1]:
        raise ParameterError(
            f"first and second must have the same variables; first has {one.shape[1]} and second {other.shape[1]}."
        )
    # Divided by a power of two, so that squares stay within numbers.
    scale = math.ldexp(1.0, math.frexp(max(float(np.abs(one).max()), float(np.abs(other).max())))[1] - 1)
    distances = cdist(one / scale, other / scale)
    # Rounded, so that rounding errors do not decide between equally good pairings.
    rows, columns = linear_sum_assignment(np.round(distances, 12))
    paired = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    pairs = [[i, paired.get(i, int(distances[i].argmin()))] for i in range(len(one))]
    pairs += [[int(distances[:, j].argmin()), j] for j in range(len(other)) if j not in paired.values()]
    by_pair = [float(distances[i, j]) * scale for i, j in pairs]
    return MeasuredValue(math.fsum(by_pair) / len(by_pair), pairs=pairs, distances=by_pair)


def _count_pairs(P: Any, Q: Any) -> dict[str, int]:
    """Return how many pairs of records are together in both, in the first or the second only, or apart in both."""
    first, second = _two(_labels(P, "P"), _labels(Q, "Q"), least=2)

    def together(codes: Codes) -> int:
        sizes = np.unique(codes, return_counts=True)[1]
        return int((sizes * (sizes - 1)).sum()) // 2

    in_first, in_second, in_both = together(first), together(second), together(first * (second.max() + 1) + second)
    return {
        "together": in_both,
        "only_first": in_first - in_both,
        "only_second": in_second - in_both,
        "apart": math.comb(len(first), 2) - in_first - in_second + in_both,
    }


def _labels(labels: Any, name: str) -> Codes:
    """Number the labels of a partition 0, 1, 2, ...; missing labels are one label."""
    import pandas as pd  # deferred, like scipy below: slow to import

    try:
        values = labels if isinstance(labels, np.ndarray) else pd.Series(list(labels), dtype=object)
        return np.asarray(pd.factorize(values, use_na_sentinel=False)[0], dtype=np.int64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be one label for each record: numbers, text or anything hashable.") from None


def _memberships(memberships: Any, name: str) -> Doubles:
    try:
        matrix = np.asarray(memberships, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise ParameterError(
            f"{name} must be a matrix of memberships: a row for each record, a column for each cluster."
        )
    if not ((matrix >= -_ROUNDING) & (matrix <= 1 + _ROUNDING)).all():
        raise ParameterError(f"{name} must have memberships from 0 to 1 only, without missing values.")
    return matrix


def _centres(centres: Any, name: str) -> Doubles:
    try:
        matrix = np.asarray(centres, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise ParameterError(f"{name} must be a matrix of finite numbers: a row for each centre.")
    return matrix


def _labels_or_memberships(partition: Any, name: str) -> Codes | Doubles:
    try:
        is_matrix = len(np.shape(partition)) > 1
    except ValueError:  # rows of unequal length
        is_matrix = True
    if not is_matrix:
        return _labels(partition, name)
    matrix = _memberships(partition, name)
    if (matrix.sum(axis=1) > 1 + 1e-6).any():
        raise ParameterError(f"The memberships of a record in {name} sum to more than 1. Divide each row by its sum.")
    return matrix


def _two(first: Array, second: Array, least: int = 1) -> tuple[Array, Array]:
    """Return both if they have the same number of records, and at least `least`."""
    if len(first) != len(second):
        raise ParameterError(f"P and Q must be of the same records; P has {len(first)} and Q {len(second)}.")
    if len(first) < least:
        raise NotApplicableError(f"This measure needs {least} records or more; these partitions have {len(first)}.")
    return first, second


def _distances(partition: Codes | Doubles, norm: str, start: int, stop: int) -> Doubles:
    """Return how far apart memberships are, from 0 to 1, of records start to stop with all from start on."""
    from scipy.spatial.distance import cdist

    if partition.ndim == 1:
        return np.asarray(partition[start:stop, None] != partition[None, start:], dtype=np.float64)
    name, most = _NORMS[norm]
    return np.asarray(cdist(partition[start:stop], partition[start:], name) / most)


def _matched(first: Doubles, second: Doubles, noise: bool, align: bool) -> tuple[Doubles, Doubles, list[int | None]]:
    """Return both with the same number of columns, those of the second in the order of the first, and that order."""
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    own, others = (matrix.shape[1] - noise for matrix in (first, second))
    clusters = max(own, others)
    padded = [np.zeros((len(first), clusters + noise)) for _ in range(2)]
    for matrix, memberships, count in zip(padded, (first, second), (own, others), strict=True):
        matrix[:, :count] = memberships[:, :count]
        matrix[:, clusters:] = memberships[:, count:]
    order = np.arange(clusters + noise)
    if align:
        # Rounded, so that the order of the records does not decide between equally good matches.
        cost = cdist(padded[0][:, :clusters].T, padded[1][:, :clusters].T, "cityblock")
        order[:clusters] = linear_sum_assignment(np.round(cost / len(first), 12))[1]
    alignment = [int(j) if j < others else None for j in order[:clusters]] + [others] * noise
    return padded[0], padded[1][:, order], alignment
