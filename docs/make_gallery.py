"""Write the gallery: Census and the household survey, each with both reports and the map of a search.

    python docs/make_gallery.py census.csv

The same command writes the same bytes, as long as the libraries are the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import shoal
from shoal.flow.release import Release
from shoal.report.facts.collect import Summary, summarize
from shoal.report.page.html import write_report
from shoal.search.tuning import Tuning

RULES = [
    "gross_income == wage_income + self_employment_income + capital_income + transfers",
    "net_income == gross_income - tax",
    "household_size >= 1",
]
SURVEY = {
    "roles": {"household_id": "identifier"},
    "kinds": {"household_size": "continuous"},
    "strata": "area",
    "weights": "survey_weight",
    "edits": RULES,
}


def main() -> None:
    """Write all pages of the gallery."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("census", type=Path, help="The file census.csv of the CASC project.")
    arguments.add_argument("--folder", type=Path, default=Path(__file__).parent / "gallery", help="Where to write.")
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write_reports("census", shoal.protect(options.census, 5, seed=1), options.folder)
    write_map("census", shoal.tune(options.census, trials=200), options.folder)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "households.csv"
        survey = shoal.datasets.households(2000, seed=1)
        shoal.write_table(survey, file)
        write_reports("households", protected_survey(file, amounts_of(survey)), options.folder)
        write_map("households", searched_survey(file, amounts_of(survey)), options.folder)


def amounts_of(survey: pd.DataFrame) -> list[str]:
    """Return the columns that are amounts of money."""
    return [name for name in survey.columns if name.endswith(("income", "tax", "transfers", "cost", "savings"))]


def protected_survey(file: Path, amounts: list[str]) -> Release:
    """Protect amounts and a nominal variable of the survey within areas, and keep the sums."""
    together = ["age", "household_size", "tenure", *amounts]  # in small blocks an intruder finds nearly every record
    return shoal.protect(file, 5, blocks=[together], seed=1, **SURVEY)


def searched_survey(file: Path, amounts: list[str]) -> Tuning:
    """Search for a release of the survey with a low disclosure risk that keeps the sums."""
    return shoal.tune(file, columns=["age", "household_size", *amounts], max_risk=20, trials=150, **SURVEY)


def write_map(name: str, tuning: Tuning, folder: Path) -> None:
    """Write the page of a search."""
    target = folder / f"{name}-map.html"
    tuning.report(target, title=f"Releases of {name}.csv")
    print(f"{target} {target.stat().st_size / 1000:.0f} kB")


def write_reports(name: str, release: Release, folder: Path) -> None:
    """Write both reports of a release."""
    evaluation = release.evaluate()
    for audience in ("internal", "public"):
        target = folder / f"{name}-{audience}.html"
        write_report(without_place(summarize(release, audience, evaluation)), target)
        print(f"{target} {target.stat().st_size / 1000:.0f} kB")


def without_place(summary: Summary) -> Summary:
    """Keep the name of the input, but not its folder on the machine that made the gallery."""
    if summary.plan is None or not summary.plan.get("input") or not summary.plan["input"]["path"]:
        return summary
    place = summary.plan["input"] | {"path": Path(summary.plan["input"]["path"]).name}
    return summary.model_copy(update={"plan": summary.plan | {"input": place}})


if __name__ == "__main__":
    main()
