"""The page of the study of clusters in synthetic data quotes its tables, and these have what is known of them."""

from __future__ import annotations

import pytest

from linked_tables import STUDIES, PageTable, disagreements, linked_file, not_in_files, page_tables

STUDY = "clustering_similarity"
TABLES = page_tables(STUDY)
# PIL by another program, from one start (order B, m = 1.5): c = 3, 9 and 30.
OTHER_PROGRAM = {"orig4": ("36.6", "20.1", "7.3"), "orig9": ("58.6", "55.1", "48.9")}
SETTINGS = {"0.1", "0.5", "0.8", "1.5"}  # of noise clustering, of the paper, its fuzzy Rand index, and m


@pytest.mark.parametrize("table", TABLES, ids=[f"{place}-{table.file}" for place, table in enumerate(TABLES)])
def test_a_table_on_the_page_has_the_numbers_of_its_file(table: PageTable):
    assert table.rows
    assert disagreements(STUDY, table) == []


def test_all_figures_of_the_paper_have_a_table():
    linked = {table.file for table in TABLES}
    assert {f"figure{name}.csv" for name in ("_1", "s_2_3", "s_4_5", "s_6_7", "s_8_9", "_10")} <= linked


def test_a_number_in_the_text_is_in_a_table():
    known = {number for some in OTHER_PROGRAM.values() for number in some} | SETTINGS
    assert not_in_files(STUDY) <= known


def test_the_verdicts_on_figures_are_the_same_in_both_orders_of_the_columns():
    other, likely = linked_file(STUDY, "claims_order_a.csv"), linked_file(STUDY, "claims.csv")
    likely = likely[likely.figure != "-"]
    assert other["agrees in order B"].tolist() == likely.agrees.tolist()
    assert other[["figure", "the paper"]].to_numpy().tolist() == likely[["figure", "the paper"]].to_numpy().tolist()
    assert other.agrees.tolist() == likely.agrees.tolist()
    page = (STUDIES / f"{STUDY}.md").read_text(encoding="utf-8")
    assert f"of the {len(other)} statements on figures none gets another verdict" in page


def test_figures_2_to_10_are_there_in_both_orders_of_the_columns():
    for name in ("figures_2_3", "figures_4_5", "figures_6_7", "figures_8_9", "figure_10"):
        likely, other = (linked_file(STUDY, f"{name}{end}.csv") for end in ("", "_order_a"))
        assert list(likely) == list(other)
        keys = [column for column in likely if not column.startswith("k = ")]
        assert likely[keys].equals(other[keys])
        assert not likely.equals(other)


def test_pil_with_three_models_is_that_of_another_program():
    """With three models every start ends in the same regression."""
    rows = linked_file(STUDY, "figure_1.csv").set_index(["order", "file", "release"])
    for file, (three, nine, thirty) in OTHER_PROGRAM.items():
        ours = rows.loc[("B", file, "regression, m = 1.5")]
        assert f"{float(ours['c = 3']):.1f}" == three
        assert float(ours["c = 9"]) == pytest.approx(float(nine), abs=2)
        assert float(ours["c = 30"]) == pytest.approx(float(thirty), abs=2)


def test_no_clustering_is_less_similar_than_chance_and_none_more_than_the_same():
    for file in ("figures_2_3.csv", "figures_6_7.csv", "figure_10.csv"):
        rows = linked_file(STUDY, file)
        names = [name for name in rows if name.startswith("k = ")]
        keys = [name for name in ("file", "clustering", "measure") if name in rows]
        for _, some in rows.groupby(keys):
            values = some.set_index("release")[names].astype(float)
            assert values.to_numpy().max() <= 1
            synthetic = values.drop(["same file", "at random"])
            assert (synthetic.min() > values.loc["at random"] - 0.02).all()


@pytest.mark.parametrize("file", ["claims.csv", "long_claims.csv"])
def test_every_statement_has_a_verdict(file):
    rows = linked_file(STUDY, file)
    assert {str(number) for number in range(1, 11)} <= {one for cell in rows.figure for one in cell.split(", ")}
    assert (rows.agrees != "").all()
