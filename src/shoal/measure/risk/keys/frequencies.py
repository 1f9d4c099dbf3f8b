"""How many records of the sample, and of the population, have the same values of the key variables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.wildcards import agreeing_sums_within
from shoal.measure.measure import About, partition_measure
from shoal.measure.risk.keys.key_values import MISSING, KeyValues, Missing, key_values, sampling_weights
from shoal.parameters.limits import Whole, check_limits

__all__ = ["KeyFrequencies", "frequencies_within", "key_frequencies"]


@dataclass(frozen=True, eq=False)
class KeyFrequencies:
    """How many records have the same values of the key variables as each.

    Attributes
    ----------
    keys
        The names of the key variables.
    missing
        Whether a missing value agreed with missing ones only ("category") or with every value ("wildcard").
    sample
        For every record, how many of the file agree with it, itself among them: f.
    population
        For every record, the sum of their sampling weights: F, an estimate of how many of the population agree with it.
        Without weights the same as `sample`.
    combinations
        How many different combinations of values there are; a missing value counts as a value here.
    weighted
        Whether there are sampling weights.
    """

    keys: tuple[str, ...]
    missing: Missing
    sample: NDArray[np.int64]
    population: NDArray[np.float64]
    combinations: int
    weighted: bool

    @property
    def k(self) -> int:
        """The fewest records that agree: the file is k-anonymous over its keys."""
        return int(self.sample.min())

    @property
    def uniques(self) -> int:
        """How many records no other agrees with."""
        return int(np.count_nonzero(self.sample == 1))

    def violators(self, k: int) -> int:
        """Return how many records agree with fewer than k, themselves among them."""
        check_limits({"k": Whole(1)}, {"k": k})
        return int(np.count_nonzero(self.sample < k))


@partition_measure(
    About(
        name="key_frequencies",
        title="Records with the same key variables",
        definition="For every record, how many of the sample agree with it in all key variables (f), and the sum of "
        "their sampling weights (F). The fewest are k; records with f below k violate k-anonymity.",
        reference="Samarati and Sweeney (1998), Protecting privacy when disclosing information",
        range=(1, math.inf),
        better="higher",
        side="risk",
        unit="records",
        counts="neither",
        slow=False,
    )
)
def key_frequencies(
    data: Any, keys: Iterable[Any] | str, *, weights: str | None = None, missing: Missing = "category"
) -> KeyFrequencies:
    """Count for every record how many have the same values of the key variables.

    Parameters
    ----------
    data
        A pandas, polars or Arrow frame, a 2-D array, or the path of a file.
    keys
        The columns that an intruder may know. Values are compared as they are: band or round numbers first.
    weights
        The column of sampling weights: how many of the population each record stands for.
    missing
        Whether a missing value agrees with missing values only ("category"), or with every value ("wildcard", as in
        sdcMicro). As wildcards, values that are missing make the records that have them look common.

    Returns
    -------
    KeyFrequencies
        The counts of every record, with k, uniques and violators.

    Examples
    --------
    >>> import pandas as pd
    >>> persons = pd.DataFrame({"sex": [1, 1, 2, 2], "town": ["A", "A", "A", None], "w": [10.0, 30.0, 20.0, 20.0]})
    >>> found = key_frequencies(persons, ["sex", "town"], weights="w")
    >>> found.sample.tolist(), found.population.tolist(), found.uniques
    ([2, 2, 1, 1], [40.0, 40.0, 20.0, 20.0], 2)
    >>> key_frequencies(persons, ["sex", "town"], missing="wildcard").sample.tolist()
    [2, 2, 2, 2]
    """
    check_limits({"missing": MISSING}, {"missing": missing})
    frequencies = frequencies_within(key_values(data, keys), weights, missing, math.inf)
    assert frequencies is not None  # there is no limit
    return frequencies


def frequencies_within(values: KeyValues, weights: str | None, missing: Missing, most: float) -> KeyFrequencies | None:
    """Return the same; None where missing values as wildcards take more than `most` work.

    That is the number of rows and pairs of rows that are looked at: 10 ** 8 take some four seconds.
    """
    amounts = [np.ones(len(values.table))]
    own = sampling_weights(values.table, weights, values.names)
    if own is not None:
        amounts.append(own)
    sums = _sums(values, amounts, missing, most)
    if sums is None:
        return None
    return KeyFrequencies(
        keys=values.names,
        missing=missing,
        sample=sums[0].astype(np.int64),
        population=sums[-1],
        combinations=int(values.combinations.max()) + 1,
        weighted=own is not None,
    )


def _sums(
    values: KeyValues, amounts: list[NDArray[np.float64]], missing: Missing, most: float
) -> list[NDArray[np.float64]] | None:
    """Return for every record the sum of each amount over the records that agree with it."""
    if missing == "wildcard" and not values.are_complete:
        sums = agreeing_sums_within(values.columns, np.column_stack(amounts), most)
        return None if sums is None else list(sums.T)
    return [np.asarray(np.bincount(values.combinations, one), np.float64)[values.combinations] for one in amounts]
