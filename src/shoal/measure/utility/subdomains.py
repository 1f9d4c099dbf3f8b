"""How much masking changes means and covariances inside subdomains, the records of one category."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.roles import as_names
from shoal.errors import ColumnError, NotApplicableError, nearest_name_hint
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import joint_moments, on_original_scale
from shoal.parameters.limits import Whole

__all__ = ["subdomain_difference"]

Doubles = NDArray[np.float64]
Rows = NDArray[np.int64]


@file_measure(
    About(
        name="subdomain_difference",
        title="Difference in subdomains",
        definition="How far means and covariances differ inside subdomains, the records that have a category in the "
        "original and those that have it in the masked file: the differences of means and of covariances (variances "
        "among them) in units of the original's standard deviations there, averaged over variables and pairs, then "
        "over the subdomains of a categorical variable by their original records, then over these variables; the value "
        "is the average of the two. Subdomains of fewer than `least` records in either file are counted apart, and "
        "variables that are constant in a subdomain are left out there.",
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
    limits={"least": Whole(2)},
)
def subdomain_difference(files: Pair, *, by: str | Iterable[str] | None = None, least: int = 10) -> MeasuredValue:
    """Return the mean difference in subdomains, with that of means in `.means` and of covariances in `.covariances`.

    `.by_variable` has, for every categorical variable, both differences, how many `subdomains` were compared, and how
    many were too small (`small`) with how many original records (`small_records`). `.worst` is the subdomain that
    differs most.

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
    """
    names = _dividing_columns(files, by)
    files, taken = files.for_numeric_pairs()
    files.need_numeric(varying=False)
    compared = {name: list(_compared(files, name, least)) for name in names}
    by_variable = {name: _summed_up(some) for name, some in compared.items() if any(one.differences for one in some)}
    if not by_variable:
        raise NotApplicableError(
            f"This measure needs a subdomain of {least} records or more in both files, with a variable that varies."
        )
    total = {
        which: math.fsum(one[which] for one in by_variable.values()) / len(by_variable)
        for which in ("means", "covariances")
    }
    worst, name = max(
        ((one, name) for name, some in compared.items() for one in some), key=lambda both: both[0].difference
    )
    category = str(files.original.cells(name)[worst.rows[0]])
    return MeasuredValue(
        (total["means"] + total["covariances"]) / 2,
        **total,
        by_variable=by_variable,
        worst={"by": name, "category": category, "records": len(worst.rows), "difference": worst.difference},
        least=least,
        **taken,
    )


@dataclass(frozen=True)
class _Subdomain:
    """The original records of a category, and the mean differences of means and covariances; None if it is small."""

    rows: Rows
    differences: tuple[float, float] | None

    @property
    def difference(self) -> float:
        return -1.0 if self.differences is None else sum(self.differences) / 2


def _compared(files: Pair, name: str, least: int) -> Iterator[_Subdomain]:
    original, masked = files.numbers
    for before, after in _rows_by_category(files, name):
        is_small = min(len(before), len(after)) < least
        yield _Subdomain(before, None if is_small else _differences(original[before], masked[after]))


def _summed_up(subdomains: Sequence[_Subdomain]) -> dict[str, Any]:
    """Return the differences of one categorical variable, averaged over its subdomains, and how many are small."""
    small = [one for one in subdomains if one.differences is None]
    records = [len(one.rows) for one in subdomains if one.differences is not None]
    differences = np.array([one.differences for one in subdomains if one.differences is not None])
    means, covariances = np.average(differences, axis=0, weights=records)
    return {
        "means": float(means),
        "covariances": float(covariances),
        "subdomains": len(records),
        "small": len(small),
        "small_records": sum(len(one.rows) for one in small),
    }


@subdomain_difference.check_first
def _dividing_columns(files: Pair, by: Any) -> list[str]:
    """Return the categorical variables that divide the records; ColumnError for one that cannot."""
    if by is None:
        if not files.category_names:
            raise NotApplicableError(
                "This measure needs a categorical variable, and none is compared: name one in its option by, or give a "
                "column of codes the kind nominal."
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


def _differences(original: Doubles, masked: Doubles) -> tuple[float, float] | None:
    """Return the mean differences of means and of covariances in a subdomain; None if nothing varies or is observed."""
    varies = np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in original.T])
    first, second = (joint_moments(file) for file in on_original_scale(original[:, varies], masked[:, varies]))
    one, two = second.counts.diagonal() > 0, np.triu((first.counts > 1) & (second.counts > 1))
    if not two.any():
        return None
    means = np.abs(second.means - first.means).diagonal()[one]
    before, after = (file.products * file.counts / np.maximum(file.counts - 1, 1) for file in (first, second))
    return float(means.mean()), float(np.abs(after - before)[two].mean())
