"""What workers on this machine begin with: Ctrl-C is for the command that started them, which ends them in order."""

from __future__ import annotations

import signal
from typing import Any

__all__ = ["dask_setup"]


def dask_setup(worker: Any) -> None:
    """Ignore Ctrl-C, which a terminal sends to workers too; Dask calls this by its name."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
