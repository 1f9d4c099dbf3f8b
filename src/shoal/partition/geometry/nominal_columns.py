"""Which columns of a matrix hold category codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError

__all__ = ["nominal_mask"]


def nominal_mask(nominal: Sequence[int], d: int) -> NDArray[np.bool_]:
    """Return for every one of d columns whether it is among the positions `nominal`."""
    positions: list[Any] = list(nominal) if isinstance(nominal, Iterable) else [nominal]
    mask = np.zeros(d, dtype=bool)
    for position in positions:
        is_whole = isinstance(position, Integral) and not isinstance(position, bool)
        if not is_whole or not 0 <= int(position) < d:
            raise ParameterError(f"nominal must hold positions of columns, 0 to {d - 1}; got {position!r}.")
        mask[position] = True
    return mask
