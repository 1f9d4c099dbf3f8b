"""A release kept as an attempt, for tests that look at it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from shoal.studio.tasks.protecting import attempt

__all__ = ["kept_attempt"]


def kept_attempt(
    folder: Path, frame: pd.DataFrame, k: int = 3, **options: Any
) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """Protect a table, and return its source, the folder of the attempt, and what the task returned."""
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    source = {"path": str(path), "reading": {}}
    made = attempt(str(folder / "attempt-1"), source, k, {"seed": 1, **options})
    return source, str(folder / "attempt-1"), made
