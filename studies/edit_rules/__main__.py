"""The experiment of Torra, Cano and Navarro-Arribas (2009): Census masked with edit rules kept (S1) and without (S2).

    python -m studies.edit_rules                    # with `pip install "shoal[xslt]"`
    python -m studies.edit_rules --without-saxon    # files are checked by shoal alone; into build/

Census has three more columns, and its rules are those of tests/edits/seed_rules.sch. S1 keeps them: variables that a
rule joins are grouped together, the rest in threes, and the rules decide which representative a group gets. S2 does not
use the rules: variables in threes, arithmetic means. k = 1 is the unmasked file.

The paper leaves open how the variables were cut and what exactly was measured. Table `readings` has the lowest score
under each of several readings, beside the paper's: 37.223 for S1 at k = 10, and 34.531 for S2 at k = 6.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from studies.edit_rules.categories import with_categories
from studies.edit_rules.further_rules import by_kind_of_rule
from studies.edit_rules.maskings import LARGEST, with_added_columns
from studies.edit_rules.means import arithmetic_and_geometric
from studies.edit_rules.pictures import risk_and_loss, score
from studies.edit_rules.releases import collect
from studies.edit_rules.synthetic import with_synthetic
from studies.edit_rules.tables import broken_rules, by_reading, lowest, scores
from studies.results import RESULTS, Study

NEEDED = 10  # the k of a score that the paper prints


def main() -> None:
    study = Study("edit_rules", __doc__)
    study.arguments.add_argument("--largest", type=int, default=LARGEST, help="the last k")
    study.arguments.add_argument("--without-saxon", action="store_true", help="check with shoal only")
    options = study.arguments.parse_args()
    if options.largest < NEEDED:
        study.arguments.error(f"--largest needs a whole number from {NEEDED} on; got {options.largest}.")
    if options.output == RESULTS / study.name and (options.largest, options.without_saxon) != (LARGEST, False):
        study.arguments.set_defaults(output=Path("build", study.name))  # the page quotes results of the plain command
    if not options.without_saxon and find_spec("saxonche") is None:
        study.arguments.error('Saxon is not installed: pip install "shoal[xslt]", or --without-saxon.')
    options = study.begin()
    census = with_added_columns(study.data("census.csv"))
    rows = collect(census, options.largest, options.jobs, not options.without_saxon)
    study.table("scores", scores(rows), "PIL, DR and score: as shoal measures, and over subsets of variables")
    study.table("lowest", lowest(rows), "The lowest scores of the paper, and ours")
    study.table("broken_rules", broken_rules(rows), "Records that break a rule, all files from k = 2 on together")
    study.table("readings", by_reading(rows), "Lowest score and its k, for k = 2 to 15, 20 and 30, under each reading")
    study.table(
        "readings_at_k", by_reading(rows, at_the_papers_k=True), "The same at the k of the paper's lowest score"
    )
    study.table("means", arithmetic_and_geometric(census), "Arithmetic against geometric means for EC-PV and EC-GV")
    study.table("further_rules", by_kind_of_rule(census), "More kinds of rules, Census")
    study.table("categories", with_categories(study.data("testdata.csv")), "Rules about categories, testdata.csv")
    study.table("synthetic", with_synthetic(study.data("census.csv")), "Rules with synthetic data, Census")
    study.picture("figures_6_7", risk_and_loss(rows))
    study.picture("score", score(rows))
    study.end()


if __name__ == "__main__":
    main()
