"""Clusters in synthetic files of Census: how similar they are to those of the original, and the relation to PIL.

    python -m studies.clustering_similarity [--long]

The ten figures of Cano, Ladra and Torra (2010). The dependent variables of two files, orig4 and orig9, are rewritten by
IPSO-A, B and C and by fuzzy regression with c = 3, 6, ..., 30 models and m = 1.5 and 2. Original and synthetic file,
all variables, in units of the original's standard deviations, are put into k clusters and the clusterings compared.
The paper has one letter, c, for the number of models and of clusters. In figures over k both are the same; against PIL,
k is also fixed at 3, 9 and 30 while c varies. --long makes twenty repetitions, into build/clustering_similarity.
"""

from __future__ import annotations

from pathlib import Path

from studies.clustering_similarity.claims import claims
from studies.clustering_similarity.microaggregated import microaggregated
from studies.clustering_similarity.pictures import pictures
from studies.clustering_similarity.repetitions import collect
from studies.clustering_similarity.similarities import (
    CRISP,
    CUTS,
    FCM,
    FCM2,
    FUZZY_RAND,
    JACCARD,
    NOISE,
    POSSIBILISTIC,
    RAND,
)
from studies.clustering_similarity.tables import (
    against_pil,
    differences,
    loss,
    other_readings,
    rank_correlations,
    similarity,
)
from studies.results import RESULTS, Study

REPETITIONS, LONG = 5, 20
FIGURES = {
    "figures_2_3": [(CRISP, RAND), (CRISP, JACCARD)],
    "figures_4_5": [(FCM2, CUTS)],
    "figures_6_7": [(FCM, FUZZY_RAND)],
    "figures_8_9": [(NOISE, CUTS)],
    "figure_10": [(FCM, FUZZY_RAND), (NOISE, FUZZY_RAND), (POSSIBILISTIC, FUZZY_RAND)],
}


def main() -> None:
    study = Study("clustering_similarity", __doc__)
    study.arguments.add_argument("--long", action="store_true", help=f"{LONG} repetitions instead of {REPETITIONS}")
    options = study.arguments.parse_args()
    if options.long and options.output == RESULTS / study.name:
        study.arguments.set_defaults(output=Path("build", study.name))  # the page quotes results of the plain command
    options = study.begin()
    census = study.data("census.csv")
    write(study, collect(census, LONG if options.long else REPETITIONS, options.jobs))
    study.table("microaggregated", microaggregated(census), "Ten clusters after MDAV: mean of ten starts")
    study.end()


def write(study: Study, rows) -> None:
    study.table("figure_1", loss(rows, "PIL"), "Figure 1: PIL of the dependent variables, %")
    study.table("linkage", loss(rows, "linkage", "B"), "Records linked by the dependent variables, %")
    for name, measured in FIGURES.items():
        title = f"{name.replace('_', ' ').capitalize()}: similarity of clusters; regression with c = k models"
        study.table(name, similarity(rows, measured), title)
    by_k = differences(rows)
    study.table("differences", by_k, "Regression, c = k, minus IPSO-C")
    points = against_pil(rows)
    study.table("against_pil", points, "PIL and similarity of every synthetic file")
    correlations = rank_correlations(points)
    study.table("rank_correlations", correlations, "Rank correlation with PIL over c = 3 to 30")
    study.table("readings", other_readings(rows), "Fuzzy Rand index if something else is clustered; c = k")
    study.table("claims", claims(rows, by_k, correlations), "What the paper says, and what is found")
    for name, figure in pictures(rows, points):
        study.picture(name, figure)


if __name__ == "__main__":
    main()
