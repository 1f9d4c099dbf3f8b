"""The result of a search, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.measure.options import options_text
from shoal.report.terminal.comparison import measured_on
from shoal.report.terminal.names import first_names, one_line
from shoal.report.terminal.table import table_text
from shoal.report.wording import range_text, short_of_k
from shoal.search.suggested_recode import suggested_recode

if TYPE_CHECKING:
    from shoal.search.setup import TrialSetup
    from shoal.search.trial import Trial
    from shoal.search.tuning import Tuning

__all__ = ["tuning_text"]

_HEAD = ("", "trial", "method", "settings", "k reached", "unique", "linkage", "risk", "loss", "score", "attack")
_LONGEST = 200


def tuning_text(name: str, tuning: Tuning) -> str:
    """Return the Pareto front, the best of each family, what was chosen, and the best fixed choice."""
    chosen, fixed = tuning.chosen, tuning.best_fixed
    stopped = ", stopped by hand" if tuning.interrupted else ""
    lines = [
        f"{name}: {len(tuning.trials):,} trials{stopped}",
        "",
        "Pareto front; k reached, unique records, linkage and risk over everything released, in %",
    ]
    lines += [_table(tuning, tuning.front), "", "lowest score of each family"]
    lines += [_table(tuning, list(tuning.best_of_family.values())), ""]
    if chosen is None:
        lowest = min(tuning.measured, key=lambda trial: trial.exposure)
        lines.append(
            f"chosen             none: no trial has both a risk and an attack within {tuning.max_risk:g}; trial "
            f"{lowest.number} comes nearest with {lowest.exposure:.2f}"
        )
    else:
        why = "lowest score" if tuning.max_risk is None else f"least loss, risk and attack within {tuning.max_risk:g}"
        lines.append(f"chosen (*)         {_line(chosen)}, {why}")
        assert chosen.measures is not None
        short = short_of_k(chosen.request.k, chosen.measures.k_reached, chosen.measures.uniques)
        lines += [f"                   {short}"] if short else []
        lines += _other_seeds(tuning, chosen)
    if fixed is not None:
        lines.append(f"best fixed choice  {_line(fixed)}, of {_fixed_choices(tuning)}")
        lines += _other_seeds(tuning, fixed) if fixed != chosen else []
    elif tuning.fixed and tuning.max_risk is not None:
        lines.append(f"best fixed choice  none is within {tuning.max_risk:g}: {_fixed_choices(tuning)}")
    if tuning.fixed_left:
        lines.append(f"not evaluated      {tuning.fixed_left} more fixed choices: the trials or the time were used up")
    if tuning.unmasked_score is not None:
        better = chosen is None or chosen.score < tuning.unmasked_score
        lines.append(
            f"unmasked file      {tuning.unmasked_score:.2f}" + ("" if better else ": no release scores better")
        )
    lines += _shared(tuning.setup)
    for (method, problem), trials in tuning.problems.items():
        reason = next((trial.reason for trial in trials if trial.reason), problem)
        count = f"{len(trials)} trials" if len(trials) > 1 else "1 trial"
        lines.append(f"no release         {count} of {method}, such as {trials[0].number}: {reason}")
    return "\n".join([*lines, *_suggestion(tuning)])


def _shared(setup: TrialSetup) -> list[str]:
    """Say what all trials share: their loss if nobody chose it, columns and options."""
    lines = []
    if setup.is_usual_utility and setup.utility == "mixed_information_loss":
        lines.append("loss               over all columns: numbers, categories and recodes (--utility for others)")
    if setup.not_protected:
        lines.append(f"NOT PROTECTED      {first_names(setup.not_protected)}: every trial has them as they are")
    if setup.measure_options:
        lines.append(f"options            {options_text(setup.measure_options)}")
    if setup.measured_columns:
        lines.append(f"measured on        {measured_on(setup.measured_columns)}")
    return lines


def _suggestion(tuning: Tuning) -> list[str]:
    """Suggest recodes to try where many records are below k over the columns of categories."""
    k = (tuning.measured[0] if tuning.chosen is None else tuning.chosen).request.k
    found = suggested_recode(tuning.setup, k)
    if found is None:
        return []
    what = "COLUMN=RECODE tries some"
    if found.column is not None:
        what = f'"{one_line(found.column)}={found.recode}" leaves {found.left:,}'
    of_all = f"{found.below:,} of {found.records:,} records"
    return [f"recodes            none tried: {of_all} are below k={k} over the categories; --try-recode {what}"]


def _other_seeds(tuning: Tuning, trial: Trial) -> list[str]:
    again = tuning.repeated.get(trial.number, ())
    if not again:
        return []
    line = f"  other seeds      {range_text(one.score for one in again)}"
    if trial == tuning.chosen and tuning.max_risk is not None:
        most = max(max(one.risk or 0.0, one.transparency_attack or 0.0) for one in again)
        if most > tuning.max_risk:
            line += f", risk or attack up to {most:.2f}: above the limit"
    return [line]


def _fixed_choices(tuning: Tuning) -> str:
    """Return which fixed choices were evaluated: "mdav with k = 3, 5; fuzzy with k = 3"."""
    ks: dict[str, list[int]] = {}
    for trial in (tuning.trials[number - 1] for number in tuning.fixed):
        if trial.is_measured:
            ks.setdefault(trial.method, []).append(trial.request.k)
    methods: dict[str, list[str]] = {}
    for method, own in ks.items():
        methods.setdefault(", ".join(map(str, own)), []).append(method)
    return "; ".join(f"{', '.join(some)} with k = {own}" for own, some in methods.items())


def _line(trial: Trial) -> str:
    risk, loss = trial.point
    named = f"trial {trial.number}, {trial.method}, {one_line(trial.settings_text, _LONGEST)}"
    return f"{trial.score:.2f} (risk {risk:.2f}, loss {loss:.2f}): {named}"


def _table(tuning: Tuning, trials: Sequence[Trial]) -> str:
    rows = []
    for trial in trials:
        assert trial.measures is not None
        attack = trial.measures.transparency_attack
        shown = [f"{value:.2f}" for value in (*trial.point, trial.score)]
        mark = "*" if trial == tuning.chosen else ""
        rows.append(
            [
                mark,
                str(trial.number),
                trial.method,
                one_line(trial.settings_text, _LONGEST),
                f"{trial.measures.k_reached:,}",
                f"{trial.measures.uniques:,}",
                f"{trial.measures.linkage:.2f}",
                *shown,
                "-" if attack is None else f"{attack:.2f}",
            ]
        )
    return table_text(_HEAD, rows, right={1, *range(4, len(_HEAD))})
