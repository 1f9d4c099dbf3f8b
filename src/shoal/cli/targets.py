"""Where the files of a release go: as the command line names them, else as a job or a plan does, else by default."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import DataError, ParameterError

# Imported inside the functions, so that `shoal --help` answers at once.
if TYPE_CHECKING:
    from shoal.flow.job.reading import Job
    from shoal.flow.plan import Plan
    from shoal.scale.cluster import Cluster

__all__ = ["Named", "Targets"]


@dataclass(frozen=True)
class Named:
    """What the command line names, and what a job or a plan does.

    Attributes
    ----------
    output, save_plan, report, file
        As the command line names them; None where it does not.
    job
        What a job asks for; nothing where there is none.
    plan, plan_path
        The plan that is carried out again, and where it lies.
    overwrite
        Whether the user has said that a job or a plan may replace what shoal did not write.
    """

    output: Path | None
    save_plan: Path | None
    report: Path | None
    file: Path | None
    job: Job
    plan: Plan | None
    plan_path: Path | None
    overwrite: bool

    def read(self, edits: Path | None) -> list[tuple[str, Path | None]]:
        """Return what is read beside the table: the job, and files of rules; `edits` is named by the command line."""
        rules = self.job.files_of_rules if edits is None else [edits, *self.job.files_of_rules]
        return [("job", self.job.path), *(("file of rules", path) for path in rules)]

    def targets(self, default: Path | None) -> Targets:
        """Return where everything goes; PlanError if a job or a plan names a place that is not below its folder.

        `default` is what the release is called where nobody says it; None if it has to be said.
        """
        from shoal.flow.release import plan_beside
        from shoal.flow.targets import refuse_outside

        if self.output == Path():
            raise ParameterError("-o needs the name of a file.")
        unnamed = self._unnamed()
        output = self.output or unnamed.get("release") or default
        if output is None:
            raise ParameterError("The plan does not say where to write. Add -o FILE.")
        by_user = output is self.output or (output is default and self.file is not None)
        if output is default and not by_user:  # named after the file that the job names, in this folder
            unnamed["release"] = refuse_outside("release", output, [Path()], "The default name")
        save_plan = self.save_plan or unnamed.get("plan") or plan_beside(output)
        if not (by_user or self.save_plan or "plan" in unnamed):
            unnamed["plan"] = refuse_outside("plan", save_plan, [output.parent], "The default name")
        return Targets(output, save_plan, self.report or unnamed.get("report"), unnamed, self)

    def _unnamed(self) -> dict[str, Path]:
        """Return what the job or the plan names and the command line does not."""
        from shoal.flow.targets import refuse_outside

        by_user = {"release": self.output, "plan": self.save_plan, "report": self.report}
        folders = [path.parent for path in by_user.values() if path is not None]
        if self.plan is None or self.plan_path is None:
            asked = {what: self.job.target(what, folders) for what, path in by_user.items() if path is None}
            return {what: path for what, path in asked.items() if path is not None}
        if self.output is not None or self.file is not None or self.plan.output is None:
            return {}
        again, source = Path(self.plan.output.path), f'The plan "{self.plan_path}"'  # the same release, in its place
        return {"release": refuse_outside("release", again, [self.plan_path.parent, *folders], source)}


@dataclass(frozen=True)
class Targets:
    """Where the files of a release go.

    Attributes
    ----------
    output, save_plan, report
        The release, its plan, and its report; None for no report.
    unnamed
        Those of them that the command line does not name: what each is, and its path.
    named
        What names them.
    """

    output: Path
    save_plan: Path
    report: Path | None
    unnamed: Mapping[str, Path]
    named: Named = field(repr=False)

    def refuse_to_replace(self, workers: Cluster | None = None) -> None:
        """Raise WriteError if a job or a plan would have something replaced that shoal did not write there.

        `workers` read a release that is a folder.
        """
        from shoal.flow.targets import refuse_to_replace

        if self.named.overwrite:
            return

        def is_release_in_parts(plan: Plan, folder: Path) -> bool:
            from shoal.scale.released.digests import is_release_of  # Dask is installed

            assert workers is not None
            with suppress(DataError), workers:
                return bool(is_release_of(plan, folder, workers))
            return False  # it holds something else

        plan, path = self.named.plan, self.named.plan_path
        refuse_to_replace(
            self.unnamed,
            release=self.output,
            plan=self.save_plan,
            repeated=None if plan is None or path is None else (path, plan),
            is_release=None if workers is None else is_release_in_parts,
        )

    def record_report(self) -> None:
        """Note in the plan how a report is known that a job names: it is replaced when the job runs again."""
        from shoal.flow.targets import record_report

        if "report" in self.unnamed:
            record_report(self.save_plan, self.unnamed["report"])
