"""What every method declares about itself, and what every partition algorithm shares: checks, and the promise of k."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ColumnError, MethodError, TooFewRecordsError, nearest_name_hint
from shoal.parameters.limits import Limit, Whole, check_limits
from shoal.parameters.searched import Searched
from shoal.partition.catalogue import METHODS
from shoal.partition.estimator import Clusterer
from shoal.partition.geometry.checked_matrix import checked_matrix

if TYPE_CHECKING:
    from shoal.partition.bounds.lower_bound import LowerBound

__all__ = ["Method", "Partition", "Partitioner"]


@dataclass(frozen=True)
class Partition:
    """The groups of one block of variables: the records of a group have the same released values in all of them.

    Attributes
    ----------
    labels
        The group of every record, 0 to g-1. A record whose values in this block are all missing is in no
        group and has the label -1.
    columns
        The variables of the block.
    joined
        By column, the group that each group is joined to in this column alone, the lowest of them; columns in which
        every group stands for itself are left out.
    counted
        By column, which records count in its values; columns in which all do are left out.
    """

    labels: NDArray[np.int64]
    columns: tuple[str, ...]
    joined: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    counted: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of records in every group."""
        return np.bincount(self.labels[self.labels >= 0]).astype(np.int64)

    @property
    def k(self) -> int:
        """The size of the smallest group."""
        return int(self.sizes.min())

    def behind(self, column: str) -> NDArray[np.int64]:
        """Return the labels of the records that the released values of a column are computed from.

        They are `labels`, but for columns with missing values, and for columns in which one record is too much of a sum
        (dominance): there groups are joined to their neighbours. A record that does not count has -1.
        """
        if column not in self.columns:
            raise ColumnError(
                f'There is no column "{column}" in this block.{nearest_name_hint(column, self.columns)}', column=column
            )
        behind = self.labels
        if column in self.joined:
            behind = np.where(behind >= 0, self.joined[column][behind], -1)
        return np.where(self.counted[column], behind, -1) if column in self.counted else behind

    def of_records(self, rows: NDArray[np.int64]) -> Partition:
        """Return the groups of other records, each that of the row it stands for."""
        counted = {name: mask[rows] for name, mask in self.counted.items()}
        return replace(self, labels=self.labels[rows], counted=counted)


class Method:
    """Base of everything that a plan can name as its method: what the flow, a search, a report and the help ask of it.

    Attributes
    ----------
    name
        What a plan calls it: "mdav".
    summary
        What it does, in one plain sentence without a full stop, for reports and help texts; the catalogue has it.
    reference
        The papers it comes from, as one line; "" if there are none.
    scope
        What it works on at a time: one variable ("column"), a block of variables ("block"), or all records as one group
        whatever k is ("file").
    gives
        Whether a record is in one group ("groups"), or belongs to every cluster to a degree ("memberships").
    draws
        Whether centres can be drawn by membership: all that a method with memberships does, and what some that put
        records into groups can do too. One that does is a `DrawnMethod`.
    fallback
        What takes over where the method itself finds no groups, "MDAV"; "" if nothing has to. One that has it says
        after fitting, in `fallback_share_`, for which share of the records.
    shown_as
        The family it is shown with: "microaggregation", "fuzzy" or "entropy".
    supports_weights
        Whether a file with sampling weights can be protected. Weights count in the representatives of groups, not in
        the groups.
    supports_missing
        Whether records with missing values can be grouped, in the form that `for_mixed` gives.
    keeps_rules
        Which edit rules it can keep: "all", or those that "averages" of records keep.
    default_replacement
        The replacement where none is chosen.
    searched
        The parameters worth searching by `tune`.
    search_defaults
        Parameters that a search sets where the user did not.
    limits
        What each parameter may be.
    cost
        How time grows with the number of records n, where that is why there is a `most_records`; "" elsewhere.
    most_records
        The number of records beyond which it takes longer than about a minute; None if there is no limit worth naming.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    scope: ClassVar[Literal["column", "block", "file"]] = "block"
    gives: ClassVar[Literal["groups", "memberships"]]
    draws: ClassVar[bool] = False
    fallback: ClassVar[str] = ""
    shown_as: ClassVar[str]
    supports_weights: ClassVar[bool]
    supports_missing: ClassVar[bool]
    keeps_rules: ClassVar[Literal["all", "averages"]]
    default_replacement: ClassVar[str]
    searched: ClassVar[tuple[Searched, ...]] = ()
    search_defaults: ClassVar[Mapping[str, Any]] = {}
    limits: ClassVar[Mapping[str, Limit]]
    cost: ClassVar[str] = ""
    most_records: ClassVar[int | None] = None

    k: int

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.summary = METHODS.summaries.get(getattr(cls, "name", ""), "")

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of variable it groups, where no value is missing; for other tables there is `for_mixed`."""
        return frozenset({"continuous"})

    def in_large_file(self, records: int) -> Method:
        """Return the form of this method for a file of so many records."""
        return self

    @property
    def scaled_for(self) -> Literal["euclidean", "gower"]:
        """The distance that a matrix has to be scaled for: standard scores, or shares of the range."""
        return "euclidean"


