"""A process that does the studio's work, so that the page stays live: one task at a time, cancelled by ending it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
import warnings
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from shoal.errors import ShoalError, ShoalWarning
from shoal.progress import listening

__all__ = ["CancelledWorkError", "Worker"]

_SMALLEST_ADVANCE = 0.01  # of the work, between two messages about it


class CancelledWorkError(ShoalError):
    """The work was cancelled, or its process ended."""


class Worker:
    """A spawned process that runs the functions of `shoal.studio.tasks`, and ends with the process that started it.

    A task is named "module.function" and gets keyword arguments; they and what it returns are sent between processes.
    Its errors are raised here: those of shoal with their message, others as one line that holds no value of the data.

    Parameters
    ----------
    ready_for
        The module of tasks that the process imports before it is asked, since that takes a second or two.
    """

    def __init__(self, ready_for: str) -> None:
        self._ready_for = ready_for
        self._process: Any = None
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()
        self._turns: dict[str, int] = {}

    async def run(
        self, task: str, *, on_progress: Callable[[float], None] | None = None, latest: str = "", **arguments: Any
    ) -> Any:
        """Run a task and return what it returns.

        Parameters
        ----------
        task
            Which one.
        on_progress
            Gets the part of the work that is done, from 0 to 1.
        latest
            A name for questions of which only the last counts, such as those of a slider that moves: one that waits
            while another of its name comes is not run, and raises CancelledWorkError.
        **arguments
            What the task gets.
        """
        turn = self._turns[latest] = self._turns.get(latest, 0) + 1
        async with self._lock:
            if latest and self._turns[latest] != turn:
                raise CancelledWorkError("A later question has taken the place of this one.")
            self._start()
            connection = self._connection
            assert connection is not None
            loop = asyncio.get_running_loop()

            def ask() -> Any:
                try:
                    connection.send((task, arguments))
                    while True:
                        kind, content = connection.recv()
                        if kind != "progress":
                            return kind, content
                        if on_progress is not None:
                            loop.call_soon_threadsafe(on_progress, content)
                except (EOFError, OSError, TypeError):  # a pipe that is closed while it is read has no handle
                    return "cancelled", None

            kind, content = await loop.run_in_executor(None, ask)
        if kind == "error":
            raise content
        if kind == "cancelled":
            raise CancelledWorkError("The work was cancelled.")
        return content

    def cancel(self) -> None:
        """End what is being done; the next task gets a new process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def start(self) -> None:
        """Start the process, so that the first task need not wait for it."""
        self._start()

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._ready_for), daemon=True)
        self._process.start()
        other.close()


def _serve(connection: Connection, ready_for: str) -> None:
    """Run tasks until the other end is closed."""
    os.umask(0o077)
    import signal

    for one in ("SIGINT", "SIGTERM", "SIGHUP"):  # the parent decides when this process ends
        if hasattr(signal, one):
            signal.signal(getattr(signal, one), signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    import_module(f"shoal.studio.tasks.{ready_for}")
    while True:
        try:
            task, arguments = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_answer(task, arguments, connection))


def _end_with_parent() -> None:
    """End this process when the one that started it does, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _answer(task: str, arguments: dict[str, Any], connection: Connection) -> tuple[str, Any]:
    module, _, function = task.partition(".")
    done, told = 0.0, 0.0

    def tell(part: float) -> None:
        nonlocal done, told
        done = min(1.0, done + part)
        if done - told >= _SMALLEST_ADVANCE:
            told = done
            connection.send(("progress", done))

    try:
        with listening(tell), warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # a task whose warnings matter records them
            result = getattr(import_module(f"shoal.studio.tasks.{module}"), function)(**arguments)
        return "result", result
    except ShoalError as error:
        return "error", ShoalError(str(error))
    except MemoryError:
        return "error", ShoalError("There is not enough memory for this file and these settings.")
    except Exception as error:  # what a library says may quote a cell of the file
        return "error", ShoalError(f"This could not be computed ({type(error).__name__}). Nothing was changed.")
