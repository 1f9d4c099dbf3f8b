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
    assert "10 records with a missing key, which agrees with every value" in ran.stdout
    assert "without weights the file is taken as the population" in ran.stdout
    assert "missing values only" in run_shoal("risk", persons, "--missing", "category").stdout
    assert run_shoal("risk", persons, "--quiet").stdout == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--keys", "sexx"],
        ["--keys", "sex,sex"],
        ["--keys", "sex", "--weights", "region"],
        ["--keys", "sex", "--unit", "region"],
        ["--keys", "sex", "-k", "0"],
        ["--keys", "sex", "--missing", "maybe"],
        ["--keys", "sex", "--riskiest", "-1"],
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(persons, options):
    ran = run_shoal("risk", persons, *options)
    assert ran.returncode in (1, 2) and ran.stdout == ""
    assert ran.stderr.count("\n") == 1 and "north" not in ran.stderr
