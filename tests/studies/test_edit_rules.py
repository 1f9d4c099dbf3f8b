"""The page of the study of edit rules quotes its tables, and the tables have what the paper prints."""

from __future__ import annotations

import pytest

import shoal
from linked_tables import PageTable, disagreements, first_line, linked_file, not_in_files, page_tables

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
