"""The page of the study of edit rules quotes its tables, and the tables have what the paper prints."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal
from linked_tables import STUDIES, PageTable, disagreements, first_line, linked_file, not_in_files, page_tables

STUDY = "edit_rules"
TABLES = page_tables(STUDY)
RESULT = "lowest.csv"


def differences_on_the_page() -> set[str]:
    """Return by how much the lowest scores of S1 and S2 differ, and those of the nearest reading from the paper's."""
    lowest = linked_file(STUDY, "lowest.csv").set_index("scenario")
    readings = linked_file(STUDY, "readings.csv").set_index("masking")["back, sd, deciles"].astype(float)
    both = [lowest[name].astype(float) for name in ("paper", "as shoal measures", "over subsets")]
    nearest = {"S1": readings["S1, without value domain"], "S2": readings["S2"]}
    differences = [one["S1"] - one["S2"] for one in both] + [nearest[name] - both[0][name] for name in nearest]
    return {f"{difference:.1f}" for difference in differences}


@pytest.mark.parametrize("table", TABLES, ids=[f"{place}-{table.file}" for place, table in enumerate(TABLES)])
def test_a_table_on_the_page_has_the_numbers_of_its_file(table: PageTable):
    assert table.rows
    assert disagreements(STUDY, table) == []


def test_a_number_in_the_text_is_in_a_table():
    assert not_in_files(STUDY) <= differences_on_the_page()


def test_results_say_the_command_and_version_that_made_them():
    assert first_line(STUDY, RESULT) == f"# python -m studies.{STUDY}, shoal {shoal.__version__}"


def test_the_lowest_scores_of_the_paper_are_beside_ours():
    rows = linked_file(STUDY, "lowest.csv").set_index("scenario")
    assert rows["paper"].to_dict() == {"S1": "37.223", "S2": "34.531"}
    assert rows["paper's k"].to_dict() == {"S1": "10", "S2": "6"}


def test_both_scenarios_have_every_k_of_the_figures():
    assert linked_file(STUDY, "scores.csv").k.tolist() == [str(k) for k in range(1, 100)]


def test_an_unmasked_file_has_the_score_that_the_paper_states():
    first = linked_file(STUDY, "scores.csv").iloc[0]
    assert (first["S1 score"], first["S2 score"]) == ("50", "50")


def test_no_record_breaks_a_rule_where_rules_are_kept():
    rows = linked_file(STUDY, "broken_rules.csv").set_index(["scenario", "checked by"])
    for checker in ("shoal", "Saxon"):
        kept = rows.loc[("S1", checker)]
        assert kept["files"] == "98"
        assert set(kept.drop("files")) == {"0"}


def test_the_text_says_at_how_many_k_the_rules_cost_information():
    scores = linked_file(STUDY, "scores.csv").astype(float).set_index("k")
    more = scores["S1 PIL, subsets"] - scores["S2 PIL, subsets"]
    page = " ".join((STUDIES / f"{STUDY}.md").read_text(encoding="utf-8").split())
    assert (more.loc[3:59] < 0).all()
    assert "less information than S2 for k from 3 to 59" in page
    beyond = more.loc[60:99]
    assert f"it loses more at {sum(beyond > 0)} and less at {sum(beyond < 0)} of the {len(beyond)}" in page
    assert beyond.abs().max() < 2


def test_arithmetic_means_lose_less_in_the_variables_of_the_rules_but_not_at_every_k_over_all():
    means = linked_file(STUDY, "means.csv").astype(float).set_index("k")
    assert set(means["broken"]) == {0}

    def k_where_geometric_is_lower(measure: str) -> list[int]:
        lower = means[f"{measure}, geometric"] < means[f"{measure}, arithmetic"]
        return [int(k) for k in means.index[lower]]

    assert k_where_geometric_is_lower("loss") == []
    assert k_where_geometric_is_lower("PIL") == [2]
    assert k_where_geometric_is_lower("PIL of all") == [2, 4, 5, 8, 10]
    up_to_10 = means.loc[:10]
    assert (up_to_10["PIL of all, geometric"] - up_to_10["PIL of all, arithmetic"]).abs().max() < 0.5


def test_no_record_breaks_a_further_rule_where_it_is_kept():
    rows = linked_file(STUDY, "further_rules.csv")
    assert set(rows["broken, kept"]) == {"0"}
    assert set(zip(rows["blocks"], rows["k"], strict=True)) == {
        (blocks, k) for blocks in ("one", "the paper's") for k in ("3", "5", "10")
    }


def test_orders_and_limits_of_means_in_one_block_cost_nothing():
    rows = linked_file(STUDY, "further_rules.csv")
    rows = rows[(rows["blocks"] == "one") & rows["rules"].isin(["orders", "limit of a part"])]
    assert set(rows["broken, without"]) == {"0"}
    pd.testing.assert_series_equal(rows["PIL, kept"], rows["PIL, without"], check_names=False)
