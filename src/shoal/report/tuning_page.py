"""What a search found, as one HTML page: settings and figures, no value of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal import errors
from shoal.report.map import tuning_map
from shoal.report.page import Card, Drawn, Section, Table
from shoal.report.tried_page import MAP_TEXT, ground_section, tried_page
from shoal.report.wording import percent_text

if TYPE_CHECKING:
    from shoal.search.trial import Trial
    from shoal.tuning import Tuning

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
        Section(id="front", title="The Pareto front", table=front),
        Section(
            id="families",
            title="The best of each family",
            text=(
                "The lowest score of each kind of method. Hybrid and synthetic data are new records with the means and "
                "covariances of the old, which is most of what the loss looks at; microaggregation keeps the records.",
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
            Card(f"{chosen.score:.2f}", "Score", "half risk, half loss; an unmasked file has 50", "lower is better"),
            Card(percent_text(chosen.point[0]), "Risk", "linkage and interval disclosure", "lower is better"),
            Card(percent_text(chosen.point[1]), "Loss", "probabilistic information loss", "lower is better"),
        ]
    if fixed is not None:
        cards.append(Card(f"{fixed.score:.2f}", "Best fixed choice", f"score of {fixed.method}, {fixed.dials}"))
    return [*cards, Card(f"{len(tuning.trials):,}", "Trials", f"{len(tuning.front)} on the Pareto front")]


def _verdict(tuning: Tuning) -> str:
    chosen, fixed = tuning.chosen, tuning.best_fixed
    count = f"Of {len(tuning.trials):,} releases that were tried"
    if chosen is None:
        return f"{count}, none has a risk of {tuning.max_risk:g} % or less."
    why = (
        "with the lowest score"
        if tuning.max_risk is None
        else f"that loses least at a risk within {tuning.max_risk:g} %"
    )
    text = f"{count}, the one {why} is trial {chosen.number}: {chosen.method}, {chosen.dials}."
    if fixed == chosen:
        text += f" It scores {chosen.score:.2f}, and is the best fixed choice itself."
    elif fixed is not None:
        best = f"{fixed.method} with k={fixed.request.k}"
        text += f" It scores {chosen.score:.2f}; the best fixed choice, {best}, scores {fixed.score:.2f}."
    return text


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
    rows = []
    for name, trials in tuning.problems.items():
        what = (getattr(errors, name, Exception).__doc__ or "").strip().splitlines()[0]
        methods = ", ".join(dict.fromkeys(trial.method for trial in trials))
        rows.append([what, f"{len(trials)}", methods])
    return Table("Trials without a release", ("why", "trials", "methods"), rows, right=frozenset({1}))
