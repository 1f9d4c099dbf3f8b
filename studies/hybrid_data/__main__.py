"""The lemmas of Domingo-Ferrer (2009) on hybrid data as measured curves, and hybrid data beside other methods.

    python -m studies.hybrid_data [--seeds 10]

Census, four confidential variables (FEDTAX, TAXINC, WSALVAL, ERNVAL); the nine others are unchanged. Differences are
means over the confidential variables (and pairs), in units of the original's standard deviations, averaged over seeds.
"""

from __future__ import annotations

from studies.hybrid_data.alphas import possible_alphas
from studies.hybrid_data.claims import claims
from studies.hybrid_data.groups import by_groups
from studies.hybrid_data.mixed_tables import mixed_files, mixed_methods
from studies.hybrid_data.pictures import pictures
from studies.hybrid_data.releases import RISKS, collect, unchanged_records
from studies.results import Study

KEYS = ["method", "parameter"]
MOMENTS = ["means", "variances", "covariances", "third moments", "fourth moments"]


def main() -> None:
    study = Study("hybrid_data", __doc__)
    study.arguments.add_argument("--seeds", type=int, default=10, help="releases of each method that draws")
    options = study.begin()
    census = study.data("census.csv")
    rows = collect(census, options.seeds, options.jobs)
    means = rows.drop(columns="seed").groupby(KEYS, sort=False).mean().reset_index()
    spread = rows.drop(columns="seed").groupby(KEYS, sort=False).std(ddof=0).reset_index()
    unchanged = unchanged_records(census, range(2, 34))
    first = [name for name in means if name.startswith("largest of")]
    study.table("lemma_1", means[[*KEYS, *first]], "Lemma 1: largest differences of means and covariances")
    second = [*KEYS, "third moments", "bound of lemma 2", "line before", "fourth moments"]
    study.table("lemma_2", means[second], "Lemma 2: third moments and bounds on them; fourth moments")
    study.table("risk", means[[*KEYS, *RISKS]], "Information loss and disclosure risk of the confidential variables, %")
    for name, part, title in (("subfiles", "sub-files", "100 random records"), ("tenths", "tenths", "tenths by AGI")):
        some = means[[*KEYS, *(f"{moment} of {part}" for moment in MOMENTS)]]
        study.table(name, some.rename(columns=lambda one, part=part: one.removesuffix(f" of {part}")), f"In {title}")
    study.table("spread", spread, "Standard deviations over the seeds")
    groups = by_groups(census, options.seeds, options.jobs)
    study.table("groups", groups, "The same k with groups of different homogeneity")
    study.table("unchanged", unchanged, "Records released unchanged if groups that are too small are accepted")
    study.table("mixed", mixed_files(study.data("testdata.csv")), "Hybrid data with categories, testdata.csv")
    study.table("mixed_methods", mixed_methods(study.data("testdata.csv")), "Categories by three methods, five seeds")
    study.table("alphas", possible_alphas(census), "Alphas of Muralidhar and Sarathy for which there is noise, %")
    study.table("claims", claims(census, means, unchanged), "What the paper says, and what is found")
    for name, figure in pictures(means, unchanged):
        study.picture(name, figure)
    study.end()


if __name__ == "__main__":
    main()
