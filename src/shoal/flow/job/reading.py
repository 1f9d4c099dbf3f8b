"""A job: the options of `shoal.protect`, the file and where the release goes, as a TOML file has them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError

from shoal.errors import ParameterError, PlanError, nearest_name_hint
from shoal.flow.chain.whole_chain import MOST_STEPS
from shoal.flow.outcome import Reading
from shoal.flow.plan_content import content_of, first_problem
from shoal.flow.protect import protect_in_steps
from shoal.flow.release import Release
from shoal.flow.request import OPTIONS
from shoal.flow.targets import refuse_outside
from shoal.read import as_table

__all__ = ["Job", "read_job"]

_TARGETS = {"output": "release", "save_plan": "plan", "report": "report"}  # what the keys say where to write
_OWN = ("file", *_TARGETS, "k", "keep_order", "reading", "then")
_PLAIN = (str, int, float, bool)
_MOST_LEVELS = 10  # of lists and tables within each other


@dataclass(frozen=True)
class Job:
    """What a job file asks for. ``read_job("job.toml").run()`` does it.

    Attributes
    ----------
    path
        The job file.
    file
        The table to protect; None where the job does not say.
    written
        Where the job says to write, unchecked: the "release", the "plan" and the "report".
    output, save_plan, report
        The same, checked as by `target`; None where the job does not say.
    k
        The k of the first step, None where it does not say.
    keep_order
        Whether rows are written in the order of the input.
    reading
        How the file is read, as in `shoal.read_table`.
    options
        The other options of `shoal.protect`.
    then
        The options of further steps, as `Release.then` takes them.
    """

    path: Path | None = None
    file: Path | None = None
    written: Mapping[str, Path] = field(default_factory=dict)
    k: int | None = None
    keep_order: bool = False
    reading: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    then: tuple[Mapping[str, Any], ...] = ()

    @property
    def files_of_rules(self) -> list[Path]:
        """The files that rules of its steps are in."""
        edits = [step.get("edits") for step in (self.options, *self.then)]
        return [one for one in edits if isinstance(one, Path)]

    @property
    def output(self) -> Path | None:
        """Where the release goes; PlanError where that is not below the folder of the job."""
        return self.target("release")

    @property
    def save_plan(self) -> Path | None:
        """Where the plan goes; PlanError where that is not below the folder of the job."""
        return self.target("plan")

    @property
    def report(self) -> Path | None:
        """Where the report goes; PlanError where that is not below the folder of the job."""
        return self.target("report")

    def target(self, what: str, folders: Iterable[Path] = ()) -> Path | None:
        """Return where the release, the plan or the report goes, None where the job does not say.

        Raises PlanError where that is neither below the folder of the job nor below one of `folders`.
        """
        if what not in self.written or self.path is None:
            return None
        return refuse_outside(what, self.written[what], [self.path.parent, *folders], f'The job "{self.path}"')

    def run(self, data: Any = None, *, k: int | None = None, **options: Any) -> Release:
        """Protect the job's file, or `data`; nothing is written.

        Parameters
        ----------
        data
            A table or the path of a file, in place of the job's file.
        k, **options
            Options of `shoal.protect` for the first step, which win over those of the job. Roles, kinds and whatever
            else has a value for every column are put together with the job's.
        """
        data = self.file if data is None else data
        if data is None:
            raise ParameterError('The job names no file: add file = "survey.csv", or say which table to protect.')
        k = self.k if k is None else k
        if k is None:
            raise ParameterError(
                "The job does not say k: set k = 5, for instance, the fewest records that share a value. There is no "
                "default.",
                parameter="k",
            )
        chosen = self.with_options(options)
        return protect_in_steps(as_table(data, **self.reading), k, chosen, self._further(chosen.get("seed")))

    def with_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of the first step, with others that win over them."""
        chosen = dict(self.options)
        for name, value in options.items():
            own = chosen.get(name)
            if _is_by_column(own) and _is_by_column(value):
                value = {**own, **value}
            chosen[name] = value
        return _without_kinds_before(chosen)

    def _further(self, seed: Any) -> list[Mapping[str, Any]]:
        """Return the options of further steps; where the first has a seed, each without one starts from another."""
        if not isinstance(seed, int):
            return list(self.then)
        return [{"seed": seed + number, **step} for number, step in enumerate(self.then, start=1)]


