"""The time that a proof has; what it was doing when the time is up counts as not begun."""

from __future__ import annotations

import time

import numpy as np

__all__ = ["OutOfTimeError", "TimeLeft"]


class OutOfTimeError(Exception):
    """The time was up before a step was done. What it had found by then is a matter of chance."""


class TimeLeft:
    """A clock that runs down; without seconds it never does."""

    def __init__(self) -> None:
        self._end = np.inf

    def start(self, seconds: float | None) -> None:
        """Give it so many seconds from now on."""
        self._end = np.inf if seconds is None else time.perf_counter() + seconds

    @property
    def seconds(self) -> float:
        """How many seconds are left."""
        return max(0.0, self._end - time.perf_counter())

    def check(self) -> None:
        """Raise OutOfTimeError if there are none."""
        if time.perf_counter() >= self._end:
            raise OutOfTimeError
