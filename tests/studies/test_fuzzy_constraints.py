"""The study of fuzzy microaggregation under constraints has the published numbers, and its page quotes its results."""

from __future__ import annotations

import pytest

from study_pages import command_of, page_rows, results, rounded

STUDY = "fuzzy_constraints"
CENTRE = {"exp16": 5, "exp7": 5, "total": 5}
QUOTED = {
    "table_1": {"exp16": 0, "exp7": 0, "total": 2, "total by the rule": 2, "difference": 2, "note": None},
    "table_2": {**CENTRE, **{f"noise of {name}": 2 for name in CENTRE}, "off the rule": 2},
    "table_4": {"noise": 1, "centres": None} | {f"{whose}d{i}": 4 for whose in ("", "ours: ") for i in range(1, 5)},
    "noise_draws": {
        "units": None,
        "noise": 1,
        "m": 1,
        "project: all four nearer": 1,
        "project: centres nearer": 1,
        "alternate: all four nearer": 1,
        "alternate: centres nearer": 1,
    },
    "one_step": {
        "k": None,
        "way": None,
        "loss": 1,
        "more than in one step": 2,
        "standard error": 2,
        **dict.fromkeys(("loss in the rule", "score", "risk", "PIL"), 1),
    },
    "persons": {
        "k": None,
        "m1 = m2": 1,
        "algorithm": None,
        "records unchanged": None,
        "centres released": None,
        "centres with fewer than k records": None,
    },
    "expected_sizes": {"m2": 1, "least": 2, "median": 2, "most": 2, "below 3, %": 0},
    "expected_sizes_entropy": {"lambda2": None, "least": 2, "median": 2, "most": 2, "below 3, %": 0},
    "proposition_3": {"lambda": None, "Table 1": 2, "Census": 2, "500 records of a standard normal": 2},
    "proposition_2_condition": {"file": None, "largest": 2, "m from": None},
    "proposition_5": {"file": None, "method": None, "centres apart by": 2},
    "proposition_2": {"m": 0, "Table 1": 2, "Census": 2, "500 records of a standard normal": 2},
    "risk_and_loss": {
        **dict.fromkeys(("m1", "m2"), 1),
        **dict.fromkeys(("release", "k")),
        **dict.fromkeys(("loss", "linkage", "attack", "the larger"), 1),
    },
    "parameter_choice": {
        "file": None,
        "k": None,
        "setting": None,
        "m1": 2,
        "m2": 2,
        "clusters": 0,
        "score in the grid": 1,
        "score": 1,
        "lowest": 1,
        "highest": 1,
        "risk": 1,
        "loss": 1,
    },
    "parameter_influence": {
        "parameter": None,
        "value": None,
        "k = 5, as it is": 1,
        "k = 10, as it is": 1,
        "k = 5, with errors and the rule": 1,
        "k = 10, with errors and the rule": 1,
    },
    "entropy_choice": {
        **dict.fromkeys(("file", "k", "setting", "lambda1", "lambda2", "clusters")),
        **dict.fromkeys(("score in the grid", "score", "risk", "loss"), 1),
    },
    "entropy_influence": {
        **dict.fromkeys(("parameter", "value")),
        **dict.fromkeys((f"k = {k}, {file}" for file in ("as it is", "with errors and the rule") for k in (5, 10)), 1),
    },
    "long_best": {
        **dict.fromkeys(("k", "setting")),
        **dict.fromkeys(("m1", "m2"), 2),
        **dict.fromkeys(("c", "groups"), 0),
        **dict.fromkeys(("score in the search", "score", "lowest", "highest", "risk", "loss", "linkage", "attack"), 1),
    },
    "long_draw": {"m2": 2, **dict.fromkeys(("score in the search", "attack in the search", "score", "attack"), 1)},
    "long_entropy": {
        **dict.fromkeys(("k", "lambda1", "lambda2")),
        "c": 0,
        **dict.fromkeys(("score in the search", "score"), 1),
    },
}


