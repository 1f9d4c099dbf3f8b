"""What options that name columns may be: one column, several, a value for each, or blocks of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, get_args

from shoal.errors import ColumnError, ParameterError
from shoal.parameters.default import BY_RULES
from shoal.parameters.limits import Limit, OneOf

__all__ = [
    "KINDS",
    "ROLES",
    "Blocks",
    "ByColumn",
    "Column",
    "Kind",
    "NamedColumns",
    "OneOrByColumn",
    "Role",
    "as_names",
    "read_names",
]

Kind = Literal["continuous", "ordinal", "nominal"]
Role = Literal["identifier", "key", "confidential", "weight", "stratum", "unit", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES: tuple[Role, ...] = get_args(Role)


def as_names(names: Any, what: str) -> list[Any]:
    """Return one name or several as a list; ParameterError for anything else, such as a column of values.

    Parameters
    ----------
    names
        A name, or a list or another collection of them.
    what
        What messages call the argument. They never show the values of a column.
    """
    if isinstance(names, str | int):
        return [names]
    is_values = hasattr(names, "to_frame") and not type(names).__name__.endswith("Index")
    is_values |= hasattr(names, "columns") or type(names).__name__ == "ndarray"
    if not isinstance(names, Iterable) or is_values:
        raise ParameterError(f"{what} must be the names of columns; got {type(names).__name__}.")
    return list(names)


def read_names(texts: Sequence[str]) -> list[str]:
    """Split "a,b" at its commas; a name with a comma in it goes in double quotes."""
    try:
        return [
            name for text in texts for name in next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
        ]
    except (csv.Error, StopIteration):
        raise ParameterError(
            f"Names of columns go between commas, those with a comma in double quotes; got {list(texts)}."
        ) from None


@dataclass(frozen=True)
class NamedColumns(Limit):
    """Some columns: one name, or several."""

    typed: ClassVar[Any] = list[str]

    def plain(self, value: Any, name: str) -> list[str]:
        return [str(one) for one in as_names(value, name)]

    def bad_values(self) -> list[Any]:
        return [1.5, object()]

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> list[str]:
        return read_names(texts)

    def shown(self, value: Any) -> str:
        return ", ".join(value or ())

    def columns(self, value: Any) -> list[str]:
        return list(value)


@dataclass(frozen=True)
class Column(Limit):
    """One column."""

    def plain(self, value: Any, name: str) -> str:
        names = [str(one) for one in as_names(value, name)]
        if len(names) != 1:
            listed = ", ".join(f'"{one}"' for one in names) or "none"
            raise ColumnError(f"{name} names one column; got {listed}.")
        return names[0]

    def bad_values(self) -> list[Any]:
        return [1.5, ["a", "b"], []]

    def columns(self, value: Any) -> list[str]:
        return [value]


@dataclass(frozen=True)
class ByColumn(Limit):
    """A value for each column that is named.

    Attributes
    ----------
    value
        What the value of a column may be.
    wants
        How it is typed, "COLUMN=ROLE".
    example
        The same as it is in Python.
    adds_up
        Whether a column that is named twice has both values.
    every
        What stands for all columns; "" if nothing does.
    """

    typed: ClassVar[Any] = list[str]

    value: Limit
    wants: str
    example: str
    adds_up: bool = False
    every: str = ""

    def plain(self, value: Any, name: str) -> Any:
        if not isinstance(value, Mapping):
            raise ParameterError(
                f"{name} must be a mapping from columns, such as {self.example}; got {type(value).__name__}.",
                parameter=name,
            )
        return {str(column): self.value.plain(one, f'{name} of "{column}"') for column, one in value.items()}

    def bad_values(self) -> list[Any]:
        return [["a"], 1.5, *({"a": bad} for bad in self.value.bad_values())]

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> Any:
        """Return what was typed for every column, whose name may have "=" in it: the longest that exists counts."""
        pairs: dict[str, Any] = {}
        for text in texts:
            known = (name for name in (*columns, self.every) if text.startswith(f"{name}="))
            cut = text.find("=") if self.value.widget == "text" else text.rfind("=")  # words and numbers have no "="
            column = max(known, key=len, default=text[: max(cut, 0)])
            rest = text[len(column) + 1 :].strip()
            if cut < 0 or not rest:  # a name may be empty
                raise ParameterError(f'{called} wants {self.wants}; got "{text}".')
            value = self.value.read([rest], called, columns)
            if self.adds_up:
                pairs[column] = [*pairs.get(column, []), *(value if isinstance(value, list) else [value])]
            elif pairs.setdefault(column, value) != value:
                raise ParameterError(f'{called} gives "{column}" two values, {pairs[column]} and {value}. Give it one.')
        return pairs

    def shown(self, value: Any) -> str:
        return "; ".join(f"{column}={self.value.shown(one)}" for column, one in (value or {}).items())

    def columns(self, value: Any) -> list[str]:
        return [column for column in value if column != self.every]


@dataclass(frozen=True)
class OneOrByColumn(ByColumn):
    """One value for all columns, or one for each that is named.

    Attributes
    ----------
    separated
        Whether several columns can be typed with commas between them.
    """

    separated: bool = True

    @property
    def widget(self) -> Any:  # type: ignore[override]
        return "choice" if isinstance(self.value, OneOf) else "text"

    @property
    def choices(self) -> Mapping[str, str]:
        return self.value.choices

    def plain(self, value: Any, name: str) -> Any:
        return super().plain(value, name) if self.is_by_column(value) else self.value.plain(value, name)

    def is_by_column(self, value: Any) -> bool:
        """Whether this is a value for each column, and not one that is a mapping itself."""
        return isinstance(value, Mapping) and not self.value.accepts(value)

    def bad_values(self) -> list[Any]:
        return [*self.value.bad_values(), *({"a": bad} for bad in self.value.bad_values())]

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> Any:
        pairs = read_names(texts) if self.separated else list(texts)
        of_columns = [one for one in pairs if self._is_pair(one, columns)]
        if not of_columns and len(texts) == 1:
            return self.value.read([texts[0].strip()], called, columns)
        if len(of_columns) < len(pairs):
            one = self.wants.partition("=")[2].lower()
            raise ParameterError(
                f"{called} wants one {one} for all columns, or {self.wants} for each of them; got {', '.join(texts)}."
            )
        return super().read(pairs, called, columns)

    def _is_pair(self, text: str, columns: Sequence[str]) -> bool:
        """Whether a text is a column with its value; a value may have parameters, "order-statistic:q=0.25"."""
        before, sign, _ = text.partition("=")
        return any(text.startswith(f"{name}=") for name in columns) or (bool(sign) and ":" not in before)

    def shown(self, value: Any) -> str:
        return super().shown(value) if self.is_by_column(value) else self.value.shown(value)

    def columns(self, value: Any) -> list[str]:
        return super().columns(value) if self.is_by_column(value) else []


@dataclass(frozen=True)
class Blocks(Limit):
    """How columns are cut into blocks: a number of columns, lists of them, or "rules"."""

    typed: ClassVar[Any] = list[str]

    def plain(self, value: Any, name: str) -> Any:
        if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1:
            return int(value)
        if isinstance(value, Iterable) and not isinstance(value, str):
            return [[str(one) for one in as_names(block, name)] for block in as_names(value, name)]
        if value == BY_RULES:
            return value
        raise ParameterError(
            f"{name} must be the number of columns in a block, 1 or more, or lists of columns, or for protect "
            f'"{BY_RULES}"; got {value!r}.',
            parameter=name,
        )

    def bad_values(self) -> list[Any]:
        return [0, -1, True, 1.5, "a word", [1.5]]

    def read(self, texts: Sequence[str], called: str, columns: Sequence[str]) -> Any:
        if len(texts) == 1 and texts[0].strip().lstrip("-").isdigit():
            return int(texts[0])
        if [text.strip() for text in texts] == [BY_RULES]:
            return BY_RULES
        return [read_names([text.strip()]) for text in texts if text.strip()]

    def shown(self, value: Any) -> str:
        return "; ".join(map(", ".join, value)) if isinstance(value, list) else super().shown(value)

    def columns(self, value: Any) -> list[str]:
        return [name for block in value for name in block] if isinstance(value, list) else []