class Partitioner(Method, Clusterer):
    """Base of the estimators that put records into groups of at least k.

    A subclass declares what it is (see `Method`) and writes `_partition`, which takes a finite, C-ordered
    float64 matrix of at least k rows and returns one label per row, 0 to g-1. Missing values (NaN) are let through only
    if the class says ``allow_nan``. The matrix is read-only, since it may be the caller's own, and since a
    kernel would be compiled a second time for a matrix that can be written to. An estimator works on the matrix as it
    is; `shoal.protect` standardises. One that proves on its way how small the loss can be sets `lower_bound_`.
    """

    lower_bound_: LowerBound | None = None

    gives: ClassVar[Literal["groups", "memberships"]] = "groups"
    shown_as: ClassVar[str] = "microaggregation"
    supports_weights: ClassVar[bool] = True
    supports_missing: ClassVar[bool] = False
    keeps_rules: ClassVar[Literal["all", "averages"]] = "all"
    default_replacement: ClassVar[str] = "mean"
    limits: ClassVar[Mapping[str, Limit]] = {"k": Whole(2)}

    @property
    def kinds(self) -> frozenset[str]:
        """Every kind: nominal variables come as the indicators of their categories, ordinal ones as numbers."""
        return frozenset({"continuous", "ordinal", "nominal"})

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Partition the rows of `X` into groups of at least `k`.

        Parameters
        ----------
        X
            Matrix of n records by d variables, at least `k` records.
        y
            Ignored; here because scikit-learn's pipelines pass it.
        """
        check_limits(self.limits, self.get_params(deep=False))
        records: NDArray[np.float64] = checked_matrix(self, X, [np.float64])
        n = len(records)
        if n < self.k:
            raise TooFewRecordsError(
                f"k={self.k} needs at least {self.k} records; got n_samples={n}. Lower k.", k=self.k, records=n
            )
        records = records.view()
        records.flags.writeable = False
        self.labels_ = self._partition(records)
        return self

    def takes_codes(self, X: NDArray[np.float64], width: int) -> bool:
        """Whether the form that `for_mixed` gives is the better one for complete records with category codes.

        If not, they come with an indicator of every category in place of the codes, `width` columns in all.
        """
        return False

    def for_mixed(
        self,
        *,
        kinds: Collection[str],
        distance: str,
        nominal: Sequence[int],
        texts: Callable[[int], Mapping[int, str] | None],
    ) -> Partitioner:
        """Return the form of this algorithm for matrices with missing values or category codes, if any.

        Parameters
        ----------
        kinds
            The kinds of the variables, those that are constant and not in the matrix included.
        distance
            "gower" or "euclidean"; numeric columns are scaled for it.
        nominal
            The columns that hold category codes.
        texts
            Gives the text that every code of a nominal column stands for; None if its values are no texts.
        """
        raise MethodError(
            f"{type(self).__name__} groups {' and '.join(sorted(self.kinds))} variables only; some here are of another "
            'kind. Use the method "mdav", or drop them (role identifier).'
        )

    def for_part(self, part: float) -> Partitioner:
        """Return the form of this algorithm for a part of the file; a search gets that part of its time."""
        return self

    def _partition(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        raise NotImplementedError
