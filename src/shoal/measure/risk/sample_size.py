"""How many records a measure follows through a large file."""

from __future__ import annotations

__all__ = ["sample_size"]

_LARGEST_WHOLE = 20_000  # records up to which every one is looked at


def sample_size(records: int, sample: int | None) -> int | None:
    """Return how many of the records to draw, or None for all: in small files, and where None was asked for."""
    return sample if sample is not None and records > max(sample, _LARGEST_WHOLE) else None
