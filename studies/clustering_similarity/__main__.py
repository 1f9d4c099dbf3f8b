"""Clusters in synthetic files of Census: how similar they are to those of the original, and the relation to PIL.

    python -m studies.clustering_similarity [--long]

The ten figures of Cano, Ladra and Torra (2010). The dependent variables of two files, orig4 and orig9, are rewritten by
IPSO-A, B and C and by fuzzy regression with c = 3, 6, ..., 30 models and m = 1.5 and 2. Original and synthetic file,
all variables, in units of the original's standard deviations, are put into k clusters and the clusterings compared.
The paper has one letter, c, for the number of models and of clusters. In figures over k both are the same; against PIL,
k is also fixed at 3, 9 and 30 while c varies. --long makes twenty repetitions, as the paper does, and writes what is
compared with the paper, long_claims.csv and long_differences.csv; the rest goes to build/clustering_similarity.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

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
from studies.results import Study

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
    options = study.begin()
    census = study.data("census.csv")
    rows = collect(census, LONG if options.long else REPETITIONS, options.jobs)
    write_claims(study, rows, "long_" if options.long else "")
    if options.long:  # figures and their tables on the page are those of the plain command
        options.output = Path("build", study.name)
        options.output.mkdir(parents=True, exist_ok=True)
    write_figures(study, rows)
    study.table("microaggregated", microaggregated(census), "Ten clusters after MDAV: mean of ten starts")
    study.end()


def write_claims(study: Study, rows: pd.DataFrame, prefix: str) -> None:
    by_k, correlations = differences(rows), rank_correlations(against_pil(rows))
    study.table(f"{prefix}differences", by_k, "Regression, c = k, minus IPSO-C")
    study.table(f"{prefix}claims", claims(rows, by_k, correlations), "What the paper says, and what is found")


def write_figures(study: Study, rows: pd.DataFrame) -> None:
    study.table("figure_1", loss(rows, "PIL"), "Figure 1: PIL of the dependent variables, %")
    study.table("linkage", loss(rows, "linkage", "B"), "Records linked by the dependent variables, %")
    for name, measured in FIGURES.items():
        title = f"{name.replace('_', ' ').capitalize()}: similarity of clusters; regression with c = k models"
        study.table(name, similarity(rows, measured), title)
    points = against_pil(rows)
    study.table("against_pil", points, "PIL and similarity of every synthetic file")
    study.table("rank_correlations", rank_correlations(points), "Rank correlation with PIL over c = 3 to 30")
    study.table("readings", other_readings(rows), "Fuzzy Rand index if something else is clustered; c = k")
    for name, figure in pictures(rows, points):
        study.picture(name, figure)


if __name__ == "__main__":
    main()
