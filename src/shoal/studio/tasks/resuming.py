"""Going on with what was saved: a job, or a plan whose release is made again. Whoever wrote it, it is checked first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.errors import ParameterError, PlanError, ReadError, ShoalError
from shoal.flow.job.reading import read_job
from shoal.flow.plan import Plan
from shoal.flow.plan_content import content_of
from shoal.flow.settle import settle
from shoal.read import Table
from shoal.studio.tasks.saved_options import checked_options
from shoal.studio.tasks.tables import table_of

__all__ = ["saved_work"]

_LARGEST_BUDGET = 10  # times what files of its size become: a file that unpacks to more is opened in Python
_NOT_DECIDED = {"asked", "key", "input", "output", "report", "outcome", "versions", "steps"}  # parts of a plan
_AGAIN = "Its release is being made again: see the step Protect."
_CHANGED = (
    "The plan was changed after it was made: what it says was asked for does not lead to its decisions. The attempt is "
    "the plan's own release; another one by the decisions shown may differ from it."
)


def saved_work(saved: str, saved_name: str, path: str, name: str) -> dict[str, Any]:
    """Read a job or a plan for a file, and return k, options, how the file is read, the plan if it is one, and a note.

    Parameters
    ----------
    saved, saved_name
        Where the job or the plan is, and what the user calls it.
    path, name
        The same of the file.
    """
    try:
        content = content_of(saved, "job")
        is_plan = "key" in content  # which no job has
        _refuse_paths(content)
        return _of_plan(saved, path) if is_plan else _of_job(saved, path)
    except ReadError as error:
        raise ReadError(str(error).replace(path, name)) from None
    except ShoalError as error:
        text = str(error).replace(saved, saved_name).replace(path, name)
        raise PlanError(text if saved_name in text else f'"{saved_name}" cannot be used: {text}') from None


def _of_job(saved: str, path: str) -> dict[str, Any]:
    job = read_job(saved)
    if job.then:
        raise PlanError("it has further steps ([[then]]), which only shoal protect --job does.")
    reading = dict(job.reading)
    _refuse_budget(reading)
    table = table_of({"path": path, "reading": reading})
    options = checked_options(job.k, job.options, table)
    return {"k": job.k, "options": options, "reading": reading, "plan": None, "note": ""}


def _of_plan(saved: str, path: str) -> dict[str, Any]:
    plan = Plan.from_toml(saved)
    if plan.before:
        raise PlanError("it is of a release in several steps, which only shoal protect --plan repeats.")
    reading = {} if plan.input is None else plan.input.reading.model_dump(exclude_none=True)
    _refuse_budget(reading)
    table = table_of({"path": path, "reading": reading})
    if plan.input is None or plan.input.sha256 != table.fingerprint():
        raise PlanError("it was made for another file, or the file has changed since. Open the saved job instead.")
    if plan.request is None:
        raise PlanError(
            "it does not say what was asked for. Carry it out with shoal protect --plan, or open the saved job instead."
        )
    options = checked_options(plan.k, plan.request.model_dump(exclude={"k"}), table) | {"seed": plan.seed}
    note = _AGAIN if _gives_again(plan, table, options) else f"{_AGAIN} {_CHANGED}"
    return {"k": plan.k, "options": options, "reading": reading, "plan": plan, "note": note}


def _refuse_paths(content: Mapping[str, Any]) -> None:
    """Refuse what names other files, which a page cannot follow."""
    if isinstance(content.get("edits"), str):
        raise ParameterError(
            "its rules are in another file, which the studio cannot follow. Take edits out of it, and load that file "
            "in the step Rules."
        )
    recodes = content.get("recodes")
    for recode in _every(recodes if isinstance(recodes, dict) else {}):
        is_path = isinstance(recode, Mapping) and "path" in recode
        if is_path or (isinstance(recode, str) and recode.strip().startswith("hierarchy")):
            raise ParameterError("a recode in it names another file (hierarchy), which the studio cannot follow.")


def _every(recodes: Mapping[str, Any]) -> Iterator[Any]:
    for one in recodes.values():
        yield from one if isinstance(one, list) else [one]


def _refuse_budget(reading: Mapping[str, Any]) -> None:
    if not reading.get("budget", 1) <= _LARGEST_BUDGET:
        raise ParameterError(f"reading.budget is more than {_LARGEST_BUDGET}, the most that the studio takes.")


def _gives_again(plan: Plan, table: Table, options: Mapping[str, Any]) -> bool:
    """Whether options lead to the decisions of a plan, which may have been changed by hand."""
    try:
        again = settle(table, plan.k, **options).plan
    except ShoalError:
        return False
    return again.model_dump(exclude=_NOT_DECIDED) == plan.model_dump(exclude=_NOT_DECIDED)
