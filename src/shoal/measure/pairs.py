"""An original and a masked file, brought together column by column.

Missing values follow one rule: a statistic of a file is computed over its observed values, and cells are compared where
both files have a value. A measure of risk looks at all records; another measure of whole records uses those without a
missing value in either file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.combinations import common_numbers
from shoal.describe.roles import cut_into_blocks
from shoal.describe.variables import KINDS, Kind, codes, kind_of
from shoal.errors import ColumnError, DataError, NotApplicableError, ParameterError, nearest_name_hint
from shoal.parameters.limits import OneOf, check_limits
from shoal.parameters.of_columns import as_names
from shoal.read import Table, as_table

__all__ = ["Pair", "pair", "pair_of_everything"]

Doubles = NDArray[np.float64]
Codes = NDArray[np.int64]

_MOST_PAIRED = 500  # columns: 500 have 124,750 pairs
_LARGEST_EXPONENT = 200  # fourth powers of 2 ** 200 do not overflow
_FAR = 1e150  # instead of a masked value that is too large for floating point after the multiplication


@dataclass(frozen=True)
class Pair:
    """Two tables and the columns they are compared on.

    Numbers are compared as numbers, everything else by equality.
    """

    original: Table
    masked: Table
    columns: tuple[str, ...]
    kinds: Mapping[str, Kind] = field(default_factory=dict)

    @cached_property
    def numeric_names(self) -> tuple[str, ...]:
        """The columns that hold numbers in both files, unless their kind says that these are codes of categories."""
        return tuple(
            name
            for name in self.columns
            if (self.original.is_numeric(name) or self.masked.is_numeric(name))
            and self.kinds.get(name, "continuous") == "continuous"
        )

    @cached_property
    def category_names(self) -> tuple[str, ...]:
        """The columns that are not numeric."""
        numeric = set(self.numeric_names)
        return tuple(name for name in self.columns if name not in numeric)

    @cached_property
    def ordered_names(self) -> tuple[str, ...]:
        """The columns that are not numeric and whose categories have an order."""
        return tuple(name for name in self.category_names if self._is_ordered(name))

    @cached_property
    def numbers(self) -> tuple[Doubles, Doubles]:
        """The numeric columns of the original and of the masked file, n by p each, NaN for a missing value.

        No measure depends on units: where squares of very large or small numbers would overflow or underflow, both
        columns are multiplied by a power of two, which changes no digit.
        """
        both = (
            _matrix(self.original, self.numeric_names, "original"),
            _matrix(self.masked, self.numeric_names, "masked"),
        )
        for one, other in zip(both[0].T, both[1].T, strict=True):
            exponent = int(np.frexp(np.nanmax(np.abs(one), initial=0.0))[1])
            if abs(exponent) > _LARGEST_EXPONENT:
                with np.errstate(over="ignore"):
                    one[:], other[:] = np.ldexp(one, -exponent), np.clip(np.ldexp(other, -exponent), -_FAR, _FAR)
        return both

    @cached_property
    def varying(self) -> NDArray[np.bool_]:
        """Which numeric columns have more than one value in the original."""
        return np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in self.numbers[0].T], dtype=bool)

    @cached_property
    def varying_names(self) -> tuple[str, ...]:
        """The names of the numeric columns that have more than one value in the original."""
        return tuple(name for name, varies in zip(self.numeric_names, self.varying, strict=True) if varies)

    @cached_property
    def categories(self) -> tuple[Codes, Codes]:
        """The columns that are not numeric as codes, -1 for a missing value.

        A code means the same in both files. Codes follow the order of the categories where these have one.
        """
        both = [_common_codes(self.original, self.masked, name) for name in self.category_names]
        sizes = len(self.original), len(self.masked)
        return tuple(  # type: ignore[return-value]  # two of them
            np.column_stack([codes_of_both[file] for codes_of_both in both])
            if both
            else np.zeros((sizes[file], 0), dtype=np.int64)
            for file in (0, 1)
        )

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Which records have no missing value in either file."""
        kept = np.ones(len(self.original), dtype=bool)
        for numbers in self.numbers:
            kept &= ~np.isnan(numbers).any(axis=1)
        for category_codes in self.categories:
            kept &= (category_codes >= 0).all(axis=1)
        return kept

    def need_numeric(self, *, varying: bool = True) -> tuple[Doubles, Doubles]:
        """Return the numeric columns that vary (or all of them); NotApplicableError if there are none."""
        original, masked = self.numbers
        if not self.numeric_names:
            raise NotApplicableError("This measure needs a numeric variable; these files have none in common.")
        if not varying:
            return original, masked
        if not self.varying.any():
            raise NotApplicableError("This measure needs a numeric variable that varies; these are all constant.")
        return original[:, self.varying], masked[:, self.varying]

    def in_blocks(self, blocks: int | Iterable[Any] | None) -> tuple[tuple[str, ...], ...]:
        """Cut the columns into blocks as `shoal.protect` does.

        Parameters
        ----------
        blocks
            None for one block, a number of numeric columns in each block, or lists of names.
        """
        if blocks is None:
            return (self.columns,)
        if isinstance(blocks, str) or not isinstance(blocks, Iterable):
            return cut_into_blocks(self.numeric_names, blocks)
        lists = [as_names(block, "blocks") for block in as_names(blocks, "blocks")]
        named = {str(name) for block in lists for name in block}
        for name in sorted(named.difference(self.columns)):
            hint = nearest_name_hint(name, self.columns)
            raise ColumnError(f'blocks names "{name}", which is not among the columns compared.{hint}')
        return cut_into_blocks([name for name in self.columns if name in named], lists)

    def for_numeric_pairs(self) -> tuple[Pair, dict[str, int]]:
        """Return the files with few enough numeric columns for statistics of pairs, and how many, if not all.

        The work on pairs grows with the square of the number of columns, so that of more than 500 as many are taken,
        evenly spaced.
        """
        names, count = self.numeric_names, len(self.numeric_names)
        if count <= _MOST_PAIRED:
            return self, {}
        return self.only(names[j * count // _MOST_PAIRED] for j in range(_MOST_PAIRED)), {"of_variables": _MOST_PAIRED}

    def _is_ordered(self, name: str) -> bool:
        if name in self.kinds:
            return self.kinds[name] == "ordinal"
        return kind_of(self.original, name) == "ordinal" and _same_type(self.original, self.masked, name)

    def only(self, columns: Iterable[str]) -> Pair:
        """Return the same files with fewer columns to compare."""
        return Pair(self.original, self.masked, tuple(columns), self.kinds)


def pair(
    original: Any,
    masked: Any,
    columns: Iterable[Any] | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    same_records: bool = True,
) -> Pair:
    """Bring two files together and check that they can be compared.

    Parameters
    ----------
    original, masked
        Frames, arrays or paths.
    columns
        The columns to compare; by default all of the masked file that the original has.
    kinds
        "nominal" and "ordinal" for columns of numbers that are codes of categories.
    same_records
        Whether both must have the same number of records, because these are compared one by one.
    """
    first, second = as_table(original), as_table(masked)
    if same_records and len(first) != len(second):
        raise DataError(
            f"The files must have the same records in the same order; the original has {len(first)} and the masked "
            f"file {len(second)}."
        )
    names = [name for name in first.names if name in second] if columns is None else _column_names(columns)
    for name in names:
        _check_column(first, second, name)
    if not names:
        raise ColumnError("The two files have no column in common.")
    kinds = {} if kinds is None else kinds
    _check_kinds(kinds, first)
    return Pair(first, second, tuple(names), dict(kinds))


def pair_of_everything(
    original: Table, masked: Table, columns: Iterable[str], kinds: Mapping[str, Kind] | None = None
) -> Pair:
    """Bring two files together on columns of any type: what cannot be compared as numbers counts as a category.

    Nothing is refused, because an intruder can use every column.
    """
    names = tuple(columns)
    given = {name: kind for name, kind in (kinds or {}).items() if name in original}
    as_categories: dict[str, Kind] = {
        name: "nominal" for name in names if not _are_comparable_numbers(original, masked, name)
    }
    return Pair(original, masked, names, given | as_categories)


def _are_comparable_numbers(original: Table, masked: Table, name: str) -> bool:
    """Whether a column holds finite numbers that floats tell apart in both files, or no value at all in one of them."""
    numeric = [table for table in (original, masked) if table.is_numeric(name)]
    if not numeric or (len(numeric) == 1 and not _is_empty(original, masked, name)):
        return False
    return not any(np.isinf(table.numbers(name)).any() or not table.has_exact_numbers(name) for table in numeric)


def _check_column(original: Table, masked: Table, name: str) -> None:
    """Raise ColumnError unless both files have the column, with numbers in both or in neither."""
    for table, which in ((original, "original"), (masked, "masked")):
        if name not in table:
            raise ColumnError(f'The {which} file has no column "{name}".{nearest_name_hint(name, table.names)}')
    if original.is_numeric(name) != masked.is_numeric(name) and not _is_empty(original, masked, name):
        with_numbers, without = ("original", "masked") if original.is_numeric(name) else ("masked", "original")
        raise ColumnError(
            f'Column "{name}" holds numbers in the {with_numbers} file and something else in the {without} one. '
            "Make them alike, or compare the other columns alone."
        )


def _check_kinds(kinds: Any, table: Table) -> None:
    if not isinstance(kinds, Mapping):
        raise ParameterError(f'kinds must give columns a kind, {{"name": "nominal"}}; got {type(kinds).__name__}.')
    for name, kind in kinds.items():
        if name not in table:
            raise ColumnError(f'kinds: There is no column "{name}".{nearest_name_hint(str(name), table.names)}')
        check_limits({"kinds": OneOf(KINDS)}, {"kinds": kind})


def _is_empty(first: Table, second: Table, name: str) -> bool:
    """Whether a column that is of numbers in one file has no value at all in the other."""
    other = second if first.is_numeric(name) else first
    return bool(other.missing(name).all())


def _column_names(columns: Any) -> list[str]:
    names = [str(name) for name in as_names(columns, "columns")]
    if not names:
        raise ColumnError("columns names no column to compare. Name one, or leave it out to compare all.")
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise ColumnError(f'columns names "{twice}" twice. Name it once.')
    return names


def _matrix(table: Table, names: tuple[str, ...], which: str) -> Doubles:
    matrix = np.empty((len(table), len(names)))
    for place, name in enumerate(names):
        matrix[:, place] = table.numbers(name) if table.is_numeric(name) else np.nan  # a column without any value
        if np.isinf(matrix[:, place]).any():
            raise DataError(f'Column "{name}" of the {which} file has infinite values. Make them missing values first.')
    return matrix


def _common_codes(original: Table, masked: Table, name: str) -> tuple[Codes, Codes]:
    kind = kind_of(original, name)
    if kind == "ordinal" and _same_type(original, masked, name):
        return codes(original, name), codes(masked, name)
    if kind == "continuous" and masked.is_numeric(name):
        values = np.concatenate([table.numbers(name) for table in (original, masked)])
        both = np.unique(values, return_inverse=True)[1]
        both[np.isnan(values)] = -1
        return np.asarray(both[: len(original)], dtype=np.int64), np.asarray(both[len(original) :], dtype=np.int64)
    return common_numbers(original, masked, name)


def _same_type(original: Table, masked: Table, name: str) -> bool:
    return bool(original.type_of(name) == masked.type_of(name))
