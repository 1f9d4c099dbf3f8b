"""How much masking changes the third and fourth central moments of each variable."""

from __future__ import annotations

import math

import numpy as np

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication
from shoal.measure.utility.joint_moments import central_moment, on_original_scale

__all__ = ["fourth_moments", "third_moments"]


def _about(name: str, which: str, power: int) -> About:
    return About(
        name=name,
        title=f"Difference of {which} moments",
        definition=f"Mean over the numeric variables of the difference of the {which} central moments (divided by n, "
        f"about the mean of each file), in units of the original's standard deviation (n - 1) to the power of {power}. "
        "Constant variables are left out.",
        reference="Domingo-Ferrer and González-Nicolás (2010), Hybrid microdata using microaggregation, Information "
        "Sciences 180(15)",
        range=(0.0, math.inf),
        better="lower",
        side="utility",
        unit="",
        counts="neither",
        slow=False,
        publication=Publication.NEVER,  # of few values that vary, moments beside the loss would reveal every one
    )


@file_measure(_about("third_moments", "third", 3), by_record=False)
def third_moments(files: Pair) -> MeasuredValue:
    """Return the mean difference of third moments, with both moments of each variable in `.by_column`."""
    return _difference(files, 3)


@file_measure(_about("fourth_moments", "fourth", 4), by_record=False)
def fourth_moments(files: Pair) -> MeasuredValue:
    """Return the mean difference of fourth moments, with both moments of each variable in `.by_column`."""
    return _difference(files, 4)


def _difference(files: Pair, power: int) -> MeasuredValue:
    by_column = {}
    names = files.varying_names
    for name, *columns in zip(names, *(file.T for file in on_original_scale(*files.need_numeric())), strict=True):
        if not np.isnan(columns[1]).all():
            before, after = (central_moment(column, power) for column in columns)
            by_column[name] = {"original": before, "masked": after}
    if not by_column:
        raise NotApplicableError("This measure needs a numeric variable that has a value in the masked file.")
    differences = [abs(both["masked"] - both["original"]) for both in by_column.values()]
    return MeasuredValue(math.fsum(differences) / len(differences), by_column=by_column)
