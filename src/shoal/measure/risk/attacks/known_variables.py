"""Which variables an attack can use, and which of them an intruder knows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.describe.roles import as_names
from shoal.describe.standardize import is_constant
from shoal.errors import ColumnError, NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.pairs import Pair
from shoal.parameters.limits import Whole, check_limits

__all__ = ["UsableVariables", "known_choices", "usable_variables"]

_MOST_CHOICES = 200


@dataclass(frozen=True)
class UsableVariables:
    """The variables that an attack can use, block by block.

    Attributes
    ----------
    blocks
        The columns of every block.
    usable
        The columns of every block that are numeric and vary.
    complete
        Which records have no missing value in the usable columns.
    """

    blocks: tuple[tuple[str, ...], ...]
    usable: list[tuple[str, ...]]
    complete: NDArray[np.bool_]


def usable_variables(files: Pair, blocks: Any, *, one_column_each: bool) -> UsableVariables:
    """Return the variables that an attack can use; NotApplicableError if there are none.

    Parameters
    ----------
    files
        The two files.
    blocks
        The blocks of the masking, as `shoal.protect` takes them. Without, all numeric columns are one block.
    one_column_each
        Whether the method groups one column at a time, so that every block must have one.
    """
    cut = _blocks(files, blocks, one_column_each)
    files.need_numeric()
    numeric = [tuple(name for name in block if name in files.varying_names) for block in cut]
    used = files.only([name for block in numeric for name in block])
    if not used.complete.any():
        raise NotApplicableError("The attack needs a record without a missing value.")
    values = dict(zip(used.numeric_names, used.numbers[0][used.complete].T, strict=True))
    usable = [tuple(name for name in block if not is_constant(values[name])) for block in numeric]
    if not any(usable):
        raise NotApplicableError("The attack needs a block with a numeric variable that varies.")
    return UsableVariables(cut, usable, used.complete)


def _blocks(files: Pair, blocks: Any, one_column_each: bool) -> tuple[tuple[str, ...], ...]:
    if blocks is None:
        files = files.only(files.numeric_names)
    cut = files.in_blocks(1 if one_column_each and blocks is None else blocks)
    if one_column_each and any(len(block) > 1 for block in cut):
        raise ParameterError("blocks: this method groups one column at a time, so every block must have one.")
    return cut


def known_choices(
    variables: UsableVariables, known: Any, rng: np.random.Generator
) -> tuple[list[tuple[str, ...]], int]:
    """Return the choices of columns that the intruder may know, and how many choices are possible.

    Parameters
    ----------
    variables
        The variables that the attack can use.
    known
        Names of columns, or a number of blocks (of variables, if there is one block), as in `transparency_attack`.
    rng
        Draws 200 of the possible choices if there are more.
    """
    blocks = [block for block in variables.usable if block]
    everything = [name for block in blocks for name in block]
    if known is None:
        return [tuple(everything)], 1
    if not isinstance(known, Integral) or isinstance(known, bool):
        return [_named(variables, known, everything)], 1
    items = blocks if len(blocks) > 1 else [(name,) for name in everything]
    check_limits({"known": Whole(1, len(items))}, {"known": known})
    possible = math.comb(len(items), int(known))
    if possible <= _MOST_CHOICES:
        drawn: Iterable[tuple[int, ...]] = combinations(range(len(items)), int(known))
    else:
        distinct: set[tuple[int, ...]] = set()
        while len(distinct) < _MOST_CHOICES:
            distinct.add(tuple(sorted(rng.choice(len(items), int(known), replace=False).tolist())))
        drawn = sorted(distinct)
    return [tuple(name for place in places for name in items[place]) for places in drawn], possible


def _named(variables: UsableVariables, known: Any, everything: Sequence[str]) -> tuple[str, ...]:
    """Return the usable ones of the columns that are named."""
    if isinstance(known, bool) or not isinstance(known, Iterable):
        raise ParameterError(f"known must be names of columns or a number of blocks; got {type(known).__name__}.")
    names = set(_flat_names(known, [name for block in variables.blocks for name in block]))
    if not names & set(everything):
        raise NotApplicableError("The attack needs a known variable that is numeric and varies.")
    return tuple(name for name in everything if name in names)


def _flat_names(names: Any, among: Sequence[str]) -> Iterator[str]:
    """Yield the names of columns in a list, or in a list of lists."""
    if not isinstance(names, str | int):
        for one in as_names(names, "known"):
            yield from _flat_names(one, among)
    elif str(names) not in among:
        hint = nearest_name_hint(str(names), among)
        raise ColumnError(f'known names "{names}", which is not among the columns compared.{hint}')
    else:
        yield str(names)
