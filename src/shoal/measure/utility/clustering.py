"""How similar the clusters are that a cluster analysis finds in both files."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ConvergenceWarning, NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.partitions import (
    adjusted_rand_index,
    alpha_cut_distance,
    centre_distance,
    fuzzy_rand_index,
    jaccard_index,
    rand_index,
)
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import on_original_scale
from shoal.parameters.limits import Above, Limit, Number, OneOf, Whole
from shoal.progress import step

__all__ = ["clustering_similarity"]

Doubles = NDArray[np.float64]
Integers = NDArray[np.integer]
Partition = Doubles | Integers  # memberships, n x c, with noise n x (c + 1); or labels, n

# Values are rounded to so many digits, so that rounding errors do not decide which of two centres is nearer.
_DIGITS = 9


@dataclass(frozen=True)
class _Options:
    """The options of the measure, but for method and index."""

    clusters: int
    repetitions: int
    m: float
    eta: float
    lam: float
    max_iter: int
    tol: float
    alpha: float
    norm: str
    sample: int
    seed: int


_LIMITS: dict[str, Limit] = {
    "method": OneOf(("c-means", "fuzzy", "noise", "possibilistic")),
    "index": OneOf(("rand", "adjusted-rand", "jaccard", "fuzzy-rand", "alpha-cuts")),
    "clusters": Whole(2),
    "repetitions": Whole(1),
    "m": Above(1),
    "eta": Above(1, why="at 1 and below, the record farthest from a centre would be the most typical of it"),
    "lam": Above(0),
    "max_iter": Whole(1),
    "tol": Number(0),
    "alpha": Number(0, 1),
    "norm": OneOf(("l1", "l2", "max")),
    "sample": Whole(2),
    "seed": Whole(0),
}


@file_measure(
    About(
        name="clustering_similarity",
        title="Similarity of clusters",
        definition="How much the clusters that a cluster analysis finds in the original and in the masked file agree; "
        "unless options say otherwise those of c-means, by the Rand index: the share of the pairs of records that are "
        "together in both or apart in both. Numeric variables that vary, in units of the original's standard "
        "deviation; records without a missing value; both files from the same first centres, the means of slices of "
        "the original along its first principal component. Only the adjusted Rand index can be below 0.",
        reference="Ladra and Torra (2008), On the comparison of generic information loss measures and cluster-specific "
        "ones, International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 16(1); fuzzy clusters: "
        "Cano, Ladra and Torra (2010), Evaluation of information loss for privacy preserving data mining through "
        "comparison of fuzzy partitions, FUZZ-IEEE",
        range=(-0.5, 1.0),
        better="higher",
        side="utility",
        unit="",
        counts="neither",
        slow=True,
        publication=Publication.AS_MEASURED,
    ),
    takes=("seed",),
    limits=_LIMITS,
)
def clustering_similarity(
    files: Pair,
    *,
    method: str = "c-means",
    index: str = "rand",
    clusters: int = 10,
    repetitions: int = 1,
    m: float = 1.5,
    eta: float = 2.0,
    lam: float = 0.1,
    max_iter: int = 300,
    tol: float = 1e-4,
    alpha: float = 0.5,
    norm: str = "l1",
    sample: int = 5_000,
    seed: int = 0,
) -> MeasuredValue:
    """Return how much the clusters of both files agree, with two references to read it by.

    `.again` is the same of the original and the original clustered again, from another start: the most that can be
    expected of a file from which the clusters are found anew. `.chance` is the same if the masked file's clusters were
    assigned to the records at random. A value may be above `.again`, as both files start from the same centres.
    `.rand`, `.adjusted_rand` and `.jaccard` are those of the clusters that each record belongs to most, whatever the
    index; `.centre_distance` is that between the centres of the two files, in standard deviations of the original,
    for which lower is better.

    Parameters
    ----------
    files
        The two files.
    method
        What the clusters are found by: "c-means"; "fuzzy", fuzzy c-means; "noise", the same with a cluster for noise at
        Davé's distance, which counts as one more cluster; "possibilistic", fuzzy possibilistic c-means.
    index
        What they are compared by: "rand", "adjusted-rand" or "jaccard", of the clusters that records belong to most;
        "fuzzy-rand", of the memberships; "alpha-cuts", 1 minus the distance of the alpha-cuts, divided by the most it
        can be: 2 if alpha is one half or more, otherwise twice the number of memberships of a record that can be above
        alpha. `.distance` is then the distance itself, for which lower is better.
    clusters
        The number of clusters. If there are fewer distinct original records, it is the number of these; `.clusters`
        is the number that was used.
    repetitions
        The number of starts over which the value and its references are means; `.spread` then has their standard
        deviations. The first is that of the definition, the others are drawn as in k-means++.
    m
        How fuzzy, above 1, for all methods but "c-means".
    eta
        How fuzzy the typicalities are, above 1, for "possibilistic".
    lam
        The square of Davé's distance, as a multiple of the mean squared distance of records to centres, for "noise".
    max_iter
        The most iterations of each clustering.
    tol
        The centres have come to rest if none moves farther than this times the root mean square distance of the
        records to their mean; for c-means, if the sum of their squared moves is at most this times the mean variance.
    alpha
        Where to cut, from 0 to 1, for "alpha-cuts".
    norm
        What differences of memberships are measured by, for "fuzzy-rand": "l1", "l2" or "max".
    sample
        "fuzzy-rand" compares all pairs of so many records. If there are more, a sample is drawn, and `.sampled` is its
        size; it is None otherwise.
    seed
        The seed of the other starts, of the assignment at random and of the sample.
    """
    options = _Options(clusters, repetitions, m, eta, lam, max_iter, tol, alpha, norm, sample, seed)
    before, after = _both(files)
    options = replace(options, clusters=min(clusters, len(before.distinct)))
    compared = [_compare(before, after, _METHODS[method], _INDICES[index], options, n) for n in range(repetitions)]
    means = {name: math.fsum(one[name] for one in compared) / repetitions for name in compared[0]}
    spread = {name: float(np.std([one[name] for one in compared])) for name in ("value", "again", "chance")}
    return MeasuredValue(
        means.pop("value"),
        **means,
        spread=spread if repetitions > 1 else None,
        clusters=options.clusters,
        sampled=sample if _INDICES[index].by_pairs and len(before.rows) > sample else None,
    )


@dataclass(frozen=True, eq=False)
class _Records:
    """The records of a file: the distinct ones, how often each occurs, and which of them every record is."""

    distinct: Doubles
    counts: Integers
    rows: Integers

    def all(self) -> Doubles:
        """Return all records, equal ones next to each other."""
        return np.repeat(self.distinct, self.counts, axis=0)


def _both(files: Pair) -> tuple[_Records, _Records]:
    """Return the records that have no missing value in either file.

    Distinct records and all records are in a fixed order: that of the files changes neither starts, nor rounding of
    sums, nor what is drawn.
    """
    original, masked = files.need_numeric()
    complete = ~(np.isnan(original) | np.isnan(masked)).any(axis=1)
    if complete.sum() < 2:
        raise NotApplicableError("This measure needs two records or more without a missing value in either file.")
    before, after = (
        np.unique(np.round(file[complete], _DIGITS) + 0.0, axis=0, return_inverse=True, return_counts=True)
        for file in on_original_scale(original, masked)
    )
    order = np.lexsort((after[1].ravel(), before[1].ravel()))
    first, second = (_Records(distinct, counts, rows.ravel()[order]) for distinct, rows, counts in (before, after))
    return first, second


def _compare(
    before: _Records, after: _Records, method: _Method, index: _Index, options: _Options, number: int
) -> dict[str, float]:
    """Return the value of one repetition, its references and its parts."""
    rng = np.random.default_rng([options.seed, number])
    other = _drawn_centres(before, options.clusters, rng)
    start = _first_centres(before, options.clusters) if number == 0 else _drawn_centres(before, options.clusters, rng)
    clusterings = []
    for records, centres in ((before, start), (after, start), (before, other)):
        with step(1 / (3 * options.repetitions)):
            clusterings.append(method(records, centres, options))
    original, masked, again = (
        partition[records.rows] for (partition, _), records in zip(clusterings, (before, after, before), strict=True)
    )
    value = index.of(original, masked, options)
    labels = _first_choice(original), _first_choice(masked)
    return {
        "value": value.value,
        "again": index.of(original, again, options).value,
        "chance": index.of(original, rng.permutation(masked), options).value,
        **value.parts,
        "rand": rand_index(*labels).value,
        "adjusted_rand": adjusted_rand_index(*labels).value,
        "jaccard": jaccard_index(*labels).value,
        "centre_distance": centre_distance(clusterings[0].centres, clusterings[1].centres).value,
    }


# What clusters are compared by.


@dataclass(frozen=True)
class _Index:
    """An index of how much two partitions agree; `by_pairs` if it looks at every pair of records, or of a sample."""

    of: Callable[[Partition, Partition, _Options], MeasuredValue]
    by_pairs: bool = False


def _first_choice(partition: Partition) -> Integers:
    """Return the cluster each record belongs to most, of several the first."""
    return np.asarray(partition if partition.ndim == 1 else partition.argmax(axis=1), dtype=np.int64)


def _of_first_choice(measure: Callable[[Integers, Integers], MeasuredValue]) -> _Index:
    return _Index(lambda P, Q, options: MeasuredValue(measure(_first_choice(P), _first_choice(Q)).value))


def _fuzzy_rand(P: Partition, Q: Partition, options: _Options) -> MeasuredValue:
    value = fuzzy_rand_index(P, Q, norm=options.norm, sample=options.sample, seed=options.seed)
    return MeasuredValue(value.value)


def _alpha_cuts(P: Partition, Q: Partition, options: _Options) -> MeasuredValue:
    """Return 1 minus the distance of the alpha-cuts, divided by the most that it can be."""
    first, second = (np.eye(options.clusters)[one] if one.ndim == 1 else one for one in (P, Q))
    width = first.shape[1]
    distance = alpha_cut_distance(first, second, alpha=options.alpha, noise=width > options.clusters).value
    # So many memberships of a record, which sum to 1, can be above alpha; in the worst case others in each file.
    above = min(width, max(1, math.ceil(1 / options.alpha) - 1)) if options.alpha > 0 else width
    return MeasuredValue(1 - distance / (2 * above), distance=distance)


_INDICES = {
    "rand": _of_first_choice(rand_index),
    "adjusted-rand": _of_first_choice(adjusted_rand_index),
    "jaccard": _of_first_choice(jaccard_index),
    "fuzzy-rand": _Index(_fuzzy_rand, by_pairs=True),
    "alpha-cuts": _Index(_alpha_cuts),
}


# What clusters are found by.


class _Clustering(NamedTuple):
    """The labels or memberships of the distinct records of a file, and the centres of their clusters."""

    partition: Partition
    centres: Doubles


def _first_centres(file: _Records, clusters: int) -> Doubles:
    """Return the means of slices of the distinct records, equally many in each, along the first principal component."""
    records, counts = file.distinct, file.counts
    deviations = records - np.average(records, axis=0, weights=counts)
    if 1 < len(records) < records.shape[1]:  # the same direction from the smaller matrix
        weighted = deviations * np.sqrt(counts)[:, None]
        main = weighted.T @ np.linalg.eigh(weighted @ weighted.T)[1][:, -1]
        main /= np.linalg.norm(main)
    else:
        main = np.linalg.eigh((deviations * counts[:, None]).T @ deviations)[1][:, -1]
    # Of the two opposite directions, the one in which the first of the (about) largest entries is positive.
    main = main * np.sign(main[np.flatnonzero(np.abs(main) > 0.999 * np.abs(main).max())[0]])
    order = np.argsort(np.round(deviations @ main, _DIGITS), kind="stable")
    return np.array(
        [np.average(records[part], axis=0, weights=counts[part]) for part in np.array_split(order, clusters)]
    )


def _drawn_centres(file: _Records, clusters: int, rng: np.random.Generator) -> Doubles:
    """Return centres drawn as in k-means++, a little nearer to the mean."""
    from shoal.partition.fuzzy.starts import plus_plus, towards_the_mean

    records = file.all()
    return towards_the_mean(records, plus_plus(records, clusters, rng))


def _c_means(file: _Records, centres: Doubles, options: _Options) -> _Clustering:
    """Return the crisp clusters of the distinct records, with their numbers of occurrences as weights."""
    # Deferred, like the estimators below: slow to import.
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if len(file.distinct) <= len(centres):
        return _Clustering(np.arange(len(file.distinct)), file.distinct)
    with warnings.catch_warnings(), threadpool_limits(1):  # with more threads, sums would depend on their order
        warnings.simplefilter("ignore")  # about empty clusters
        model = KMeans(len(centres), init=centres, n_init=1, max_iter=options.max_iter, tol=options.tol)
        model.fit(file.distinct, sample_weight=file.counts)
    return _Clustering(np.asarray(model.labels_), np.asarray(model.cluster_centers_))


def _memberships(estimator: str, *names: str) -> _Method:
    """Return a method that gives the memberships of the distinct records by an estimator of `shoal.partition.fuzzy`.

    `names` are those of the options that this estimator has, beside those that all have.
    """

    def method(file: _Records, centres: Doubles, options: _Options) -> _Clustering:
        from shoal.partition import fuzzy

        parameters = {name: getattr(options, name) for name in ("m", "max_iter", "tol", *names)}
        model = getattr(fuzzy, estimator)(len(centres), init=centres, **parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(file.all())
        return _Clustering(np.asarray(model.predict_memberships(file.distinct)), model.cluster_centers_)

    return method


_Method = Callable[[_Records, Doubles, _Options], _Clustering]
_METHODS: dict[str, _Method] = {
    "c-means": _c_means,
    "fuzzy": _memberships("FuzzyCMeans"),
    "noise": _memberships("NoiseClustering", "lam"),
    "possibilistic": _memberships("FuzzyPossibilisticCMeans", "eta"),
}
