"""HAC: hierarchical agglomerative clustering with limits on the size of clusters."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.arithmetic import powers, singular
from shoal.errors import DataError, MethodError, ParameterError
from shoal.parameters.limits import Limit, Number, OneOf, Whole
from shoal.parameters.searched import Searched
from shoal.partition.base import Partitioner
from shoal.partition.geometry.forest import number_in_order
from shoal.partition.geometry.nominal_columns import nominal_mask
from shoal.progress import advance

if TYPE_CHECKING:
    from shoal.partition.kernels.hac import Clusters


def complete_by_size(labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Dissolve the smallest clusters and give their records to the smallest that remain, whatever the distance.

    Of equally small clusters the oldest is taken; one that gets a record becomes the newest.

    Parameters
    ----------
    labels
        The cluster of every record, 0 to g-1, the oldest first.
    k
        The least number of records in a group.
    """
    labels = labels.copy()
    clusters = [(size, cluster, cluster) for cluster, size in enumerate(np.bincount(labels).tolist())]
    newest = len(clusters)
    heapq.heapify(clusters)
    while clusters[0][0] < k:
        _, _, dissolved = heapq.heappop(clusters)
        for record in np.flatnonzero(labels == dissolved):
            size, _, receiver = clusters[0]
            heapq.heapreplace(clusters, (size + 1, newest, receiver))
            newest += 1
            labels[record] = receiver
    return labels


