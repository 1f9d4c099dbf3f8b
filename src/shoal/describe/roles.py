"""Which columns are protected, used or dropped, by the roles that the caller gave and nothing guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from shoal.describe.kinds.default_kinds import default_kind
from shoal.describe.kinds.identifiers import identifier_reason
from shoal.describe.kinds.text_numbers import amounts_in_categories
from shoal.describe.kinds.undecided import refuse_undecided
from shoal.describe.kinds.unsupported import holds_times
from shoal.describe.variables import KINDS, ROLES, Kind, Role, codes, kind_of
from shoal.errors import (
    ColumnError,
    DataError,
    DescriptionWarning,
    IdentifierWarning,
    ParameterError,
    nearest_name_hint,
    warn,
)
from shoal.parameters.limits import OneOf, check_limits
from shoal.parameters.of_columns import Blocks, as_names
from shoal.parameters.typed import listed, typed
from shoal.read import Table

__all__ = ["Selection", "block_size", "cut_into_blocks", "select"]

_Word = TypeVar("_Word", bound=str)
_NOT_PROTECTED: tuple[Role, ...] = ("identifier", "weight", "stratum", "unit")


@dataclass(frozen=True)
class Selection:
    """What `protect` does with each column.

    Attributes
    ----------
    blocks
        The columns to protect; those of one block are grouped together.
    kinds
        The kind of each of them.
    roles
        The role of every column that was given one.
    """

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
    unit: Any = None,
    as_is: Any = None,
    rewritten: Iterable[str] | None = None,
) -> Selection:
    """Decide what each column is used for from what the caller said, and warn of what looks wrong.

    Where no columns are named, all are protected that have no role saying otherwise and are not to be released
    `as_is`. Where some are to be `rewritten` and the others stay, those are taken with all that hold numbers. DataError
    names all columns that are to get new values of which nobody can say what they are.

    Parameters
    ----------
    table
        The table, as `shoal.read.as_table` returns it.
    columns, blocks, roles, kinds, strata, weights, unit, as_is
        As in `shoal.protect`.
    rewritten
        The columns that get synthetic values; None where every protected column gets new ones.
    """
    role_of = {_existing(table, name): _one_of("role", role, ROLES) for name, role in _pairs("roles", roles)}
    _set_roles(role_of, _names(table, "strata", strata), "stratum")
    _set_roles(role_of, _names(table, "weights", weights), "weight")
    _set_roles(role_of, _names(table, "unit", unit), "unit")
    _refuse_two_columns(role_of, "weight")
    _refuse_two_columns(role_of, "unit")

    unchanged = set(_names(table, "as_is", as_is))
    stated_kinds = {_existing(table, name): _one_of("kind", kind, KINDS) for name, kind in _pairs("kinds", kinds)}
    size, block_lists = _read_blocks(blocks)
    if block_lists is not None:
        block_lists = [_names(table, "blocks", block) for block in block_lists]
    if columns is not None:
        chosen = _names(table, "columns", columns)
    elif block_lists is not None:
        chosen = [name for block in block_lists for name in block]
    else:
        no_use = {name for name, role in role_of.items() if role in _NOT_PROTECTED} | unchanged
        chosen = [name for name in table.names if name not in no_use and not table.missing(name).all()]
        if rewritten is not None:
            wanted = {*rewritten, *filter(table.is_numeric, chosen)}
            chosen = [name for name in chosen if name in wanted]
    _refuse_repeats(chosen, "columns")
    to_protect = set(chosen)
    _refuse_two_uses(chosen, unchanged, role_of)
    changed = chosen if rewritten is None else [name for name in chosen if name in set(rewritten)]
    refuse_undecided(table, [name for name in changed if name not in stated_kinds])

    in_order = [name for name in table.names if name in to_protect]
    selection = Selection(
        blocks=cut_into_blocks(in_order, size if block_lists is None else block_lists),
        kinds={name: _checked_kind(table, name, stated_kinds.get(name)) for name in in_order},
        roles={name: role_of[name] for name in table.names if name in role_of},
    )
    _warn_of_identifiers(table, selection, stated={*role_of, *unchanged, *(set(stated_kinds) & to_protect)})
    _warn_of_amounts(table, stated={*role_of, *stated_kinds})
    return selection


def _refuse_two_uses(chosen: Sequence[str], unchanged: set[str], role_of: Mapping[str, Role]) -> None:
    """Raise ColumnError if nothing is left to protect, or a column is asked to be two things at once."""
    if not chosen:
        raise ColumnError(
            "There is no column to protect: all have another role, are released as they are, or have no value. Name "
            "some in columns."
        )
    for name in chosen:
        if role_of.get(name) in _NOT_PROTECTED:
            raise ColumnError(
                f'Column "{name}" is to be protected and has the role {role_of[name]}: it cannot be both.'
            )
    for name in sorted(unchanged):
        if name in chosen or role_of.get(name) in _NOT_PROTECTED:
            other = "is to be protected" if name in chosen else f"has the role {role_of[name]}"
            raise ColumnError(f'Column "{name}" is to be released as it is and {other}: it cannot be both.')


def cut_into_blocks(
    in_order: Sequence[str], blocks: int | Iterable[Iterable[Any]] | None
) -> tuple[tuple[str, ...], ...]:
    """Cut columns, given in file order, into blocks: by a number of columns, by lists of names, or into one block."""
    size, block_lists = _read_blocks(blocks)
    if block_lists is None:
        size = size or len(in_order)
        return tuple(tuple(in_order[start : start + size]) for start in range(0, len(in_order), size))
    block_lists = [[str(name) for name in as_names(block, "blocks")] for block in block_lists]
    if not block_lists:
        raise ParameterError("blocks names no block. Leave it out for one block of all columns.")
    named = [name for block in block_lists for name in block]
    _refuse_repeats(named, "blocks")
    if not all(block_lists):
        raise ParameterError("A block has no columns. Leave it out.")
    in_one_only = sorted(set(named) ^ set(in_order))
    if in_one_only:
        raise ColumnError(
            f"columns and blocks do not name the same columns: {_quoted(in_one_only)} in only one of them."
        )
    place = {name: position for position, name in enumerate(in_order)}
    return tuple(tuple(sorted(block, key=place.__getitem__)) for block in block_lists)


def block_size(blocks: Any) -> int | None:
    """Return the number of columns in a block if `blocks` is such a number, else None."""
    return _read_blocks(blocks)[0]


def _read_blocks(blocks: Any) -> tuple[int | None, list[Any] | None]:
    """Return the number of columns in a block, or the blocks' columns; ParameterError for anything else."""
    plain = None if blocks is None else Blocks().plain(blocks, "blocks")
    return (None, plain) if isinstance(plain, list) else (plain, None)


