"""The original and the masked file that `measure` and `report` are given, and the plan between them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.terminal import say_warning

# Imported inside the functions, so that `shoal --help` answers at once.
if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.read import Table

__all__ = ["read_two_files", "refuse_output"]


def read_two_files(
    original: Path, masked: Path, plan: Path | None, reading: dict[str, Any]
) -> tuple[Table, Table, Plan | None]:
    """Return both tables, the masked one in the order of the original, and the plan if there is one."""
    from shoal.flow.plan import Plan
    from shoal.flow.release import in_original_order
    from shoal.read import as_table

    known = None if plan is None else Plan.from_toml(plan)
    if known is not None and known.input is not None and known.input.reading.orders is not None:
        reading = {"orders": known.input.reading.orders} | reading
    before, after = as_table(original, **reading), as_table(masked, **reading)
    if known is None:
        return before, after, None
    if known.input is not None and known.input.sha256 != before.fingerprint():
        say_warning(f"{original} is not the file the plan was made for.")
    return before, in_original_order(known, after), known


def refuse_output(output: Path, what: str, before: Table, after: Table, plan: Path | None) -> None:
    """Raise WriteError if that cannot be written there, or something that was read is there."""
    from shoal.write import refuse_targets, refuse_to_overwrite

    refuse_to_overwrite(after, output)
    refuse_targets(before, [(what, output)], read=[("plan", plan)])