def complete_by_distance(X: NDArray[np.float64], kind: int, labels: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Join, dissolve or fill up the smallest cluster, whichever costs least, until none is smaller than k.

    Of equally small clusters the newest is taken, whose records are farthest apart: oldest first loses three percent
    more on the average of the reference files. It goes to the oldest of equally good clusters, and takes the first of
    equally good records.

    Parameters
    ----------
    X
        The records.
    kind
        Their distance, as in `shoal.partition.kernels.hac`.
    labels
        The cluster of every record, 0 to g-1, the oldest first.
    k
        The least number of records in a group.
    """
    # Imported here because numba takes a second to import.
    from shoal.partition.kernels.hac import GroupCosts, complete

    sizes = np.bincount(labels)
    if sizes.min() < k:
        labels = labels.copy()
        complete(X, kind, GroupCosts(labels, sizes, np.empty(len(sizes)), np.empty(len(labels))), k)
    return labels


def finest_cut(children: NDArray[np.integer[Any]], k: int) -> NDArray[np.int64]:
    """Return the cluster that every record is in, of the most clusters of at least k that the tree can be cut into.

    From the last merge down, a cluster is cut into the two it was merged of where both have at least k records. No
    other way to cut gives more groups, as every cluster of at least k is then cut as far as it can be.

    Parameters
    ----------
    children
        The two clusters of each of the n - 1 merges; the records are 0 to n-1, and merge i makes n + i.
    k
        The least number of records in a group, at most n.
    """
    n = len(children) + 1
    size = np.ones(2 * n - 1, dtype=np.int64)
    for merge, (a, b) in enumerate(children):
        size[n + merge] = size[a] + size[b]
    group = np.arange(2 * n - 1)
    for merge in reversed(range(n - 1)):
        is_group = group[n + merge] == n + merge
        if not is_group or size[children[merge]].min() < k:
            group[children[merge]] = group[n + merge]
    return group[:n]


_SMALL = 2_000  # fewer records than this are one step
_STEPS = 50


@dataclass(frozen=True)
class Merged:
    """What becomes of the records; `children` and `distances` are those of `HAC`."""

    labels: NDArray[np.int64]
    children: NDArray[np.integer[Any]]
    distances: NDArray[np.float64]


@dataclass(frozen=True)
class ClusterMerging:
    """How clusters are merged and completed; the parameters are those of `HAC`."""

    limits: ClassVar[Mapping[str, Limit]] = {
        "k": Whole(2),
        "cap": OneOf(("k", "2k-1", "none")),
        "linkage": OneOf(("single", "complete", "average", "centroid", "minimum-energy")),
        "priority": Number(0, 20),
        "completion": OneOf(("nearest", "thesis")),
    }
    most_records: ClassVar[int] = 10_000

    k: int
    cap: str
    linkage: str
    priority: float
    completion: str

    def refuse_too_many(self, records: int) -> None:
        """Raise MethodError if there are more records than can be compared in pairs."""
        if records > self.most_records:
            raise MethodError(
                f"HAC compares all pairs of records and takes {self.most_records:,} at most; got {records:,}. "
                'Use the method "mdav" or "refine", or partition by strata.'
            )

    def merged(self, X: NDArray[np.float64], kind: int) -> Merged:
        """Return the group of every record, numbered by their first records, and the merges.

        Parameters
        ----------
        X
            The records, in a matrix that can be written to, so that the kernels are compiled for one kind only.
        kind
            Their distance, as in `shoal.partition.kernels.hac`.
        """
        clusters, merges = self._clusters(X, kind)
        children, distances = clusters.children[:merges], clusters.heights[:merges]
        _, labels = np.unique(clusters.age[_last_clusters(clusters.went_into)], return_inverse=True)
        del clusters  # and with it the matrix of distances
        if self.cap == "none":
            labels = finest_cut(children, self.k)
        elif self.completion == "thesis":
            labels = complete_by_size(labels, self.k)
        else:
            labels = complete_by_distance(X, kind, labels, self.k)
        advance(0.1)
        return Merged(number_in_order(labels), children, distances)

    def _clusters(self, X: NDArray[np.float64], kind: int) -> tuple[Clusters, int]:
        """Merge clusters until no two fit together any more; return them, and how many merges there were."""
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels import hac as kernels

        linkage = {
            "single": kernels.SINGLE,
            "complete": kernels.COMPLETE,
            "average": kernels.AVERAGE,
            "centroid": kernels.SHARES if kind in kernels.WITHOUT_MEANS else kernels.MIDDLE,
            "minimum-energy": kernels.ENERGY,
        }[self.linkage]
        n = len(X)
        largest = min(n, {"k": self.k, "2k-1": 2 * self.k - 1, "none": n}[self.cap])
        weight = powers(np.arange(largest + 1.0), self.priority)
        clusters = kernels.Clusters(
            between=np.empty((n, n)),
            within=np.zeros(n),
            total=X.copy() if linkage == kernels.MIDDLE else np.empty((n, 0)),
            size=np.ones(n, dtype=np.int64),
            age=np.arange(n),
            went_into=np.arange(n),
            partner=np.empty(n, dtype=np.int64),
            partner_age=np.empty(n, dtype=np.int64),
            bound=np.empty(n),
            in_line=np.arange(n),
            length=np.array([n]),
            children=np.empty((n - 1, 2), dtype=np.int64),
            heights=np.empty(n - 1),
        )
        kernels.fill_distances(X, kind, clusters.between)
        kernels.find_all_partners(clusters, linkage, weight)
        advance(0.1)
        step = n if n < _SMALL else n // _STEPS
        most_merges = n - n // largest
        age = pause = n
        while age == pause:
            pause += step
            before, age = age, kernels.merge(clusters, linkage, kind, weight, age, pause)
            advance(0.8 * (age - before) / most_merges)
        advance(0.8 * (n + most_merges - age) / most_merges)
        return clusters, age - n


def _last_clusters(went_into: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return the cluster that every record is in at the end; a cluster was always merged into a lower number."""
    last = went_into.copy()
    for record in range(len(last)):
        last[record] = last[last[record]]
    return last


_MOST_CHARACTERS = 200_000  # about a minute
_LARGEST = 1e250  # sums of larger distances, over all pairs, can overflow


class HACMixed(Partitioner):
    """HAC for records with nominal columns, of which those that hold texts are compared by Levenshtein's distance.

    The algorithm and its ties are those of `HAC`. `shoal.protect` uses it for ``"hac:distance=levenshtein"``.

    Parameters
    ----------
    k, cap, linkage, priority, completion
        As in `HAC`.
    nominal
        The positions of the columns that hold category codes.
    texts
        For nominal columns that hold texts, by position: the text that every code stands for. Codes of other nominal
        columns are the same or not.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1, numbered by their first records.
    children_, distances_
        The merges, as in `HAC`.

    Notes
    -----
    The distance of two records is the sum over the columns, from left to right: of a numeric column the absolute
    difference (the matrix has to be scaled already, by the range of every column: then this is Gower's distance times
    the number of columns); of codes 0 if they are equal and 1 if not; of texts the least number of characters (Unicode
    code points) to insert, delete or replace that makes one of the other, divided by the length of the longer text.
    So every column adds 0 to 1. Linkages that need a mean, and ``completion="nearest"``, use this distance as they
    use Hamming's in `HAC`. It is held for all pairs of records twice: 1.6 GB for the 10,000 that are the most. The
    different texts of a column may have 200,000 characters together.

    References
    ----------
    V. I. Levenshtein (1966), Binary codes capable of correcting deletions, insertions, and reversals, Soviet Physics
    Doklady 10. J. C. Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27.
    """

    limits: ClassVar[Mapping[str, Limit]] = ClusterMerging.limits

    def __init__(
        self,
        k: int,
        *,
        cap: str = "k",
        linkage: str = "minimum-energy",
        priority: float = 0.0,
        completion: str = "nearest",
        nominal: Sequence[int] = (),
        texts: Mapping[int, Mapping[int, str]] | None = None,
    ) -> None:
        self.k = k
        self.cap = cap
        self.linkage = linkage
        self.priority = priority
        self.completion = completion
        self.nominal = nominal
        self.texts = texts

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels.hac import GIVEN

        n = len(X)
        merging = ClusterMerging(self.k, self.cap, self.linkage, self.priority, self.completion)
        merging.refuse_too_many(n)
        is_nominal = nominal_mask(self.nominal, X.shape[1])
        if not set(self.texts or {}) <= set(np.flatnonzero(is_nominal)):
            raise ParameterError("texts must be for positions that are in nominal.")
        apart = np.zeros((n, n + 1))
        for place, column in enumerate(X.T):
            differences_to = self._differences(place, column, bool(is_nominal[place]))
            for row in range(n):
                apart[row, :n] += differences_to(row)
        if apart.max() > _LARGEST:
            raise DataError("Values as large as here have no distances that can be summed. Scale the columns.")
        apart[:, n] = np.arange(n)
        merged = merging.merged(apart, GIVEN)
        self.children_, self.distances_ = merged.children, merged.distances
        return merged.labels

    def _differences(
        self, place: int, column: NDArray[np.float64], is_nominal: bool
    ) -> Callable[[int], NDArray[np.float64] | NDArray[np.bool_]]:
        """Return the function of a record that gives what a column adds to its distances."""
        texts = (self.texts or {}).get(place)
        if texts is not None:
            codes, places = np.unique(column, return_inverse=True)
            if not set(texts).issuperset(codes):
                raise ParameterError("texts must have a text for every code of the column.")
            matrix = text_distances([texts[code] for code in codes])
            return lambda row: matrix[places[row]][places]
        if is_nominal:
            return lambda row: column != column[row]
        return lambda row: np.abs(column - column[row])


def text_distances(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return Levenshtein's distances between texts, as shares of the length of the longer one."""
    from shoal.partition.kernels.hac import fill_text_distances

    lengths = [len(text) for text in texts]
    if sum(lengths) > _MOST_CHARACTERS:
        raise MethodError(
            f"Levenshtein's distance compares all pairs of texts, which may have {_MOST_CHARACTERS:,} characters "
            f"together; the {len(texts):,} different texts of one variable have {sum(lengths):,}. Recode them, leave "
            'the variable out, or use the method "mdav".'
        )
    characters = np.fromiter(map(ord, "".join(texts)), dtype=np.int64, count=sum(lengths))
    matrix = np.empty((len(texts), len(texts)))
    fill_text_distances(characters, np.append(0, np.cumsum(lengths, dtype=np.int64)), matrix)
    return matrix


_DISTANCES = ("euclidean", "squared-euclidean", "manhattan", "chebyshev", "mahalanobis", "hamming", "levenshtein")


class HAC(Partitioner):
    """Groups of at least k by merging the two closest clusters as long as the union is not too large.

    Every record starts as a cluster of its own. Again and again the two clusters with the least linkage are merged,
    among the pairs whose union keeps to `cap`. When no pair does, `completion` decides what becomes of the clusters
    that are still smaller than k.

    The defaults had the least sum of squared errors, on the average of the reference files Census, Tarragona and EIA
    and two simulated ones at k = 3, 5 and 10: 0.95 times that of MDAV (0.56 to 1.12 times; at k = 4 on EIA, though,
    three times), and on Census two fifths less than the method as first published (``cap="2k-1", linkage="single",
    completion="thesis"``). The squared Euclidean distance is at 0.97 (1.08 at worst), complete linkage at 0.98, single
    linkage at 1.09. A `priority` helps only where the thesis's completion would otherwise have much to do.

    Parameters
    ----------
    k
        The least number of records in a group.
    cap
        How large a cluster may become by merging: ``"k"``, for as many groups as possible, or ``"2k-1"``. With
        ``"none"`` all are merged into one in the end, as in the textbook, and the tree of merges is cut into as many
        clusters of at least k as it can be: from the last merge down, a cluster is cut into the two it was merged of
        where both have at least k records. Groups can then have any number of records from k on, and a single record
        that is merged last leaves all in one group: this is for the tree, the other two are for protection.
    linkage
        How far apart two clusters are. ``"single"``: the least distance between a record of one and a record of the
        other; ``"complete"``: the largest; ``"average"``: the mean; ``"centroid"``: the distance of the centroids;
        ``"minimum-energy"``: the energy distance, ``ab/(a+b) (2 M(A,B) - M(A,A) - M(B,B))``, where a and b are the
        sizes and M is the mean distance over all pairs, a record with itself included.
    distance
        Between records: ``"euclidean"``, ``"squared-euclidean"``, ``"manhattan"``, ``"chebyshev"`` (the largest
        difference in any column), ``"mahalanobis"``, or ``"hamming"`` for columns that all hold codes (the number of
        columns whose codes differ; in `shoal.protect`, where all variables are nominal). Minimum energy over squared
        Euclidean distances is twice Ward's criterion. ``"levenshtein"`` is for mixed tables in `shoal.protect`: every
        variable adds 0 to 1, texts by Levenshtein's distance over the length of the longer one, see `HACMixed`.
    priority
        How much clusters that are nearly complete come first: the linkage is divided by the size of the union to
        this power. 0 is no priority, 1 the thesis's.
    completion
        What is done about clusters smaller than k; with ``cap="none"`` there are none, and it is not used.
        ``"nearest"``: the smallest cluster (of equals the newest) is joined with another, dissolved record by record
        into others, or filled up with records from groups larger than k, whichever adds least to the sum of squared
        errors; until none is smaller than k. Groups have k to 2k-1 records.
        ``"thesis"``: the smallest cluster (of equals the oldest) is dissolved, and its records, in the order of the
        rows, go one by one to the smallest cluster there is (of equals the oldest; the one that gets it becomes the
        newest), near or far; until none is smaller than k. Groups have k to 2k-1 records if `cap` is ``"k"``; with
        ``"2k-1"`` they can have more where all are full, 3k-2 at most.

    Attributes
    ----------
    labels_
        The group of every record, 0 to g-1, numbered by their first records.
    children_
        The two clusters of every merge, in the order of the merges, the older first, numbered as in scikit-learn's
        `AgglomerativeClustering` and SciPy's `linkage`: the n records are clusters 0 to n-1, and merge i makes cluster
        n + i. Under a cap these are the merges that fit, fewer than n - 1; what `completion` does after them is not
        among them.
    distances_
        How far apart the two were by `linkage`, without `priority`, in the units of the records. They never
        decrease with single, complete and average linkage where there is neither a cap nor a priority.

    Notes
    -----
    Of equally close pairs the one with the oldest cluster is merged, then the one with the oldest partner. Records
    are the oldest clusters, in the order of the rows; a merged cluster is new.

    For distances other than the Euclidean ones ``completion="nearest"`` counts, in place of the squared errors of a
    group, the squared distances between its records over its size, which are the same in the Euclidean case. For
    Hamming it counts the distances as they are, which are squared distances of indicators already; ``"centroid"``
    is half the squared distance of the clusters' shares of every code. For Mahalanobis, directions in which the
    records do not vary are left out.

    Under the cap the shortcuts of unconstrained clustering (chains of nearest neighbours, minimum spanning trees)
    give other merges. Every cluster remembers its best partner and looks on only when that is gone and it is next in
    line. All n x n distances are held: 800 MB for the 10,000 records that are the most.

    References
    ----------
    J. Alarte Aleixandre (2018), Application of Clustering Techniques to Privacy Protection, master thesis,
    Universitat Oberta de Catalunya, chapters 6 and 7: the caps, single, complete and centroid linkage, the priority,
    and as future work its weight. G. J. Székely and M. L. Rizzo (2005), Hierarchical clustering via joint
    between-within distances: extending Ward's minimum variance method, Journal of Classification 22: minimum
    energy, which the thesis names and leaves undefined.
    """

    name: ClassVar[str] = "hac"
    reference: ClassVar[str] = (
        "J. Alarte Aleixandre (2018), Application of Clustering Techniques to Privacy Protection, master "
        "thesis, Universitat Oberta de Catalunya, chapters 6 and 7: the caps, single, complete and centroid "
        "linkage, the priority, and as future work its weight. G. J. Székely and M. L. Rizzo (2005), "
        "Hierarchical clustering via joint between-within distances: extending Ward's minimum variance "
        "method, Journal of Classification 22: minimum energy, which the thesis names and leaves undefined."
    )
    searched: ClassVar[tuple[Searched, ...]] = (
        Searched("linkage", ("complete", "average", "minimum-energy"), start="minimum-energy"),
        Searched("priority", (0.0, 0.5, 1.0), start=0.0),
    )
    limits: ClassVar[Mapping[str, Limit]] = {**ClusterMerging.limits, "distance": OneOf(_DISTANCES)}
    cost: ClassVar[str] = "n^2 log n"
    most_records: ClassVar[int] = ClusterMerging.most_records

    def __init__(
        self,
        k: int,
        *,
        cap: str = "k",
        linkage: str = "minimum-energy",
        distance: str = "euclidean",
        priority: float = 0.0,
        completion: str = "nearest",
    ) -> None:
        self.k = k
        self.cap = cap
        self.linkage = linkage
        self.distance = distance
        self.priority = priority
        self.completion = completion

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of variable it groups: nominal ones by Hamming's distance, all of them by most others.

        Records with texts are always grouped by the form that `for_mixed` gives, which knows the texts.
        """
        by_distance = {"hamming": frozenset({"nominal"}), "levenshtein": frozenset[str]()}
        return by_distance.get(self.distance, super().kinds)

    @property
    def scaled_for(self) -> Literal["euclidean", "gower"]:
        """Gower's distance where codes are compared as they are, else the Euclidean one."""
        return "gower" if self.distance in ("hamming", "levenshtein") else "euclidean"

    def for_mixed(
        self,
        *,
        kinds: Collection[str],
        distance: str,
        nominal: Sequence[int],
        texts: Callable[[int], Mapping[int, str] | None],
    ) -> Partitioner:
        """Return HAC for codes and texts if the distance is Levenshtein's."""
        if self.distance == "hamming":
            raise MethodError(
                'HAC with distance="hamming" groups nominal variables only; some here are continuous or ordinal. '
                'Declare codes nominal, drop others (role identifier), or use distance="euclidean" or "mdav".'
            )
        if self.distance != "levenshtein":
            return super().for_mixed(kinds=kinds, distance=distance, nominal=nominal, texts=texts)
        if set(kinds) == {"continuous"}:
            raise MethodError(
                'HAC with distance="levenshtein" compares texts; all variables here are continuous. Use another '
                "distance, or declare codes nominal."
            )
        of_columns = {place: found for place in nominal if (found := texts(place)) is not None}
        return HACMixed(
            self.k,
            cap=self.cap,
            linkage=self.linkage,
            priority=self.priority,
            completion=self.completion,
            nominal=tuple(nominal),
            texts=of_columns,
        )

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        if self.distance == "levenshtein":
            raise MethodError(
                'HAC with distance="levenshtein" needs the texts, which a matrix of numbers does not have. Use '
                "HACMixed(k, nominal=..., texts=...), or shoal.protect with a table."
            )
        merging = ClusterMerging(self.k, self.cap, self.linkage, self.priority, self.completion)
        merging.refuse_too_many(len(X))
        # Imported here because numba takes a second to import.
        from shoal.partition.kernels import hac as kernels

        kind = {
            "squared-euclidean": kernels.SQUARED_EUCLIDEAN,
            "manhattan": kernels.MANHATTAN,
            "chebyshev": kernels.CHEBYSHEV,
            "hamming": kernels.HAMMING,
        }.get(self.distance, kernels.EUCLIDEAN)
        exponent = 0
        # Each gives a new matrix, so that the kernels are compiled for one kind only.
        if self.distance == "mahalanobis":
            X = _without_correlation(X)
        elif self.distance == "hamming":
            X = X.copy()
        else:  # times a power of two, so that no square overflows; no digit changes
            exponent = int(np.frexp(np.abs(X).max())[1])
            X = np.asarray(np.ldexp(X, -exponent))
        merged = merging.merged(X, kind)
        self.children_ = merged.children
        with np.errstate(over="ignore"):  # squares of huge values are infinite
            self.distances_ = np.ldexp(
                merged.distances, 2 * exponent if self.distance == "squared-euclidean" else exponent
            )
        return merged.labels


def _without_correlation(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return coordinates whose Euclidean distances are the Mahalanobis distances of the records."""
    n, d = X.shape
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=0))[1])  # every column near one: no square under- or overflows
    X = X[:, X.min(axis=0) < X.max(axis=0)]
    if X.shape[1] == 0:
        return np.zeros((n, 1))
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    (axes,), (lengths,), _ = singular(X[None])
    varies = np.square(lengths) > lengths.max() ** 2 * max(n, d) * np.finfo(float).eps
    return np.ascontiguousarray(axes[:, varies] * np.sqrt(n - 1))
