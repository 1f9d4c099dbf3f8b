"""How many records of a large file a measure looks at."""

from __future__ import annotations

__all__ = ["sample_size"]

_LARGEST_WHOLE = 20_000  # records; in smaller files all are looked at


def sample_size(records: int, sample: int | None) -> int | None:
    """Return how many of the records to draw; None means all, in small files and where `sample` is None."""
    return sample if sample is not None and records > max(sample, _LARGEST_WHOLE) else None
