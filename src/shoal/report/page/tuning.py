"""What a search found, as one HTML page: settings and figures, no value of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.report.page.map import tuning_map
from shoal.report.page.parts import Card, Drawn, Section, Table
from shoal.report.page.tried import MAP_TEXT, ground_section, score_says, tried_page
from shoal.report.terminal.tuning import scores_text
from shoal.report.wording import percent_text, printable

if TYPE_CHECKING:
    from shoal.search.trial import Trial
    from shoal.search.tuning import Tuning

__all__ = ["tuning_page"]

_HEAD = ("trial", "method", "settings", "risk", "loss", "score", "linkage", "interval", "attack", "variation lost")


def tuning_page(tuning: Tuning, title: str) -> str:
    """Return the page of a search: what was chosen, the map, the front, the best of each family, all trials."""
    front = _table("Trials that no other beats in both risk and loss", tuning, tuning.front)
    sections = [
        Section(
            id="map",
            title="Risk and loss",
            text=(MAP_TEXT, "The line is the Pareto front: no other trial has both a lower risk and a lower loss."),
            figures=(Drawn("Risk and loss", Markup(tuning_map(tuning)), front),),
            beside=True,
            large=True,
        ),
        Section(id="front", title="The Pareto front", text=(_luck(tuning),), table=front),
        Section(
            id="families",
            title="The best of each family",
            text=(
                "The lowest score of each kind of method. Hybrid and synthetic data are new records with the means and "
                "covariances of the old, which is most of what the loss looks at; microaggregation keeps the records. "
                "Groups that are too small for hybrid data are merged.",
            ),
            table=_table("The lowest score of each family", tuning, list(tuning.best_of_family.values())),
        ),
        Section(id="trials", title="All trials", table=_table("All trials", tuning, tuning.measured), folded=True),
        ground_section(tuning.ground, [trial.method for trial in tuning.trials]),
    ]
    if tuning.problems:
        sections.append(Section(id="problems", title="No release", table=_problems(tuning)))
    return tried_page(title, _verdict(tuning), _cards(tuning), sections)


def _cards(tuning: Tuning) -> list[Card]:
    chosen, fixed = tuning.chosen, tuning.best_fixed
    cards = []
    if chosen is not None:
        cards += [
            Card(f"{chosen.score:.2f}", "Score", score_says(tuning.unmasked_score), "lower is better"),
            Card(percent_text(chosen.point[0]), "Risk", "linkage and interval disclosure", "lower is better"),
            Card(percent_text(chosen.point[1]), "Loss", "probabilistic information loss", "lower is better"),
        ]
    if fixed is not None:
        value = f"{fixed.score:.2f}" if tuning.max_risk is None else percent_text(fixed.point[1])
        of = "score" if tuning.max_risk is None else "loss"
        cards.append(Card(value, "Best fixed choice", f"{of} of {fixed.method}, {fixed.dials}"))
    return [*cards, Card(f"{len(tuning.trials):,}", "Trials", f"{len(tuning.front)} on the Pareto front")]


def _verdict(tuning: Tuning) -> str:
    chosen, fixed = tuning.chosen, tuning.best_fixed
    count = f"Of {len(tuning.trials):,} releases that were tried"
    if chosen is None:
        return f"{count}, none has both a risk and an attack within {tuning.max_risk:g} %."
    why = (
        "with the lowest score"
        if tuning.max_risk is None
        else f"that loses least with both risk and attack within {tuning.max_risk:g} %"
    )
    text = f"{count}, the one {why} is trial {chosen.number}: {chosen.method}, {chosen.dials}."
    verb = "scores" if tuning.max_risk is None else "loses"
    own, other = (
        None if one is None else f"{one.score:.2f}" if tuning.max_risk is None else percent_text(one.point[1])
        for one in (chosen, fixed)
    )
    if fixed == chosen:
        text += f" It {verb} {own}, and is the best fixed choice itself."
    elif fixed is not None:
        text += f" It {verb} {own}; the best fixed choice, {fixed.method} with k={fixed.request.k}, {verb} {other}."
    else:
        text += f" It {verb} {own}; no fixed choice is within that."
    if tuning.unmasked_score is not None and chosen.score >= tuning.unmasked_score:
        text += " The file as it is scores no worse."
    return text


def _luck(tuning: Tuning) -> str:
    """Say how far what was found depends on the seed."""
    said = [
        f"{which} (trial {trial.number}): {scores_text(tuning.again[trial.number])}"
        for which, trial in (("chosen", tuning.chosen), ("best fixed choice", tuning.best_fixed))
        if trial is not None and trial.number in tuning.again
    ]
    text = "All trials have the same seed, and the lowest score of many is partly luck."
    return f"{text} Scores with other seeds: {'; '.join(dict.fromkeys(said))}." if said else text


def _table(caption: str, tuning: Tuning, trials: Sequence[Trial]) -> Table:
    rows = []
    for trial in trials:
        figures = trial.figures
        assert figures is not None
        said = " (chosen)" * (trial == tuning.chosen) + " (best fixed)" * (trial == tuning.best_fixed)
        parts = (
            figures.distance_linkage,
            figures.interval_disclosure,
            figures.transparency_attack,
            figures.information_loss,
        )
        shown = [percent_text(value) for value in (*trial.point, *parts)]
        rows.append([f"{trial.number}{said}", trial.method, trial.dials, *shown[:2], f"{trial.score:.2f}", *shown[2:]])
    return Table(caption, _HEAD, rows, right=frozenset(range(3, len(_HEAD))))


def _problems(tuning: Tuning) -> Table:
    """Return why trials gave no release, without what was said of the data."""
    rows = [[method, f"{len(trials)}", printable(trials[0].said)] for (method, _), trials in tuning.problems.items()]
    return Table("Trials without a release", ("method", "trials", "why"), rows, right=frozenset({1}))
