"""`shoal risk` says in plain words how risky the key variables of a file are."""

from __future__ import annotations

import json

import pytest

from command_line import run_shoal

KEYS = "urbrur,roof,walls,water,electcon,relat,sex"


def test_the_numbers_of_testdata_are_printed(reference_data):
    path = reference_data("testdata.csv")
    ran = run_shoal("risk", path, "--keys", KEYS, "--weights", "sampling_weight", "--unit", "ori_hid", "--riskiest", 2)
    assert (ran.returncode, ran.stderr) == (0, "")
    for said in ("4,580 records", "157 records (3.43 %)", "281 records (6.14 %)", "458 records (10.00 %)"):
        assert said in ran.stdout
    for said in ("10.78 records expected, 0.24 %", "51.81 records expected", "largest 720", "0.6781"):
        assert said in ran.stdout
    assert "2,471  0.0465     0.2270" in ran.stdout


def test_json_has_the_same(reference_data):
    path = reference_data("testdata.csv")
    found = json.loads(run_shoal("risk", path, "--keys", KEYS, "-k", "2,3", "--json").stdout)
    assert found["violators"] == {"2": 157, "3": 281}
    assert (found["weighted"], found["units"], found["riskiest"]) == (False, None, [])


def test_confidential_variables_are_looked_at(reference_data):
    path = reference_data("testdata.csv")
    told = run_shoal("risk", path, "--keys", KEYS, "--confidential", "hhcivil,income", "--json")
    found = {one["column"]: one for one in json.loads(told.stdout)["confidential"]}
    assert list(found) == ["hhcivil", "income"]
    assert (found["hhcivil"]["values"], found["hhcivil"]["alike"]) == (1, 2466)
    assert 0 < found["income"]["distance"] <= 1
    assert "records with one" in run_shoal("risk", path, "--keys", KEYS, "--confidential", "hhcivil").stdout
    assert run_shoal("risk", path, "--keys", KEYS, "--confidential", "sex").returncode == 2


@pytest.fixture
def persons(tmp_path):
    path = tmp_path / "persons.csv"
    rows = [f"{place % 2 + 1},{'north' if place % 3 else ''},{place * 1.37 + 0.5}" for place in range(30)]
    path.write_text("sex,region,income\n" + "\n".join(rows) + "\n")
    return path


def test_without_keys_the_categories_are_taken_and_it_is_said(persons):
    ran = run_shoal("risk", persons)
    assert "2 keys: sex, region (the columns that seem to be categories; name yours with --keys)" in ran.stdout
    assert "10 records with a missing key; a missing value counts as a category" in ran.stdout
    assert "without weights the file is taken as the population" in ran.stdout
    assert run_shoal("risk", persons, "--quiet").stdout == ""


def test_a_file_full_of_missing_values_does_not_look_safe(tmp_path):
    """Two keys of a field trial: as wildcards k = 16 and nobody is unique, though most complete records are."""
    complete = [f"{100 + place},{place % 7}" for place in range(90)]
    rows = complete + [f",{place % 7}" for place in range(105)] + [f"{100 + place}," for place in range(40)] * 3
    path = tmp_path / "trial.csv"
    path.write_text("plot,dose\n" + "\n".join(rows) + "\n")
    said = run_shoal("risk", path, "--keys", "plot,dose").stdout
    found = json.loads(run_shoal("risk", path, "--keys", "plot,dose", "--json").stdout)
    assert (found["missing"], found["k"], found["uniques"], found["violators"]["2"]) == ("category", 1, 90, 90)
    wild = found["as_wildcards"]
    assert (wild["missing"], wild["k"], wild["uniques"]) == ("wildcard", 16, 0)
    first, second = said.split("as wildcards, if a missing value agrees with every value:")
    assert "225 records with a missing key; a missing value counts as a category" in first
    assert "k = 1, the fewest records that agree" in first and "90 records (28.57 %) that no other" in first
    assert "k = 16, the fewest records that agree" in second and "0 records (0.00 %) that no other" in second


@pytest.mark.parametrize(
    "options",
    [
        ["--keys", "sexx"],
        ["--keys", "sex,sex"],
        ["--keys", "sex", "--weights", "region"],
        ["--keys", "sex", "--unit", "region"],
        ["--keys", "sex", "-k", "0"],
        ["--keys", "sex", "--riskiest", "-1"],
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(persons, options):
    ran = run_shoal("risk", persons, *options)
    assert ran.returncode in (1, 2) and ran.stdout == ""
    assert ran.stderr.count("\n") == 1 and "north" not in ran.stderr


def test_recodes_are_shown_before_they_are_made(reference_data):
    path = reference_data("testdata.csv")
    options = [
        "--recode",
        "age=bands:width=10,top=80",
        "--recode",
        "relat=merge:rare=50",
        "--weights",
        "sampling_weight",
    ]
    said = run_shoal("risk", path, "--keys", f"{KEYS},age", *options, "--riskiest", 1).stdout
    found = json.loads(run_shoal("risk", path, "--keys", f"{KEYS},age", *options, "--json").stdout)
    assert list(found) == ["before", "after", "effect"]
    alone = json.loads(
        run_shoal("risk", path, "--keys", f"{KEYS},age", "--weights", "sampling_weight", "--json").stdout
    )
    assert found["before"] == alone
    assert (found["before"]["uniques"], found["after"]["uniques"]) == (1650, 415)
    assert found["effect"]["together"]["below_k"] == found["after"]["violators"]["5"] == 1083
    assert found["effect"]["before"]["below_k"] == found["before"]["violators"]["5"] == 3524
    for line in ("below k = 5", "age           88 to 9  1  1,083 records (23.65 %)", "all together"):
        assert line in said
    assert "3,524 records (76.94 %)  1,083 records (23.65 %)" in said and "the riskiest records, recoded:" in said


def test_missing_codes_are_missing_keys(persons):
    ran = run_shoal("risk", persons, "--keys", "sex,region", "--missing-codes", "sex=2")
    assert "20 records with a missing key" in ran.stdout
    recoded = run_shoal("risk", persons, "--keys", "sex,region", "--recode", "region=merge:all=[north]")
    assert "a missing value counts as a category" in recoded.stdout
    first, second = (recoded.stdout.index(line) for line in ("\nk, the fewest", "as wildcards: k, the fewest"))
    assert first < second
    guessed = run_shoal("risk", persons, "--recode", "income=bands:width=20")
    assert "3 keys: sex, region, income (the columns that seem to be categories" in guessed.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--recode", "sexx=round:to=5"],
        ["--recode", "sex"],
        ["--recode", "sex=bandss"],
        ["--recode", "income=round:to=5", "--weights", "income"],
        ["--missing-codes", "sexx=1"],
    ],
)
def test_recodes_that_cannot_be_made_are_refused_in_one_line(persons, options):
    ran = run_shoal("risk", persons, "--keys", "sex", *options)
    assert ran.returncode in (1, 2) and ran.stdout == "" and ran.stderr.count("\n") == 1
