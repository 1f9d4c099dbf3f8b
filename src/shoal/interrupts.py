"""Signals that ask the program to end: an exception, so that work ends in order, and remembered if it gets lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["as_exceptions", "hold", "let_go", "received", "refuse_after_signal"]

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_received: list[int] = []
_holding: list[bool] = []


def received() -> int | None:
    """Return the signal that asked the program to end; None if there was none."""
    return _received[0] if _received else None


def refuse_after_signal() -> None:
    """Raise KeyboardInterrupt if a signal came before: a library may have swallowed the exception it raised."""
    if _received and not _holding:
        raise KeyboardInterrupt


def hold() -> None:
    """Let signals wait from now on: what follows is short, and belongs together."""
    _holding.append(True)


def let_go() -> None:
    """Let signals through again, and one that came meanwhile."""
    _holding.clear()
    refuse_after_signal()


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt in the block; one that is ignored (nohup) stays so.

    After such a signal the process is about to end, and another one does not keep it from tidying up.
    """
    if threading.current_thread() is not threading.main_thread():  # where Python does not let signals be handled
        yield
        return
    before = {one: signal.getsignal(one) for one in _SIGNALS}
    for one, handler in before.items():
        if handler in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(one, _raise)
    try:
        yield
    finally:
        for one, handler in before.items():
            if handler is not None:  # None: not set by Python
                signal.signal(one, signal.SIG_IGN if _received else handler)


def _raise(number: int, frame: Any) -> None:
    _received.append(number)
    refuse_after_signal()
