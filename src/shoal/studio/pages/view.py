"""The workspace as a page sees it: each part can be depended on by itself."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from shiny import reactive

from shoal.studio.decisions import DecisionHistory, Decisions
from shoal.studio.workspace import Attempt, OpenedFile, State, Workspace

__all__ = ["View"]

_EVERY = 0.15  # seconds between two looks at the workspace


class View:
    """The parts of the workspace's state as reactive values of one session; a part that stays the same wakes nobody."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._parts: dict[str, reactive.Value[Any]] = {
            one.name: reactive.Value(getattr(workspace.state, one.name)) for one in fields(State)
        }
        seen = -1

        @reactive.effect
        def _look() -> None:
            nonlocal seen
            reactive.invalidate_later(_EVERY)
            if workspace.version != seen:
                seen = workspace.version
                for name, part in self._parts.items():
                    part.set(getattr(workspace.state, name))

    @property
    def file(self) -> OpenedFile | None:
        """The opened file; None if there is none."""
        return self._parts["file"].get()  # type: ignore[no-any-return]

    @property
    def history(self) -> DecisionHistory:
        """The decisions, step by step."""
        return self._parts["history"].get()  # type: ignore[no-any-return]

    @property
    def decisions(self) -> Decisions:
        """What is decided now."""
        return self.history.now

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The attempts that are kept."""
        return self._parts["attempts"].get()  # type: ignore[no-any-return]

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that is looked at."""
        shown = self._parts["shown"].get()
        return next((one for one in self.attempts if one.number == shown), None)

    @property
    def running(self) -> Any:
        """The long work that is being done; None if there is none."""
        return self._parts["running"].get()

    @property
    def problem(self) -> str:
        """Why the last long work came to nothing."""
        return self._parts["problem"].get()  # type: ignore[no-any-return]

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an intruder is assumed to know."""
        return self._parts["known"].get()  # type: ignore[no-any-return]
