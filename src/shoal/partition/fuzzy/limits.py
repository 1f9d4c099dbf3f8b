"""Limits that only fuzzy estimators have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from shoal.parameters.limits import OneOf

__all__ = ["Above", "DeviceName", "Start"]


@dataclass(frozen=True)
class Above:
    """A finite number above `low`, which is not included; `why` may say in brackets what goes wrong there."""

    low: float
    why: str = ""

    @property
    def wanted(self) -> str:
        return f"a number above {self.low:g}{f' ({self.why})' if self.why else ''}"

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        return math.isfinite(value) and float(value) > self.low

    def bad_values(self) -> list[Any]:
        return [self.low, self.low - 1, math.nan, math.inf, str(self.low + 1), None, True]


@dataclass(frozen=True)
class Start(OneOf):
    """One of a few words, or an array; whether it fits is for the estimator to see."""

    @property
    def wanted(self) -> str:
        return f"{super().wanted}, or a matrix of centres"

    def accepts(self, value: Any) -> bool:
        return super().accepts(value) if isinstance(value, str) else hasattr(value, "__len__")

    def bad_values(self) -> list[Any]:
        return super().bad_values()


@dataclass(frozen=True)
class DeviceName:
    """The name of a device; whether there is one is for the estimator to see."""

    @property
    def wanted(self) -> str:
        return '"cpu", or what PyTorch calls another device, such as "cuda"'

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value != ""

    def bad_values(self) -> list[Any]:
        return ["", None, 0, True]
