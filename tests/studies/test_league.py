"""The league has every method and replacement, the published losses of MDAV, and a page that quotes it."""

from __future__ import annotations

import re

import pytest
from studies.league.entries import ENTRIES
from studies.league.files import FILES
from studies.league.picture import STYLES

from linked_tables import STUDIES, PageTable, disagreements, linked_file, not_in_files, page_tables
from oracles.tables_of_pages import tables_of
from shoal.partition import METHODS
from shoal.replace import REPLACEMENTS

STUDY = "league"
TABLES = page_tables(STUDY)
# Information loss of MDAV in percent as printed in the literature: Census, Tarragona and EIA at k = 3, 5 and 10.
PUBLISHED = {"Census": (5.69, 9.09, 14.16), "Tarragona": (16.93, 22.46, 33.19), "EIA": (0.483, 1.667, 3.840)}
ALPHA = {"0.1"}
# Column of the page, and of the results.
COLUMNS = {
    "loss": "information_loss",
    "PIL": "pil",
    "linkage": "linkage",
    "ID": "interval_disclosure",
    "attack": "attack",
}


def league_of(file: str) -> list[dict[str, str]]:
    """Return the rows of the table that the page includes, each as its cells by the heads of the columns."""
    text = (STUDIES / "results" / STUDY / f"{file}.txt").read_text(encoding="utf-8")
    heads = [cell.strip() for cell in text.splitlines()[2].split("|")[1:-1]]
    (lines,) = tables_of(text)
    return [dict(zip(heads, [cell.strip() for cell in line.split("|")[1:-1]], strict=True)) for line in lines]


@pytest.mark.parametrize("table", TABLES, ids=[f"{place}-{table.file}" for place, table in enumerate(TABLES)])
def test_a_table_on_the_page_has_the_numbers_of_its_file(table: PageTable):
    assert table.rows
    assert disagreements(STUDY, table) == []


def test_a_number_in_the_text_is_in_a_table():
    assert not_in_files(STUDY) <= ALPHA


@pytest.mark.parametrize("file", [file.name for file in FILES])
def test_the_page_includes_the_league_of_a_file_as_it_is_in_the_results(file):
    assert f"```{{include}} results/league/{file}.txt\n```" in (STUDIES / f"{STUDY}.md").read_text(encoding="utf-8")
    shown = league_of(file)
    rows = linked_file(STUDY, f"{file}.csv")
    assert len(shown) == len(rows)
    for cells, (_, row) in zip(shown, rows.iterrows(), strict=True):
        assert cells["method"] == row["method"]
        for head, column in COLUMNS.items():
            assert (cells[head] == "") == (row[column] == ""), (row["method"], head)
            if cells[head]:
                assert float(cells[head]) == pytest.approx(float(row[column]), abs=0.00501)


@pytest.mark.parametrize("file", ["Census", "Tarragona", "testdata"])  # losses by k on EIA have a decimal more
def test_a_loss_is_the_same_in_both_tables_of_the_page(file):
    league = {row["method"]: row["loss"] for row in league_of(file.lower())}
    (table,) = (one for one in TABLES if f"{file}, k = 5" in one.columns)
    place = table.columns.index(f"{file}, k = 5")
    by_k = {row[0]: row[place] for row in table.rows if row[place]}
    assert len(by_k) > 10
    assert by_k.items() <= league.items()


@pytest.mark.parametrize("file", [file.name for file in FILES])
def test_seconds_have_two_significant_digits(file):
    assert {len(row["seconds"].replace(".", "").lstrip("0")) for row in league_of(file)} == {2}


@pytest.mark.parametrize("file", [file.name for file in FILES])
def test_every_entry_has_a_release_or_a_reason(file):
    refused = linked_file(STUDY, "refused.csv")
    released = set(linked_file(STUDY, f"{file}.csv")["method"])
    reasons = set(refused.loc[refused["file"] == file, "method"])
    assert released | reasons == {entry.name for entry in ENTRIES}
    assert not released & reasons


def test_all_methods_and_replacements_take_part():
    assert {entry.method.partition(":")[0] for entry in ENTRIES} >= {name for name in METHODS if name != "one-group"}
    assert {entry.replacement for entry in ENTRIES} >= set(REPLACEMENTS) - {"mean"}


def test_the_loss_of_mdav_is_the_published_one():
    mdav = linked_file(STUDY, "losses.csv").set_index("method").loc["mdav"]
    for file, printed in PUBLISHED.items():
        for k, value in zip((3, 5, 10), printed, strict=True):
            assert float(mdav[f"{file}, k = {k}"]) == pytest.approx(value, abs=0.0051)


def test_the_score_is_half_of_the_loss_and_half_of_the_risk():
    for file in FILES:
        rows = linked_file(STUDY, f"{file.name}.csv")
        numbers = rows[["pil", "linkage", "interval_disclosure", "score"]].astype(float)
        expected = numbers["pil"] / 2 + (numbers["linkage"] + numbers["interval_disclosure"]) / 4
        assert numbers["score"].tolist() == pytest.approx(expected.tolist(), abs=2e-3)


def test_groups_of_whole_records_have_at_least_k():
    for file in FILES:
        rows = linked_file(STUDY, f"{file.name}.csv").set_index("method")
        grouped = rows[rows["family"].isin(["microaggregation", "fuzzy", "entropy"])]
        whole = grouped.drop([name for name in grouped.index if "blocks" in name or "column by column" in name])
        assert len(whole) > 15
        assert (whole["k_reached"].astype(int) >= 5).all()


def test_refine_loses_least():
    losses = linked_file(STUDY, "losses.csv").set_index("method").replace("", None).astype(float)
    assert (losses.idxmin() == "refine").all()


@pytest.mark.parametrize("file", [file.name for file in FILES])
def test_every_release_has_its_name_in_the_picture(file):
    """A text without a free place would be left out; every release is named in one of the two panels."""
    picture = (STUDIES / "results" / STUDY / f"{file}.svg").read_text(encoding="utf-8")
    named = re.findall("<!-- (.*) -->", picture)
    for method in linked_file(STUDY, f"{file}.csv")["method"]:
        assert named.count(method) == 1 + (method in STYLES), method  # names in the legend too
