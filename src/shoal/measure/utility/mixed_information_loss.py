"""What all columns of a release lose together: numbers, categories, and what a recode took from either before."""

from __future__ import annotations

import math
from collections.abc import Mapping

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.frequencies import categories_changed
from shoal.measure.utility.information_loss import information_loss
from shoal.recode.effect import joined_loss

__all__ = ["mixed_information_loss"]


@file_measure(
    About(
        name="mixed_information_loss",
        title="Information loss over all columns",
        definition="The mean over all columns of what each loses: a number 100 SSE / SST, at most 100, a category the "
        "share of its cells that got another value or none. A column that was recoded lost 100 H(before | after) / "
        "H(before) of its entropy H by that; the two losses a and b together are 1 - (1 - a)(1 - b). Constant numbers "
        "and columns without a value are left out.",
        reference="Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation, IEEE TKDE 14(1), "
        "and Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata; their "
        "mean, and entropy for recodes, are shoal's",
        range=(0.0, 100.0),
        better="lower",
        side="utility",
        unit="%",
        counts="neither",
        slow=False,
        publication=Publication.NEVER,
    ),
    takes=("lost_by_recoding",),
)
def mixed_information_loss(files: Pair, *, lost_by_recoding: Mapping[str, float] | None = None) -> MeasuredValue:
    """Return the loss in percent, with that of each column in `.by_column`, and of recoding alone in `.by_recoding`.

    Parameters
    ----------
    files
        The two files, the original recoded as the masked one is.
    lost_by_recoding
        What recodes took from columns of the original before, in percent, as `plan.outcome.lost_by_recoding` has it.
        These columns count, whether they are compared or not.
    """
    lost = {
        name: loss for name, loss in (lost_by_recoding or {}).items() if name in files.original and name in files.masked
    }
    compared = _by_column(files)
    names = [name for name in dict.fromkeys((*files.columns, *lost)) if name in compared or name in lost]
    if not names:
        raise NotApplicableError("This measure needs a number that varies, or a category that has a value.")
    by_column = {name: joined_loss(compared.get(name, 0.0), lost.get(name, 0.0)) for name in names}
    return MeasuredValue(math.fsum(by_column.values()) / len(names), by_column=by_column, by_recoding=lost)


def _by_column(files: Pair) -> dict[str, float]:
    """Return what masking took from each column that has something to lose."""
    losses: dict[str, float] = {}
    for measure in (information_loss, categories_changed):
        try:
            losses |= measure.of(files).parts["by_column"]
        except NotApplicableError:
            continue  # no numbers, or no categories
    return losses