def _checked_kind(table: Table, name: str, stated: Kind | None) -> Kind:
    """Return the kind that the caller stated for a column, or else the one it is taken for; DataError if it cannot be.

    Dates and times are of no kind by themselves; they can be categories, with or without their order.
    """
    by_type = None if holds_times(table, name) else kind_of(table, name)
    if by_type is None:
        _check_other_type(table, name, stated)
    elif stated == "continuous" and by_type != "continuous":
        table.numbers(name)  # its error says how many cells are not numbers
        raise DataError(f'Column "{name}" holds text, not numbers: it cannot be continuous.')
    elif stated == "ordinal" and by_type == "nominal":
        order = typed("--order", listed([name], apart="="), "low<high")
        raise DataError(
            f'Column "{name}" has no order: it cannot be ordinal. Give it one when the file is read '
            f"({order}, orders= of read_table), or make it an ordered categorical."
        )
    kind = stated or default_kind(table, name)[0]
    assert kind is not None
    if kind == "continuous" and not table.has_exact_numbers(name):
        raise DataError(
            f'Column "{name}" has values with more digits than can be computed with (about 16), and some that differ '
            "only in the last ones. Subtract what they have in common, or say what the column is: the kind nominal "
            f"({typed('--kind', name, 'nominal')}) for codes, the role identifier to drop it "
            f"({typed('--role', name, 'identifier')})."
        )
    return kind


