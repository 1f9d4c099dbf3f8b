"""How the kernels are compiled: `kernel` is called from Python, `inner_kernel` only from other kernels.

Nothing here is `fastmath`: results are defined to the last bit. Only a `kernel` is kept in numba's cache on disk,
with the inner ones it calls inside it: leaving out what would let Python call those takes a third off the time to
compile, and without `forceinline` some of them stay calls with a hundred arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba import extending, njit
from numpy.typing import NDArray

__all__ = ["Booleans", "Doubles", "Integers", "Scalar", "Singles", "inner_kernel", "intrinsic", "kernel", "stamp_of"]

Booleans = NDArray[np.bool_]
Doubles = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.integer[Any]]
Scalar = Any  # a number: Python's or one of NumPy's, numba decides
Function = TypeVar("Function", bound=Callable[..., Any])

intrinsic: Any = extending.intrinsic  # for functions whose instructions are written one by one

_WITHOUT_PYTHON: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def stamp_of(folder: Path) -> str:
    """Return a digest of every file of a folder of kernels.

    It changes with anything that can be compiled into a kernel, constants such as the size of a leaf among them, since
    kernels import no code from outside their folder. The dates of files would not do: an installer may set them all to
    the same.
    """
    digest = sha256()
    for file in sorted(folder.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


_STAMP = stamp_of(Path(__file__).parent)


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, at its first call, and cache it."""
    compiled = njit(cache=True, nogil=True)(function)
    # numba looks at the file of the kernel alone to see whether its cache is out of date, and would go on to run the
    # old code of an inner kernel from another file, on arrays of a new shape. Where a version of numba has no such
    # place to put the stamp, its own rule stays.
    with suppress(AttributeError):
        compiled._cache._cache_file._source_stamp = _STAMP  # type: ignore[attr-defined]
    return cast(Function, compiled)


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call, as a part of them."""
    return cast(Function, njit(nogil=True, forceinline=True, **_WITHOUT_PYTHON)(function))
