"""The page on what a search finds quotes its tables, and these are what the search is said to do."""

from __future__ import annotations

import pytest

from linked_tables import PageTable, disagreements, linked_file, not_in_files, page_tables

STUDY = "tuning"
TABLES = page_tables(STUDY)


@pytest.mark.parametrize("table", TABLES, ids=[f"{place}-{table.file}" for place, table in enumerate(TABLES)])
def test_a_table_on_the_page_has_the_numbers_of_its_file(table: PageTable):
    assert table.rows
    assert disagreements(STUDY, table) == []


def test_a_number_in_the_text_is_in_a_table():
    assert not_in_files(STUDY) == set()


def test_what_is_chosen_has_the_lowest_score_of_all_trials():
    trials, chosen = linked_file(STUDY, "trials.csv"), linked_file(STUDY, "search.csv").set_index("which")
    assert len(trials) == 120
    assert float(chosen.loc["chosen", "score"]) == trials["score"].astype(float).min()


def test_either_score_is_half_of_the_risk_and_half_of_a_loss():
    numbers = linked_file(STUDY, "trials.csv")[["risk", "PIL", "analyses", "score", "score with analyses"]].astype(
        float
    )
    assert numbers["score"].tolist() == pytest.approx(((numbers.risk + numbers.PIL) / 2).tolist(), abs=1e-3)
    expected = ((numbers.risk + numbers.analyses) / 2).tolist()
    assert numbers["score with analyses"].tolist() == pytest.approx(expected, abs=1e-3)


def test_groups_within_categories_are_refused_where_these_have_too_few_records():
    rows = linked_file(STUDY, "categories.csv")
    within = rows["categories"] == "within"
    assert within.sum() == 2
    assert (rows.loc[within, "refused"] == "TooFewRecordsError").all()
    assert (rows.loc[~within, "refused"] == "").all()
