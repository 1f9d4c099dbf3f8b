"""Write the reports of the gallery: Census and the household survey, internal and public.

    python docs/make_gallery.py ../shared/data/census.csv

The same command writes the same bytes, as long as the libraries are the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import shoal
from shoal.release import Release
from shoal.report.html import write_report
from shoal.report.summary import Summary, summarize

RULES = [
    "gross_income == wage_income + self_employment_income + capital_income + transfers",
    "net_income == gross_income - tax",
    "household_size >= 1",
]


def main() -> None:
    """Read where Census is, and write the pages."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("census", type=Path, help="The file census.csv of the CASC project.")
    arguments.add_argument("--folder", type=Path, default=Path(__file__).parent / "gallery", help="Where to write.")
    given = arguments.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    write("census", shoal.protect(given.census, 5, seed=1), given.folder)
    with TemporaryDirectory() as folder:
        write("households", protected_survey(Path(folder) / "survey.csv"), given.folder)


def protected_survey(file: Path) -> Release:
    """Protect the survey with amounts and a nominal variable, by region, so that sums still add up."""
    survey = shoal.datasets.households(2000, seed=1)
    amounts = [name for name in survey.columns if name.endswith(("income", "tax", "transfers", "cost", "savings"))]
    shoal.write_table(survey, file)
    return shoal.protect(
        file,
        5,
        blocks=[
            ["age", "household_size", "tenure", *amounts]
        ],  # together: in small blocks an intruder finds nearly all
        roles={"household_id": "identifier"},
        strata="area",
        weights="survey_weight",
        edits=RULES,
        seed=1,
    )


def write(name: str, release: Release, folder: Path) -> None:
    """Write both reports of a release."""
    evaluation = release.evaluate()
    for audience in ("internal", "public"):
        target = folder / f"{name}-{audience}.html"
        write_report(without_place(summarize(release, audience, evaluation)), target)
        print(f"{target} {target.stat().st_size / 1000:.0f} kB")


def without_place(summary: Summary) -> Summary:
    """Keep the name of the input, but not where it is on the machine that made the gallery."""
    if summary.plan is None or not summary.plan.get("input") or not summary.plan["input"]["path"]:
        return summary
    place = summary.plan["input"] | {"path": Path(summary.plan["input"]["path"]).name}
    return summary.model_copy(update={"plan": summary.plan | {"input": place}})


if __name__ == "__main__":
    main()
