"""How much masking changes tables of frequencies, and how many categories it changes."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import NotApplicableError
from shoal.measure.measure import About, MeasuredValue, file_measure
from shoal.measure.pairs import Pair
from shoal.measure.publication import Publication

__all__ = ["categories_changed", "frequency_difference"]

Codes = NDArray[np.int64]

_MOST_PAIRED = 100  # columns in tables of two


@file_measure(
    About(
        name="frequency_difference",
        title="Difference of frequencies",
        definition="Half the sum of |masked share - original share| over the cells of a table, in percent (the total "
        "variation distance), averaged over the tables of single categorical columns. A missing value counts as a "
        "category.",
        reference="Gomatam and Karr (2003), Distortion measures for categorical data swapping, NISS Technical Report "
        "131",
        range=(0.0, 100.0),
        better="lower",
        side="utility",
        unit="%",
        counts="records",
        slow=False,
        publication=Publication.AS_MEASURED,
    ),
    by_record=False,
)
def frequency_difference(files: Pair) -> MeasuredValue:
    """Return the mean difference of frequencies in percent, also as `.one_way`, with each column's in `.by_column`.

    `.two_way` is the same for the tables of two columns, averaged over all pairs, of more than a hundred columns over
    those of a hundred that are evenly spaced; None if there is only one column.
    """
    original, masked = both = [file + 1 for file in _categories(files)]  # 0 is a missing value
    levels = np.maximum(original.max(axis=0), masked.max(axis=0)) + 1
    by_column = {name: _distance(original[:, j], masked[:, j]) for j, name in enumerate(files.category_names)}
    places = range(len(levels))
    taken = places if len(places) <= _MOST_PAIRED else [j * len(places) // _MOST_PAIRED for j in range(_MOST_PAIRED)]
    two_way = [_distance(*(file[:, i] * levels[j] + file[:, j] for file in both)) for i, j in combinations(taken, 2)]
    one_way = math.fsum(by_column.values()) / len(by_column)
    return MeasuredValue(
        one_way,
        one_way=one_way,
        two_way=math.fsum(two_way) / len(two_way) if two_way else None,
        by_column=by_column,
    )


@file_measure(
    About(
        name="categories_changed",
        title="Categories changed",
        definition="Cells of categorical columns whose category is another one in the masked file, or suppressed, in "
        "percent of the cells that have a value in the original.",
        reference="Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata, "
        "Confidentiality, Disclosure and Data Access, Elsevier",
        range=(0.0, 100.0),
        better="lower",
        side="utility",
        unit="%",
        counts="cells",
        slow=False,
        publication=Publication.AS_MEASURED,
    )
)
def categories_changed(files: Pair) -> MeasuredValue:
    """Return the percentage of categorical cells that differ, with the percentage of each column in `.by_column`.

    `.suppressed` is the number of categories of the original that are missing in the masked file.
    """
    original, masked = _categories(files)
    known = original >= 0
    changed = known & (original != masked)
    if not known.any():
        raise NotApplicableError("This measure needs a categorical cell that has a value in the original.")
    return MeasuredValue(
        float(100 * changed.sum() / known.sum()),
        by_column={
            name: float(100 * changed[:, j].sum() / known[:, j].sum())
            for j, name in enumerate(files.category_names)
            if known[:, j].any()
        },
        suppressed=int((known & (masked < 0)).sum()),
    )


def _categories(files: Pair) -> tuple[Codes, Codes]:
    if not files.category_names:
        raise NotApplicableError("This measure needs a categorical column; these files have none in common.")
    return files.categories


def _distance(original: Codes, masked: Codes) -> float:
    """Return the total variation distance in percent."""
    categories, codes = np.unique(np.concatenate([original, masked]), return_inverse=True)
    # Whole numbers, so that the order of the categories cannot change the sum.
    before, after = (
        np.bincount(part, minlength=len(categories)) for part in (codes[: len(original)], codes[len(original) :])
    )
    apart = int(np.abs(before * len(masked) - after * len(original)).sum())
    return 100 * apart / (2 * len(original) * len(masked))
