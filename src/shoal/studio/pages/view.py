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
        self._seen = -1

        @reactive.effect
        def _look() -> None:
            reactive.invalidate_later(_EVERY)
            self._keep_up()

    def _keep_up(self) -> None:
        if self.workspace.version != self._seen:
            self._seen = self.workspace.version
            for name, part in self._parts.items():
                part.set(getattr(self.workspace.state, name))

    def _get(self, name: str) -> Any:
        """Return a part as it is now: a change that is made of one from a moment ago would undo what came between."""
        self._keep_up()
        return self._parts[name].get()

    @property
    def file(self) -> OpenedFile | None:
        """The opened file; None if there is none."""
        return self._get("file")  # type: ignore[no-any-return]

    @property
    def history(self) -> DecisionHistory:
        """The decisions, step by step."""
        return self._get("history")  # type: ignore[no-any-return]

    @property
    def decisions(self) -> Decisions:
        """What is decided now."""
        return self.history.now

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """The attempts that are kept."""
        return self._get("attempts")  # type: ignore[no-any-return]

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that is looked at."""
        shown = self._get("shown")
        return next((one for one in self.attempts if one.number == shown), None)

    @property
    def running(self) -> Any:
        """The long work that is being done; None if there is none."""
        return self._get("running")

    @property
    def problem(self) -> str:
        """Why the last long work came to nothing."""
        return self._get("problem")  # type: ignore[no-any-return]

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an intruder is assumed to know."""
        return self._get("known")  # type: ignore[no-any-return]
