"""Progress of long work: the work reports it, and a listener such as the progress bar shows it.

Work calls ``advance(0.02)`` when another two percent of it are done; ``with listening(callback):`` sets the listener.
Without a listener nothing happens and nothing is printed. ``share(part)`` makes everything inside the block count for
that part of the whole; so does ``step(part)``, which at its end also counts what the work inside did not report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["advance", "listening", "share", "step"]

_listener: ContextVar[Callable[[float], None] | None] = ContextVar("shoal_progress_listener", default=None)
_share: ContextVar[float] = ContextVar("shoal_progress_share", default=1.0)


def advance(part: float) -> None:
    """Report that another `part` (of 1) of the present work is done."""
    listener = _listener.get()
    if listener is not None:
        listener(part * _share.get())


@contextmanager
def listening(callback: Callable[[float], None]) -> Iterator[None]:
    """Send every advance made inside the block to `callback`, as a part of 1."""
    token = _listener.set(callback)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def share(part: float) -> Iterator[None]:
    """Let the work inside the block count for `part` of the work around it."""
    token = _share.set(_share.get() * part)
    try:
        yield
    finally:
        _share.reset(token)


@contextmanager
def step(part: float) -> Iterator[None]:
    """Let the work inside the block count for exactly `part`, even if it reports only some of it, or more."""
    outer = _listener.get()
    left = part * _share.get()

    def count(more: float) -> None:
        nonlocal left
        more = min(more, left)
        left -= more
        if outer is not None and more > 0:
            outer(more)

    with listening(count), share(part):
        yield
    count(left)
