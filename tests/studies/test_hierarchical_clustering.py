"""The study on hierarchical clustering has the values that the thesis prints, and its page those of the results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oracles.tables_of_pages import numbers_agree, numbers_in, result, tables_of
from shoal.datasets import nineteen_points
from shoal.partition import HAC

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "studies" / "results" / "hierarchical_clustering"
PAGE = (ROOT / "docs" / "studies" / "hierarchical_clustering.md").read_text(encoding="utf-8")

# J. Alarte Aleixandre (2018): tables and columns of squared errors on Census, k = 3, 4, 5 and 10.
PRINTED = {
    ("5.3", "MDAV"): (798.44, 1051.28, 1274.83, 1985.65),
    ("6.1", "single, to 2k-1"): (1284.95, 1919.07, 2154.53, 3469.41),
    ("7.1", "single"): (1038.30, 1363.40, 1664.5, 2379.23),
    ("7.2", "complete"): (1908.67, 2196.23, 3852.33, 4771.5),
    ("7.2", "centroid"): (1703.3, 1679.7, 1979.91, 3112.41),
    ("7.3", "single, priority"): (877.39, 1338.52, 1624.83, 2802.90),
}
# Tables 5.3, 7.3 and 8.1: seconds.
PRINTED_SECONDS = {"MDAV": (39, 32, 27, 19), "single, priority": (5470, 3529, 4710, 4232)}
NOT_EQUAL = {("complete", "5"), ("single, priority", "5"), *(("centroid", k) for k in ("3", "4", "5", "10"))}
# The tables of the page in their order; those of the seconds, without a name, differ from run to run.
SECONDS_OF_8_1, ALL_SECONDS = 4, 9
TABLES = (
    "census",
    "row_orders",
    "centroid_readings",
    "table_8_1",
    None,
    "linkages",
    "left_incomplete",
    "nineteen_points",
    "table_5_2",
    None,
    "priority_summary",
)


def test_the_results_have_what_the_thesis_prints():
    census = result(RESULTS / "census.csv")
    for (table, method), printed in PRINTED.items():
        rows = census[(census["table"] == table) & (census["method"] == method)]
        assert rows["k"].tolist() == ["3", "4", "5", "10"]
        assert tuple(rows["printed"].astype(float)) == printed, table


def test_what_is_called_equal_is_equal_and_nothing_else_is():
    for row in result(RESULTS / "census.csv").itertuples():
        equal = abs(float(row.ours) - float(row.printed)) <= 0.0051  # three decimals beside two
        assert equal == ((row.method, row.k) not in NOT_EQUAL), f"{row.method} k={row.k}"
        assert (row.note == "equal") == equal


def test_the_seconds_that_the_thesis_prints_are_in_the_results_and_on_the_page():
    seconds = result(RESULTS / "seconds.csv")
    for method, printed in PRINTED_SECONDS.items():
        assert tuple(seconds[seconds["method"] == method]["printed"].astype(int)) == printed
    shown = [numbers_in(row) for row in tables_of(PAGE)[SECONDS_OF_8_1]]
    assert [int(row[0]) for row in shown] == [3, 4, 5, 10]
    for row, mdav, hac in zip(shown, *PRINTED_SECONDS.values(), strict=True):
        assert [int(number) for number in row[1:4]] == [mdav, hac, round(hac / mdav)]


def test_the_page_has_all_seconds_that_the_thesis_prints():
    seconds = result(RESULTS / "seconds.csv").astype({"printed": int})
    by_k = seconds.pivot(index=["table", "method"], columns="k", values="printed")[["3", "4", "5", "10"]]
    shown = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in tables_of(PAGE)[ALL_SECONDS]]
    assert {(row[0], row[1]): [int(cell) for cell in row[2:6]] for row in shown} == {
        names: printed.tolist() for names, printed in by_k.iterrows()
    }


@pytest.mark.parametrize(("place", "name"), [one for one in enumerate(TABLES) if one[1]], ids=filter(None, TABLES))
def test_a_table_of_the_page_is_that_of_the_results(place, name):
    tables, made = tables_of(PAGE), result(RESULTS / f"{name}.csv")
    assert len(tables) == len(TABLES)
    assert len(tables[place]) == len(made)
    for shown, row in zip(tables[place], made.to_numpy(), strict=True):
        assert numbers_agree(numbers_in(shown), numbers_in(" | ".join(row))), shown


def test_the_text_quotes_the_results():
    divisions = result(RESULTS / "divisions_of_the_rest.csv")
    errors = divisions["error"].astype(float)
    assert len(errors) == 64 and "64 ways" in PAGE
    assert f"The least is {errors.min():.4f}" in PAGE
    assert not (errors.round(2) == 7.93).any()
    assert (result(RESULTS / "table_5_2.csv")["note"] == "equal").all()
    census = result(RESULTS / "census.csv")
    assert (
        f"Of the {len(census)} squared errors that the thesis prints for Census, {sum(census['note'] == 'equal')}"
        in PAGE
    )


def test_the_tree_of_the_nineteen_points_cannot_be_cut():
    X = nineteen_points().to_numpy(float)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert np.unique(HAC(4, cap="none", linkage="single").fit(X).labels_).size == 1
