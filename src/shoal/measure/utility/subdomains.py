"""How much masking changes moments inside subdomains: the records of one category, or random subsets of records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ColumnError, DataError, NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import central_moment, joint_moments, on_original_scale
from shoal.parameters.limits import OrNone, Whole
from shoal.parameters.of_columns import as_names

__all__ = ["subdomain_difference"]

Doubles = NDArray[np.float64]
Rows = NDArray[np.int64]

_MOMENTS = ("means", "covariances", "third_moments", "fourth_moments")


@file_measure(
    About(
        name="subdomain_difference",
        title="Difference in subdomains",
        definition="How far means and covariances differ inside subdomains, the records that have a category in the "
        "original and those that have it in the masked file: the differences of means and of covariances (variances "
        "among them) in units of the original's standard deviations there, averaged over variables and pairs, then "
        "over the subdomains of a categorical variable by their original records, then over these variables; the value "
        "is the average of the two. Subdomains of fewer than `least` records in either file are counted apart, and "
        "variables that are constant in a subdomain are left out there. On request the third and fourth central "
        "moments have a part too (`moments`), and subdomains are random subsets of the records (`subsets`).",
        reference="Domingo-Ferrer and González-Nicolás (2010), Hybrid microdata using microaggregation, Information "
        "Sciences 180(15)",
        range=(0.0, math.inf),
        better="lower",
        side="utility",
        unit="",
        counts="neither",
        slow=True,
        publication=Publication.NEVER,  # the whole file less the other subdomains would be one of few records
    ),
    by_record=False,
    takes=("seed",),
    limits={
        "least": Whole(2),
        "moments": Whole(2, len(_MOMENTS)),
        "subsets": Whole(0),
        "size": OrNone(Whole(2)),
        "seed": Whole(0),
    },
)
def subdomain_difference(
    files: Pair,
    *,
    by: str | Iterable[str] | None = None,
    least: int = 10,
    moments: int = 2,
    subsets: int = 0,
    size: int | None = None,
    seed: int = 0,
) -> MeasuredValue:
    """Return the mean difference in subdomains, with that of means in `.means` and of covariances in `.covariances`.

    `.by_variable` has, for every categorical variable, both differences, how many `subdomains` were compared, and how
    many were too small (`small`) with how many original records (`small_records`); for random subsets, `.at_random`
    has the same. `.worst` is the subdomain that differs most.

    Parameters
    ----------
    files
        The two files.
    by
        The categorical variable whose categories are the subdomains, or several, one after the other; it need not be
        among the columns that are compared. By default all categorical variables that are. Records without a category
        are in no subdomain.
    least
        The fewest records that a subdomain needs in both files to be compared.
    moments
        2 for means and covariances; 3 for the third central moments too (`.third_moments`), 4 for the fourth as well
        (`.fourth_moments`). They are divided by n, about the mean of each file, and their differences in units of the
        original's standard deviation in the subdomain to the same power; the value is the average of all.
    subsets
        How many random subsets of the records are the subdomains, in place of categories: the same records of both
        files, which must have the same number of them. 0 for none.
    size
        The number of records in each random subset; by default a tenth of all, but at least `least`.
    seed
        The seed of the random subsets.
    """
    names = _dividing_columns(files, by, least, subsets, size)
    files, taken = files.for_numeric_pairs()
    original, masked = files.need_numeric(varying=False)
    rows = {name: list(_rows_by_category(files, name)) for name in names}
    if subsets:
        rows = {None: list(_random_rows(len(original), subsets, size, least, seed))}
    compared = {
        name: [_compared(original[before], masked[after], before, least, moments) for before, after in some]
        for name, some in rows.items()
    }
    summed_up = {name: _summed_up(some) for name, some in compared.items() if any(one.differences for one in some)}
    if not summed_up:
        raise NotApplicableError(
            f"This measure needs a subdomain of {least} records or more in both files, with a variable that varies."
        )
    total = {
        which: math.fsum(one[which] for one in summed_up.values()) / len(summed_up) for which in _MOMENTS[:moments]
    }
    worst, name = max(
        ((one, name) for name, some in compared.items() for one in some), key=lambda both: both[0].difference
    )
    which = {"by": name, "category": str(files.original.cells(name)[worst.rows[0]])} if name is not None else {}
    return MeasuredValue(
        sum(total.values()) / moments,
        **total,
        **({"at_random": summed_up[None]} if subsets else {"by_variable": summed_up}),
        worst={**which, "records": len(worst.rows), "difference": worst.difference},
        least=least,
        **taken,
    )


@dataclass(frozen=True)
class _Subdomain:
    """The original records of a subdomain, and the mean difference of each moment; None if it is small."""

    rows: Rows
    differences: tuple[float, ...] | None

    @property
    def difference(self) -> float:
        return -1.0 if self.differences is None else sum(self.differences) / len(self.differences)


def _compared(original: Doubles, masked: Doubles, rows: Rows, least: int, moments: int) -> _Subdomain:
    is_small = min(len(original), len(masked)) < least
    return _Subdomain(rows, None if is_small else _differences(original, masked, moments))


def _summed_up(subdomains: Sequence[_Subdomain]) -> dict[str, Any]:
    """Return the differences of moments, averaged over subdomains by their records, and how many are small."""
    small = [one for one in subdomains if one.differences is None]
    records = [len(one.rows) for one in subdomains if one.differences is not None]
    differences = np.array([one.differences for one in subdomains if one.differences is not None])
    averages = np.average(differences, axis=0, weights=records)
    return {
        **{which: float(average) for which, average in zip(_MOMENTS, averages, strict=False)},
        "subdomains": len(records),
        "small": len(small),
        "small_records": sum(len(one.rows) for one in small),
    }


@subdomain_difference.check_first
def _dividing_columns(files: Pair, by: Any, least: int, subsets: int, size: int | None) -> list[str]:
    """Return the categorical variables that divide the records, none for random subsets; an error if one cannot."""
    if subsets:
        _refuse_subsets(files, by, least, size)
        return []
    if size is not None:
        raise ParameterError("size is the number of records in random subsets. Give their number too, in subsets.")
    if by is None:
        if not files.category_names:
            raise NotApplicableError(
                "This measure needs a categorical variable, and none is compared: name one in its option by, give a "
                "column of codes the kind nominal, or ask for random subsets."
            )
        return list(files.category_names)
    names = [str(name) for name in as_names(by, "by")]
    if not names:
        raise ColumnError("by names no column. Name one, or leave it out for all categorical variables.")
    for name in names:
        if name not in files.original or name not in files.masked:
            both = [one for one in files.original.names if one in files.masked]
            raise ColumnError(f'by names "{name}", which is not in both files.{nearest_name_hint(name, both)}')
        if files.only([name]).numeric_names:
            raise ColumnError(f'by names "{name}", which holds numbers. If they are codes, give it the kind nominal.')
    return names


def _refuse_subsets(files: Pair, by: Any, least: int, size: int | None) -> None:
    """Raise an error for random subsets that cannot be drawn."""
    if by is not None:
        raise ParameterError("by and subsets are two ways to divide the records. Leave one of them out.")
    records = len(files.original)
    if len(files.masked) != records:
        raise DataError(
            f"Random subsets are the same records of both files; the original has {records} and the masked file "
            f"{len(files.masked)}."
        )
    if size is not None and not least <= size <= records:
        raise ParameterError(
            f"size must be a whole number from {least} (least) to {records} (all records); got {size}.",
            parameter="size",
        )


def _random_rows(records: int, subsets: int, size: int | None, least: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield random subsets, each drawn from all records without replacement, as rows of both files."""
    rng = np.random.default_rng(seed)
    for _ in range(subsets):
        rows = np.sort(rng.choice(records, min(size or max(least, records // 10), records), replace=False))
        yield rows, rows


def _rows_by_category(files: Pair, name: str) -> Iterator[tuple[Rows, Rows]]:
    """Yield the records that have one category after the other, in the original and in the masked file."""
    codes = [file[:, 0] for file in files.only([name]).categories]
    orders = [np.argsort(file, kind="stable") for file in codes]
    categories = np.unique(np.concatenate(codes))
    ends = [
        np.searchsorted(file[order], [categories, categories + 1]).T for file, order in zip(codes, orders, strict=True)
    ]
    for category, *bounds in zip(categories, *ends, strict=True):
        if category >= 0:  # not a missing value
            before, after = (order[first:last] for order, (first, last) in zip(orders, bounds, strict=True))
            yield before, after


def _differences(original: Doubles, masked: Doubles, moments: int) -> tuple[float, ...] | None:
    """Return the mean difference of each moment in a subdomain; None if nothing varies or is observed."""
    varies = np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in original.T])
    both = on_original_scale(original[:, varies], masked[:, varies])
    first, second = (joint_moments(file) for file in both)
    one, two = second.counts.diagonal() > 0, np.triu((first.counts > 1) & (second.counts > 1))
    if not two.any():
        return None
    means = np.abs(second.means - first.means).diagonal()[one]
    before, after = (file.products * file.counts / np.maximum(file.counts - 1, 1) for file in (first, second))
    higher = [
        [abs(central_moment(both[1][:, j], power) - central_moment(both[0][:, j], power)) for j in np.flatnonzero(one)]
        for power in range(3, moments + 1)
    ]
    return float(means.mean()), float(np.abs(after - before)[two].mean()), *(float(np.mean(some)) for some in higher)
