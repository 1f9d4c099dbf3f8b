"""Making a release by the decisions, measuring it, and keeping it in the studio's private folder."""

from __future__ import annotations

import pickle
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ShoalWarning
from shoal.flow.carry_out import carry_out
from shoal.flow.job.reading import Job
from shoal.flow.plan import Plan
from shoal.flow.release import Release
from shoal.flow.settle import settle
from shoal.measure import Evaluation
from shoal.partition import METHODS
from shoal.progress import step
from shoal.replace import REPLACEMENTS
from shoal.report.facts.collect import summarize
from shoal.report.facts.summary import Summary
from shoal.studio.private_folder import being_written
from shoal.studio.tasks.plan_words import plan_sentences, refused_missing, short_text
from shoal.studio.tasks.tables import table_of
from shoal.write import replacing

__all__ = ["PlanInWords", "attempt", "in_words", "kept_release", "measured_fully"]

_QUICK_FROM = 20_000  # records: beyond, measures that take long are left out, and the page says which
_RELEASE, _EVALUATION = "release.pickle", "evaluation.pickle"


@dataclass(frozen=True)
class PlanInWords:
    """What decisions would do.

    Attributes
    ----------
    sentences
        A sentence for each thing that would be done.
    refused
        How many values are missing, by column, where nothing can be done before it is said what becomes of them.
    can_fill
        Whether the method can fill them.
    """

    sentences: list[str]
    refused: dict[str, int]
    can_fill: bool


def attempt(
    folder: str, source: dict[str, Any], k: int | None, options: dict[str, Any], plan: Plan | None = None
) -> dict[str, Any]:
    """Make a release, that of a plan if there is one, and measure it; keep both in a folder, whole or not at all."""
    table = table_of(source)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShoalWarning)
        with step(0.65):
            release = Job(k=k, options=options).run(table) if plan is None else carry_out(plan, table)
        with step(0.3):
            evaluation = release.evaluate(quick=len(table) > _QUICK_FROM)
        summary = summarize(release, "internal", evaluation, alternatives=False)
    _keep(Path(folder), release, evaluation)
    title = _title(release.plan)
    return {
        "title": title,
        "what": title,
        "warnings": tuple(dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, ShoalWarning))),
        "family": release.plan.shown_as,
        **_measured(evaluation, summary),
    }


def measured_fully(folder: str) -> dict[str, Any]:
    """Measure a release of before by everything, also what takes long; keep it in its folder."""
    release, _ = kept_release(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # as of the release: they were shown when it was made
        with step(0.6):
            evaluation = release.evaluate()
        with step(0.4):
            summary = summarize(release, "internal", evaluation)
    _write(Path(folder), _EVALUATION, evaluation)
    return _measured(evaluation, summary) | {"is_full": True}


def _measured(evaluation: Evaluation, summary: Summary) -> dict[str, Any]:
    return {
        "summary": summary,
        "risk": None if evaluation.score is None else float(evaluation.score.risk),
        "loss": None if evaluation.score is None else float(evaluation.score.loss),
    }


def _keep(folder: Path, release: Release, evaluation: Evaluation) -> None:
    beside = being_written(folder)
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(mode=0o700)
    _write(beside, _RELEASE, release)
    _write(beside, _EVALUATION, evaluation)
    beside.rename(folder)


def _write(folder: Path, name: str, content: Any) -> None:
    """Write a part of an attempt, whole or not at all."""
    with replacing(folder / name, owner_only=True) as temporary, temporary.open("wb") as file:
        pickle.dump(content, file)


_last: dict[tuple[str, int], tuple[Release, Evaluation]] = {}


def kept_release(folder: str) -> tuple[Release, Evaluation]:
    """Return the release of an attempt and its measures; the last one that was asked for is kept in memory."""
    key = folder, (Path(folder) / _EVALUATION).stat().st_mtime_ns
    if key not in _last:
        _last.clear()
        parts = []
        for name in (_RELEASE, _EVALUATION):
            with (Path(folder) / name).open("rb") as file:
                parts.append(pickle.load(file))
        _last[key] = (parts[0], parts[1])
    return _last[key]


def _title(plan: Plan) -> str:
    replaced = sorted({short_text(choice, REPLACEMENTS) for choice in plan.replace.values()})
    kept = sorted(set(plan.categories.values()))
    said = ", ".join([*replaced, *kept])
    return f"{short_text(plan.method, METHODS)} + {said}, k={plan.k}" if plan.family.makes_groups else said


def in_words(source: dict[str, Any], k: int | None, options: dict[str, Any]) -> PlanInWords:
    """Return what the decisions would do; an error of shoal where they cannot be carried out."""
    job = Job(k=k, options=options)
    settled = settle(table_of(source), k or 0, **job.with_options({}))
    plan, table = settled.plan, settled.table
    can_fill = plan.masking.method.supports_missing and plan.family.makes_groups
    return PlanInWords(plan_sentences(plan, table), refused_missing(plan, table), can_fill)
