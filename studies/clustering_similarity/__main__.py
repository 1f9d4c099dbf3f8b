"""Clusters in synthetic files of Census: how similar they are to those of the original, and the relation to PIL.

    python -m studies.clustering_similarity [--long]

The ten figures of Cano, Ladra and Torra (2010). The dependent variables of two files, orig4 and orig9, are rewritten by
IPSO-A, B and C and by fuzzy regression with c = 3, 6, ..., 30 models and m = 1.5 and 2. Original and synthetic file,
all variables, in units of the original's standard deviations, are put into k clusters and the clusterings compared.
The paper has one letter, c, for the number of models and of clusters. In figures over k both are the same; against PIL,
k is also fixed at 3, 9 and 30 while c varies. The paper does not name its variables, and Census comes with its columns
in two orders: everything is measured in order B, and what the ten figures have in order A too. --long makes twenty
repetitions, as the paper does, and writes what is compared with the paper, long_claims.csv and long_differences.csv;
the rest goes to build/clustering_similarity.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from studies.clustering_similarity.claims import claims, claims_in_the_other_order
from studies.clustering_similarity.microaggregated import microaggregated
from studies.clustering_similarity.pictures import loss_and_similarity, loss_picture, over_clusters
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
from studies.clustering_similarity.synthetic_files import LIKELY, ORDERS
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
    rows = rows[rows.order == LIKELY]
    by_k, correlations = differences(rows), rank_correlations(against_pil(rows))
    study.table(f"{prefix}differences", by_k, "Regression, c = k, minus IPSO-C")
    study.table(f"{prefix}claims", claims(rows, by_k, correlations), "What the paper says, and what is found")


def write_figures(study: Study, rows: pd.DataFrame) -> None:
    study.table("figure_1", loss(rows, "PIL"), "Figure 1: PIL of the dependent variables, %")
    study.picture("figure_1", loss_picture(rows))
    study.table("linkage", loss(rows, "linkage", LIKELY), "Records linked by the dependent variables, %")
    by_order = {order: rows[rows.order == order] for order in ORDERS}
    for order, some in by_order.items():
        end = "" if order == LIKELY else f"_order_{order.lower()}"
        for name, measured in FIGURES.items():
            title = f"{name.replace('_', ' ').capitalize()}, order {order}: similarity of clusters; c = k models"
            study.table(f"{name}{end}", similarity(some, measured), title)
        for name, figure in over_clusters(some):
            study.picture(f"{name}{end}", figure)
    likely, other = by_order[LIKELY], by_order["A"]
    statements = claims_in_the_other_order(other, differences(other), likely, differences(likely))
    study.table("claims_order_a", statements, "What the paper says of its figures, and what is found in order A")
    points = against_pil(likely)
    study.table("against_pil", points, "PIL and similarity of every synthetic file")
    study.table("rank_correlations", rank_correlations(points), "Rank correlation with PIL over c = 3 to 30")
    study.table("readings", other_readings(likely), "Fuzzy Rand index if something else is clustered; c = k")
    study.picture("against_pil", loss_and_similarity(points))


if __name__ == "__main__":
    main()
