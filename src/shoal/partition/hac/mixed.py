"""HAC for mixed records: numbers, ordered categories, codes and texts side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, MethodError, ParameterError
from shoal.parameters.limits import Limit
from shoal.partition.base import Partitioner
from shoal.partition.geometry.nominal_columns import nominal_mask
from shoal.partition.hac.merging import ClusterMerging

__all__ = ["HACMixed", "text_distances"]

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
    from shoal.partition.kernels.levenshtein import fill_text_distances

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
