"""How often the original value lies in a narrow interval around the masked one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.describe.standardize import is_constant, standard_scale
from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.parameters.limits import Above, OneOf, OrNone

__all__ = ["interval_disclosure"]

Doubles = NDArray[np.float64]

_WIDTHS = range(1, 11)  # per cent
# Values that differ by less than this part of the variable's range are equal but for rounding.
_ROUNDING = 1e-9


@file_measure(
    About(
        name="interval_disclosure",
        title="Interval disclosure",
        definition="The percentage of cells whose original value lies in an interval around the masked one, averaged "
        "over widths of 1 to 10 per cent and over the variables. Rank: by ranks among the original values, p per cent "
        "of the records wide; sd: p per cent of the masked variable's standard deviation to either side; relative: no "
        "more than p per cent of the original value apart. Constant variables and cells with a missing value are left "
        "out.",
        reference="Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for "
        "microdata, in Confidentiality, Disclosure and Data Access; for the sd: Mateo-Sanz, Sebé and Domingo-Ferrer "
        "(2004), Outlier protection in continuous microdata masking, PSD 2004, LNCS 3050",
        range=(0.0, 100.0),
        better="lower",
        side="risk",
        unit="%",
        counts="cells",
        slow=False,
        publication=Publication.AS_MEASURED,
    ),
    limits={"kind": OneOf(("rank", "sd", "relative")), "width": OrNone(Above(0))},
)
def interval_disclosure(
    files: Pair, *, kind: Literal["rank", "sd", "relative"] = "rank", width: float | None = None
) -> MeasuredValue:
    """Return the percentage of cells disclosed, with the percentage of each variable in `.by_column`.

    Parameters
    ----------
    files
        The two files.
    kind
        What an interval of p per cent is. "rank": the masked value gets its rank among the original ones (in the
        middle of those equal to it), and the original value's rank may differ by p n / 200, so that p per cent of the
        records are inside; categories with an order take part. "sd": the two values differ by at most p per cent of
        the masked variable's standard deviation (n - 1). "relative": they differ by at most p per cent of the
        original value.
    width
        The p of a single interval, in per cent; by default the average over p = 1, 2, ..., 10.
    """
    widths = _WIDTHS if width is None else [width]
    disclosed = {"rank": _by_rank, "sd": _by_sd, "relative": _by_share}[kind]
    by_column = {}
    for name, original, masked in _variables(files, ordered=kind == "rank"):
        both = ~np.isnan(original) & ~np.isnan(masked)
        if both.any() and not is_constant(original):
            by_column[name] = disclosed(original, masked, both, widths)
    if not by_column:
        among = "numeric variable or one with ordered categories" if kind == "rank" else "numeric variable"
        raise NotApplicableError(f"Interval disclosure needs a {among} that varies and has values in both files.")
    return MeasuredValue(math.fsum(by_column.values()) / len(by_column), by_column=by_column, kind=kind, width=width)


def _variables(files: Pair, *, ordered: bool) -> Iterator[tuple[str, Doubles, Doubles]]:
    yield from zip(files.numeric_names, *(numbers.T for numbers in files.numbers), strict=True)
    for name in files.ordered_names if ordered else ():
        place = files.category_names.index(name)
        original, masked = (np.where(codes[:, place] < 0, np.nan, codes[:, place]) for codes in files.categories)
        yield name, original, masked


def _by_rank(original: Doubles, masked: Doubles, both: NDArray[np.bool_], widths: Sequence[float]) -> float:
    observed = np.sort(original[~np.isnan(original)])
    tied = _ROUNDING * (observed[-1] - observed[0])
    apart = np.abs(_ranks(original[both], observed, tied) - _ranks(masked[both], observed, tied))
    return _share_within(apart, np.full(len(apart), len(observed) / 200), _ROUNDING, widths)


def _ranks(values: Doubles, observed: Doubles, tied: float) -> Doubles:
    """Return the rank of each value among those observed, in the middle of those it is tied with."""
    distinct, place = np.unique(values, return_inverse=True)
    before = np.searchsorted(observed, distinct - tied, side="left")
    up_to = np.searchsorted(observed, distinct + tied, side="right")
    return np.asarray(((before + up_to) / 2)[place])


def _by_sd(original: Doubles, masked: Doubles, both: NDArray[np.bool_], widths: Sequence[float]) -> float:
    scale = standard_scale(original)
    first, second = scale.apply(original), scale.apply(masked)
    spread = 0.0
    if not is_constant(masked):
        own = standard_scale(masked)
        spread = float(np.ldexp(own.unit, own.exponent - scale.exponent)) / scale.unit
    apart = np.abs(first - second)[both]
    return _share_within(
        apart, np.full(len(apart), spread / 100), _ROUNDING * float(np.nanmax(first) - np.nanmin(first)), widths
    )


def _by_share(original: Doubles, masked: Doubles, both: NDArray[np.bool_], widths: Sequence[float]) -> float:
    exponent = standard_scale(original).exponent
    first, second = np.ldexp(original, -exponent), np.ldexp(masked, -exponent)
    apart, size = np.abs(first - second)[both], np.abs(first[both])
    return _share_within(apart, size / 100, _ROUNDING * float(np.nanmax(first) - np.nanmin(first)), widths)


def _share_within(apart: Doubles, per_cent: Doubles, rounding: float, widths: Sequence[float]) -> float:
    """Return the percentage of cells no farther apart than so many of their `per_cent`, averaged over the widths."""
    inside = sum(int(np.count_nonzero(apart <= width * per_cent + rounding)) for width in widths)
    return 100 * inside / (len(widths) * len(apart))
