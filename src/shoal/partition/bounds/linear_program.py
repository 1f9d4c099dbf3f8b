"""The lower bound by the linear program over all groups; it needs HiGHS, the extra "prove"."""

from __future__ import annotations

import time
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from shoal.partition.bounds.column_generation import ColumnGeneration
from shoal.partition.geometry.neighbours import nearest_records
from shoal.progress import advance

__all__ = ["MOST_RECORDS", "NOT_INSTALLED", "bound_by_program", "is_highspy_installed", "scaled_for_program"]

MOST_RECORDS = 10_000  # that the linear program is tried for
NOT_INSTALLED = 'A linear program proves more; it needs highspy, which is not installed: pip install "shoal[prove]".'


def is_highspy_installed() -> bool:
    """Whether the solver of linear and integer programs can be used."""
    return find_spec("highspy") is not None


def scaled_for_program(X: NDArray[np.float64], k: int) -> tuple[NDArray[np.float64], float]:
    """Return the records divided by a power of two, and that power; a record then costs about 1, as solvers like it."""
    neighbours = nearest_records(X, min(k - 1, len(X) - 1))
    mean = ((X[neighbours] - X[:, np.newaxis]) ** 2).sum() / (2 * k * len(X))
    unit = 2.0 ** (int(np.frexp(1.5 * np.sqrt(mean or 1.0))[1]) - 1)
    scaled: NDArray[np.float64] = X / unit
    scaled.flags.writeable = False
    return scaled, unit


def bound_by_program(X: NDArray[np.float64], k: int, seconds: float | None) -> float:
    """Return the bound of the linear program: without a limit of time its value, with one also what cuts add to it."""
    end = np.inf if seconds is None else time.perf_counter() + seconds
    X, unit = scaled_for_program(X, k)
    generation = ColumnGeneration(X, k)
    while not (generation.is_final or (seconds is None and generation.is_closed)):
        if time.perf_counter() >= end:
            if generation.bound == 0.0:
                generation.prove()
            break
        generation.step()
    advance(1)
    return generation.bound * unit * unit
