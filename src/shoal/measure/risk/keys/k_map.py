"""How many of a population have the same values of the key variables as each record of a sample."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import common_numbers, joined_codes, numbered, values_of
from shoal.describe.wildcards import agreeing_sums
from shoal.errors import ColumnError, DataError
from shoal.measure.measure import About, MeasuredValue, partition_measure
from shoal.measure.risk.keys.key_values import MISSING, Missing, key_names
from shoal.parameters.limits import Whole, check_limits
from shoal.read import Table, as_table

__all__ = ["KMap", "k_map"]

Whole64 = NDArray[np.int64]


class KMap(MeasuredValue):
    """The k of a sample over a population file: a number, with `.by_record` and `violators`."""

    def violators(self, k: int) -> int:
        """Return how many records of the sample fewer than k of the population agree with."""
        check_limits({"k": Whole(1)}, {"k": k})
        return int(np.count_nonzero(self.by_record < k))


@partition_measure(
    About(
        name="k_map",
        title="Smallest number of the population alike",
        definition="The fewest records of a population file that agree with a record of the sample in all key "
        "variables.",
        reference="Sweeney (2002), k-anonymity: a model for protecting privacy, International Journal of "
        "Uncertainty, Fuzziness and Knowledge-Based Systems 10",
        range=(0, math.inf),
        better="higher",
        side="risk",
        unit="records",
        counts="neither",
        slow=False,
    )
)
def k_map(data: Any, population: Any, keys: Iterable[Any] | str, *, missing: Missing = "wildcard") -> KMap:
    """Return the fewest of a population that have the same values of the key variables as a record of the sample.

    `.by_record` has the number for every record of the sample, `.violators(k)` counts the records below k. 0 says that
    the population file has nobody with these values: it lacks that person, or codes values in another way.

    Parameters
    ----------
    data
        The sample: a pandas, polars or Arrow frame, a 2-D array, or the path of a file.
    population
        The file of the population, or of as much of it as an intruder may have, with the same key variables.
    keys
        The columns that an intruder may know. Values are compared, not codes of categories.
    missing
        Whether a missing value, in either file, agrees with every value ("wildcard") or with missing values only
        ("category"). A register has few missing values: as a category, a record with a missing key would mostly be
        nobody's there, which says nothing of its risk.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"sex": ["m", "f"], "age": [30, 31]})
    >>> register = pd.DataFrame({"age": [30, 30, 31, 31, 31], "sex": ["m", "m", "f", "f", "m"]})
    >>> found = k_map(sample, register, ["sex", "age"])
    >>> int(found), found.by_record.tolist(), found.violators(3)
    (2, [2, 2], 2)
    """
    check_limits({"missing": MISSING}, {"missing": missing})
    sample, whole = as_table(data), as_table(population)
    names = key_names(sample, keys)
    for name in names:
        if name not in whole:
            raise ColumnError(f'The population has no column "{name}". Name keys that are in both files.', column=name)
    both = [_common_codes(sample, whole, name) for name in names]
    of, among = ([codes[file] for codes in both] for file in (0, 1))
    if missing == "wildcard" and any((codes < 0).any() for codes in (*of, *among)):
        counts = agreeing_sums(among, np.ones((len(whole), 1)), of=of)[:, 0].astype(np.int64)
    else:
        together = joined_codes([np.concatenate(codes) for codes in both], len(sample) + len(whole))
        size = int(together.max()) + 1
        counts = np.bincount(together[len(sample) :], minlength=size)[together[: len(sample)]]
    return KMap(int(counts.min()), by_record=counts)  # type: ignore[return-value]


def _common_codes(sample: Table, whole: Table, name: str) -> tuple[Whole64, Whole64]:
    """Number the values of a column in both files, so that equal values have equal numbers; -1 for a missing value."""
    values = [values_of(table, name) for table in (sample, whole)]
    if values[0].dtype != values[1].dtype or values[0].dtype.kind == "O":
        _refuse_other_types([table.cells(name) for table in (sample, whole)], name)
        return common_numbers(sample, whole, name)  # of Python's values: 1 is 1.0, and no digit is lost
    codes = numbered(np.concatenate(values))
    return codes[: len(sample)], codes[len(sample) :]


def _refuse_other_types(values: list[NDArray[Any]], name: str) -> None:
    """Raise DataError where the values of one file are texts and those of the other numbers, so that none agree."""
    kinds = [{_kind(value) for value in set(map(type, own)) - {type(None)}} for own in values]
    if all(kinds) and not kinds[0] & kinds[1]:
        first, second = (" and ".join(sorted(own)) for own in kinds)
        raise DataError(
            f'Column "{name}" holds {first} in the sample and {second} in the population. Give both the same type.'
        )


def _kind(of: type) -> str:
    if issubclass(of, str):
        return "texts"
    return "numbers" if issubclass(of, Number | Decimal | np.bool_) else f"values of type {of.__name__}"
