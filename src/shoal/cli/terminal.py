"""What a command shows while it runs, on standard error: a progress bar, and warnings as one line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shoal.errors import ShoalWarning

__all__ = ["one_line_warnings", "progress_bar"]


@contextmanager
def one_line_warnings() -> Iterator[None]:
    """Print warnings as one line each on standard error, without the place in the program."""

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, ShoalWarning):
            print("shoal: warning: " + " ".join(str(message).split()), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", ShoalWarning)
        warnings.showwarning = show
        yield


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
