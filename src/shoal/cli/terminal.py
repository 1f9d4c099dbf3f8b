"""What a command shows: its results on standard output, a progress bar and warnings as one line on standard error.

Names of the data are in all of it, and a name may hold what steers a terminal: that is shown escaped.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shoal.errors import ShoalWarning, WriteError, visible

__all__ = ["one_line_warnings", "progress_bar", "say", "say_note", "say_report", "say_warning"]


def say(text: str) -> None:
    """Print a text, of several lines perhaps, on standard output."""
    try:
        print(visible(text, keep="\n"), flush=True)
    except BrokenPipeError:  # whoever reads has read enough
        raise
    except OSError:
        raise WriteError("The results could not be printed. Is the disk that they are sent to full?") from None


def say_report(path: Path) -> None:
    """Print where the report of a release is that was written with it."""
    say(f"report      {path} (shows distributions of the original: not for publication)")


def say_note(message: str) -> None:
    """Print a note as one line on standard error, where it is in nobody's way who reads the results."""
    print(f"shoal: {visible(message)}", file=sys.stderr)


def say_warning(message: str) -> None:
    """Print a warning as one line on standard error."""
    print(f"shoal: warning: {visible(message)}", file=sys.stderr)


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Print shoal's warnings as one line each on standard error, and nothing that libraries warn of or log."""

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, ShoalWarning):
            say_warning(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", ShoalWarning)
        warnings.showwarning = show
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


@contextmanager
def progress_bar(quiet: bool, doing: str = "protecting") -> Iterator[None]:
    """Show a bar while the work inside the block goes on, if someone is there to see it."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from shoal.progress import listening

    parts = (TextColumn(doing), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        with listening(lambda part: bar.advance(task, part)):
            yield