def _check_other_type(table: Table, name: str, stated: Kind | None) -> None:
    """Raise DataError for a column of a type that is of no kind, unless its values can be categories as was stated."""
    dtype = type(table.type_of(name)).__name__  # in full it may list categories
    if stated == "nominal" or (stated == "ordinal" and holds_times(table, name)):
        try:
            codes(table, name)
        except DataError:
            raise DataError(
                f'Column "{name}" is of type {dtype}, whose values are no categories. Turn it into text.'
            ) from None
        return
    ways = " or ordinal" if holds_times(table, name) else ""
    raise DataError(
        f'Column "{name}" is of type {dtype}, which is of no kind. Say that it is nominal{ways} '
        f"({typed('--kind', name, 'nominal')}), or turn it into numbers or text."
    )


def _warn_of_amounts(table: Table, stated: set[str]) -> None:
    """Warn of columns of categories that look like amounts, unless it was stated what they are."""
    for name in table.names:
        amounts = "" if name in stated else amounts_in_categories(table, name)
        if amounts:
            warn(
                f'Column "{name}" is one of categories, but {amounts} look like amounts: it is not protected as '
                f"numbers are. Make it numbers, or say that it is nominal ({typed('--kind', name, 'nominal')}).",
                DescriptionWarning,
            )


def _warn_of_identifiers(table: Table, selection: Selection, stated: set[str]) -> None:
    """Warn of columns that look like identifiers and are released, unless it was stated what they are."""
    protected = set(selection.columns)
    for name in table.names:
        reason = "" if name in stated else identifier_reason(table, name)
        if reason:
            warn(
                f'Column "{name}" looks like an identifier ({reason}) and is '
                f"{'masked with the rest' if name in protected else 'released as it is'}. "
                f"Give it the role identifier to drop it ({typed('--role', name, 'identifier')}), or say what it is "
                f"{'by its kind' if name in protected else 'by another role'}.",
                IdentifierWarning,
            )


def _set_roles(role_of: dict[str, Role], names: Iterable[str], role: Role) -> None:
    for name in names:
        if role_of.setdefault(name, role) != role:
            raise ColumnError(f'Column "{name}" has the roles {role_of[name]} and {role}; give it one role.')


def _refuse_two_columns(role_of: Mapping[str, Role], role: Role) -> None:
    names = [name for name, own in role_of.items() if own == role]
    if len(names) > 1:
        raise ColumnError(f"Only one column can be the {role}; got {_quoted(names)}.")


def _pairs(what: str, by_column: Any) -> Iterable[tuple[Any, Any]]:
    if by_column is None:
        return ()
    if not isinstance(by_column, Mapping):
        raise ParameterError(
            f'{what} must be a mapping from columns, such as {{"id": ...}}; got {type(by_column).__name__}.'
        )
    return by_column.items()


def _names(table: Table, what: str, names: Any) -> list[str]:
    """Return the columns that an argument names, one or several; ColumnError if one of them is not there."""
    if names is None:
        return []
    if isinstance(names, str | int | tuple) and str(names) in table:
        return [str(names)]
    return [_existing(table, name) for name in as_names(names, what)]


def _existing(table: Table, name: Any) -> str:
    if str(name) in table:
        return str(name)
    if not isinstance(name, str | int):
        raise ParameterError(f"Columns go by their names; got {type(name).__name__}.")
    raise ColumnError(f'There is no column "{name}".{nearest_name_hint(str(name), table.names)}', column=str(name))


def _one_of(what: str, word: str, words: tuple[_Word, ...]) -> _Word:
    check_limits({what: OneOf(words)}, {what: word})
    return next(one for one in words if one == word)


def _refuse_repeats(names: Sequence[str], where: str) -> None:
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise ColumnError(f"{where} names {_quoted(repeated)} more than once.")


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
