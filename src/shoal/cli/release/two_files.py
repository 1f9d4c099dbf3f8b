"""The original and the masked file that `measure` and `report` are given, and the plan between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli.terminal import say_note, say_warning
from shoal.errors import DataError, PlanError

# Imported inside the functions, so that `shoal --help` answers at once.
if TYPE_CHECKING:
    from shoal.flow.plan import Plan
    from shoal.read import Table

__all__ = ["Aligned", "NoPlan", "TwoFiles", "plan_of_release", "read_two_files", "refuse_output"]

NoPlan = Annotated[bool, typer.Option("--no-plan", help="Do not look for the plan beside the release.")]
Aligned = Annotated[
    bool,
    typer.Option("--aligned", help="Say that the rows of both files belong together, as for fully synthetic data."),
]


@dataclass(frozen=True)
class TwoFiles:
    """Both tables, the masked one in the order of the original as far as that is known.

    Attributes
    ----------
    plan, plan_path
        The plan that says what was done, and where it is; None if there is none, or other options say it.
    aligned
        Whether the plan says that these are the two files, so that their rows are known to belong together.
    """

    before: Table
    after: Table
    plan: Plan | None = None
    plan_path: Path | None = None
    aligned: bool = False


def read_two_files(
    original: Path,
    masked: Path,
    plan: Path | None,
    reading: dict[str, Any],
    *,
    look_beside: bool,
    options: Sequence[str] = (),
    quiet: bool = False,
) -> TwoFiles:
    """Read both files and the plan, the one named or the one beside the release, and put the rows in order by it.

    Parameters
    ----------
    original, masked, plan, reading
        The files, and how they are read.
    look_beside
        Whether to look for a plan beside the release where none is named.
    options
        What was given that a plan says too. Beside a named plan that is refused before; one that was not named then
        decides nothing but the order of the rows.
    quiet
        Whether to say nothing about the plan that is used.
    """
    from shoal.flow.chain.whole_chain import steps_of
    from shoal.flow.drawn_by_key import in_original_order
    from shoal.flow.recoding.asked import recoded_by_plan
    from shoal.read import as_table
    from shoal.recode.recoded_table import as_recoded

    known, path = plan_of_release(masked, plan, look_beside=look_beside)
    if known is not None and known.input is not None and known.input.reading.orders is not None:
        reading = {"orders": known.input.reading.orders} | reading
    before, after = as_table(original, **reading), as_table(masked, **reading)
    if known is None or not _serves(known, path, masked, after, is_named=plan is not None):
        _warn_of_other_values(before, after)
        return TwoFiles(before, after)
    if known.input is not None and known.input.sha256 != before.fingerprint():
        say_warning(f"{original} is not the file the plan was made for.")
    if plan is None and not quiet:
        alone = f"the order of the rows alone, since --{options[0]} was given" if options else "the release"
        say_note(f"the plan beside the release, {path}, is used for {alone}. --no-plan ignores it.")
    aligned = (
        known.input is not None
        and known.output is not None
        and known.output.order is not None
        and (known.input.sha256, known.output.sha256) == (before.fingerprint(), after.fingerprint())
    )
    in_order = in_original_order(known, after)
    recoding = [step for step in steps_of(known) if step.recodes or step.missing_codes]
    for step in recoding:
        before = recoded_by_plan(step, before).table
    in_order = as_recoded(in_order, before, dict.fromkeys(name for step in recoding for name in step.recodes))
    return TwoFiles(before, in_order, None if options else known, path, aligned)


def _warn_of_other_values(before: Table, after: Table) -> None:
    """Say which columns have no value in common, though they are no numbers: they were recoded, most likely."""
    from shoal.recode.base import text_of

    strange = []
    for name in before.names:
        if name in after and not (before.is_numeric(name) and after.is_numeric(name)):
            values = [
                {text_of(cell) for cell in table.cells(name).tolist() if cell is not None} for table in (before, after)
            ]
            if all(values) and values[0].isdisjoint(values[1]):
                strange.append(name)
    if strange:
        say_warning(
            f"No value of {', '.join(strange)} is in both files: they were recoded, most likely. Name the plan of the "
            "release (--plan), which says how."
        )


def plan_of_release(masked: Path, plan: Path | None, *, look_beside: bool) -> tuple[Plan | None, Path | None]:
    """Return the plan that was named, or the one beside a release if there is one that can be read, and its path."""
    from shoal.flow.plan import Plan
    from shoal.flow.release import plan_beside

    if plan is not None:
        return Plan.from_toml(plan), plan
    if not look_beside:
        return None, None
    path = plan_beside(masked)
    if not path.is_file():
        return None, None
    try:
        return Plan.from_toml(path), path
    except PlanError as error:
        say_warning(f"{error} It is not used.")
        return None, None


def _serves(plan: Plan, path: Path | None, masked: Path, after: Table, *, is_named: bool) -> bool:
    """Whether a plan is that of a file; where it is not, say so, and refuse one that was named if it cannot be."""
    if plan.input is not None and plan.input.records != len(after):
        problem = f"{path} is the plan of another release: of {plan.input.records:,} records, not {len(after):,}."
        if is_named:
            raise DataError(f"{problem} Name the plan of {masked}.")
        say_warning(f"{problem} It is not used.")
        return False
    if plan.output is not None and plan.output.sha256 not in (None, after.fingerprint()):
        problem = f"{masked} has changed since it was written, or {path} is the plan of another release."
        say_warning(problem if is_named else f"{problem} It is not used; name it with --plan to use it all the same.")
        return is_named
    return True


def refuse_output(output: Path, what: str, ending: str, files: TwoFiles) -> None:
    """Raise WriteError if that cannot be written there, or something that was read is there."""
    from shoal.write import refuse_targets, refuse_to_overwrite

    refuse_to_overwrite(files.after, output)
    refuse_targets(files.before, [(what, output, ending)], read=[("plan", files.plan_path)])
