"""What the user of the studio has decided: k and the options of `shoal.protect`, with every step undoable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import tomli_w

from shoal.flow.request import OPTIONS
from shoal.parameters.typed import typed_path

__all__ = ["DecisionHistory", "Decisions"]

_JOB_HEADER = (
    "# A job of shoal, saved by the studio. With the file beside it: shoal protect --job {name}\n"
    "# Options are those of shoal.protect; paths are relative to this file.\n\n"
)


@dataclass(frozen=True)
class Decisions:
    """k and the options of `shoal.protect`, as a job has them: texts, numbers, lists and tables.

    Every method returns new decisions. Options that are at their default are left out; a method or a replacement that
    was chosen stays, though it be the usual one, since shoal chooses where nobody did.
    """

    k: int | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def get(self, option: str) -> Any:
        """Return an option, or its default."""
        return self.options.get(option, OPTIONS[option].default)

    def of_column(self, option: str, column: str) -> Any:
        """Return what an option with a value for every column says of one; None if nothing."""
        return (self.options.get(option) or {}).get(column)

    def with_k(self, k: int | None) -> Decisions:
        """Return these decisions with another k."""
        return replace(self, k=k)

    def with_option(self, option: str, value: Any) -> Decisions:
        """Return these decisions with another value of an option; None, or nothing in it, is its default."""
        options = {name: one for name, one in self.options.items() if name != option}
        if value is not None and value not in ([], {}, "", OPTIONS[option].default):
            options[option] = value
        return replace(self, options=MappingProxyType(options))

    def with_columns(self, option: str, columns: Iterable[str], value: Any) -> Decisions:
        """Return these decisions with another value for some columns; None takes theirs away."""
        kept = {name: one for name, one in (self.options.get(option) or {}).items() if name not in set(columns)}
        if value is not None:
            kept |= dict.fromkeys(columns, value)
        return self.with_option(option, kept)

    def with_listed(self, option: str, columns: Iterable[str], listed: bool) -> Decisions:
        """Return these decisions with columns on the list of an option such as `as_is`, or off it."""
        names = set(columns)
        kept = [name for name in self.options.get(option) or [] if name not in names]
        return self.with_option(option, [*kept, *columns] if listed else kept)

    def as_job(self, name: str, file: str, reading: Mapping[str, Any], **beside: Any) -> str:
        """Return these decisions as the text of a job file, which `shoal.read_job` reads.

        Parameters
        ----------
        name, file
            What the job file and the table are called.
        reading
            How the table is read, as `shoal.read_table` takes it.
        **beside
            What else a job has, such as `output`.
        """
        content: dict[str, Any] = {"file": file, **beside}
        content |= {} if self.k is None else {"k": self.k}
        tables = {key: value for key, value in self.options.items() if isinstance(value, Mapping)}
        content |= {key: value for key, value in self.options.items() if key not in tables}
        content |= tables | ({"reading": dict(reading)} if reading else {})
        return _JOB_HEADER.format(name=typed_path(name)) + tomli_w.dumps(content)


@dataclass(frozen=True)
class DecisionHistory:
    """Decisions one after the other, each with what was done, and which of them count now.

    Attributes
    ----------
    steps
        What was done, and the decisions after it, oldest first.
    place
        The step that counts; those behind it were undone.
    """

    steps: tuple[tuple[str, Decisions], ...] = (("The file was opened", Decisions()),)
    place: int = 0

    @property
    def now(self) -> Decisions:
        """The decisions that count."""
        return self.steps[self.place][1]

    @property
    def to_undo(self) -> str:
        """What `undone` takes back; "" if there is nothing."""
        return self.steps[self.place][0] if self.place else ""

    @property
    def to_redo(self) -> str:
        """What `redone` does again; "" if there is nothing."""
        return self.steps[self.place + 1][0] if self.place + 1 < len(self.steps) else ""

    def then(self, done: str, decisions: Decisions) -> DecisionHistory:
        """Return the history with another step; steps that were undone are forgotten. No change is no step."""
        if decisions == self.now:
            return self
        return DecisionHistory((*self.steps[: self.place + 1], (done, decisions)), self.place + 1)

    def undone(self) -> DecisionHistory:
        """Return the history one step back."""
        return self.at(self.place - 1)

    def redone(self) -> DecisionHistory:
        """Return the history one step forward again."""
        return self.at(self.place + 1)

    def at(self, place: int) -> DecisionHistory:
        """Return the history at a step, the first at least and the last at most."""
        return replace(self, place=min(max(place, 0), len(self.steps) - 1))
