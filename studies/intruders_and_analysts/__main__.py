"""What intruders find who know the method or guess values, and what analysts lose.

    python -m studies.intruders_and_analysts

`known_method.csv` has the attack by an intruder who knows how the file was masked (Census, Tarragona and EIA, k = 3),
`guesses.csv` what guesses gain from a release, `analyses.csv` the loss of models, predictions, tables and totals.
"""

from __future__ import annotations

import warnings

from shoal.errors import ShoalWarning
from studies.intruders_and_analysts.analyses import lost_for_analyses
from studies.intruders_and_analysts.guesses import right_guesses
from studies.intruders_and_analysts.known_method import found_by_method
from studies.league.files import FILES
from studies.results import Study

_OF_NUMBERS = ("census", "tarragona", "eia")


def main() -> None:
    study = Study("intruders_and_analysts", __doc__)
    study.begin()
    census = study.data("census.csv")
    tables = {file.title: file.of(study.data(f"{file.name}.csv")) for file in FILES if file.name in _OF_NUMBERS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)
        found, guessed, lost = found_by_method(tables), right_guesses(census), lost_for_analyses(census)
    study.table("known_method", found, "What an intruder finds who knows the method, k = 3, in percent of the records")
    study.table("guesses", guessed, "Right guesses of a variable, Census, in percent")
    study.table("analyses", lost, "What analyses lose, Census, in percent")
    study.end()


if __name__ == "__main__":
    main()
