"""A way of masking as it is written: a method, and behind a plus the replacement if it has one of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.parameters.choices import build, spell, text
from shoal.partition import METHODS, Partitioner
from shoal.replace import REPLACEMENTS, SYNTHETIC

__all__ = ["Masking", "masking_of"]


@dataclass(frozen=True)
class Masking:
    """How records are grouped, and what stands for a group, if it says so itself; both as a plan holds them."""

    method: Mapping[str, Any]
    replace: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The masking as one line: "mdav", "mdav+hybrid:small_groups=merge"."""
        return text(self.method) + ("" if self.replace is None else f"+{text(self.replace)}")

    @property
    def is_synthetic(self) -> bool:
        """Whether its own replacement rewrites the confidential variables."""
        return self.replace is not None and self.replace["name"] in SYNTHETIC

    def check(self) -> None:
        """Raise ParameterError if there is no such method or replacement, or not with these parameters."""
        build(self.method, METHODS, "method", k=2)
        if self.replace is not None:
            build(self.replace, REPLACEMENTS, "replace")


def masking_of(given: Any) -> Masking:
    """Read a way of masking.

    Parameters
    ----------
    given
        The name of a method, with parameters or without, or an estimator; a method and a replacement, written
        "mdav+hybrid" or as a pair of them; or a synthetic replacement alone, which is grouped as `shoal.protect` does
        by default: "hybrid" is "mdav+hybrid", "ipso" is "one-group+ipso".
    """
    method, replace = given, None
    if isinstance(given, tuple) and len(given) == 2:
        method, replace = given
    elif isinstance(given, str):
        method, replace = _parted(given)
    if replace is None and _rewrites(method):
        return masking_of(("mdav" if _rewrites(method, "hybrid") else "one-group", method))
    grouped = spell(method, METHODS, "method")
    if isinstance(method, Partitioner):
        del grouped["k"]
    return Masking(grouped, None if replace is None else spell(replace, REPLACEMENTS, "replace"))


def _rewrites(given: Any, *names: str) -> bool:
    """Whether something is a synthetic replacement, of one of these names if there are some."""
    kinds = tuple(kind for name, kind in SYNTHETIC.items() if name in names or not names)
    if isinstance(given, str | Mapping):
        return spell(given, SYNTHETIC, "replace").get("name") in {kind.name for kind in kinds}
    return isinstance(given, kinds)


def _parted(given: str) -> tuple[str, str | None]:
    """Part "mdav+hybrid" at the plus that is in no brackets and in no number."""
    for plus in re.finditer(r"\+(?=\s*[a-z])", given):
        before = given[: plus.start()]
        if before.count("(") == before.count(")") and before.count("[") == before.count("]"):
            return before, given[plus.end() :]
    return given, None
