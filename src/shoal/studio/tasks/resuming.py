"""Going on with what was saved: a job, or a plan whose release is made again. Whoever wrote it, it is checked first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from shoal.errors import ParameterError, PlanError, ReadError, ShoalError
from shoal.flow.job.reading import read_job
from shoal.flow.plan import Plan
from shoal.flow.plan_content import content_of
from shoal.flow.protect import options_of_protect
from shoal.flow.settle import settle
from shoal.parameters.choices import as_text
from shoal.read import Table
from shoal.studio.decisions import Decisions
from shoal.studio.tasks.saved_options import checked_options, recode_texts
from shoal.studio.tasks.tables import table_of

__all__ = ["saved_work"]

_LARGEST_BUDGET = 10  # times what files of its size become: a file that unpacks to more is opened in Python
_NOT_DECIDED = ("key", "input", "output", "report", "outcome", "versions", "steps", "scenarios")  # parts of a plan
_AGAIN = "Its release is being made again: see the step Protect."
_NOT_ALL = (
    "The plan's decisions cannot all be shown as those of the studio. The attempt is the plan's own release; "
    "another one by the decisions shown may differ from it."
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
    return {"k": job.k, "options": _without_defaults(options), "reading": reading, "plan": None, "note": ""}


def _of_plan(saved: str, path: str) -> dict[str, Any]:
    plan = Plan.from_toml(saved)
    if plan.before:
        raise PlanError("it is of a release in several steps, which only shoal protect --plan repeats.")
    reading = {} if plan.input is None else plan.input.reading.model_dump(exclude_none=True)
    _refuse_budget(reading)
    table = table_of({"path": path, "reading": reading})
    if plan.input is None or plan.input.sha256 != table.fingerprint():
        raise PlanError("it was made for another file, or the file has changed since. Open the saved job instead.")
    options, is_same = _options_of_plan(plan, table)
    note = _AGAIN if is_same else f"{_AGAIN} {_NOT_ALL}"
    return {"k": plan.k, "options": _without_defaults(options), "reading": reading, "plan": plan, "note": note}


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


def _without_defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    decisions = Decisions()
    for name, value in options.items():
        decisions = decisions.with_option(name, value)
    return dict(decisions.options)


def _options_of_plan(plan: Plan, table: Table) -> tuple[dict[str, Any], bool]:
    """Return options of `protect` that a plan comes from, the shortest that give it again, and whether they do."""
    shared = _shared_options(plan)
    settled: dict[str, Any] | None = None
    for replaced, selected in product(_replaced(plan), _selected(plan, table)):
        options = shared | replaced | selected
        try:
            again = settle(table, plan.k, **(options_of_protect() | options)).plan
        except ShoalError:
            continue
        if _decided(again) == _decided(plan):
            return options, True
        settled = settled or options
    return settled or shared, False


def _decided(plan: Plan) -> dict[str, Any]:
    return {name: value for name, value in plan.model_dump().items() if name not in _NOT_DECIDED}


def _shared_options(plan: Plan) -> dict[str, Any]:
    roles = {name: role for name, role in plan.roles.items() if role not in ("unit", "weight")}
    method = {key: value for key, value in plan.method.items() if key != "random_state"}
    kept = ("kinds", "repair", "missing", "diversity", "closeness", "dominance", "standardize", "decimals", "bounds")
    options = {name: getattr(plan, name) for name in (*kept, "missing_codes", "confidential", "drop_unit", "seed")}
    options |= {"roles": roles, "method": as_text(method), "categories": plan.categories}
    options |= {"unit": plan.unit, "weights": plan.weights, "edits": [rule.text for rule in plan.edits]}
    options["recodes"] = recode_texts(plan.recodes)
    defaults = options_of_protect()
    return {name: value for name, value in options.items() if value not in (None, {}, []) and value != defaults[name]}


def _replaced(plan: Plan) -> Iterator[dict[str, Any]]:
    """Return ways to say which values replace those of groups, shortest first."""
    yield {}
    texts = {name: as_text(written) for name, written in plan.replace.items()}
    for text in dict.fromkeys(texts.values()):
        yield {"replace": text}
    yield {"replace": texts}


def _selected(plan: Plan, table: Table) -> Iterator[dict[str, Any]]:
    """Return ways to say which columns are protected together, shortest first."""
    dropped = [name for name, role in plan.roles.items() if role == "identifier"]
    as_is = [name for name in plan.unchanged(table.names) if name not in dropped]
    yield {"as_is": as_is} if as_is else {}
    yield {"columns": plan.columns}
    yield {"blocks": plan.blocks}
