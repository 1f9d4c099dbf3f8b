"""Where the loop runs: NumPy on the processor, or PyTorch on another device."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from shoal.errors import ParameterError
from shoal.parameters.limits import Limit

__all__ = ["DeviceName", "threads_for_blocks", "to_device", "to_host"]


@dataclass(frozen=True)
class DeviceName(Limit):
    """The limit of a parameter that names a device; whether there is such a device is checked in `fit`."""

    wanted: str = '"cpu", or what PyTorch calls another device, such as "cuda"'

    def accepts(self, value: Any) -> bool:
        """Whether `value` can be the name of a device."""
        return isinstance(value, str) and value != ""

    def bad_values(self) -> list[Any]:
        """Return some values that must be refused, for tests."""
        return ["", None, 0, True]


def to_device(array: NDArray[Any], device: str) -> Any:
    """Return the array itself for ``"cpu"``, else a copy of it on a device of PyTorch's."""
    if device == "cpu":
        return array
    try:
        import torch  # not installed everywhere, and slow to import
    except ImportError:
        raise ParameterError(f'device="{device}" needs PyTorch. Install shoal[gpu], or use device="cpu".') from None
    try:
        return torch.tensor(array, device=device)
    except (RuntimeError, AssertionError):  # what PyTorch raises where there is no such device
        raise ParameterError(f'PyTorch has no device "{device}" here. Use device="cpu".') from None


def to_host(array: Any) -> NDArray[Any]:
    """Return a NumPy array."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()


@contextmanager
def threads_for_blocks() -> Iterator[int]:
    """Give the number of threads for blocks of records, and keep matrix products from starting threads of their own.

    Products of a block are small, and threads inside threads wait for each other.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
