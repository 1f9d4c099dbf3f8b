"""The lower bound by the linear program over all groups; it needs HiGHS, the extra "prove"."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.column_generation import ColumnGeneration, near_records
from shoal.partition.bounds.time_left import OutOfTimeError, TimeLeft
from shoal.partition.geometry.neighbours import nearest_records
from shoal.progress import advance

__all__ = [
    "MOST_RECORDS",
    "NOT_INSTALLED",
    "bound_by_program",
    "fits_program",
    "is_highspy_installed",
    "scaled_for_program",
]

MOST_RECORDS = 10_000  # that the linear program is tried for
_MOST_DISTANCES = 2**27  # between the neighbours of every record: a gigabyte
_FIRST_STEPS = 25  # that come within about one percent of the value of the program, in a few seconds
_TO_PROVE = 2.0  # seconds that a proof gets at least
NOT_INSTALLED = 'A linear program proves more; it needs highspy, which is not installed: pip install "shoal[prove]".'


def is_highspy_installed() -> bool:
    """Whether the solver of linear and integer programs can be used: one that is there may still not load."""
    try:
        import highspy  # noqa: F401
    except ImportError:
        return False
    return True


def fits_program(n: int, k: int) -> bool:
    """Whether the linear program can be tried for so many records: up to 10,000, and fewer from k = 48 on."""
    return n <= MOST_RECORDS and n * (near_records(n, k) + 1) ** 2 <= _MOST_DISTANCES


def scaled_for_program(X: NDArray[np.float64], k: int) -> tuple[NDArray[np.float64], float]:
    """Return the records divided by a power of two, and that power; a record then costs about 1, as solvers like it.

    They are measured from one of them, so that far from zero no digit is lost in what tells them apart.
    """
    X = X - X[0]
    neighbours = nearest_records(X, min(k - 1, len(X) - 1))
    mean = ((X[neighbours] - X[:, np.newaxis]) ** 2).sum() / (2 * k * len(X))
    unit = 2.0 ** (int(np.frexp(1.5 * np.sqrt(mean or 1.0))[1]) - 1)
    scaled: NDArray[np.float64] = X / unit
    scaled.flags.writeable = False
    return scaled, unit


def bound_by_program(X: NDArray[np.float64], k: int, seconds: float | None) -> float:
    """Return the bound of the linear program, with the cuts there is time for; without seconds, of its first steps."""
    time_left = TimeLeft()
    time_left.start(seconds)
    X, unit = scaled_for_program(X, k)
    try:
        generation = ColumnGeneration(X, k, time_left)
    except OutOfTimeError:
        return 0.0
    steps = 0
    while not generation.is_final and (seconds is not None or (steps < _FIRST_STEPS and not generation.is_closed)):
        if time_left.seconds == 0:
            break
        with suppress(OutOfTimeError):
            generation.step()
        steps += 1
    if generation.bound == 0.0 or (seconds is None and not generation.is_closed):
        time_left.start(None if seconds is None else max(_TO_PROVE, seconds))
        with suppress(OutOfTimeError):
            generation.prove()
    advance(1)
    return generation.bound * unit * unit
