"""Which columns are protected, which are used, which are dropped: the roles that were given, and nothing guessed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from shoal.describe.variables import KINDS, ROLES, Kind, Role, kind_of, looks_like_identifier, refuse_text_among_numbers
from shoal.errors import (
    ColumnError,
    DataError,
    DescriptionWarning,
    IdentifierWarning,
    ParameterError,
    nearest_name_hint,
)
from shoal.parameters.limits import OneOf, check_limits
from shoal.read import Table

__all__ = ["Selection", "cut_into_blocks", "cut_size", "names_given", "select"]

_Word = TypeVar("_Word", bound=str)
_NOT_PROTECTED: tuple[Role, ...] = ("identifier", "weight", "stratum")


@dataclass(frozen=True)
class Selection:
    """What `protect` does with each column."""

    blocks: tuple[tuple[str, ...], ...]
    kinds: Mapping[str, Kind]
    roles: Mapping[str, Role]

    @property
    def columns(self) -> tuple[str, ...]:
        """The protected columns, block after block."""
        return tuple(name for block in self.blocks for name in block)


def select(
    table: Table,
    *,
    columns: Iterable[Any] | None = None,
    blocks: int | Iterable[Iterable[Any]] | None = None,
    roles: Mapping[Any, str] | None = None,
    kinds: Mapping[Any, str] | None = None,
    strata: Any = None,
    weights: Any = None,
) -> Selection:
    """Settle every column's part from what the caller said, and warn of what looks wrong in it."""
    given = {_existing(table, name): _one_of("role", role, ROLES) for name, role in _pairs("roles", roles)}
    _set_roles(given, _names(table, "strata", strata), "stratum")
    _set_roles(given, _names(table, "weights", weights), "weight")
    weight_names = [name for name, role in given.items() if role == "weight"]
    if len(weight_names) > 1:
        raise ColumnError(f"Only one column can be the weight; got {_quoted(weight_names)}.")

    kinds_given = {_existing(table, name): _one_of("kind", kind, KINDS) for name, kind in _pairs("kinds", kinds)}
    size, block_lists = _read_blocks(blocks)
    if block_lists is not None:
        block_lists = [_names(table, "blocks", block) for block in block_lists]
    if columns is not None:
        chosen = _names(table, "columns", columns)
    elif block_lists is not None:
        chosen = [name for block in block_lists for name in block]
    else:
        chosen = [name for name in table.names if table.is_numeric(name) and given.get(name) not in _NOT_PROTECTED]
    _refuse_repeats(chosen, "columns")
    for name in table.names:
        if name not in given and name not in kinds_given:
            refuse_text_among_numbers(table, name)
    if not chosen:
        raise ColumnError(
            "There is no column to protect: none is numeric and free of another role. Name some in columns."
        )
    for name in chosen:
        if given.get(name) in _NOT_PROTECTED:
            raise ColumnError(f'Column "{name}" is to be protected and has the role {given[name]}: it cannot be both.')

    in_order = [name for name in table.names if name in set(chosen)]
    selection = Selection(
        blocks=cut_into_blocks(in_order, size if block_lists is None else block_lists),
        kinds={name: _settled_kind(table, name, kinds_given.get(name)) for name in in_order},
        roles={name: given[name] for name in table.names if name in given},
    )
    _warn(table, selection)
    return selection


def cut_into_blocks(
    in_order: Sequence[str], blocks: int | Iterable[Iterable[Any]] | None
) -> tuple[tuple[str, ...], ...]:
    """Cut columns, which stand in file order, into blocks: by a number of columns, by lists of names, or one block."""
    size, block_lists = _read_blocks(blocks)
    if block_lists is None:
        size = size or len(in_order)
        return tuple(tuple(in_order[start : start + size]) for start in range(0, len(in_order), size))
    block_lists = [[str(name) for name in names_given(block, "blocks")] for block in block_lists]
    if not block_lists:
        raise ParameterError("blocks names no block. Leave it out for one block of all columns.")
    named = [name for block in block_lists for name in block]
    _refuse_repeats(named, "blocks")
    if not all(block_lists):
        raise ParameterError("A block has no columns. Leave it out.")
    astray = sorted(set(named) ^ set(in_order))
    if astray:
        raise ColumnError(f"columns and blocks do not name the same columns: {_quoted(astray)} in only one of them.")
    return tuple(tuple(name for name in in_order if name in set(block)) for block in block_lists)


