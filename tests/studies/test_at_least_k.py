"""The study of at-least-k fuzzy c-means has MDAV's published loss, and its page quotes its results."""

from __future__ import annotations

import pytest

from study_pages import command_of, page_rows, results, rounded

STUDY = "at_least_k"
QUOTED = {
    "score_2001": {
        "file": None,
        "k": None,
        "method": None,
        "groups": 0,
        **dict.fromkeys(("score", "IL", "DR", "DLD", "PLD", "ID", "attack"), 1),
    },
    "information_loss": {
        "file": None,
        "k": None,
        "method": None,
        **{f"IL of {name}": 1 for name in ("values", "means", "covariances", "variances", "correlations")},
    },
    "squared_error": {
        "file": None,
        "k": None,
        "mdav, published": None,
        **dict.fromkeys(("mdav", "refine", "at-least-k", "at-least-k, drawn", "fuzzy"), 3),
    },
    "equal_loss": {
        "file": None,
        "k": None,
        "method": None,
        "its k": None,
        "m2": 2,
        "loss": 2,
        **dict.fromkeys(("knows the method", "takes the nearest", "linkage"), 1),
    },
    "repair": {
        "file": None,
        "k": None,
        **dict.fromkeys(("loss without", "loss"), 3),
        **dict.fromkeys(("loss, difference", "left to MDAV without", "left to MDAV"), 1),
    },
}


@pytest.mark.parametrize("table", QUOTED)
def test_the_page_quotes_the_table(table):
    rows = rounded(results(STUDY, table), QUOTED[table])
    assert rows
    assert set(rows) <= page_rows(STUDY)


@pytest.mark.parametrize("table", QUOTED)
def test_a_table_says_what_made_it(table):
    assert command_of(STUDY, table).startswith("# python -m studies.at_least_k, shoal ")


def test_the_loss_of_mdav_is_the_published_one():
    """Information loss in percent at k = 3, 5 and 10, as printed in the literature on the three files."""
    table = results(STUDY, "squared_error").set_index(["file", "k"])
    for (file, k), printed in {
        ("census", "3"): "5.69",
        ("census", "10"): "14.16",
        ("tarragona", "3"): "16.93",
        ("tarragona", "10"): "33.19",
        ("eia", "5"): "1.667",
        ("eia", "10"): "3.84",
    }.items():
        assert table.loc[(file, k), "mdav, published"] == printed
        assert float(table.loc[(file, k), "mdav"]) == pytest.approx(float(printed), abs=0.005)


def test_the_score_is_that_of_2001():
    """Half the loss, an eighth of either linkage and a quarter of interval disclosure."""
    table = results(STUDY, "score_2001")
    numbers = table[["score", "IL", "DLD", "PLD", "ID"]].astype(float)
    expected = numbers["IL"] / 2 + (numbers["DLD"] + numbers["PLD"]) / 8 + numbers["ID"] / 4
    assert numbers["score"].tolist() == pytest.approx(expected.tolist(), abs=1e-3)


def test_the_loss_of_repaired_groups_is_that_of_the_release():
    """Both are the squared error of the same groups, once from the estimator and once from `shoal.protect`."""
    repaired, released = (results(STUDY, name).set_index(["file", "k"]) for name in ("repair", "squared_error"))
    assert repaired["loss"].astype(float).tolist() == pytest.approx(
        released.loc[repaired.index, "at-least-k"].astype(float).tolist(), rel=1e-4
    )
