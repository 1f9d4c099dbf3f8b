"""What the step Keys looks at, by the decisions: the keys, k, the weights and the unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.studio.decisions import Decisions
from shoal.studio.workspace import OpenedFile

__all__ = ["K_TO_LOOK_AT", "LookedAt", "can_be_key", "looked_at"]

K_TO_LOOK_AT = 3  # as long as k is not decided
_NEVER_KEYS = ("identifier", "weight", "unit")


@dataclass(frozen=True)
class LookedAt:
    """The keys in the order of the file, the k that counts, weights and unit, and the options that recode."""

    keys: tuple[str, ...]
    k: int
    weights: str | None
    unit: str | None
    recoding: dict[str, Any]


def looked_at(file: OpenedFile, decisions: Decisions) -> LookedAt:
    """Return what is looked at."""
    return LookedAt(
        keys=tuple(name for name in file.names if decisions.of_column("roles", name) == "key"),
        k=max(2, decisions.k or K_TO_LOOK_AT),
        weights=_column(decisions, "weights", "weight"),
        unit=_column(decisions, "unit", "unit"),
        recoding={name: decisions.get(name) for name in ("recodes", "missing_codes") if decisions.get(name)},
    )


def _column(decisions: Decisions, option: str, role: str) -> str | None:
    """Return the column that an option names or that has a role."""
    named = [name for name, given in (decisions.get("roles") or {}).items() if given == role]
    return decisions.get(option) or next(iter(named), None)


def can_be_key(decisions: Decisions, name: str) -> bool:
    """Whether a column can be a key: not those that are dropped, sampling weights and units."""
    special = (decisions.get("unit"), decisions.get("weights"))
    return name not in special and decisions.of_column("roles", name) not in _NEVER_KEYS
