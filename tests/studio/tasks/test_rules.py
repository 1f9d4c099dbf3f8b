"""Rules are read, checked on the recoded table, taken from files, found, and explained."""

from __future__ import annotations

import pandas as pd
import pytest

from shoal import datasets
from shoal.edits import read_edits, schematron_of, suggested_rules
from shoal.errors import RuleError
from shoal.studio.tasks.rules import checked, how_kept, loaded, suggested

MONEY = pd.DataFrame(
    {"net": [8, 20, None, 5], "tax": [2, 5, 1, 1], "gross": [10, 25, 9, 7], "town": ["a", "b", "a", "b"]}
)


@pytest.fixture
def source(tmp_path):
    MONEY.to_csv(tmp_path / "money.csv", index=False)
    return {"path": str(tmp_path / "money.csv"), "reading": {}}


def test_records_that_break_a_rule_are_counted_and_named_by_number(source):
    found = checked(source, {}, ["net + tax == gross", "tax >= 1"])
    first, second = found.rules
    assert (first.broken, first.first, first.missing, first.is_linear) == (1, (4,), 1, True)
    assert (second.broken, second.first, second.missing) == (0, (), 0)
    assert found.records == 4
    assert found.problem == ""


def test_a_rule_that_cannot_be_read_says_why_and_stops_no_other(source):
    found = checked(source, {}, ["net +", "nett <= gross", "tax >= 2"])
    assert [bool(one.problem) for one in found.rules] == [True, True, False]
    assert 'names "nett", which is no column. Did you mean "net"' in found.rules[1].problem
    assert found.rules[2].broken == 2


def test_rules_that_cannot_hold_together_are_told(source):
    assert checked(source, {}, ["tax >= 10", "tax <= 1"]).problem.startswith("No record can satisfy")


def test_rules_are_about_the_recoded_column(source):
    recoded = {"recodes": {"tax": "bands:width=10"}}
    assert 'after the recode bands of "tax"' in checked(source, recoded, ["net + tax == gross"]).rules[0].problem
    assert checked(source, {"missing_codes": {"tax": [5]}}, ["tax >= 1"]).rules[0].missing == 1


def test_values_are_looked_up_in_the_file_itself(source):
    assert checked(source, {}, ["town in original"]).rules[0].broken == 0


def test_rules_of_a_file_become_texts_that_read_the_same(source, tmp_path):
    texts = ["net + tax == gross", 'if town == "a" then tax >= 1', "tax is integer"]
    (tmp_path / "rules.sch").write_bytes(schematron_of(read_edits(texts)).encode())
    (tmp_path / "rules.txt").write_text("# sums\nnet + tax == gross\n\ntax is integer # whole\n", encoding="utf-8")
    from_schematron = loaded(source, str(tmp_path / "rules.sch"), "mine.sch")
    assert from_schematron.left_out == 0
    before, after = checked(source, {}, texts), checked(source, {}, list(from_schematron.texts))
    assert [one.broken for one in after.rules] == [one.broken for one in before.rules] == [1, 0, 0]
    assert loaded(source, str(tmp_path / "rules.txt"), "rules.txt").texts == ("net + tax == gross", "tax is integer")


def test_a_file_that_cannot_be_read_is_called_by_its_users_name(source, tmp_path):
    path = tmp_path / "upload-1234.txt"
    path.write_text("net +\n", encoding="utf-8")
    with pytest.raises(RuleError) as refused:
        loaded(source, str(path), "mine.txt")
    assert '"mine.txt", line 1' in str(refused.value)
    assert "upload-1234" not in str(refused.value)


def test_suggestions_are_those_of_shoal_on_the_recoded_table(tmp_path):
    table = datasets.households()
    table.to_csv(tmp_path / "h.csv", index=False)
    source = {"path": str(tmp_path / "h.csv"), "reading": {}}
    texts = [one.text for one in suggested(source, {})]
    assert texts == [one.text for one in suggested_rules(table, most=30)]
    assert "age >= 0" in texts
    assert "age >= 0" not in [one.text for one in suggested(source, {"recodes": {"age": "bands:width=10"}})]
    assert all(one.broken == 0 and not one.problem for one in checked(source, {}, texts).rules)


def test_how_rules_are_kept_is_what_protect_explains(tmp_path):
    datasets.households().to_csv(tmp_path / "h.csv", index=False)
    source = {"path": str(tmp_path / "h.csv"), "reading": {}}
    options = {"columns": ["net_income", "tax", "gross_income"], "edits": ["net_income + tax == gross_income"]}
    text = how_kept(source, 3, options | {"roles": {"household_id": "identifier"}}, "mine.csv")
    assert text.startswith("mine.csv: 1,000 records, 1 rule, k = 3")
    assert "gross_income: computed from the others" in text
