"""How similar the clusters are that a cluster analysis finds in both files."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.partitions import jaccard_index, rand_index
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import on_original_scale
from shoal.parameters.limits import Whole, check_limits

__all__ = ["clustering_similarity"]

Doubles = NDArray[np.float64]
Integers = NDArray[np.integer]

# Values are rounded to so many digits, so that rounding errors do not decide which of two centres is nearer.
_DIGITS = 9


@file_measure(
    About(
        name="clustering_similarity",
        title="Similarity of clusters",
        definition="The Rand index of the clusters that c-means finds in the original and in the masked file: the "
        "share of the pairs of records that are together in both or apart in both. Numeric variables that vary, in "
        "units of the original's standard deviation; records without a missing value; both from the same first "
        "centres, the means of slices of the original along its first principal component.",
        reference="Ladra and Torra (2008), On the comparison of generic information loss measures and cluster-specific "
        "ones, International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 16(1)",
        range=(0.0, 1.0),
        better="higher",
        side="utility",
        unit="",
        counts="neither",
        slow=True,
        publication=Publication.AS_MEASURED,
    )
)
def clustering_similarity(files: Pair, *, clusters: int = 10) -> MeasuredValue:
    """Return the Rand index, also as `.rand`, with the Jaccard index in `.jaccard`.

    Parameters
    ----------
    files
        The two files.
    clusters
        The number of clusters. If there are fewer distinct original records, it is the number of these; `.clusters`
        is the number that was used.
    """
    check_limits({"clusters": Whole(2)}, {"clusters": clusters})
    original, masked = files.need_numeric()
    complete = ~(np.isnan(original) | np.isnan(masked)).any(axis=1)
    if complete.sum() < 2:
        raise NotApplicableError("This measure needs two records or more without a missing value in either file.")
    # Distinct records in a fixed order: the order of the file changes neither the first centres nor rounding of sums.
    before, after = (
        np.unique(np.round(file[complete], _DIGITS) + 0.0, axis=0, return_inverse=True, return_counts=True)
        for file in on_original_scale(original, masked)
    )
    centres = _first_centres(before[0], before[2], min(clusters, len(before[0])))
    first, second = (_c_means(records, counts, centres)[rows.ravel()] for records, rows, counts in (before, after))
    rand = rand_index(first, second)
    return MeasuredValue(rand, rand=rand.value, jaccard=jaccard_index(first, second).value, clusters=len(centres))


def _first_centres(records: Doubles, counts: Integers, clusters: int) -> Doubles:
    """Return the means of slices of the distinct records, equally many in each, along the first principal component."""
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


def _c_means(records: Doubles, counts: Integers, centres: Doubles) -> Integers:
    """Return the cluster of each record, with its number of occurrences as its weight."""
    # Deferred: slow to import.
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if len(records) <= len(centres):
        return np.arange(len(records))
    with warnings.catch_warnings(), threadpool_limits(1):  # with more threads, sums would depend on their order
        warnings.simplefilter("ignore")  # about empty clusters
        model = KMeans(len(centres), init=centres, n_init=1).fit(records, sample_weight=counts)
    return np.asarray(model.labels_)
