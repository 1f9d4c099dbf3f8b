"""The workspace of a studio: its file, what was decided, and the attempts. All pages look at one and the same."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from shoal.errors import ShoalError
from shoal.flow.plan import Plan
from shoal.report.facts.summary import Summary
from shoal.studio.decisions import DecisionHistory, Decisions
from shoal.studio.downloads import Downloads
from shoal.studio.private_folder import being_written
from shoal.studio.worker import CancelledWorkError, Worker

__all__ = ["Attempt", "OpenedFile", "Running", "State", "Workspace"]

_AGAIN = "Making the release of the plan again"


@dataclass(frozen=True)
class OpenedFile:
    """The file that is being protected.

    Attributes
    ----------
    name
        What the user calls it; never a path.
    path, reading
        Where it is in the private folder, and how it is read, as `shoal.read_table` takes it.
    records, variables
        How many records it has, and its columns, as `tasks.opening` describes them.
    suggested
        The decisions that a new file begins with: what only makes a release safer.
    example
        A condition that some of its records satisfy, as an example of one; "" if there is none.
    """

    name: str
    path: Path
    reading: Mapping[str, Any]
    records: int
    variables: tuple[Any, ...]
    suggested: Decisions
    example: str = ""

    @property
    def source(self) -> dict[str, Any]:
        """What tasks need to find the table."""
        return {"path": str(self.path), "reading": dict(self.reading)}

    @property
    def names(self) -> list[str]:
        """The columns, in the order of the file."""
        return [one.name for one in self.variables]

    def variable(self, name: str) -> Any:
        """Return what is known of a column."""
        return next(one for one in self.variables if one.name == name)


@dataclass(frozen=True)
class Attempt:
    """A release that was made, and kept: `folder` holds it, `summary` says all about it.

    Attributes
    ----------
    title, what
        What it is called, by the user or by what was done; and what was done.
    """

    number: int
    title: str
    what: str
    decisions: Decisions
    folder: Path
    summary: Summary
    warnings: tuple[str, ...]
    seconds: float
    risk: float | None
    loss: float | None
    family: str
    is_full: bool = False  # whether it was measured by everything, also by what takes long


@dataclass(frozen=True)
class Running:
    """Long work that is being done: what, how much of it is done, and how many releases wait for their turn."""

    title: str
    part: float = 0.0
    waiting: int = 0


@dataclass(frozen=True)
class State:
    """Everything a page shows. It is never changed: a new one takes its place."""

    file: OpenedFile | None = None
    history: DecisionHistory = field(default_factory=DecisionHistory)
    attempts: tuple[Attempt, ...] = ()
    shown: int | None = None  # the number of the attempt whose release is looked at
    running: Running | None = None
    problem: str = ""  # why the last long work came to nothing, a line each
    known: tuple[str, ...] = ()  # the columns that an intruder is assumed to know, beside the usual scenarios

    @property
    def decisions(self) -> Decisions:
        """What is decided now."""
        return self.history.now

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that is looked at."""
        return next((one for one in self.attempts if one.number == self.shown), None)

    @property
    def undecided(self) -> dict[str, str]:
        """The columns that have to be decided before anything is released, and why."""
        return {} if self.file is None else open_questions(self.file, self.decisions)


def open_questions(file: OpenedFile, decisions: Decisions) -> dict[str, str]:
    """Return by column what has to be decided: those that have no kind, role or recode, and are not released as is."""
    as_is = decisions.get("as_is") or []
    answered = {"identifier", "weight", "unit"}
    return {
        one.name: one.question
        for one in file.variables
        if one.question
        and one.name not in as_is
        and decisions.of_column("kinds", one.name) is None
        and decisions.of_column("recodes", one.name) is None
        and decisions.of_column("roles", one.name) not in answered
        and one.name not in (decisions.get("unit"), decisions.get("weights"))
    }


