"""The page of the study of hybrid data quotes its tables, and the tables have what the paper prints."""

from __future__ import annotations

import math

import pytest
from studies.hybrid_data.alphas import ONE_FOR_EACH, largest_singular_value
from studies.hybrid_data.releases import CONFIDENTIAL

import shoal
from linked_tables import PageTable, disagreements, first_line, linked_file, not_in_files, page_tables
from shoal.errors import ParameterError
from shoal.replace import MuralidharSarathy

STUDY = "hybrid_data"
TABLES = page_tables(STUDY)
RESULT = "lemma_1.csv"


@pytest.mark.parametrize("table", TABLES, ids=[f"{place}-{table.file}" for place, table in enumerate(TABLES)])
def test_a_table_on_the_page_has_the_numbers_of_its_file(table: PageTable):
    assert table.rows
    assert disagreements(STUDY, table) == []


def test_a_number_in_the_text_is_in_a_table():
    assert not_in_files(STUDY) == set()


def test_results_say_the_command_and_version_that_made_them():
    assert first_line(STUDY, RESULT) == f"# python -m studies.{STUDY}, shoal {shoal.__version__}"


def test_means_and_covariances_are_exact_for_every_k():
    rows = linked_file(STUDY, "lemma_1.csv")
    kept = rows[rows.method != "plain MDAV"].filter(like="largest").astype(float)
    assert len(kept) == 18
    assert kept.to_numpy().max() < 1e-9


def test_no_difference_of_third_moments_is_above_the_bound_of_the_lemma():
    rows = linked_file(STUDY, "lemma_2.csv")
    rows = rows[rows.method == "hybrid"]
    third, line, bound = (rows[name].astype(float) for name in ("third moments", "line before", "bound of lemma 2"))
    assert (third <= line).all()
    assert (line <= bound).all()


def test_the_risk_of_hybrid_data_is_higher_than_the_paper_says():
    # Another program, k = 20: 23.0 % of the records linked, with plain microaggregation 1.1 %.
    rows = linked_file(STUDY, "risk.csv").set_index(["method", "parameter"]).linkage.astype(float)
    assert rows["hybrid", "k = 20"] == pytest.approx(23.0, abs=1.0)
    assert rows["plain MDAV", "k = 20"] == pytest.approx(1.1, abs=0.1)


def test_one_alpha_for_all_is_always_possible_and_others_the_less_the_farther_they_are_apart():
    rows = linked_file(STUDY, "alphas.csv").astype(float)
    assert (rows["one number for all"] == 100).all()
    for _, around in rows.groupby("around"):
        for kind in ("a number for each", "a matrix"):
            assert around.sort_values("by at most")[kind].is_monotonic_decreasing


@pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")
def test_shoal_refuses_the_alpha_that_the_study_calls_impossible_and_names_nearly_its_factor(reference_data):
    """It asks for a thousandth of noise besides."""
    census = shoal.read_table(reference_data("census.csv"))
    factor = 0.999 / largest_singular_value(census, ONE_FOR_EACH)

    def release(scale: float) -> shoal.Release:
        replace = MuralidharSarathy(alpha=[scale * one for one in ONE_FOR_EACH], confidential=CONFIDENTIAL)
        return shoal.protect(census, 20, replace=replace, seed=0)

    with pytest.raises(ParameterError, match=f"at most {math.floor(10_000 * factor) / 10_000}"):
        release(1)
    assert release(0.999 * factor).partitions
