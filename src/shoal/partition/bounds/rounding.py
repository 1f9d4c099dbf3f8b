"""What is taken off a lower bound, so that it holds however its sums were rounded."""

from __future__ import annotations

__all__ = ["ROUNDING"]

ROUNDING = 1e-9  # relative; more than the sums can be off