def cut_size(blocks: Any) -> int | None:
    """Return how many columns a block is to have, if that is what was said."""
    return _read_blocks(blocks)[0]


def _read_blocks(blocks: Any) -> tuple[int | None, list[Any] | None]:
    """Return the number of columns in a block, or the blocks' columns; ParameterError for anything else."""
    if blocks is None:
        return None, None
    if isinstance(blocks, Integral) and not isinstance(blocks, bool) and int(blocks) >= 1:
        return int(blocks), None
    if isinstance(blocks, Iterable) and not isinstance(blocks, str):
        return None, names_given(blocks, "blocks")
    raise ParameterError(
        f"blocks must be the number of columns in a block, 1 or more, or lists of columns; got {blocks!r}."
    )


def _settled_kind(table: Table, name: str, given: Kind | None) -> Kind:
    natural = kind_of(table, name)
    if natural is None:
        dtype = table.frame.schema[name]
        raise DataError(f'Column "{name}" is of type {dtype}, which cannot be protected. Turn it into numbers or text.')
    if given == "continuous" and natural != "continuous":
        table.numbers(name)  # says how many cells are not numbers
        raise DataError(f'Column "{name}" holds text, not numbers: it cannot be continuous.')
    if given == "ordinal" and natural == "nominal":
        raise DataError(
            f'Column "{name}" has no order: it cannot be ordinal. Make it an ordered categorical, or number its values.'
        )
    return given or natural


def _warn(table: Table, selection: Selection) -> None:
    protected = set(selection.columns)
    for name in table.names:
        role = selection.roles.get(name)
        reason = looks_like_identifier(table, name) if role is None else ""
        if reason:
            warnings.warn(
                f'Column "{name}" looks like an identifier ({reason}) and is '
                f"{'masked with the rest' if name in protected else 'released as it is'}. "
                'Give it the role "identifier" to drop it, or another role to keep it.',
                IdentifierWarning,
                stacklevel=5,
            )
        elif role in ("key", "confidential") and name not in protected:
            warnings.warn(
                f'Column "{name}" has the role {role} and is released as it is. Name it in columns to protect it.',
                DescriptionWarning,
                stacklevel=5,
            )


def _set_roles(given: dict[str, Role], names: Iterable[str], role: Role) -> None:
    for name in names:
        if given.setdefault(name, role) != role:
            raise ColumnError(f'Column "{name}" is asked to be {given[name]} and {role}: it can have one role.')


def _pairs(what: str, given: Any) -> Iterable[tuple[Any, Any]]:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise ParameterError(
            f'{what} must be a mapping from columns, such as {{"id": ...}}; got {type(given).__name__}.'
        )
    return given.items()


def _names(table: Table, what: str, given: Any) -> list[str]:
    """Return the names of columns that were given, one or several."""
    if given is None:
        return []
    if isinstance(given, str | int | tuple) and str(given) in table.names:
        return [str(given)]
    return [_existing(table, name) for name in names_given(given, what)]


def names_given(given: Any, what: str) -> list[Any]:
    """Return names of columns that were given, one or several; the values of a column never end up in a message."""
    if isinstance(given, str | int):
        return [given]
    is_column = hasattr(given, "to_frame") and not type(given).__name__.endswith("Index")
    if not isinstance(given, Iterable) or is_column or hasattr(given, "columns") or isinstance(given, np.ndarray):
        raise ParameterError(f"{what} must be the names of columns; got {type(given).__name__}.")
    return list(given)


def _existing(table: Table, name: Any) -> str:
    if str(name) in table.names:
        return str(name)
    if not isinstance(name, str | int):
        raise ParameterError(f"Columns go by their names; got {type(name).__name__}.")
    raise ColumnError(f'There is no column "{name}".{nearest_name_hint(str(name), table.names)}')


def _one_of(what: str, word: str, words: tuple[_Word, ...]) -> _Word:
    check_limits({what: OneOf(words)}, {what: word})
    return next(one for one in words if one == word)


def _refuse_repeats(names: Sequence[str], where: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ColumnError(f"{where} names {_quoted(repeated)} more than once.")


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
