"""Questions to the studio's process that do not hold up the page: clicks are answered while an answer is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shiny import reactive, req
from shiny.session import require_active_session

from shoal.errors import ShoalError
from shoal.studio.worker import CancelledWorkError
from shoal.studio.workspace import Workspace

__all__ = ["Asked", "answering"]


@dataclass(frozen=True)
class Asked:
    """A task of `shoal.studio.tasks` and what it gets beside the table."""

    task: str
    arguments: dict[str, Any] = field(default_factory=dict)


def answering(workspace: Workspace, name: str, question: Callable[[], Asked | None]) -> Callable[[], Any]:
    """Ask whenever the question changes, and return what gives the answer inside a reactive function.

    Shiny waits for a function that awaits before it looks at the next click, so that none awaits an answer here. Until
    there is one, the page shows what it showed before. An error of shoal is raised where the answer is taken.

    Parameters
    ----------
    workspace
        What is asked.
    name
        Of all questions of a page with this name that wait, only the last is asked.
    question
        What to ask, by reactive values; None for nothing.
    """
    latest = f"{name} of {require_active_session(None).id}"  # another tab has questions of its own
    answer: reactive.Value[Any] = reactive.Value(None)
    is_there: reactive.Value[bool] = reactive.Value(False)
    turn = 0
    tasks: set[asyncio.Task[None]] = set()

    @reactive.effect
    def _ask() -> None:
        nonlocal turn
        asked = question()
        turn += 1
        if asked is None:
            is_there.set(False)
            return
        task = asyncio.create_task(_take(asked, turn))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _take(asked: Asked, own: int) -> None:
        content: Any
        try:
            content = await workspace.ask(asked.task, latest=latest, **asked.arguments)
        except CancelledWorkError:
            return
        except ShoalError as error:
            content = error
        if own == turn:
            async with reactive.lock():
                answer.set(content)
                is_there.set(True)
                await reactive.flush()

    def _answer() -> Any:
        req(is_there.get(), cancel_output=True)
        content = answer.get()
        if isinstance(content, ShoalError):
            raise content
        return content

    return _answer
