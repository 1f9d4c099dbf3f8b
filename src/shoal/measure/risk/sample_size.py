"""How many records of a large file a measure looks at, and how certain that leaves it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["sample_size", "sampling_parts"]

_LARGEST_WHOLE = 20_000  # records; in smaller files all are looked at


def sample_size(records: int, sample: int | None) -> int | None:
    """Return how many of the records to draw; None means all, in small files and where `sample` is None."""
    return sample if sample is not None and records > max(sample, _LARGEST_WHOLE) else None


def sampling_parts(sampled: int | None, samples: Sequence[NDArray[np.float64]], records: int) -> dict[str, Any]:
    """Return what a measured percentage says about its sample: `sampled`, and if one was drawn its `standard_error`.

    Parameters
    ----------
    sampled
        How many records were drawn, None if all were looked at.
    samples
        What every record drawn counts, 0 to 1. Several samples are independent, and the measure is the average over
        them of their means.
    records
        How many records there are. The error is that of drawing without replacement, in percentage points.
    """
    if sampled is None:
        return {"sampled": None}
    variance = math.fsum(_variance(counted) / len(counted) for counted in samples)
    error = math.sqrt(variance * (1 - sampled / records)) / len(samples)
    return {"sampled": sampled, "standard_error": 100 * error}


def _variance(counted: NDArray[np.float64]) -> float:
    """Return the variance of what the records drawn count; if all count the same, as if one more had not."""
    if (counted == counted[0]).all():
        return len(counted) / (len(counted) + 1) ** 2
    return float(counted.var(ddof=1))
