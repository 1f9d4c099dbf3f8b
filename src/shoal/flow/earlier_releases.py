"""Other releases of the same file: what two of them give away together, neither does alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import DisclosureWarning, PlanError, warn
from shoal.flow.plan_content import content_of

if TYPE_CHECKING:
    from shoal.flow.plan import Plan

_ENDING = ".plan.toml"
_MOST_LOOKED_AT = 200  # plans; each takes milliseconds to read


def warn_of_other_releases(plan: Plan, path: Path) -> None:
    """Warn where plans in the folder of a plan, to be written to `path`, say that the same file was released before."""
    names = [f'"{name}"' for name in _other_releases(plan, path)]
    if names:
        several = len(names) > 1
        warn(
            f"The same file was released before: {', '.join(names[:5])}{' and more' if len(names) > 5 else ''}. From "
            f"{'these releases' if several else 'both releases'} together, values of single records can follow that "
            "neither gives away alone (docs/security.md has the counts). Publish one of them.",
            DisclosureWarning,
        )


def _other_releases(plan: Plan, path: Path) -> Iterator[str]:
    """Give the names of releases of the same input whose plans lie beside `path`, but the one that is replaced."""
    if plan.input is None:
        return
    for other in sorted(path.resolve().parent.glob(f"*{_ENDING}"))[:_MOST_LOOKED_AT]:
        if other.name == path.name or not other.is_file():
            continue
        try:
            content = content_of(other)
        except PlanError:
            continue  # somebody else's file
        source, output = content.get("input"), content.get("output")
        same_input = isinstance(source, dict) and source.get("sha256") == plan.input.sha256
        if same_input and output is not None and content.get("key") != plan.key:
            yield other.name.removesuffix(_ENDING)
