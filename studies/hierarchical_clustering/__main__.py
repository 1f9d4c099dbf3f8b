"""The thesis on hierarchical agglomerative clustering: its tables, its figures and its future work.

J. Alarte Aleixandre (2018), Application of Clustering Techniques to Privacy Protection, master thesis, Universitat
Oberta de Catalunya. `seconds.csv` and `seconds_by_records.csv` are the only results that differ from run to run.
"""

from __future__ import annotations

import pandas as pd

from studies.hierarchical_clustering import census, nineteen_points, pictures, priority, seconds
from studies.hierarchical_clustering.errors import standard_scores
from studies.results import Study

STUDY = Study("hierarchical_clustering", __doc__)


def main() -> None:
    STUDY.begin()
    points()
    X = standard_scores(STUDY.data("census.csv"))
    tables(X)
    weights = priority.errors_by_weight({"Census": X, "Tarragona": standard_scores(STUDY.data("tarragona.csv"))})
    STUDY.table("priority", weights, "Squared error by the weight of the priority")
    best = priority.best_weights(weights)
    STUDY.table("best_weights", best, "The best weight, and squared errors over MDAV's")
    STUDY.table("priority_summary", priority.summary(best), "How often a priority helps, and mean errors over MDAV's")
    STUDY.picture("priority", pictures.weights_of_priority(weights))
    STUDY.table("seconds", seconds.printed_and_ours(X), "Seconds on Census")
    STUDY.table("seconds_by_records", seconds.growth(), "Seconds over the number of records")
    STUDY.end()


def points() -> None:
    frame, labels = nineteen_points.partitions()
    STUDY.table("nineteen_points", frame, "The nineteen points, k = 4")
    STUDY.table("table_5_2", nineteen_points.sdcmicro_table(), "Table 5.2: sdcMicro's MDAV")
    STUDY.table("divisions_of_the_rest", nineteen_points.divisions_of_the_rest(), "Where the last three points can go")
    STUDY.picture("nineteen_points", pictures.groups_of_points(frame, labels))
    links, cut = nineteen_points.tree()
    print(f"\nThe tree can be cut into {cut.max() + 1} group(s) of at least four.")
    STUDY.picture("tree", pictures.tree_of_points(links, labels[nineteen_points.AS_IN_FIGURE_6_2]))


def tables(X) -> None:
    printed, default = census.printed_and_ours(X), census.against_mdav(X)
    STUDY.table("census", _with_decimals(printed), "Tables 5.3 to 7.3: squared errors on Census")
    STUDY.table("table_8_1", _with_decimals(default), "Table 8.1: MDAV and improved HAC")
    STUDY.table("linkages", census.linkages_and_completions(X), "Linkages with both completions")
    STUDY.table("left_incomplete", census.left_incomplete(X), "Records in clusters below k when merging ends")
    STUDY.table("centroid_readings", census.centroid_readings(X), "Other readings of centroid linkage")
    STUDY.table("row_orders", census.row_orders(X), "Centroid linkage over 50 orders of the rows")
    STUDY.picture("errors_over_k", pictures.errors_over_k(printed, default))


def _with_decimals(frame: pd.DataFrame) -> pd.DataFrame:
    """Return numbers as texts with three decimals, as six digits do not show whether the printed ones are met."""
    numbers = frame.select_dtypes("float")
    return frame.assign(**numbers.map(lambda value: "" if pd.isna(value) else f"{value:.3f}"))


if __name__ == "__main__":
    main()
