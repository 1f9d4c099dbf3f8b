"""The original and the masked folder that `measure` and `report` get with an engine, and the plan between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.options import cluster_of, refuse_beside_plan, refuse_with_engine
from shoal.cli.release.two_files import plan_of_release
from shoal.cli.terminal import say_note, say_warning
from shoal.errors import WriteError

# Imported inside the functions, so that `shoal --help` answers at once.
if TYPE_CHECKING:
    from shoal.flow.plan import Plan

__all__ = ["plan_of_folder", "refuse_in_folders", "workers_of"]


def workers_of(cluster: Mapping[str, Any], refused: Mapping[str, Any]) -> Any:
    """Return the workers that the options of the engine name, None where there is no engine.

    Parameters
    ----------
    cluster
        The options of the engine.
    refused
        Options that are not there with an engine; ParameterError if one was given.
    """
    workers = cluster_of(dict(cluster))
    if workers is not None:
        refuse_with_engine(cluster, refused)
    return workers


def plan_of_folder(
    workers: Any,
    masked: Path,
    plan: Path | None,
    output: Path | None,
    *,
    look_beside: bool,
    options: Sequence[str],
    quiet: bool,
) -> tuple[Plan | None, bool]:
    """Return the plan that was named, or the one beside the release, and whether it is known to be that of the release.

    A plan beside the release that is not its own is warned of and not used. One that was named is used, and compared
    with the release when that is measured.

    Parameters
    ----------
    workers
        Workers that have started; they read the release.
    masked, plan, output
        The release, the plan that was named, and what is written, which must not overwrite the plan.
    look_beside
        Whether to look for a plan beside the release where none is named.
    options
        What was given that a plan says too, which is refused.
    quiet
        Whether to say nothing about the plan that is used.
    """
    from shoal.scale.released.digests import is_release_of

    known, path = plan_of_release(masked, plan, look_beside=look_beside)
    if known is None or path is None:
        return None, False
    refuse_beside_plan(list(options))
    if output is not None and output.resolve() == path.resolve():
        raise WriteError(f"{output} is the plan of the release, which is read. Write elsewhere.")
    if plan is not None:
        return known, False
    of_plan = is_release_of(known, masked, workers)
    if of_plan is False:
        say_warning(
            f"{masked} has changed since it was written, or {path} is the plan of another release. It is not used; "
            "name it with --plan to use it all the same."
        )
        return None, False
    if not quiet:
        say_note(f"the plan beside the release, {path}, is used. --no-plan ignores it.")
    return known, bool(of_plan)


def refuse_in_folders(output: Path | None, ending: str, *folders: Path) -> None:
    """Raise WriteError if something cannot be written, or would be written into a folder that is read."""
    from shoal.write import refuse_unwritable

    if output is None:
        return
    for folder in folders:
        if folder.resolve() in (output.resolve(), *output.resolve().parents):
            raise WriteError(f"{output} is in {folder}, which is read. Write elsewhere.")
    refuse_unwritable(output, ending)
