"""The result of a search as one HTML page: settings and measures, no value of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.report.page.parts import PageCard, PageFigure, PageSection, PageTable
from shoal.report.page.risk_loss_map import tuning_map
from shoal.report.page.search_page import SearchParts, map_text, meaning_of_score, search_page, shared_section
from shoal.report.wording import percent_text, printable, range_text, short_of_k

if TYPE_CHECKING:
    from shoal.search.trial import Trial
    from shoal.search.tuning import Tuning

__all__ = ["tuning_page", "tuning_parts"]

_HEAD = (
    *("trial", "method", "settings", "k reached", "unique", "linkage", "risk", "loss", "score"),
    *("interval", "attack", "variation lost"),
)


def tuning_page(tuning: Tuning, title: str) -> str:
    """Return the page of a search."""
    return search_page(title, tuning_parts(tuning))


def tuning_parts(tuning: Tuning) -> SearchParts:
    """Return what is shown: what was chosen, the map, the front, the best of each family, all trials."""
    front = _table("Trials that no other beats in both risk and loss", tuning, tuning.front)
    sections = [
        PageSection(
            id="map",
            title="Risk and loss",
            text=(
                map_text(tuning.setup),
                "The line is the Pareto front: no other trial has both a lower risk and a lower loss. In the tables, k "
                "reached is the fewest records alike over everything released (1 where values are drawn anew, which "
                "promises no k), and the attack is that of an intruder who knows the method, where there are groups.",
            ),
            figures=(PageFigure("Risk and loss", Markup(tuning_map(tuning)), front),),
            beside=True,
            large=True,
        ),
        PageSection(id="front", title="The Pareto front", text=(_chance(tuning),), table=front),
        PageSection(
            id="families",
            title="The best of each family",
            text=(
                "The lowest score of each family of methods. Hybrid and synthetic data are new records with the means "
                "and covariances of the original ones, which are most of what the loss measures; microaggregation "
                "keeps the records. Groups that are too small for hybrid data are merged. Perturbation exchanges "
                "values or adds noise record by record, and promises no k.",
            ),
            table=_table("The lowest score of each family", tuning, list(tuning.best_of_family.values())),
        ),
        PageSection(id="trials", title="All trials", table=_table("All trials", tuning, tuning.measured), folded=True),
        shared_section(tuning.setup, [trial.method for trial in tuning.measured]),
    ]
    if tuning.problems:
        sections.append(PageSection(id="problems", title="Trials without a release", table=_problems(tuning)))
    return SearchParts(_verdict(tuning), _cards(tuning), sections)


def _cards(tuning: Tuning) -> list[PageCard]:
    chosen, fixed = tuning.chosen, tuning.best_fixed
    cards = []
    if chosen is not None:
        risk, loss = chosen.point
        of_risk, of_loss = tuning.setup.risk_and_loss
        cards += [
            PageCard(f"{chosen.score:.2f}", "Score", meaning_of_score(tuning.unmasked_score), "lower is better"),
            PageCard(percent_text(risk), "Risk", of_risk, "lower is safer"),
            PageCard(percent_text(loss), "Loss", of_loss, "lower is better"),
        ]
    if fixed is not None:
        value = f"{fixed.score:.2f}" if tuning.max_risk is None else percent_text(fixed.point[1])
        of = "score" if tuning.max_risk is None else "loss"
        cards.append(PageCard(value, "Best fixed choice", f"{of} of {fixed.method}, {printable(fixed.settings_text)}"))
    return [*cards, PageCard(f"{len(tuning.trials):,}", "Trials", f"{len(tuning.front)} on the Pareto front")]


def _verdict(tuning: Tuning) -> str:
    chosen, fixed = tuning.chosen, tuning.best_fixed
    count = f"Of {len(tuning.measured):,} releases that were evaluated"
    if chosen is None and tuning.max_risk is None:
        return f"{count}, none has both a risk and a loss."
    if chosen is None:
        return f"{count}, none has both a risk and an attack within {tuning.max_risk:g} %."
    why = (
        "with the lowest score"
        if tuning.max_risk is None
        else f"that loses least with both risk and attack within {tuning.max_risk:g} %"
    )
    text = f"{count}, the one {why} is trial {chosen.number}: {chosen.method}, {printable(chosen.settings_text)}."
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
        text += f" It {verb} {own}; no fixed choice is within that limit."
    if tuning.unmasked_score is not None and chosen.score >= tuning.unmasked_score:
        text += " The unmasked file scores no worse."
    assert chosen.measures is not None
    short = short_of_k(chosen.request.k, chosen.measures.k_reached, chosen.measures.uniques)
    return f"{text} {short}".rstrip()


def _chance(tuning: Tuning) -> str:
    """Say how far the result depends on the seed."""
    ranges = [
        f"{which} (trial {trial.number}): {range_text(one.score for one in tuning.repeated[trial.number])}"
        for which, trial in (("chosen", tuning.chosen), ("best fixed choice", tuning.best_fixed))
        if trial is not None and trial.number in tuning.repeated
    ]
    text = "All trials use the same seed, and the lowest score of many is partly due to chance."
    return f"{text} Scores with other seeds: {'; '.join(dict.fromkeys(ranges))}." if ranges else text


def _table(caption: str, tuning: Tuning, trials: Sequence[Trial]) -> PageTable:
    rows = []
    for trial in trials:
        measured = trial.measures
        assert measured is not None
        mark = " (chosen)" * (trial == tuning.chosen) + " (best fixed)" * (trial == tuning.best_fixed)
        parts = (
            measured.interval_disclosure,
            measured.transparency_attack,
            measured.information_loss,
        )
        shown = [percent_text(value) for value in (*trial.point, *parts)]
        rows.append(
            [
                *(f"{trial.number}{mark}", trial.method, printable(trial.settings_text)),
                *(f"{measured.k_reached:,}", f"{measured.uniques:,}", percent_text(measured.linkage)),
                *(*shown[:2], f"{trial.score:.2f}", *shown[2:]),
            ]
        )
    return PageTable(caption, _HEAD, rows, numeric=frozenset(range(3, len(_HEAD))))


def _problems(tuning: Tuning) -> PageTable:
    """Return why trials gave no release, without what the errors say of the data."""
    rows = [
        [method, f"{len(trials)}", printable(trials[0].explanation)] for (method, _), trials in tuning.problems.items()
    ]
    return PageTable("Trials without a release", ("method", "trials", "why"), rows, numeric=frozenset({1}))
