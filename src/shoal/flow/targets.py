"""Where a job or a plan says to write: below its folder, and never in the place of what shoal did not write there.

Whoever wrote the job or the plan may want other files of its user gone. What the user names is not asked about.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from shoal.errors import PlanError, WriteError
from shoal.flow.outcome import ReportFile
from shoal.flow.plan import Plan
from shoal.flow.plan_content import is_as_written
from shoal.flow.release import plan_beside
from shoal.read.files import file_digest, identity_of

__all__ = ["record_report", "refuse_outside", "refuse_to_replace"]

_OPTIONS = {"release": "-o", "plan": "--save-plan", "report": "--report"}


def refuse_outside(what: str, path: Path, folders: Iterable[Path], source: str) -> Path:
    """Return a path if it is below one of some folders, wherever links lead; PlanError otherwise.

    Parameters
    ----------
    what
        What is to be written there: "release", "plan" or "report".
    path
        Where to.
    folders
        The folder that the job or the plan lies in, and those that the user named.
    source
        What names the path, for messages: 'The job "job.toml"'.
    """
    real = Path(os.path.realpath(path))
    if path.is_symlink() or not any(Path(os.path.realpath(folder)) in real.parents for folder in folders):
        raise PlanError(
            f"{source} would have the {what} written to {path}, which is not below its folder, or a link. If that is "
            f"meant, say so yourself: {_OPTIONS[what]} FILE.",
            path=str(path),
        )
    return path


def refuse_to_replace(
    targets: Mapping[str, Path],
    *,
    release: Path,
    plan: Path,
    repeated: tuple[Path, Plan] | None = None,
    is_release: Callable[[Plan, Path], bool | None] | None = None,
) -> None:
    """Raise WriteError if a file that a job or a plan names is there and is not what shoal wrote there last.

    That is known by its SHA-256, which stands in the plan that lies beside the release or where the plan goes, or in
    the plan that is carried out again. A plan has a SHA-256 of its own, and is replaced with the release that it is of.

    Parameters
    ----------
    targets
        The files that a job or a plan names: what each is ("release", "plan", "report"), and its path.
    release, plan
        Where the release and its plan go, whoever named them.
    repeated
        The plan that is carried out again, and where it lies.
    is_release
        Whether a plan is that of a release, by their SHA-256; by default that of a release in one file.
    """
    there = {what: path for what, path in targets.items() if _is_something(path)}
    if not there:
        return
    known = {path: one for path in {plan, plan_beside(release)} if (one := _plan_at(path)) is not None}
    known |= {} if repeated is None else dict([repeated])
    of_release = [
        path for path, one in known.items() if _is_of(one, release) and (is_release or _is_release)(one, release)
    ]
    written = {
        "release": bool(of_release),
        "plan": (plan in of_release and is_as_written(plan)) or (repeated is not None and _are_same(plan, repeated[0])),
        "report": "report" in there and any(_is_report(one, there["report"]) for one in known.values()),
    }
    for what, path in there.items():
        if not written[what]:
            raise WriteError(
                f"{path} is there, and is not what shoal wrote there last. Give the {what} another name "
                f"({_OPTIONS[what]} FILE), or have it replaced: --overwrite."
            )


def record_report(plan: Path, report: Path) -> None:
    """Write into a plan what the report of its release is known by."""
    noted = ReportFile(path=str(report.resolve()), sha256=file_digest(report))
    Plan.from_toml(plan).model_copy(update={"report": noted}).to_toml(plan)


def _is_something(path: Path) -> bool:
    """Whether anything is at a path that could be lost: a link that leads nowhere too, an empty folder not."""
    if path.is_dir() and not path.is_symlink():
        return any(path.iterdir())
    return os.path.lexists(path)


def _plan_at(path: Path) -> Plan | None:
    """Return the plan at a path, None if there is none."""
    with suppress(PlanError):
        return Plan.from_toml(path) if path.is_file() else None
    return None


def _is_of(plan: Plan, release: Path) -> bool:
    return plan.output is not None and _are_same(Path(plan.output.path), release)


def _is_release(plan: Plan, release: Path) -> bool:
    return plan.output is not None and plan.output.sha256 == _digest(release)


def _is_report(plan: Plan, report: Path) -> bool:
    noted = plan.report
    return noted is not None and _are_same(Path(noted.path), report) and noted.sha256 == _digest(report)


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, "" if it cannot be read."""
    with suppress(OSError):
        return file_digest(path)
    return ""


def _are_same(one: Path, other: Path) -> bool:
    return bool(identity_of(one)) and identity_of(one) == identity_of(other)
