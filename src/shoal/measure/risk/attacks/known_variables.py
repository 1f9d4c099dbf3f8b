"""Which variables an attack can use, and which of them an intruder knows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np

from shoal.errors import ColumnError, NotApplicableError, ParameterError, nearest_name_hint
from shoal.measure.pairs import Pair
from shoal.measure.risk.standardized_records import varying_columns
from shoal.parameters.limits import Whole, check_limits
from shoal.parameters.of_columns import as_names

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
        The columns of every block that vary, or of which some values are missing: first those of numbers, then those of
        categories.
    are_complete
        Whether no value of these is missing in either file.
    unchanged
        The columns outside of all blocks that were released as they are, and vary.
    """

    blocks: tuple[tuple[str, ...], ...]
    usable: list[tuple[str, ...]]
    are_complete: bool
    unchanged: tuple[str, ...] = ()


def usable_variables(files: Pair, blocks: Any, *, apart: Sequence[str] = (), one_column_each: bool) -> UsableVariables:
    """Return the variables that an attack can use; NotApplicableError if there are none.

    Parameters
    ----------
    files
        The two files.
    blocks
        The blocks of the masking, as `shoal.protect` takes them. Without, all numeric columns are one block.
    apart
        Columns that the intruder knows in another way.
    one_column_each
        Whether the method groups one column at a time, so that every block must have one.
    """
    cut = _blocks(files, blocks, one_column_each)
    vary = set(varying_columns(files, missing_counts=True))
    places = {name: place for place, name in enumerate([*files.numeric_names, *files.category_names])}  # numbers first
    usable = [tuple(sorted(vary.intersection(block), key=places.__getitem__)) for block in cut]
    if not any(usable):
        raise NotApplicableError("The attack needs a block with a variable that varies.")
    used = files.only([name for block in usable for name in block])
    return UsableVariables(cut, usable, bool(used.complete.all()), _unchanged(files, [*cut, apart]))


def _unchanged(files: Pair, blocks: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the columns outside of all blocks that vary and were released as they are.

    Categories of which cells were suppressed are among them: the intruder is taken to know which.
    """
    inside = {name for block in blocks for name in block}
    outside = files.only([name for name in files.columns if name not in inside])
    varying = set(varying_columns(outside, missing_counts=True))
    numbers = zip(outside.numeric_names, outside.numbers[0].T, outside.numbers[1].T, strict=True)
    codes = zip(outside.category_names, outside.categories[0].T, outside.categories[1].T, strict=True)
    same = [name for name, one, other in numbers if np.array_equal(one, other, equal_nan=True)]
    same += [name for name, one, other in codes if np.array_equal(one[other >= 0], other[other >= 0])]
    return tuple(name for name in same if name in varying)


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
        return [(*everything, *variables.unchanged)], 1
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
    inside = [name for block in variables.blocks for name in block]
    names = set(_flat_names(known, [*inside, *variables.unchanged]))
    if not names & set(everything):
        raise NotApplicableError("The attack needs a known variable of a block that varies.")
    return tuple(name for name in (*everything, *variables.unchanged) if name in names)


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