def read_job(path: str | os.PathLike[str]) -> Job:
    """Read a job file: TOML with the options of `shoal.protect` by their names.

    Parameters
    ----------
    path
        The job file. Beside the options of `protect` it may have `file`, `output`, `report`, `save_plan`, `keep_order`,
        a table ``[reading]`` with the options of `shoal.read_table`, and for every further step a table ``[[then]]``.
        Paths are relative to the job file, and those that are written stay below its folder. File and k are enough.

    Returns
    -------
    Job
        What the file asks for; its `run` protects.

    Raises
    ------
    PlanError
        It is not TOML, or it has a key that there is not, or a value that cannot be.

    Examples
    --------
    >>> release = shoal.read_job("job.toml").run()
    """
    source = Path(path)
    content = content_of(path, "job")
    known = [*_OWN, *OPTIONS]
    try:
        _refuse_other_values(content)
        _refuse_unknown(content, known)
        paths = {name: _path(name, content[name], source) for name in ("file", *_TARGETS) if name in content}
        return Job(
            path=source,
            file=paths.get("file"),
            written={what: paths[name] for name, what in _TARGETS.items() if name in paths},
            k=content.get("k"),
            keep_order=_truth("keep_order", content.get("keep_order", False)),
            reading=_reading(content.get("reading", {})),
            options=_options({name: value for name, value in content.items() if name not in _OWN}, source),
            then=_steps(content.get("then", []), source),
        )
    except ValueError as error:
        raise PlanError(f'The job "{path}" cannot be used: {error}', path=str(path)) from None


def _refuse_unknown(content: Mapping[str, Any], known: list[str], where: str = "") -> None:
    for name in content:
        if name not in known:
            raise ValueError(f'there is no key "{where}{name}".{nearest_name_hint(name, known)}')


def _refuse_other_values(content: Any) -> None:
    """Raise ValueError for dates and times, which no option takes, and for tables within tables within tables."""
    ahead = [(content, 0)]
    while ahead:
        part, level = ahead.pop()
        if level > _MOST_LEVELS:
            raise ValueError("it is nested too deeply.")
        if isinstance(part, dict | list):
            ahead += [(one, level + 1) for one in (part.values() if isinstance(part, dict) else part)]
        elif not isinstance(part, _PLAIN):
            raise ValueError("a value in it is a date or a time, which no option takes. Put texts in quotes.")


def _path(name: str, value: Any, source: Path) -> Path:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"{name}: the name of a file is needed, in quotes.")
    return source.parent / value


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false.")
    return value


def _reading(content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise ValueError("reading must be a table, [reading].")
    _refuse_unknown(content, list(Reading.model_fields), "reading.")
    try:
        return Reading.model_validate(content).model_dump(exclude_none=True)
    except ValidationError as error:
        raise ValueError(f"reading.{first_problem(error, Reading)}") from None


def _options(options: dict[str, Any], source: Path) -> dict[str, Any]:
    """Return options with the path of a file of rules as it is from here."""
    if isinstance(options.get("edits"), str):
        options["edits"] = _path("edits", options["edits"], source)
    return options


def _steps(content: Any, source: Path) -> tuple[dict[str, Any], ...]:
    if not isinstance(content, list) or not all(isinstance(step, dict) for step in content):
        raise ValueError("then must be tables, [[then]] for every further step.")
    if len(content) > MOST_STEPS:
        raise ValueError(f"it has {len(content)} further steps; there can be {MOST_STEPS}.")
    for number, step in enumerate(content, start=1):
        _refuse_unknown(step, list(OPTIONS), f"then.{number}.")
    return tuple(_options(dict(step), source) for step in content)


def _without_kinds_before(options: dict[str, Any]) -> dict[str, Any]:
    """Return options without the kind continuous of columns that are recoded: the recode says what they are then."""
    kinds, recodes = options.get("kinds"), options.get("recodes")
    if not isinstance(kinds, Mapping) or not isinstance(recodes, Mapping):
        return options
    kept = {name: kind for name, kind in kinds.items() if kind != "continuous" or name not in recodes}
    return {**options, "kinds": kept}


def _is_by_column(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Whether an option has a value for every column, not a method or a replacement with its parameters."""
    return isinstance(value, Mapping) and "name" not in value