@pytest.mark.parametrize("table", QUOTED)
def test_the_page_quotes_the_table(table):
    rows = rounded(results(STUDY, table), QUOTED[table])
    assert rows
    assert set(rows) <= page_rows(STUDY)


@pytest.mark.parametrize("kind", ["ours", "projected", "alternating"])
def test_the_page_quotes_the_centres_of_table_3(kind):
    """Four decimals of the published centres beside ours, where there are any."""
    table = results(STUDY, "table_3")
    table = table[table[f"{kind}: exp16"] != ""]
    names = [f"{whose}{name}" for name in CENTRE for whose in ("", f"{kind}: ")]
    digits = 5 if kind == "projected" else 2
    columns = {"data": None, "centre": None} | dict.fromkeys(names, digits)
    assert set(rounded(table, columns)) <= page_rows(STUDY)


def test_the_page_has_every_centre_of_table_3():
    """With five decimals as printed, or two where ours stand beside them."""
    shown = page_rows(STUDY)
    for _, row in results(STUDY, "table_3").iterrows():
        here = [cells for cells in shown if cells[:2] == (row["data"], row["centre"])]
        for digits in (2, 5):
            printed = {f"{float(row[name]):.{digits}f}" for name in CENTRE}
            if any(printed <= set(cells) for cells in here):
                break
        else:
            pytest.fail(f"{row['data']}, centre {row['centre']}")


@pytest.mark.parametrize("table", [*QUOTED, "table_3", "table_3_exponents", "proposition_8", "proposition_8_entropy"])
def test_a_table_says_what_made_it(table):
    option = " --long" if table.startswith("long_") else ""
    assert command_of(STUDY, table).startswith(f"# python -m studies.fuzzy_constraints{option}, shoal ")


def test_table_3_has_the_published_centres():
    """Numbers printed in Table 3 of the paper: the first and the last of each kind."""
    table = results(STUDY, "table_3").set_index(["data", "centre"])
    assert list(table.loc[("original", "1"), list(CENTRE)]) == ["13.44075", "37.16236", "55.35500"]
    assert list(table.loc[("N(0, 0.5), free", "1"), list(CENTRE)]) == ["14.77033", "37.46462", "55.53745"]
    assert list(table.loc[("N(0, 1.5), free", "4"), list(CENTRE)]) == ["36.43006", "101.70231", "152.30233"]
    assert list(table.loc[("N(0, 1.5), constrained", "4"), list(CENTRE)]) == ["36.83617", "102.07690", "151.95224"]


def test_the_published_constrained_centres_are_projections_of_the_free_ones():
    table = results(STUDY, "table_3")
    table = table[table["projected: exp16"] != ""]
    assert len(table) == 12
    for name in CENTRE:
        differences = table[name].astype(float) - table[f"projected: {name}"].astype(float)
        assert differences.abs().max() <= 1.1e-5


def test_table_4_has_the_published_distances_and_follows_from_table_3():
    table = results(STUDY, "table_4").set_index(["noise", "centres"])
    assert list(table.loc[("0.5", "free"), ["d1", "d2"]]) == ["1.3756566", "0.75078064"]
    assert list(table.loc[("1.5", "constrained"), ["d3", "d4"]]) == ["0.6206389", "0.4630664"]
    for i in range(1, 5):
        differences = table[f"d{i}"].astype(float) - table[f"ours: d{i}"].astype(float)
        assert differences.abs().max() < 2e-5


def test_constrained_centres_are_always_nearer_only_where_they_are_projected():
    """By Pythagoras, since the original centres satisfy the rule; the paper states it for its algorithm."""
    table = results(STUDY, "noise_draws")
    on_values = table[table["units"] == "values"]
    assert set(on_values["project: all four nearer"]) == {"100"}
    assert on_values["alternate: all four nearer"].astype(float).max() < 100
