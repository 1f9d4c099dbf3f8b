"""Exporting an attempt: the masked file, its reports, and what makes the same file again."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from shoal.errors import ShoalError, WriteError
from shoal.flow.release import Release
from shoal.measure import Evaluation
from shoal.parameters.typed import in_python, typed_path
from shoal.read.files import FORMATS, ending_of
from shoal.studio.decisions import Decisions
from shoal.studio.downloads import safe_name
from shoal.studio.tasks.protecting import kept_release
from shoal.write.files import can_be_written
from shoal.write.timestamps import UndatedZip

__all__ = ["ExportNames", "Part", "command_of", "default_ending", "exported", "formats", "names_of", "script_of"]

Part = Literal["masked", "public", "internal", "plan", "job", "script", "everything"]

_SCRIPT = """\
# Makes {masked} again, byte for byte.
# The plan and {file} have to be in the folder of this script.
from pathlib import Path

import shoal

folder = Path(__file__).parent
plan = shoal.Plan.from_toml(folder / {plan})
release = plan.run()  # on the file that the plan was made for; refused if it has changed
release.write(folder / {written}{keep_order})
"""
_ABOUT = """\
What is in this archive, and who may get it

For everybody, once you have decided to release it:
  {masked}
      the protected file{order}
  {public}
      the report that can be published with it: no value of the original, no seed, no count below k

Keep these as safe as the original:
  {plan}
      the plan: it repeats the release, byte for byte, and says which row is whose
  {internal}
      the report for those who may see the original: it shows distributions of it
  {job}
      the decisions: the studio goes on from them, and shoal protect --job takes them
  {script}
      the Python script that makes the release again; it needs the plan

The same release again, in a folder with {file} and the plan:
  {command}
"""


@dataclass(frozen=True)
class ExportNames:
    """What the exported files are called, all after the file that was protected."""

    file: str
    masked: str
    plan: str
    public: str
    internal: str
    job: str
    script: str
    everything: str
    saved: str  # the job of what is decided now, whether there is a release or not


def names_of(file: str, ending: str) -> ExportNames:
    """Return the names of what is exported of a file in a format, which the ending says."""
    stem = safe_name(file[: len(file) - len(ending_of(Path(file)))])
    masked = f"{stem}-masked{ending}"
    return ExportNames(
        file=file,
        masked=masked,
        plan=f"{masked}.plan.toml",
        public=f"{stem}-public-report.html",
        internal=f"{stem}-internal-report.html",
        job=f"{stem}-masked-job.toml",
        script=f"{stem}-again.py",
        everything=f"{stem}-export.zip",
        saved=f"{stem}-job.toml",
    )


def formats() -> dict[str, str]:
    """Return the endings of the formats that can be written, and what they are called."""
    return {ending: f"{one.name} ({ending})" for ending, one in FORMATS.items() if can_be_written(ending)}


def default_ending(file: str) -> str:
    """Return the ending of a file, as releases have it by default: CSV where its format can only be read."""
    ending = ending_of(Path(file))
    return ending if can_be_written(ending) else ".csv"


def command_of(names: ExportNames) -> str:
    """Return the command that makes the masked file again, in a folder with the plan and the file."""
    return f"shoal protect --plan {typed_path(names.plan)}"


def script_of(names: ExportNames, keep_order: bool) -> str:
    """Return the Python script that makes the masked file again."""
    return _SCRIPT.format(
        file=names.file,
        masked=names.masked,
        written=in_python(names.masked),
        plan=in_python(names.plan),
        keep_order=", keep_order=True" if keep_order else "",
    )


def exported(
    source: dict[str, Any],
    attempt: str,
    folder: str,
    file: str,
    k: int | None,
    options: dict[str, Any],
    ending: str,
    keep_order: bool,
    part: Part,
) -> str:
    """Write a part of an attempt, or everything as one archive, to a folder, and return where it is.

    Parameters
    ----------
    source
        Where the opened file is, and how it is read.
    attempt
        The folder that the attempt is kept in.
    folder
        An empty folder to write to.
    file
        What the user calls the opened file; the plan names it so, beside itself.
    k, options
        The decisions of the attempt, for its job.
    ending
        In which format the masked file is written.
    keep_order
        Whether its rows are in the order of the input.
    part
        What to write.
    """
    if not can_be_written(ending):
        raise WriteError("The studio does not write that format. Choose one from the list.")
    names, place = names_of(file, ending), Path(folder).resolve()
    writing = _Writing(attempt, place, names, keep_order)
    decisions = Decisions(k=k, options=options)
    try:
        if part in ("masked", "plan", "everything"):
            writing.masked_and_plan()
        if part in ("public", "everything"):
            writing.report("public")
        if part in ("internal", "everything"):
            writing.report("internal")
        if part in ("job", "everything"):
            writing.job(decisions, source["reading"])
        if part in ("script", "everything"):
            writing.text(names.script, script_of(names, keep_order))
        if part == "everything":
            writing.archive()
    except ShoalError as error:
        raise ShoalError(str(error).replace(f"{place}/", "")) from None
    return str(place / str(getattr(names, part)))


@dataclass(frozen=True)
class _Writing:
    """Writes the files of an attempt to a folder."""

    attempt: str
    folder: Path
    names: ExportNames
    keep_order: bool

    @cached_property
    def release(self) -> Release:
        """The release as if it was made from the user's own file, in the folder that it is written to."""
        release, _ = kept_release(self.attempt)
        named = self.folder / self.names.file
        plan = release.plan
        assert plan.input is not None
        return replace(
            release,
            original=replace(release.original, source=named),
            coarser=replace(release.recoded, source=named),
            plan=plan.model_copy(update={"input": plan.input.model_copy(update={"path": str(named)})}),
            _written=[],
        )

    @cached_property
    def evaluation(self) -> Evaluation:
        """The measures that were kept, with the files they are about, which are not kept with them."""
        _, evaluation = kept_release(self.attempt)
        anew = self.release.evaluate(measures=["sse"])
        return replace(evaluation, _files=anew._files, _known=anew._known)

    def masked_and_plan(self) -> None:
        self.release.write(self.folder / self.names.masked, keep_order=self.keep_order)

    def report(self, audience: Literal["internal", "public"]) -> None:
        self.release.report(self.folder / str(getattr(self.names, audience)), audience, self.evaluation)

    def job(self, decisions: Decisions, reading: dict[str, Any]) -> None:
        """Write the decisions with the seed that was drawn, so that the same values come of them."""
        decisions = decisions.with_option("seed", self.release.plan.seed)
        beside = {"output": self.names.masked} | ({"keep_order": True} if self.keep_order else {})
        self.text(self.names.job, decisions.as_job(self.names.job, self.names.file, reading, **beside))

    def text(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8", newline="\n")

    def archive(self) -> None:
        names = self.names
        order = ", its rows in the order of the original: side by side, the two are linked record by record"
        about = _ABOUT.format(order=order * self.keep_order, command=command_of(names), **vars(names))
        with UndatedZip(self.folder / names.everything, "w") as archive:
            archive.writestr("READ-ME.txt", about)
            for name in (names.masked, names.public, names.plan, names.internal, names.job, names.script):
                with (self.folder / name).open("rb") as written, archive.entry(name) as entry:
                    shutil.copyfileobj(written, entry)
