"""What all facts of a report are: data that never changes, with nothing unknown in it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Facts"]


class Facts(BaseModel):
    """Facts of a report, ready for JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True)
