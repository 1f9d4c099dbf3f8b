"""What the studio says of its own errors: where they are in the program, and no value of the data."""

from __future__ import annotations

import io
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["errors_without_values", "without_telemetry"]

_TOLD_BY_ENVIRONMENT = ("OTEL_", "FASTAPI_", "SHINY_", "UVICORN_")


def without_telemetry() -> None:
    """Keep the libraries of the studio from reporting anything, whatever the environment tells them.

    They can be told to send traces of what they do to a server, by variables that may be set on a machine for other
    programs. Before the libraries are imported.
    """
    for name in [name for name in os.environ if name.startswith(_TOLD_BY_ENVIRONMENT)]:
        del os.environ[name]
    os.environ.update(OTEL_SDK_DISABLED="true", SHINY_OTEL_COLLECT="none")


@contextmanager
def errors_without_values() -> Iterator[None]:
    """Print an error of a page as one line without its message, in place of a traceback, which may hold values.

    Shiny and uvicorn print and log tracebacks; with SHOAL_DEBUG they still do.
    """
    if os.environ.get("SHOAL_DEBUG"):
        yield
        return
    terminal, printed = sys.stderr, traceback.print_exception
    logger, handler = logging.getLogger("uvicorn.error"), _Placed(terminal)

    def print_place(error: Any, /, value: Any = None, tb: TracebackType | None = None, *_: Any, **__: Any) -> None:
        _say_place(error if isinstance(error, BaseException) else value, terminal)

    logger.addHandler(handler)
    propagated, logger.propagate = logger.propagate, False
    traceback.print_exception = print_place  # type: ignore[assignment]
    try:
        with redirect_stderr(_Nowhere()):
            yield
    finally:
        traceback.print_exception = printed
        logger.removeHandler(handler)
        logger.propagate = propagated


def _say_place(error: BaseException | None, terminal: Any) -> None:
    if error is None:
        return
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    print(
        f"shoal: error: internal error, {type(error).__name__}{where}. Please report it; SHOAL_DEBUG=1 shows the whole "
        "traceback, which may hold values of the data.",
        file=terminal,
        flush=True,
    )


class _Placed(logging.Handler):
    """Says where a logged error is."""

    def __init__(self, terminal: Any) -> None:
        super().__init__(logging.ERROR)
        self._terminal = terminal

    def emit(self, record: logging.LogRecord) -> None:
        _say_place(record.exc_info[1] if record.exc_info else None, self._terminal)


class _Nowhere(io.TextIOBase):
    """Takes what libraries print."""

    def write(self, text: str) -> int:
        return len(text)
