"""The page on intruders and analysts quotes its tables, and these say what the measures promise."""

from __future__ import annotations

import pytest

from linked_tables import PageTable, disagreements, linked_file, not_in_files, page_tables

STUDY = "intruders_and_analysts"
TABLES = page_tables(STUDY)
RATES = ["expected", "certain", "coverage", "false unique", "plain linkage"]


@pytest.mark.parametrize("table", TABLES, ids=[table.file for table in TABLES])
def test_a_table_on_the_page_has_the_numbers_of_its_file(table: PageTable):
    assert table.rows
    assert disagreements(STUDY, table) == []


def test_a_number_in_the_text_is_in_a_table():
    assert not_in_files(STUDY) <= {"0.5"}  # alpha


def test_every_file_has_every_masking_and_knowledge():
    rows = linked_file(STUDY, "known_method.csv")
    assert rows.groupby("file").size().to_dict() == {"Census": 6, "Tarragona": 6, "EIA": 6}


def test_nobody_is_certain_of_a_record_among_three_that_are_alike():
    rows = linked_file(STUDY, "known_method.csv").set_index("masked by")
    whole = rows.loc["MDAV, all variables together", RATES].astype(float)
    assert (whole["certain"] == 0).all()
    assert (whole["expected"] <= 100 / 3).all()


def test_the_true_record_is_always_a_candidate_where_groups_are_intervals():
    """Groups of the best univariate partition are intervals: a record cannot be outside of its own."""
    rows = linked_file(STUDY, "known_method.csv").set_index("masked by")
    intervals = rows.loc["optimal univariate, each variable by itself", RATES].astype(float)
    assert (intervals["coverage"] == 100).all()
    assert (intervals["false unique"] == 0).all()


def test_a_gain_is_what_the_release_adds_and_never_negative():
    rows = linked_file(STUDY, "guesses.csv").set_index("release").drop(columns="guessed").astype(float)
    added = (rows["right guesses"] - rows["without the release"]).clip(lower=0)
    assert rows["gain"].tolist() == pytest.approx(added.tolist(), abs=1e-3)
    assert rows.loc["the original itself", "right guesses"] == 100


def test_the_loss_of_analyses_is_the_mean_of_its_parts():
    rows = linked_file(STUDY, "analyses.csv").set_index("release").astype(float)
    means = rows[["models", "predictions", "tables", "totals"]].mean(axis=1)
    assert rows["analyses"].tolist() == pytest.approx(means.tolist(), abs=1e-3)
