"""What a search found, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.report.text import table_text

if TYPE_CHECKING:
    from shoal.search.trial import Trial
    from shoal.tuning import Tuning

__all__ = ["tuning_text"]

_HEAD = ("", "trial", "method", "settings", "risk", "loss", "score", "attack")


def tuning_text(name: str, tuning: Tuning) -> str:
    """Return the Pareto front, the best of each family, what was chosen, and the best fixed choice."""
    chosen, fixed = tuning.chosen, tuning.best_fixed
    stopped = ", stopped by hand" if tuning.interrupted else ""
    lines = [f"{name}: {len(tuning.trials):,} trials{stopped}", "", "Pareto front, risk and loss in %"]
    lines += [_table(tuning, tuning.front), "", "lowest score of each family"]
    lines += [_table(tuning, list(tuning.best_of_family.values())), ""]
    if chosen is None:
        lowest = min(tuning.measured, key=lambda trial: trial.point)
        lines.append(
            f"chosen             none: no trial has a risk of {tuning.max_risk:g} or less; the lowest is "
            f"{lowest.point[0]:.2f}, of trial {lowest.number}"
        )
    else:
        why = "lowest score" if tuning.max_risk is None else f"least loss with a risk of {tuning.max_risk:g} or less"
        lines.append(f"chosen (*)         {_line(chosen)}, {why}")
    if fixed is not None:
        of = {trial.method: None for trial in tuning.trials if trial.number in tuning.fixed}
        ks = sorted({trial.request.k for trial in tuning.trials if trial.number in tuning.fixed})
        lines.append(f"best fixed choice  {_line(fixed)}, of {', '.join(of)} with k = {', '.join(map(str, ks))}")
    for problem, trials in tuning.problems.items():
        reason = next((trial.reason for trial in trials if trial.reason), problem)
        count = f"{len(trials)} trials" if len(trials) > 1 else "1 trial"
        lines.append(f"no release         {count}, such as {trials[0].number}, {trials[0].method}: {reason}")
    return "\n".join(lines)


def _line(trial: Trial) -> str:
    risk, loss = trial.point
    return f"{trial.score:.2f} (risk {risk:.2f}, loss {loss:.2f}): trial {trial.number}, {trial.method}, {trial.dials}"


def _table(tuning: Tuning, trials: Sequence[Trial]) -> str:
    rows = []
    for trial in trials:
        assert trial.figures is not None
        attack = trial.figures.transparency_attack
        shown = [f"{figure:.2f}" for figure in (*trial.point, trial.score)]
        mark = "*" if trial == tuning.chosen else ""
        rows.append(
            [mark, str(trial.number), trial.method, trial.dials, *shown, "-" if attack is None else f"{attack:.2f}"]
        )
    return table_text(_HEAD, rows, right={1, 4, 5, 6, 7})
