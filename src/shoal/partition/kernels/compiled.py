"""How the kernels are compiled: `kernel` is called from Python, `inner_kernel` only from other kernels.

Nothing here is `fastmath`: results are defined to the last bit. Only a `kernel` is kept in the cache on disk
(`cache.py`), with the inner ones it calls inside it: leaving out what would let Python call those takes a third off the
time to compile, and without `forceinline` some of them stay calls with a hundred arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import extending, njit
from numpy.typing import NDArray

from shoal.partition.kernels.cache import cache_for

__all__ = ["Booleans", "Doubles", "Integers", "Scalar", "Singles", "inner_kernel", "intrinsic", "kernel"]

Booleans = NDArray[np.bool_]
Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.integer[Any]]
Scalar = Any  # a number: Python's or one of NumPy's, numba decides
Function = TypeVar("Function", bound=Callable[..., Any])

intrinsic: Any = extending.intrinsic  # for functions whose instructions are written one by one

_WITHOUT_PYTHON: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, at its first call, and cache it."""
    compiled = njit(nogil=True)(function)
    compiled._cache = cache_for(function)  # type: ignore[attr-defined]
    return cast(Function, compiled)


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call, as a part of them."""
    return cast(Function, njit(nogil=True, forceinline=True, **_WITHOUT_PYTHON)(function))