class Workspace:
    """The state of one studio, and what can be done with it.

    Questions are answered by one process, releases are made by another, so that a page can ask while a release is made;
    a third, started when it is needed, writes what is exported.
    Every change makes a new state and calls the listeners.

    Parameters
    ----------
    folder
        The private folder of the studio.
    downloads
        The files that wait to be sent; by default those of a folder in it.
    """

    def __init__(self, folder: Path, downloads: Downloads | None = None) -> None:
        self._folder = folder
        self.downloads = Downloads(folder / "downloads") if downloads is None else downloads
        self.state = State()
        self.version = 0
        self._questions, self._releases = Worker("opening"), Worker("protecting")
        self._exports = Worker("exporting")
        self._questions.start()
        self._apart: dict[str, Worker] = {}  # for questions that may take minutes, by task
        self._work: asyncio.Task[None] | None = None
        self._turn = 0  # of long work; a later one, or cancel, ends those before it
        self._begun, self._made = 0, 0  # attempts, all that were begun and those that were made

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self.version += 1

    async def ask(self, task: str, *, latest: str = "", **arguments: Any) -> Any:
        """Ask about the opened file: run a task on its table and return what it returns."""
        if self.state.file is None:
            raise ShoalError("Open a file first.")
        return await self._questions.run(task, latest=latest, source=self.state.file.source, **arguments)

    async def ask_apart(self, task: str, **arguments: Any) -> Any:
        """Ask what may take minutes, in a process of its own that ends with the answer.

        Asked again, the process that is still at it is ended, and who waits for it gets CancelledWorkError.
        """
        if self.state.file is None:
            raise ShoalError("Open a file first.")
        self.stop_apart(task)
        worker = self._apart[task] = Worker(task.partition(".")[0])
        try:
            return await worker.run(task, source=self.state.file.source, **arguments)
        finally:
            worker.cancel()

    def stop_apart(self, task: str) -> None:
        """End the process that looks for an answer that may take minutes, if there is one."""
        if task in self._apart:
            self._apart.pop(task).cancel()

    async def export(self, folder: Path, attempt: Attempt, **arguments: Any) -> Path:
        """Write a part of an attempt to a folder, and return where it is; see `tasks.exporting`.

        Reports take long: a process of their own writes them, while pages ask others.
        """
        if self.state.file is None:
            raise ShoalError("Open a file first.")
        file, decisions = self.state.file, attempt.decisions
        about = {
            "file": file.name,
            "k": decisions.k,
            "options": dict(decisions.options),
            "attempt": str(attempt.folder),
        }
        asked = {"source": file.source, "folder": str(folder), **about, **arguments}
        return Path(await self._exports.run("exporting.exported", **asked))

    async def open(self, path: Path, name: str, reading: Mapping[str, Any], decisions: Decisions | None = None) -> None:
        """Open a file in the place of the one before, whose attempts are gone; decisions of a job can come with it."""
        opened = await self._questions.run("opening.opened", path=str(path), name=name, reading=dict(reading))
        self.cancel()
        file = OpenedFile(path=path, reading=dict(reading), name=name, **opened)
        history = DecisionHistory((("The file was opened", file.suggested),))
        if decisions is not None:
            history = history.then("The saved job was opened", decisions)
        before, self.state = self.state, State()
        self._made = 0
        self._set(file=file, history=history)
        for attempt in before.attempts:
            shutil.rmtree(attempt.folder, ignore_errors=True)
        if before.file is not None and before.file.path != path:
            before.file.path.unlink(missing_ok=True)
        self._exports.cancel()
        self.downloads.clear()
        self._releases.start()

    def decide(self, done: str, decisions: Decisions) -> None:
        """Take over new decisions; `done` says what was done, as the list of steps shows it."""
        self._set(history=self.state.history.then(done, decisions), problem="")

    def undo(self) -> None:
        """Take the last step back."""
        self._set(history=self.state.history.undone(), problem="")

    def redo(self) -> None:
        """Do the step again that was taken back last."""
        self._set(history=self.state.history.redone(), problem="")

    def go_to(self, place: int) -> None:
        """Go back, or forward, to a step."""
        self._set(history=self.state.history.at(place), problem="")

    def show(self, number: int) -> None:
        """Look at an attempt; its decisions stay what they were then."""
        if any(one.number == number for one in self.state.attempts):
            self._set(shown=number)

    def take_up(self, number: int) -> None:
        """Go on from the decisions of an attempt."""
        attempt = next(one for one in self.state.attempts if one.number == number)
        self.decide(f"The decisions of attempt {number} were taken up", attempt.decisions)

    def forget(self, number: int) -> None:
        """Forget an attempt."""
        for attempt in self.state.attempts:
            if attempt.number == number:
                shutil.rmtree(attempt.folder, ignore_errors=True)
        kept = tuple(one for one in self.state.attempts if one.number != number)
        shown = self.state.shown if self.state.shown != number else (kept[-1].number if kept else None)
        self._set(attempts=kept, shown=shown)

    async def resume(self, saved: Path, saved_name: str, path: Path, name: str) -> str:
        """Open a file with a saved job, or with a plan, whose release is made again; return a note on it, or ""."""
        work = await self._questions.run(
            "resuming.saved_work", saved=str(saved), saved_name=saved_name, path=str(path), name=name
        )
        decisions = Decisions(k=work["k"], options=MappingProxyType(work["options"]))
        await self.open(path, name, work["reading"], decisions)
        if work["plan"] is not None and self.state.file is not None:
            self._set(running=Running(_AGAIN), problem="")
            self._work = asyncio.create_task(self._protect(self.state.file, [decisions], work["plan"]))
        return str(work["note"])

    def rename(self, number: int, title: str) -> None:
        """Call an attempt something; without a name it is called after what was done."""
        self._replace_attempt(number, lambda one: replace(one, title=title.strip() or one.what))

    def assume(self, known: Sequence[str]) -> None:
        """Take over which columns an intruder is assumed to know."""
        self._set(known=tuple(known))

    def protect(self, several: Sequence[Decisions] = ()) -> None:
        """Make a release by the present decisions, measure it, and keep it as an attempt.

        Parameters
        ----------
        several
            Decisions that are tried one after the other, in place of the present ones.
        """
        if self.state.file is not None and self.state.running is None:
            self._set(running=Running("Protecting"), problem="")
            self._work = asyncio.create_task(self._protect(self.state.file, several or [self.state.decisions]))

    async def _protect(self, file: OpenedFile, several: Sequence[Decisions], plan: Plan | None = None) -> None:
        problems = []
        for place, decisions in enumerate(several, start=1):
            alone = "Protecting" if plan is None else _AGAIN
            title = alone if len(several) == 1 else f"Protecting, {place} of {len(several)}"
            self._set(running=Running(title, waiting=len(several) - place))
            self._begun += 1
            folder, began = self._folder / f"attempt-{self._begun}", time.monotonic()
            asked = {"source": file.source, "k": decisions.k, "options": dict(decisions.options), "plan": plan}
            try:
                made = await self._run_long("protecting.attempt", folder=str(folder), **asked)
            except CancelledWorkError:
                for unfinished in (folder, being_written(folder)):
                    shutil.rmtree(unfinished, ignore_errors=True)
                return
            except ShoalError as error:
                problems.append(f"{'' if len(several) == 1 else _in_short(decisions)}{error}")
            else:
                self._made += 1
                seconds = time.monotonic() - began
                attempt = Attempt(self._made, decisions=decisions, folder=folder, seconds=seconds, **made)
                self._set(attempts=(*self.state.attempts, attempt), shown=attempt.number)
        self._set(running=None, problem="\n".join(problems))

    def measure_all(self, number: int) -> None:
        """Measure what was left out of an attempt, since it takes long."""
        attempt = next((one for one in self.state.attempts if one.number == number), None)
        if attempt is not None and self.state.running is None:
            self._set(running=Running("Measuring"), problem="")
            self._work = asyncio.create_task(self._measure_all(attempt))

    async def _measure_all(self, attempt: Attempt) -> None:
        try:
            made = await self._run_long("protecting.measured_fully", folder=str(attempt.folder))
        except CancelledWorkError:
            return
        except ShoalError as error:
            self._set(running=None, problem=str(error))
        else:
            self._replace_attempt(attempt.number, lambda one: replace(one, **made))
            self._set(running=None)

    def _replace_attempt(self, number: int, changed: Callable[[Attempt], Attempt]) -> None:
        self._set(attempts=tuple(changed(one) if one.number == number else one for one in self.state.attempts))

    async def _run_long(self, task: str, **arguments: Any) -> Any:
        """Run a task that makes or measures a release; CancelledWorkError if it was cancelled, though it be done."""
        turn = self._turn

        def tell(part: float) -> None:
            if turn == self._turn and self.state.running is not None:
                self._set(running=replace(self.state.running, part=part))

        result = await self._releases.run(task, on_progress=tell, **arguments)
        if turn != self._turn:
            raise CancelledWorkError("The work was cancelled.")
        return result

    def cancel(self) -> None:
        """End the long work that is being done, and what waits behind it; nothing of it is kept."""
        if self.state.running is not None:
            self._turn += 1
            self._releases.cancel()
            self._set(running=None)
            self._releases.start()

    def close(self) -> None:
        """End all work."""
        for worker in (self._questions, self._releases, self._exports, *self._apart.values()):
            worker.cancel()


def _in_short(decisions: Decisions) -> str:
    return f"{decisions.get('method') or 'mdav'}, {decisions.get('replace') or 'mean'}, k={decisions.k}: "
