"""A question that a page asks about the data, and the last answer to it; the page does not stand still meanwhile."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from shiny import reactive, req

from shoal.errors import ShoalError
from shoal.studio.pages.view import View

__all__ = ["Answer", "AskedTask"]


@dataclass(frozen=True)
class Answer:
    """What is known so far.

    Attributes
    ----------
    value
        What the task returned, the last time it returned something; None before.
    problem
        Why there is no answer to the question that was asked last; "" if there is one.
    is_waiting
        Whether the answer is still that to an earlier question.
    """

    value: Any = None
    problem: str = ""
    is_waiting: bool = True


class AskedTask:
    """A task that a page asks with arguments that change, such as those of a slider that moves.

    Ask in what draws the answer: it is drawn again when the answer comes. Shiny waits for a function that awaits before
    it looks at the next click, so that none awaits an answer. Asked with the same arguments again, it
    answers at once; of several that wait, only the last is asked.

    Parameters
    ----------
    view
        The workspace, as the page sees it.
    task
        Which task answers, "module.function".
    apart
        Whether it may take minutes, and so gets a process of its own.
    """

    def __init__(self, view: View, task: str, *, apart: bool = False) -> None:
        self._view, self._task, self._is_apart = view, task, apart
        self._answer: reactive.Value[Answer] = reactive.Value(Answer())
        self._asked: object = None
        self._answered: object = None
        self._work: set[asyncio.Task[None]] = set()

    def __call__(self, **arguments: Any) -> Answer:
        """Return what is known, and ask if it is not known yet."""
        last = self._answer.get()
        file = self._view.file
        asked = (None if file is None else file.source, arguments)
        if asked != self._asked:
            if self._asked is not None and asked[0] != self._asked[0]:  # type: ignore[index]
                last = Answer()  # what was known is about another file
            self._asked = asked
            work = asyncio.create_task(self._find(asked, last))
            self._work.add(work)
            work.add_done_callback(self._work.discard)
        return replace(last, is_waiting=self._answered != asked)

    async def _find(self, asked: tuple[Any, dict[str, Any]], last: Answer) -> None:
        try:
            answer = Answer(await self._ask(**asked[1]), is_waiting=False)
        except ShoalError as error:
            answer = Answer(last.value, str(error), is_waiting=False)
        if asked is not self._asked:  # a later question counts, or the same asked again
            return
        async with reactive.lock():
            self._answered = asked
            self._answer.set(answer)
            await reactive.flush()

    async def _ask(self, **arguments: Any) -> Any:
        workspace = self._view.workspace
        if self._is_apart:
            return await workspace.ask_apart(self._task, **arguments)
        return await workspace.ask(self._task, latest=f"{self._task} {id(self)}", **arguments)

    def answered(self, **arguments: Any) -> Any:
        """Return the answer to this very question, for what is drawn once it is there; ShoalError if there is none.

        Until then, what is drawn stays as it was, and is grey: it may be about another release.
        """
        answer = self(**arguments)
        req(not answer.is_waiting, cancel_output="progress")  # which is grey
        if answer.problem:
            raise ShoalError(answer.problem)
        return answer.value

    def stop(self) -> None:
        """Look no longer for an answer that takes minutes; asked again, it is looked for again."""
        self._view.workspace.stop_apart(self._task)
        self._asked = None
