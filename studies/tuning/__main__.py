"""What a search of settings finds: `shoal tune` on Census, by two losses, and the ways to treat categories in testdata.

    python -m studies.tuning

A number of trials is searched, not a number of seconds, so that the result is the same every time.
"""

from __future__ import annotations

import warnings

import pandas as pd

import shoal
from shoal.errors import ShoalWarning
from shoal.search.tuning import Tuning
from studies.results import Study
from studies.tuning.categories import ways_of_categories

TRIALS = 120
LOSSES = {"PIL": "probabilistic_information_loss", "analyses": "analytical_loss"}


def main() -> None:
    study = Study("tuning", __doc__)
    options = study.begin()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        tuning = shoal.tune(options.data / "census.csv", trials=TRIALS)
        by_way = ways_of_categories(study.data("testdata.csv"))
    study.table(
        "search", chosen_and_best(tuning), f"{TRIALS} trials on Census: what is chosen, and the best of each family"
    )
    study.table("other_seeds", other_seeds(tuning), "The same settings with other seeds")
    study.table(
        "losses", by_loss(tuning), "The lowest score of each family if its loss is PIL, and if it is that of analyses"
    )
    study.table("categories", by_way, "Ways to treat categories in testdata, mdav")
    study.table("trials", trials(tuning), "All trials")
    tuning.map(options.output / "map.svg")
    study.mark(options.output / "map.svg")
    study.end()


def trials(tuning: Tuning) -> pd.DataFrame:
    """Return every trial with a release: settings and measures."""
    rows = []
    for trial in tuning.measured:
        measures = trial.measures
        risk = {"risk": trial.measures.risk, "PIL": measures.probabilistic_information_loss}
        rows.append(
            {"trial": trial.number, "family": trial.family, "method": trial.method, "settings": trial.settings_text}
            | risk
            | {"analyses": measures.analytical_loss, "score": trial.score, "attack": measures.transparency_attack}
        )
    return pd.DataFrame(rows).assign(**{"score with analyses": lambda frame: (frame.risk + frame.analyses) / 2})


def chosen_and_best(tuning: Tuning) -> pd.DataFrame:
    """Return the chosen trial, the best fixed choice and the best trial of each family."""
    found = {"chosen": tuning.chosen, "best fixed choice": tuning.best_fixed}
    found |= {f"best of {family}": trial for family, trial in tuning.best_of_family.items()}
    by_number = trials(tuning).set_index("trial")
    rows = [{"which": name, **by_number.loc[trial.number]} for name, trial in found.items() if trial is not None]
    return pd.DataFrame(rows)


def other_seeds(tuning: Tuning) -> pd.DataFrame:
    """Return the lowest and the highest score of the chosen trial and of the best fixed one over other seeds."""
    rows = []
    for name, trial in (("chosen", tuning.chosen), ("best fixed choice", tuning.best_fixed)):
        if trial is not None and trial.number in tuning.repeated:
            scores = [measures.score for measures in tuning.repeated[trial.number]]
            rows.append({"which": name, "seeds": len(scores), "lowest": min(scores), "highest": max(scores)})
    return pd.DataFrame(rows, columns=["which", "seeds", "lowest", "highest"])


def by_loss(tuning: Tuning) -> pd.DataFrame:
    """Return, for either loss, the trial of each family with the lowest score."""
    frame = trials(tuning)
    rows = []
    for loss, score in (("PIL", "score"), ("analyses", "score with analyses")):
        best = frame.loc[frame.groupby("family", sort=False)[score].idxmin()].sort_values(score, kind="stable")
        rows += [{"chosen by": loss, **row} for row in best.drop(columns="trial").to_dict("records")]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main()
